#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

// From here on for processors with AVX-512 VBMI2; scanStructure() asks before it calls.
#if defined(__clang__)
#pragma clang attribute push(                                                       \
    __attribute__((target("avx512f,avx512bw,avx512vbmi2,avx2,pclmul,bmi,popcnt"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vbmi2,avx2,pclmul,bmi,popcnt")
#endif

#include "core/io/structural_masks_avx512.h"

namespace ridgeline::structural {

namespace {

struct CompressMasks : Avx512Masks {
  /// The places of the bits by one compression of 0 … 63, sixteen widened at a time.
  static std::uint32_t* append(std::uint64_t bits, std::uint32_t first, std::uint32_t* to) {
    const __m512i all = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i places = _mm512_maskz_compress_epi8(bits, all);
    const __m512i base = _mm512_set1_epi32(static_cast<int>(first));
    const auto write = [base](__m128i some, std::uint32_t* at) {
      _mm512_storeu_si512(at, _mm512_add_epi32(base, _mm512_maskz_cvtepu8_epi32(0xFFFF, some)));
    };
    const int count = __builtin_popcountll(bits);
    write(_mm512_maskz_extracti32x4_epi32(0xF, places, 0), to);
    if (count > 16) write(_mm512_maskz_extracti32x4_epi32(0xF, places, 1), to + 16);
    if (count > 32) {
      write(_mm512_maskz_extracti32x4_epi32(0xF, places, 2), to + 32);
      write(_mm512_maskz_extracti32x4_epi32(0xF, places, 3), to + 48);
    }
    return to + count;
  }
};

}  // namespace

std::size_t scanAvx512Compress(const char* text, std::size_t size, KernelOutput out) {
  return scan<CompressMasks>(text, size, out);
}

}  // namespace ridgeline::structural

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
