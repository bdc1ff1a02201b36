#pragma once

#include <type_traits>
#include <utility>

#include <QFutureWatcher>
#include <QtConcurrent>

namespace ridgeline::background {

/// The threads for `run`; as long as there is an application.
[[nodiscard]] QThreadPool* pool();
/// The calling thread gives way to the one that paints for as long as it lives, as do the threads
/// that it starts. QThread's priorities do nothing under Linux's usual scheduling.
void yieldToTheWindow();

/// What one thread wrote before `handOver` is seen by another one after `takeOver`. Qt's own
/// hand-over of tasks and results sees to it, too, but a race detector cannot see into a Qt that
/// was not built for it; this it sees.
void handOver();
void takeOver();

/// Computes `work()` on a thread of `threads` and calls `done(result)` in the thread of `receiver`,
/// which asked for it; never once that is gone.
template <class Work, class Done>
void run(QObject* receiver, QThreadPool* threads, Work work, Done done) {
  using Outcome = std::invoke_result_t<Work>;
  auto* watcher = new QFutureWatcher<Outcome>(receiver);
  QObject::connect(watcher, &QFutureWatcherBase::finished, receiver,
                   [watcher, done = std::move(done)] {
                     takeOver();
                     watcher->deleteLater();
                     done(watcher->result());
                   });
  handOver();
  watcher->setFuture(QtConcurrent::run(threads, [work = std::move(work)] {
    takeOver();
    auto outcome = work();
    handOver();
    return outcome;
  }));
}

/// The same while somebody uses the window, to which it gives way; called by the GUI thread. What
/// opens files is waited for and runs elsewhere.
template <class Work, class Done>
void run(QObject* receiver, Work work, Done done) {
  run(
      receiver, pool(),
      [work = std::move(work)] {
        yieldToTheWindow();
        return work();
      },
      std::move(done));
}

}  // namespace ridgeline::background
