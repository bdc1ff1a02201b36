#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

// From here on for processors with AVX-512; scanStructure() asks before it calls.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx2,pclmul,bmi,popcnt")

#include "core/io/structural_masks_avx512.h"

namespace ridgeline::structural {

std::size_t scanAvx512(const char* text, std::size_t size, KernelOutput out) {
  return scan<Avx512Masks>(text, size, out);
}

}  // namespace ridgeline::structural

#pragma GCC pop_options

#endif
