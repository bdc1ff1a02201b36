#include "core/io/structural_scan.h"

#include <cstring>

#include "core/io/structural_kernel.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ridgeline {

namespace structural {

namespace {

struct PortableMasks {
  static std::uint32_t* append(std::uint64_t bits, std::uint32_t first, std::uint32_t* to) {
    return appendPlaces(bits, first, to);
  }
  static std::uint64_t prefixXor(std::uint64_t x) {
    for (int shift = 1; shift < 64; shift *= 2) x ^= x << shift;
    return x;
  }
#if defined(__x86_64__)
  static BlockMasks load(const char* text) {
    BlockMasks m{};
    for (int part = 0; part < 4; ++part) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + part * 16));
      const auto bits = [part](__m128i x) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(x)))
               << (part * 16);
      };
      const auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
      // '[' and '{', ']' and '}' differ by 0x20 alone.
      const __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
      m.quote |= bits(is('"'));
      m.backslash |= bits(is('\\'));
      m.bracket |= bits(_mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
                                     _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'))));
      m.control |= bits(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v));
      m.nonAscii |= bits(v);
      m.capitalNI |= bits(_mm_or_si128(is('N'), is('I')));
    }
    return m;
  }
#else
  static BlockMasks load(const char* text) {
    BlockMasks m{};
    for (int i = 0; i < 64; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      const std::uint64_t bit = 1ull << i;
      if (c == '"') m.quote |= bit;
      if (c == '\\') m.backslash |= bit;
      if ((c | 0x20) == '{' || (c | 0x20) == '}') m.bracket |= bit;
      if (c < 0x20) m.control |= bit;
      if (c >= 0x80) m.nonAscii |= bit;
      if (c == 'N' || c == 'I') m.capitalNI |= bit;
    }
    return m;
  }
#endif
};

}  // namespace

std::size_t scanPortable(const char* text, std::size_t size, KernelOutput out) {
  return scan<PortableMasks>(text, size, out);
}

}  // namespace structural

void Structure::reserve(std::size_t textBytes) {
  const std::size_t blocks = textBytes / 64 + 1;
  if (special.size() < blocks) special.resize(blocks);
  // Every byte can be structural; the kernel writes up to sixteen beyond the last.
  const std::size_t positions = blocks * 64 + 16;
  if (at.size() >= positions) return;
  at = {};  // nothing is to be copied
  at.resize(positions);
}

void scanStructure(const char* text, std::size_t size, Structure& out) {
  out.reserve(size);
  const structural::KernelOutput to{out.at.data(), out.special.data()};
#if defined(__x86_64__)
  static const bool kHasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
  static const bool kHasAvx512 =
      kHasAvx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  static const bool kHasCompress = kHasAvx512 && __builtin_cpu_supports("avx512vbmi2");
  if (kHasCompress) {
    out.count = structural::scanAvx512Compress(text, size, to);
  } else if (kHasAvx512) {
    out.count = structural::scanAvx512(text, size, to);
  } else if (kHasAvx2) {
    out.count = structural::scanAvx2(text, size, to);
  } else {
    out.count = structural::scanPortable(text, size, to);
  }
#else
  out.count = structural::scanPortable(text, size, to);
#endif
  out.anySpecial = 0;
  for (std::size_t block = 0; block < (size + 63) / 64; ++block)
    out.anySpecial = static_cast<std::uint8_t>(out.anySpecial | out.special[block]);
}

}  // namespace ridgeline
