#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

/// The clause with a capital letter, to begin a sentence with: "copy it again" → "Copy it again".
/// Only ASCII letters change.
[[nodiscard]] inline std::string capital(std::string_view clause) {
  std::string text(clause);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace ridgeline
