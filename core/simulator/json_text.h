#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace ridgeline::simulator {

/// Appends to a text, fast: what a trace of millions of events is written with.
class JsonText {
 public:
  JsonText& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  JsonText& operator<<(char character) {
    text_ += character;
    return *this;
  }
  JsonText& number(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
    return *this;
  }
  /// Microseconds with three decimals.
  JsonText& time(TimeNs ns) {
    if (ns < 0) {
      text_ += '-';
      ns = -ns;
    }
    number(ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    const char decimals[4] = {'.', digit(rest / 100), digit(rest / 10 % 10), digit(rest % 10)};
    text_.append(decimals, 4);
    return *this;
  }
  JsonText& decimal(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  static char digit(int value) { return static_cast<char>('0' + value); }

  std::string text_;
};

}  // namespace ridgeline::simulator
