#pragma once

// The scan itself, compiled once for each instruction set: `Masks` reads 64 bytes into bit masks.
// After simdjson's first stage (Langdale & Lemire, "Parsing gigabytes of JSON per second", 2019).

#include <cstddef>
#include <cstdint>

namespace ridgeline::structural {

/// What a kernel works on: raw pointers only, so that no library template is instantiated for a
/// foreign instruction set.
struct KernelOutput {
  std::uint32_t* at;
  std::uint8_t* special;
};

struct BlockMasks {
  std::uint64_t quote, backslash, bracket, control, nonAscii, capitalNI;
};

/// Marks the characters that a run of backslashes escapes; `carry`: the next block's first one is.
[[gnu::always_inline]] inline std::uint64_t escapedBy(std::uint64_t backslash,
                                                      std::uint64_t& carry) {
  constexpr std::uint64_t kOddBits = 0xAAAAAAAAAAAAAAAAull;
  if (backslash == 0) {
    const std::uint64_t escaped = carry;
    carry = 0;
    return escaped;
  }
  const std::uint64_t starts = backslash & ~carry;
  const std::uint64_t series = ((starts << 1) | kOddBits) - starts;
  const std::uint64_t escapeAndTerminal = series ^ kOddBits;
  const std::uint64_t escaped = escapeAndTerminal ^ (backslash | carry);
  carry = (escapeAndTerminal & backslash) >> 63;
  return escaped;
}

/// Writes `first` + the place of each bit that is set, and up to sixteen values behind; the end.
[[gnu::always_inline]] inline std::uint32_t* appendPlaces(std::uint64_t bits, std::uint32_t first,
                                                          std::uint32_t* to) {
  const int count = __builtin_popcountll(bits);
  // Eight at a time whatever the count: branches that guess wrong cost more than the writes.
  for (int done = 0; done < count; done += 8)
    for (int k = 0; k < 8; ++k) {
      to[done + k] = first + static_cast<std::uint32_t>(__builtin_ctzll(bits | (1ull << 63)));
      bits &= bits - 1;
    }
  return to + count;
}

template <class Masks>
[[gnu::always_inline]] inline std::size_t scan(const char* text, std::size_t size,
                                               KernelOutput out) {
  std::uint64_t escapeCarry = 0;
  std::uint64_t inString = 0;  // all ones while inside
  std::uint32_t* to = out.at;
  for (std::size_t base = 0; base < size; base += 64) {
    BlockMasks m = Masks::load(text + base);
    const std::uint64_t valid = size - base >= 64 ? ~0ull : (1ull << (size - base)) - 1;
    m.quote &= valid & ~escapedBy(m.backslash & valid, escapeCarry);
    const std::uint64_t inside = Masks::prefixXor(m.quote) ^ inString;
    inString = static_cast<std::uint64_t>(static_cast<std::int64_t>(inside) >> 63);
    const std::uint64_t bits = m.quote | (m.bracket & ~inside & valid);
    const std::uint64_t odd =
        ((m.control & inside) | ((m.capitalNI | m.backslash) & ~inside)) & valid;
    *out.special++ = static_cast<std::uint8_t>((m.backslash != 0 ? 1 : 0) |
                                               (m.nonAscii != 0 ? 2 : 0) | (odd != 0 ? 4 : 0));
    to = Masks::append(bits, static_cast<std::uint32_t>(base), to);
  }
  return static_cast<std::size_t>(to - out.at);
}

std::size_t scanPortable(const char* text, std::size_t size, KernelOutput out);
#if defined(__x86_64__)
std::size_t scanAvx2(const char* text, std::size_t size, KernelOutput out);
std::size_t scanAvx512(const char* text, std::size_t size, KernelOutput out);
/// With AVX512-VBMI2.
std::size_t scanAvx512Compress(const char* text, std::size_t size, KernelOutput out);
#endif

}  // namespace ridgeline::structural
