#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/task.h"
#include "core/io/event_fields.h"
#include "core/trace/event.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// What is longer is no event but a file whose quotes or brackets are broken.
inline constexpr std::size_t kMostEventBytes = 32u << 20;

/// A whole number, quoted or not; the member stays absent where the value is none.
void setNumber(EventArgs& args, const ArgField& field, std::string_view raw);

/// Whether an event's text has valid UTF-8, valid escapes, no control characters in its strings,
/// and no NaN, Infinity or backslash outside of them.
[[nodiscard]] bool isFaultless(std::string_view event);

/// Sets time and duration of an event whose other fields are read. False, and nothing noted, where
/// something has to be mended or the event has to be dropped.
[[nodiscard]] bool finishPlainEvent(Event& event, std::string_view ts, std::string_view dur,
                                    ImportLog& log);

/// The series of a counter event's args. False where a key is escaped or the args are no object, or
/// once the poll says stop.
[[nodiscard]] bool readCounterValues(std::string_view object,
                                     std::vector<std::pair<std::string_view, double>>& values,
                                     Poll& poll);

/// A number's value, if it is a finite one.
[[nodiscard]] std::optional<double> finiteNumber(std::string_view raw);

/// Replaces what is no UTF-8 by U+FFFD; true if there was something. Here and below: ends early,
/// with any text, once the poll says stop.
bool mendUtf8(std::string_view text, std::string& out, Poll* poll = nullptr);

/// Valid JSON of the text of a value that may have bad escapes, bad UTF-8, control characters in
/// strings, NaN, or commas too many. The text itself where nothing had to be done.
[[nodiscard]] std::string mendedJson(std::string_view text, Poll* poll = nullptr);

}  // namespace ridgeline
