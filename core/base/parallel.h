#pragma once

#include <functional>
#include <vector>

namespace ridgeline {

/// Runs all jobs, on as many threads as there are cores (at most 8, this one included), in no
/// particular order but begun in the given one. Returns when all are done. Jobs must not depend on
/// each other and must not throw.
void runJobs(const std::vector<std::function<void()>>& jobs);

}  // namespace ridgeline
