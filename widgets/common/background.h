#pragma once

#include <utility>

#include <QtConcurrent>

namespace ridgeline::background {

/// The threads for `run`; as long as there is an application.
[[nodiscard]] QThreadPool* pool();
/// The calling thread gives way to the one that paints for as long as it lives, as do the threads
/// that it starts. QThread's priorities do nothing under Linux's usual scheduling.
void yieldToTheWindow();

/// Computes something while somebody uses the window; called by the GUI thread. What opens files is
/// waited for and runs elsewhere.
template <class Work>
[[nodiscard]] auto run(Work work) {
  return QtConcurrent::run(pool(), [work = std::move(work)] {
    yieldToTheWindow();
    return work();
  });
}

}  // namespace ridgeline::background
