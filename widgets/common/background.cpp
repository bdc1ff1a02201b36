#include "widgets/common/background.h"

#include <sys/resource.h>

namespace ridgeline::background {

namespace {
/// Beside a thread of the usual niceness, one of 10 gets about a tenth of a core.
constexpr int kNiceness = 10;
}  // namespace

void yieldToTheWindow() {
  // Linux counts niceness by thread, 0 being the caller. To give way is never refused.
  if (getpriority(PRIO_PROCESS, 0) < kNiceness) setpriority(PRIO_PROCESS, 0, kNiceness);
}

}  // namespace ridgeline::background
