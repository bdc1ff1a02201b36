#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/column_vector.h"

namespace ridgeline {

/// Bytes that must be readable (with any content) behind a text that is scanned.
inline constexpr std::size_t kTextPadding = 64;

/// Where the strings and brackets of a piece of JSON stand: what reading it needs of its layout.
/// The quotes come in pairs (opening, closing), brackets are those outside strings.
struct Structure {
  /// Per block of 64 bytes: what it holds beside plain ASCII.
  enum Special : std::uint8_t {
    kBackslash = 1,
    kNonAscii = 2,
    kOdd = 4,  ///< a control character in a string, or N, I or a backslash outside of one
  };

  ColumnVector<std::uint32_t> at;  ///< positions, ascending: the first `count`
  std::size_t count = 0;
  std::vector<std::uint8_t> special;
  std::uint8_t anySpecial = 0;  ///< what any block holds

  /// Makes room for a text of this size.
  void reserve(std::size_t textBytes);
};

/// Scans text[0, size), which begins outside a string. kTextPadding bytes behind it are read.
/// `size` < 2^32 - 64.
void scanStructure(const char* text, std::size_t size, Structure& out);

}  // namespace ridgeline
