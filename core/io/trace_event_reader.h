#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/io/args_files.h"
#include "core/io/event_list_reader.h"
#include "core/io/text_rest.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// Reads Chrome trace-event JSON (object and array form) that comes in pieces; what can be mended
/// is mended, what cannot is counted in the builder's log. For one thread.
class TraceEventReader {
 public:
  /// `packed`: where args texts are kept; null where they can be read from the file.
  TraceEventReader(TraceBuilder& builder, PackedArgs* packed, bool fastPath)
      : builder_(builder), packed_(packed), list_(fastPath, packed != nullptr) {}

  /// Takes what it can of a text that continues what was taken before, and says how much that was;
  /// kTextPadding bytes behind it must be readable. `last`: nothing follows the text.
  [[nodiscard]] std::size_t consume(std::string_view text, std::uint64_t offset, bool last,
                                    const Task& task);
  /// True where the next thing is an event, the comma before it included in what was taken.
  [[nodiscard]] bool atEvent() const {
    return mode_ == Mode::events && separator_ == EventListReader::Separator::afterComma;
  }
  [[nodiscard]] bool inEvents() const { return mode_ == Mode::events; }
  /// Somebody else read the events from here on, which left off with this separator.
  void skipped(EventListReader::Separator separator, bool listEnded, std::uint64_t offset) {
    separator_ = separator;
    if (listEnded) endOfEvents(offset, true);
  }
  /// Hands what was read so far to the builder.
  void flush(const Task& task);
  /// After everything was consumed: an error where nothing of a trace was there.
  [[nodiscard]] std::optional<Error> verdict(const std::string& path, const Task& task);
  /// Nothing more can come of the file, and what follows tells nothing.
  [[nodiscard]] bool done() const { return mode_ == Mode::done; }

 private:
  enum class Mode {
    start,
    object,
    events,
    ended,  ///< the document is closed
    done,   ///< given up: what follows is part of nothing known
  };

  std::size_t begin(std::string_view text);
  std::optional<std::size_t> readEntry(std::string_view text, std::uint64_t offset, bool last,
                                       const Task& task);
  void readTopLevel(std::string_view key, std::string_view value, std::uint64_t offset, Poll& poll);
  void readDistributedInfo(std::string_view value);
  void endOfEvents(std::uint64_t offset, bool closed);

  TraceBuilder& builder_;
  PackedArgs* packed_;
  EventListReader list_;
  EventBatch batch_;
  Mode mode_ = Mode::start;
  EventListReader::Separator separator_ = EventListReader::Separator::begin;
  TextRest rest_;
  bool arrayForm_ = false;
  bool foundEvents_ = false;
  bool tooLong_ = false;
};

}  // namespace ridgeline
