#include "core/io/json_cursor.h"

#include <cstdint>

namespace ridgeline {

void JsonCursor::skipSpace() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

char JsonCursor::peek() {
  skipSpace();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::take(char c) {
  if (peek() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

std::string_view JsonCursor::rawString() {
  if (!take('"')) return fail();
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) return fail();
  return text_.substr(begin, at_++ - begin);
}

std::string_view JsonCursor::rawValue() {
  const char first = peek();
  const std::size_t begin = at_;
  if (first == '"') {
    rawString();
    return failed_ ? std::string_view() : text_.substr(begin, at_ - begin);
  }
  if (first == '{' || first == '[') {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        rawString();
        if (failed_) return {};
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return text_.substr(begin, at_ - begin);
    }
    return fail();
  }
  while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']' &&
         text_[at_] != ' ' && text_[at_] != '\n' && text_[at_] != '\r' && text_[at_] != '\t')
    ++at_;
  if (at_ == begin) return fail();
  return text_.substr(begin, at_ - begin);
}

namespace {

void appendUtf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

/// Four hex digits at `at`; -1 if there are none.
std::int32_t hex4(std::string_view raw, std::size_t at) {
  if (at + 4 > raw.size()) return -1;
  std::int32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const char c = raw[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

}  // namespace

std::string_view unescaped(std::string_view raw, std::string& buffer, bool* repaired, Poll* poll) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  const auto mend = [repaired] {
    if (repaired != nullptr) *repaired = true;
  };
  buffer.clear();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (poll != nullptr && poll->stop()) break;
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      buffer += raw[i];
      continue;
    }
    const char c = raw[++i];
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    const std::size_t known = kFrom.find(c);
    if (known != std::string_view::npos) {
      buffer += kTo[known];
      continue;
    }
    const std::int32_t unit = c == 'u' ? hex4(raw, i + 1) : -1;
    if (unit < 0) {
      mend();
      buffer += '\\';
      buffer += c;
      continue;
    }
    i += 4;
    auto code = static_cast<std::uint32_t>(unit);
    if (code >= 0xD800 && code < 0xDC00 && i + 2 < raw.size() && raw[i + 1] == '\\' &&
        raw[i + 2] == 'u') {
      const std::int32_t low = hex4(raw, i + 3);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
        i += 6;
      }
    }
    if (code >= 0xD800 && code < 0xE000) {
      mend();
      code = 0xFFFD;
    }
    appendUtf8(buffer, code);
  }
  return buffer;
}

}  // namespace ridgeline
