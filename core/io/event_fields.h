#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/event.h"

namespace ridgeline {

/// The keys of an event's own object that are read.
enum class EventKey : std::uint8_t {
  ph,
  name,
  cat,
  pid,
  tid,
  ts,
  dur,
  id,
  bp,
  args,
  id2,
  bindId,
  flowIn,
  flowOut,
  none
};

[[nodiscard]] inline EventKey eventKeyOf(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return EventKey::ph;
      if (key == "ts") return EventKey::ts;
      if (key == "id") return EventKey::id;
      return key == "bp" ? EventKey::bp : EventKey::none;
    case 3:
      if (key == "pid") return EventKey::pid;
      if (key == "tid") return EventKey::tid;
      if (key == "dur") return EventKey::dur;
      if (key == "cat") return EventKey::cat;
      return key == "id2" ? EventKey::id2 : EventKey::none;
    case 4:
      if (key == "name") return EventKey::name;
      return key == "args" ? EventKey::args : EventKey::none;
    case 7:
      if (key == "bind_id") return EventKey::bindId;
      return key == "flow_in" ? EventKey::flowIn : EventKey::none;
    case 8:
      return key == "flow_out" ? EventKey::flowOut : EventKey::none;
    default:
      return EventKey::none;
  }
}

/// An arg that has a typed column: a whole number, a number or a text.
struct ArgField {
  enum class Kind : std::uint8_t { number, text, rawJson, real };

  std::string_view key;
  Kind kind = Kind::number;
  std::int64_t EventArgs::*number = nullptr;
  std::string_view EventArgs::*text = nullptr;
  double EventArgs::*real = nullptr;
};

[[nodiscard]] constexpr bool isNumber(ArgField::Kind kind) {
  return kind == ArgField::Kind::number || kind == ArgField::Kind::real;
}

/// The field of an arg's key (escapes as they stand); null when it has no column. All spellings
/// that Kineto has used. The result's place in the table, for noticing repeated keys, is < 64.
[[nodiscard]] const ArgField* argFieldOf(std::string_view key);
[[nodiscard]] std::size_t argFieldIndex(const ArgField* field);
[[nodiscard]] const ArgField& argFieldAt(std::size_t index);

/// Text without its quotes, if it is quoted.
[[nodiscard]] inline std::string_view unquoted(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"')
    return raw.substr(1, raw.size() - 2);
  return raw;
}

/// Metadata events alone need no time.
[[nodiscard]] inline bool needsTime(char phase) {
  return phase != 'M';
}

/// Absolute times are kept this far from the ends of 64 bits, so that differences cannot overflow.
inline constexpr TimeNs kFarthestTime = TimeNs{1} << 61;

}  // namespace ridgeline
