#include "widgets/common/background.h"

#include <atomic>
#include <sys/resource.h>

#include <QCoreApplication>
#include <QPointer>

namespace ridgeline::background {

namespace {
/// Beside a thread of the usual niceness, one of 10 gets about a tenth of a core.
constexpr int kNiceness = 10;

std::atomic<unsigned> handedOver{0};
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

void handOver() {
  handedOver.fetch_add(1, std::memory_order_release);
}

void takeOver() {
  static_cast<void>(handedOver.load(std::memory_order_acquire));
}

}  // namespace ridgeline::background
