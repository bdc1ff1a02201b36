#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ridgeline {

/// A name prepared for matching: patterns ignore case, word borders need it.
struct NameText {
  std::string original;
  std::string lowered;

  explicit NameText(std::string text);
};

/// A search pattern for names of kernels and operators: cheap, without backtracking explosions on
/// template names of many kilobytes (std::regex recurses and overflows there).
///
/// Plain characters match themselves without regard to case. `^` and `$` at the ends anchor;
/// `*` is any text; `#` one or more digits; `~` a border between words (name's end, punctuation or
/// `_` beside it, a camelCase hump); `(a|b|)` alternatives; `x?` an optional character.
class NamePattern {
 public:
  /// Fails on an unclosed group or an empty pattern.
  static Result<NamePattern> parse(std::string_view pattern);

  [[nodiscard]] bool matches(const NameText& text) const;
  /// The pattern as it was written.
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  struct Alternative {
    bool fromStart = false;
    bool toEnd = false;
    std::vector<std::string> pieces;  ///< between the `*`
  };
  static bool matchAlternative(const Alternative& alternative, const NameText& text);

  std::string source_;
  std::vector<Alternative> alternatives_;
};

/// Whether any of the patterns matches.
bool matchesAny(const std::vector<NamePattern>& patterns, const NameText& text);

}  // namespace ridgeline
