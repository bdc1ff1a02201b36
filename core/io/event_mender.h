#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/loose_json.h"
#include "core/trace/event.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// The slow path: reads one entry of the list of events that the fast path refused, mends what can
/// be mended, and finds the place to go on. What it does follows from the text from the entry on,
/// never from where the text was cut. Every repair and every loss is noted.
/// The Event is good until the next call.
class EventMender {
 public:
  enum class Step {
    event,     ///< `event()` holds one; `at` stands behind it
    dropped,   ///< counted as read and dropped; `at` stands behind it
    needMore,  ///< what to do depends on text that is not here yet
  };

  /// `text`: from some border on; `at`: of the entry's first character in it; `last`: nothing
  /// follows the text. `offset`: of text[0] in the whole text. Any step, soon, once the task is
  /// cancelled: it has no meaning then.
  Step next(std::string_view text, std::size_t& at, bool last, std::uint64_t offset, ImportLog& log,
            const Task& task);
  [[nodiscard]] const Event& event() const { return event_; }
  /// After a step: the comma behind the entry was passed, too.
  [[nodiscard]] bool separated() const { return separated_; }
  /// After a step: the entry was too long, and where it ends is not known; see findEventAfterLoss.
  [[nodiscard]] bool lost() const { return lost_; }
  /// Nothing that follows is to be read.
  [[nodiscard]] bool gaveUp() const { return endless_ > kMostEndless; }

 private:
  static constexpr int kMostEndless = 16;

  Step takeWhole(std::string_view entry, bool isObject, ImportLog& log, Poll& poll);
  bool fill(bool complete, ImportLog& log, Poll& poll);
  bool setTimes(std::string_view ts, std::string_view dur, bool complete, ImportLog& log);
  void setArgs(std::string_view args, ImportLog& log, Poll& poll);
  void noteFaults(std::string_view entry, ImportLog& log, Poll& poll) const;
  std::string_view innerId(std::string_view object, Poll& poll);
  std::string_view textOf(std::string_view raw, Poll& poll);
  bool refuse(std::string_view key, std::string_view sentence);
  Step drop(std::string_view key, std::string_view sentence, std::string_view entry,
            ImportLog& log);
  std::string& buffer();
  std::size_t nextStart(std::string_view rest, Poll& poll);
  Step giveUp(std::string_view text, std::size_t& at, ImportLog& log);

  Event event_;
  std::vector<loose::Pair> pairs_;
  bool separated_ = false;
  bool lost_ = false;
  int endless_ = 0;  ///< entries that did not end within kMostEventBytes
  struct {
    std::uint64_t begin = 0, end = 0;
  } startless_;                   ///< in the whole text: no event begins there
  const char* origin_ = nullptr;  ///< of the text that pairs_ point into
  std::uint64_t offset_ = 0;
  std::string_view refusalKey_, refusalSentence_;
  std::deque<std::string> buffers_;  // texts point into them: never moved
  std::size_t used_ = 0;
  std::vector<std::pair<std::string_view, double>> counterValues_;
};

/// Where the next event seems to begin: a '{' whose first key is one of an event's, after a comma,
/// or a bracket. npos if there is none at or after `from`.
/// Also npos once the poll says stop.
[[nodiscard]] std::size_t findEventStart(std::string_view text, std::size_t from, Poll& poll);

/// Passes over text that is part of nothing readable: true when `at` stands where an event seems to
/// begin, else `at` stands behind what need not be looked at again.
[[nodiscard]] bool findEventAfterLoss(std::string_view text, std::size_t& at, bool last,
                                      Poll& poll);

}  // namespace ridgeline
