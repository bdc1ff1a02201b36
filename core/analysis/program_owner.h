#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/compiled_programs.h"

namespace ridgeline {

/// Finds the compiled program that a device event belongs to; one thread.
class ProgramOwner {
 public:
  struct Owner {
    ProgramKind kind = ProgramKind::unmarked;
    std::string name;
    std::string region;
    SliceId run;  ///< the mark; invalid where the recording has none
  };

  explicit ProgramOwner(const Workload& w);

  /// Null: the event belongs to no compiled program. Lives as long as this object.
  [[nodiscard]] const Owner* of(SliceId deviceWork);

 private:
  struct Found {
    bool any = false;
    Owner owner;
  };
  void markNames();
  void findSpilled();
  void nameGraphs();
  [[nodiscard]] CompiledMark markOf(SliceId s) const {
    return marks_[w_.trace->slices().name[s.index()].index()];
  }
  [[nodiscard]] Found above(SliceId host) const;
  /// The innermost Inductor call around `t` that is no parent, as it overlaps without nesting.
  [[nodiscard]] SliceId spilledAt(TrackId track, TimeNs t) const;
  [[nodiscard]] Found ofLaunch(SliceId launch) const;
  [[nodiscard]] const Owner* ofModule(SliceId work);
  const Owner* keep(SliceId key, Found found);

  const Workload& w_;
  std::vector<CompiledMark> marks_;  ///< by StringId
  bool anyMark_ = false;
  std::unordered_map<TrackId, std::vector<SliceId>> spilled_;  ///< Inductor calls, by start
  std::vector<TrackId> moduleLines_;                           ///< by ProcessId; invalid: none
  std::unordered_map<SliceId, std::string> graphNames_;        ///< by the launching call
  std::unordered_map<SliceId, Found> byHost_;              ///< by launch, or op where there is none
  std::map<std::pair<StringId, SliceId>, Owner> modules_;  ///< by (module, run)
  Owner unmarked_;
};

}  // namespace ridgeline
