#pragma once

// For files that are compiled for AVX-512, and only there: the target must be set before.

#include "core/io/structural_kernel.h"

#if defined(__x86_64__)

#include <cstdint>
#include <immintrin.h>

namespace ridgeline::structural {

namespace {

struct Avx512Masks {
  static std::uint32_t* append(std::uint64_t bits, std::uint32_t first, std::uint32_t* to) {
    return appendPlaces(bits, first, to);
  }
  static std::uint64_t prefixXor(std::uint64_t x) {
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(x)), _mm_set1_epi8(-1), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
  static BlockMasks load(const char* text) {
    const __m512i v = _mm512_loadu_si512(text);
    const auto is = [](__m512i in, char c) {
      return static_cast<std::uint64_t>(_mm512_cmpeq_epi8_mask(in, _mm512_set1_epi8(c)));
    };
    const __m512i folded = _mm512_or_si512(v, _mm512_set1_epi8(0x20));
    BlockMasks m{};
    m.quote = is(v, '"');
    m.backslash = is(v, '\\');
    m.bracket = is(folded, '{') | is(folded, '}');
    m.control = _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20));
    m.nonAscii = _mm512_movepi8_mask(v);
    m.capitalNI = is(v, 'N') | is(v, 'I');
    return m;
  }
};

}  // namespace

}  // namespace ridgeline::structural

#endif
