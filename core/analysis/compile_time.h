#pragma once

#include "core/analysis/compiled_programs.h"

namespace ridgeline {

/// Fills `compiling`, `compileSteps` and `compileTotal`.
void findCompileTime(const Workload& w, CompiledPrograms& result);

}  // namespace ridgeline
