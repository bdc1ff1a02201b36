#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/task.h"
#include "core/io/args_files.h"
#include "core/io/event_mender.h"
#include "core/io/event_scanner.h"
#include "core/trace/event_batch.h"

namespace ridgeline {

/// Reads the list of events from a piece of text into batches: each entry by the fast path, and by
/// the slow one where that refuses. Entries cut off at the end of the piece are left for later.
/// What comes out does not depend on where pieces are cut.
class EventListReader {
 public:
  /// What stands between the entries read last and the next.
  enum class Separator {
    begin,
    afterEvent,
    afterComma,
    lost  ///< an entry too long to be read, and we are still in it
  };
  enum class Stop {
    needMore,  ///< at the end of the piece, or inside an entry that it cuts off
    listEnd,   ///< behind the closing bracket (or at the object's, where that one is missing)
    cancelled,
  };

  /// `packArgs`: whether args texts are to be kept.
  EventListReader(bool fastPath, bool packArgs) : fastPath_(fastPath) {
    if (packArgs) packer_.emplace();
  }

  /// Reads on at text[at]; kTextPadding bytes behind the text must be readable. `offset`: of
  /// text[0] in the whole text; `last`: nothing follows.
  Stop read(std::string_view text, std::size_t& at, Separator& separator, bool last,
            std::uint64_t offset, const Task& task);

  [[nodiscard]] EventCollector& collector() { return collector_; }
  [[nodiscard]] std::vector<ArgsBlock> takeArgs() {
    return packer_ ? packer_->take() : std::vector<ArgsBlock>();
  }

 private:
  /// Steps over spaces and commas; empty where an entry begins.
  std::optional<Stop> passSeparators(std::string_view text, std::size_t& at, Separator& separator,
                                     bool last, std::uint64_t offset);
  [[nodiscard]] bool sameGap(std::string_view text, std::size_t at) const;
  void keepGap(std::string_view text, std::size_t begin, std::size_t end);
  void take(const Event& event, std::string_view text, std::uint64_t offset, const Task& task);

  bool fastPath_;
  EventCollector collector_;
  EventScanner scanner_;
  EventMender mender_;
  std::optional<ArgsPacker> packer_;
  // A comma and spaces between two events, as writers repeat it; as the first bytes of a word.
  std::uint64_t gap_ = 0;
  std::uint64_t gapMask_ = 0;
  std::size_t gapLength_ = 0;  ///< 0: none is known
};

}  // namespace ridgeline
