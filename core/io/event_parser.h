#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/event.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// Reads one trace event from the text of its JSON object. Holds buffers that the Event's texts
/// point into: the Event is good until the next `parse`.
class EventParser {
 public:
  /// Empty when the object is not readable or lacks what its phase needs; `why` then says which.
  /// `offset`: of the object in the decompressed text. Repairs are noted in the log.
  std::optional<Event> parse(std::string_view object, std::uint64_t offset, ImportLog& log);

  /// A key of ImportLog::problems and its sentence, after `parse` returned nothing.
  struct Refusal {
    std::string_view key;
    std::string_view sentence;
  };
  [[nodiscard]] Refusal refusal() const { return refusal_; }

 private:
  std::string_view textOf(std::string_view raw, ImportLog& log, std::uint64_t offset);
  void readArgs(std::string_view object, Event& event, ImportLog& log);
  void readCounterArgs(std::string_view object, ImportLog& log, std::uint64_t offset);
  std::string& buffer();

  std::deque<std::string> buffers_;  // texts point into them: never moved
  std::size_t used_ = 0;
  std::vector<std::pair<std::string_view, double>> counterValues_;
  Refusal refusal_;
};

}  // namespace ridgeline
