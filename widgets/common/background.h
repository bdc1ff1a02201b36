#pragma once

namespace ridgeline::background {

/// For a thread that computes while somebody uses the window: gives way to the thread that paints,
/// for as long as the thread lives, as do the threads that it starts. QThread's priorities do
/// nothing under Linux's usual scheduling.
void yieldToTheWindow();

}  // namespace ridgeline::background
