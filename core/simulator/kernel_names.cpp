#include "core/simulator/kernel_names.h"

#include <cctype>

namespace ridgeline::simulator {

std::string elementwiseName(std::string_view functor, int operands) {
  const std::string array = "at::native::" + std::string(functor) + ", std::array<char*, " +
                            std::to_string(operands) + "ul> ";
  return "void at::native::vectorized_elementwise_kernel<4, " + array + ">(int, " +
         array.substr(0, array.size() - 1) + ")";
}

std::string gemmName(bool hopper, std::int64_t tileRows, std::int64_t tileColumns,
                     std::string_view layout) {
  const std::string tile = std::to_string(tileRows) + 'x' + std::to_string(tileColumns);
  if (!hopper) {
    return "ampere_bf16_s16816gemm_bf16_" + tile + "_ldg8_f2f_stages_" +
           (tileRows * tileColumns > 16384 ? "64x3_" : "64x4_") + std::string(layout);
  }
  std::string suffix;
  for (const char c : layout)
    suffix += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return "nvjet_tst_" + tile + "_64x4_2x1_v_bz_coopA_" + suffix + 'T';
}

}  // namespace ridgeline::simulator
