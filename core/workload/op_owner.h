#pragma once

#include <unordered_map>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// Finds the operator that a device event belongs to: the leaf-most one around its launch, and
/// where the launching call stands in no operator (old recordings put runtime calls on other
/// thread ids) the one that its External id names. Keeps what it found per launch; one thread.
class OpOwner {
 public:
  explicit OpOwner(const Trace& trace) : trace_(trace) {}

  /// Invalid when the recording does not tell.
  [[nodiscard]] SliceId of(SliceId deviceWork);

 private:
  [[nodiscard]] SliceId ofLaunch(SliceId launch);
  [[nodiscard]] SliceId byExternalId(SliceId carrier, TimeNs at, bool mustHold);
  [[nodiscard]] bool isOp(SliceId s) const;
  void indexExternalIds();

  const Trace& trace_;
  /// By slice, sized when first asked; kNotAsked where no launch was asked about. Not a map: that
  /// would miss the cache once more for every kernel.
  std::vector<SliceId> opOfLaunch_;
  static constexpr SliceId kNotAsked{SliceId::kNone - 1};
  std::unordered_multimap<std::int64_t, SliceId> opsByExternal_;
  bool indexed_ = false;
};

}  // namespace ridgeline
