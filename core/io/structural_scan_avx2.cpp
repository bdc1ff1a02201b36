#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

// From here on for processors with AVX2; scanStructure() asks before it calls.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,pclmul,bmi,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,pclmul,bmi,popcnt")
#endif

#include "core/io/structural_kernel.h"

namespace ridgeline::structural {

namespace {

struct Avx2Masks {
  static std::uint32_t* append(std::uint64_t bits, std::uint32_t first, std::uint32_t* to) {
    return appendPlaces(bits, first, to);
  }
  static std::uint64_t prefixXor(std::uint64_t x) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(x)), _mm_set1_epi8(-1), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
  static std::uint64_t both(__m256i low, __m256i high) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(low))) |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
  }
  static BlockMasks load(const char* text) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    const auto is = [a, b](char c) {
      const __m256i wanted = _mm256_set1_epi8(c);
      return both(_mm256_cmpeq_epi8(a, wanted), _mm256_cmpeq_epi8(b, wanted));
    };
    const __m256i bit = _mm256_set1_epi8(0x20);
    const __m256i fa = _mm256_or_si256(a, bit);
    const __m256i fb = _mm256_or_si256(b, bit);
    const __m256i open = _mm256_set1_epi8('{');
    const __m256i close = _mm256_set1_epi8('}');
    const __m256i low = _mm256_set1_epi8(0x1F);
    BlockMasks m{};
    m.quote = is('"');
    m.backslash = is('\\');
    m.bracket = both(_mm256_or_si256(_mm256_cmpeq_epi8(fa, open), _mm256_cmpeq_epi8(fa, close)),
                     _mm256_or_si256(_mm256_cmpeq_epi8(fb, open), _mm256_cmpeq_epi8(fb, close)));
    m.control = both(_mm256_cmpeq_epi8(_mm256_min_epu8(a, low), a),
                     _mm256_cmpeq_epi8(_mm256_min_epu8(b, low), b));
    m.nonAscii = both(a, b);
    m.capitalNI = is('N') | is('I');
    return m;
  }
};

}  // namespace

std::size_t scanAvx2(const char* text, std::size_t size, KernelOutput out) {
  return scan<Avx2Masks>(text, size, out);
}

}  // namespace ridgeline::structural

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
