#include "core/io/event_text.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include <simdjson.h>

#include "core/base/decimal.h"
#include "core/io/json_cursor.h"

namespace ridgeline {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// The common form of a time, up to 15 digits and three decimals; the rest goes the exact long way.
std::optional<DecimalTime> microseconds(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (text.size() > 19) return parseMicroseconds(text);
  TimeNs value = 0;
  const char* const whole = p;
  while (p < end && isDigit(*p)) value = value * 10 + (*p++ - '0');
  if (p == whole || p - whole > 15) return parseMicroseconds(text);
  int decimals = 0;
  if (p < end && *p == '.') {
    ++p;
    while (p < end && isDigit(*p) && decimals < 3) {
      value = value * 10 + (*p++ - '0');
      ++decimals;
    }
  }
  if (p != end) return parseMicroseconds(text);
  static constexpr TimeNs kScale[] = {1000, 100, 10, 1};
  return DecimalTime{value * kScale[decimals], true};
}

bool isHex(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool isHex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return false;
  for (std::size_t i = at; i < at + 4; ++i)
    if (!isHex(text[i])) return false;
  return true;
}

/// Characters of the escape at text[at] = '\\'; 0 if it is none.
std::size_t escapeLength(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return 0;
  const char c = text[at + 1];
  if (c == 'u') return isHex4(text, at + 2) ? 6 : 0;
  return c != '\0' && std::strchr("\"\\/bfnrt", c) != nullptr ? 2 : 0;
}

/// Bytes of the UTF-8 character at text[at]; 0 where none stands there.
std::size_t utf8Length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned a = byte(0);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a < 0xE0) return follows(1) ? 2 : 0;
  if (a >= 0xE0 && a < 0xF0) {
    const bool overlong = a == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = a == 0xED && byte(1) >= 0xA0;
    return !overlong && !surrogate && follows(1) && follows(2) ? 3 : 0;
  }
  if (a >= 0xF0 && a < 0xF5) {
    const bool outside = (a == 0xF0 && byte(1) < 0x90) || (a == 0xF4 && byte(1) >= 0x90);
    return !outside && follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

void setNumber(EventArgs& args, const ArgField& field, std::string_view raw) {
  raw = unquoted(raw);
  if (field.kind == ArgField::Kind::real) {
    if (const auto number = finiteNumber(raw)) args.*field.real = *number;
    return;
  }
  std::size_t i = 0;
  std::int64_t value = 0;
  while (i < raw.size() && isDigit(raw[i]) && i < 18) value = value * 10 + (raw[i++] - '0');
  if (i > 0 && i == raw.size()) {
    args.*field.number = value;
  } else if (const auto number = parseInteger(raw)) {
    args.*field.number = *number;
  }
}

static bool isHalf(std::string_view text, std::size_t at, std::string_view digits) {
  return at + 6 <= text.size() && text[at] == '\\' && text[at + 1] == 'u' &&
         (text[at + 2] | 0x20) == 'd' && digits.find(text[at + 3]) != digits.npos;
}

/// Bytes of the escape at text[at], of a character of two halves (\ud83d\ude00) of both; 0 where
/// it is none, or half a character.
static std::size_t wholeEscape(std::string_view text, std::size_t at) {
  if (isHalf(text, at, "cdefCDEF")) return 0;
  if (!isHalf(text, at, "89abAB")) return escapeLength(text, at);
  const bool hex = escapeLength(text, at) == 6 && escapeLength(text, at + 6) == 6;
  return hex && isHalf(text, at + 6, "cdefCDEF") ? 12 : 0;
}

bool isFaultless(std::string_view event) {
  bool inString = false;
  bool ascii = true;
  for (std::size_t i = 0; i < event.size(); ++i) {
    const auto c = static_cast<unsigned char>(event[i]);
    if (c == '"') {
      inString = !inString;
    } else if (inString) {
      if (c < 0x20) return false;
      if (c == '\\') {
        const std::size_t length = wholeEscape(event, i);
        if (length == 0) return false;
        i += length - 1;
      }
    } else if (c == 'N' || c == 'I' || c == '\\') {
      return false;
    }
    ascii = ascii && c < 0x80;
  }
  return ascii || simdjson::validate_utf8(event.data(), event.size());
}

bool finishPlainEvent(Event& event, std::string_view ts, std::string_view dur, ImportLog& log) {
  if (event.phase == '\0') return false;
  bool exact = true;
  const auto set = [&exact](std::string_view raw, TimeNs& to) {
    const auto time = microseconds(unquoted(raw));
    if (!time || time->ns > kFarthestTime || time->ns < -kFarthestTime) return false;
    to = time->ns;
    exact = exact && time->exact;
    return true;
  };
  if (!ts.empty() && !set(ts, event.ts) && needsTime(event.phase)) return false;
  if (ts.empty() && needsTime(event.phase)) return false;
  if (!dur.empty() && !set(dur, event.dur)) return false;
  if (!exact)
    log.note("below_nanosecond", "times with digits below a nanosecond were rounded", false,
             event.inputOffset, ts);
  if ((!ts.empty() && ts.front() == '"') || (!dur.empty() && dur.front() == '"')) {
    ++log.repaired;
    log.note("time_as_text", "times that were written as texts were read as numbers", false,
             event.inputOffset, ts);
  }
  if (dur.empty() && event.phase == 'X') {
    ++log.repaired;
    log.note("missing_duration", "complete events without a duration were given duration 0", false,
             event.inputOffset, event.name);
  }
  return true;
}

std::optional<double> finiteNumber(std::string_view raw) {
  raw = unquoted(raw);
  double number = 0;
  const auto [rest, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (error != std::errc() || rest != raw.data() + raw.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

bool readCounterValues(std::string_view object,
                       std::vector<std::pair<std::string_view, double>>& values, Poll& poll) {
  if (object.empty()) return true;
  JsonCursor cursor(object);
  if (!cursor.take('{')) return false;
  while (cursor.peek() == '"') {
    if (poll.stop()) return false;
    const std::string_view key = cursor.rawString();
    if (key.find('\\') != std::string_view::npos || !cursor.take(':')) return false;
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) return false;
    if (const auto number = finiteNumber(value)) values.emplace_back(key, *number);
    if (!cursor.take(',')) break;
  }
  return true;
}

bool mendUtf8(std::string_view text, std::string& out, Poll* poll) {
  if (simdjson::validate_utf8(text.data(), text.size())) return false;
  out.clear();
  for (std::size_t i = 0; i < text.size();) {
    if (poll != nullptr && poll->stop()) break;
    const std::size_t length = utf8Length(text, i);
    out += length == 0 ? kReplacement : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return true;
}

std::string mendedJson(std::string_view text, Poll* poll) {
  if (isFaultless(text) && text.find(",}") == text.npos && text.find(",]") == text.npos)
    return std::string(text);
  std::string utf8;
  if (mendUtf8(text, utf8, poll)) text = utf8;
  std::string out;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (poll != nullptr && poll->stop()) break;
    const char c = text[i];
    if (inString) {
      if (c == '\\') {
        const std::size_t length = escapeLength(text, i);
        if (length == 0) {
          out += "\\\\";  // a backslash that escapes nothing stands for itself
        } else {
          out += text.substr(i, length);
          i += length - 1;
        }
      } else if (static_cast<unsigned char>(c) < 0x20) {
        static constexpr char kDigits[] = "0123456789abcdef";
        out += "\\u00";
        out += kDigits[(c >> 4) & 0xF];
        out += kDigits[c & 0xF];
      } else {
        inString = c != '"';
        out += c;
      }
    } else if (c == '"') {
      inString = true;
      out += c;
    } else if (text.substr(i, 3) == "NaN" || text.substr(i, 8) == "Infinity") {
      if (!out.empty() && out.back() == '-') out.pop_back();
      out += "null";
      i += c == 'N' ? 2 : 7;
    } else if (c == '}' || c == ']') {
      std::size_t end = out.find_last_not_of(" \t\r\n");
      if (end != std::string::npos && out[end] == ',') out.resize(end);
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace ridgeline
