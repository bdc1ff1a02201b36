#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/task.h"
#include "core/io/structural_scan.h"
#include "core/trace/event.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// The fast path: reads whole events out of a text by the positions of its quotes and brackets.
/// It takes only what is beyond doubt, event by event, and refuses everything else: whether an
/// event is taken follows from the event's own text alone, never from where the text was cut.
/// Holds buffers; an Event is good until the next call.
class EventScanner {
 public:
  enum class Step {
    event,     ///< `event()` holds one; `at` stands behind it
    needMore,  ///< the text ends inside an event, or where one may follow
    refused,   ///< not plain enough: the event at `at` is for the slow path
  };

  /// Begins on text[0, size); kTextPadding bytes behind it must be readable. `offset`: of text[0]
  /// in the whole text, for the places that events report.
  void open(const char* text, std::size_t size, std::uint64_t offset);
  /// Reads the event whose '{' stands at `at`. `at` must ascend from call to call.
  /// needMore, too, once the task is cancelled.
  Step next(std::size_t& at, ImportLog& log, const Task& task);
  [[nodiscard]] const Event& event() const { return event_; }

 private:
  struct Cursor;
  void scanWindow(std::size_t at, std::size_t least);
  Step readEvent(std::size_t& at, ImportLog& log, const Task& task);
  Step readArgs(Cursor& c);
  void clearEvent();
  [[nodiscard]] bool blocksHold(std::size_t begin, std::size_t end, std::uint8_t special) const;
  std::string_view textOf(std::size_t begin, std::size_t end, bool& good);

  const char* text_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
  // The window that is scanned: text_[window_, window_ + windowSize_).
  Structure structure_;
  std::size_t window_ = 0;
  std::size_t windowSize_ = 0;
  std::size_t nextWindow_ = 0;
  std::size_t k_ = 0;  ///< the next structural position
  Event event_;
  std::uint64_t argsSet_ = 0;  ///< which arg fields of event_ are set, by their place in the table
  std::array<std::string, 24> buffers_;
  std::size_t used_ = 0;
  std::vector<std::pair<std::string_view, double>> counterValues_;
};

}  // namespace ridgeline
