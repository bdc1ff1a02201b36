#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/ids.h"

namespace ridgeline {

/// Random numbers of this process, drawn from the system once. Tables keyed by what a file holds
/// hash with them, so that no file can be made whose keys all meet in one place. Nothing that is
/// shown or written may depend on them: what comes out of such a table is never in its order.
[[nodiscard]] const std::array<std::uint64_t, 4>& hashSecrets();

/// Both halves of the product of 64 × 64 bits, folded into one.
[[nodiscard]] inline std::uint64_t foldedProduct(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Takes one more number into a hash. Without the secrets nobody knows what makes a factor 0.
[[nodiscard]] inline std::uint64_t mixHash(std::uint64_t h, std::uint64_t value) {
  const auto& secrets = hashSecrets();
  return foldedProduct(h ^ secrets[0], value ^ secrets[1]);
}

/// For hash tables whose keys are numbers, ids, or pairs of them.
struct SeededHash {
  [[nodiscard]] std::size_t operator()(std::integral auto value) const noexcept {
    return mixHash(0, static_cast<std::uint64_t>(value));
  }
  template <class Tag>
  [[nodiscard]] std::size_t operator()(Id<Tag> id) const noexcept {
    return mixHash(0, id.value);
  }
  template <class A, class B>
  [[nodiscard]] std::size_t operator()(const std::pair<A, B>& pair) const noexcept {
    return mixHash((*this)(pair.first), (*this)(pair.second));
  }
};

}  // namespace ridgeline
