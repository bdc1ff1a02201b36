#pragma once

#include <string_view>

#include "core/trace/tables.h"
#include "core/workload/kernel_class.h"
#include "core/workload/op_cost.h"

namespace ridgeline {

/// What XLA's own words say of the class of an operation: its hlo_category ("convolution fusion"),
/// or, where there is none, the name of the instruction ("loop_add_fusion"). Unknown where neither
/// tells. `frameworkOp` ("jit(f)/conv_general_dilated") parts convolutions from matrix products,
/// which XLA has one category for.
[[nodiscard]] KernelLabel labelOfHlo(std::string_view category, std::string_view instruction,
                                     std::string_view frameworkOp);

/// The cost that the compiler counted (model_flops, raw_bytes_accessed). `byCompiler` is set, and
/// what it did not record is missing by name.
[[nodiscard]] OpCost compilerCost(const XlaArgs& args, std::string_view category,
                                  std::string_view shape);

}  // namespace ridgeline
