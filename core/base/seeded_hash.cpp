#include "core/base/seeded_hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace ridgeline {

namespace {

std::array<std::uint64_t, 4> drawSecrets() {
  std::array<std::uint64_t, 4> secrets{};
  // Where the system has no randomness to give, the time and an address are better than nothing.
  std::uint64_t poor =
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  poor ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&secrets)) << 20;
  std::mt19937_64 stretched(poor);
  for (std::uint64_t& secret : secrets) {
    secret = stretched();
    try {
      std::random_device device;
      secret ^= (std::uint64_t{device()} << 32) | device();
    } catch (const std::exception&) {
    }
    secret |= 1;  // never a factor of 0
  }
  return secrets;
}

}  // namespace

const std::array<std::uint64_t, 4>& hashSecrets() {
  static const std::array<std::uint64_t, 4> secrets = drawSecrets();
  return secrets;
}

}  // namespace ridgeline
