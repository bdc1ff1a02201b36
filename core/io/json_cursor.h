#pragma once

#include <string>
#include <string_view>

#include "core/base/task.h"

namespace ridgeline {

/// A forgiving pull parser over JSON text: hands out raw values without building anything.
/// It never reads outside the text. `failed()` says that the text was not JSON at the cursor.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool atEnd() { return skipSpace(), at_ >= text_.size(); }

  void skipSpace();
  /// The next character that is no space; 0 at the end.
  [[nodiscard]] char peek();
  /// Steps over `c` if it comes next.
  bool take(char c);
  /// A string's raw content between its quotes (escapes as they stand). Fails when unterminated.
  std::string_view rawString();
  /// Any value, as raw text: a string keeps its quotes. Fails when it is cut off or malformed.
  std::string_view rawValue();

 private:
  std::string_view fail() {
    failed_ = true;
    return {};
  }
  std::string_view text_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Resolves JSON escapes of a raw string's content. Bad escapes keep their characters; *repaired is
/// set when something had to be mended (bad escape, lone surrogate). Returns the input itself where
/// there is nothing to resolve, else the text in `buffer`. Ends early, with any text, once the poll
/// says stop.
std::string_view unescaped(std::string_view raw, std::string& buffer, bool* repaired = nullptr,
                           Poll* poll = nullptr);

}  // namespace ridgeline
