#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

// From here on for processors with AVX-512; scanStructure() asks before it calls.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx2,pclmul,bmi,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx2,pclmul,bmi,popcnt")
#endif

#include "core/io/structural_masks_avx512.h"

namespace ridgeline::structural {

std::size_t scanAvx512(const char* text, std::size_t size, KernelOutput out) {
  return scan<Avx512Masks>(text, size, out);
}

}  // namespace ridgeline::structural

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
