#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/base/seeded_hash.h"

namespace ridgeline {

/// Eight (four) bytes from any place.
[[nodiscard]] inline std::uint64_t eightBytes(const char* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}
[[nodiscard]] inline std::uint32_t fourBytes(const char* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// a == b, without a call where the texts are short, as names and keys mostly are.
[[nodiscard]] inline bool sameText(std::string_view a, std::string_view b) {
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  const char* p = a.data();
  const char* q = b.data();
  if (n > 32) return std::memcmp(p, q, n) == 0;
  if (n >= 8) {
    for (std::size_t i = 0; i + 8 < n; i += 8)
      if (eightBytes(p + i) != eightBytes(q + i)) return false;
    return eightBytes(p + n - 8) == eightBytes(q + n - 8);
  }
  if (n >= 4) return fourBytes(p) == fourBytes(q) && fourBytes(p + n - 4) == fourBytes(q + n - 4);
  for (std::size_t i = 0; i < n; ++i)
    if (p[i] != q[i]) return false;
  return true;
}

/// A hash of all bytes, 16 at a time by a multiplication of 64 × 64 bits (as wyhash does). What the
/// bytes are mixed with is drawn anew by every process: were it known, texts could be made that
/// turn a factor to 0, and with it all that came before.
[[nodiscard]] inline std::uint64_t hashText(std::string_view text) {
  const auto& [a, b, c, d] = hashSecrets();
  const char* p = text.data();
  const std::size_t n = text.size();
  std::uint64_t h = foldedProduct(n ^ c, d);
  if (n >= 16) {
    for (std::size_t i = 0; i + 16 < n; i += 16)
      h = foldedProduct(eightBytes(p + i) ^ a, eightBytes(p + i + 8) ^ h);
    return foldedProduct(eightBytes(p + n - 16) ^ b, eightBytes(p + n - 8) ^ h);
  }
  if (n >= 8) return foldedProduct(eightBytes(p) ^ a, eightBytes(p + n - 8) ^ h);
  if (n >= 4) return foldedProduct(fourBytes(p) ^ a, fourBytes(p + n - 4) ^ h);
  for (std::size_t i = 0; i < n; ++i) h = foldedProduct(h ^ static_cast<unsigned char>(p[i]), a);
  return h;
}

}  // namespace ridgeline
