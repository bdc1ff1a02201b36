#include "widgets/common/background.h"

#include <sys/resource.h>

#include <QCoreApplication>
#include <QPointer>

namespace ridgeline::background {

namespace {
/// Beside a thread of the usual niceness, one of 10 gets about a tenth of a core.
constexpr int kNiceness = 10;
}  // namespace

QThreadPool* pool() {
  static QPointer<QThreadPool> pool;
  if (!pool) pool = new QThreadPool(QCoreApplication::instance());
  return pool;
}

void yieldToTheWindow() {
  // Linux counts niceness by thread, 0 being the caller. To give way is never refused.
  if (getpriority(PRIO_PROCESS, 0) < kNiceness) setpriority(PRIO_PROCESS, 0, kNiceness);
}

}  // namespace ridgeline::background
