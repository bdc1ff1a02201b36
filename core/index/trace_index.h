#pragma once

#include <memory>

#include "core/trace/trace.h"

namespace ridgeline {

/// What drawing a Trace at speed needs beside it; immutable, built once after loading.
class TraceIndex {
 public:
  explicit TraceIndex(std::shared_ptr<const Trace> trace) : trace_(std::move(trace)) {}

  [[nodiscard]] const Trace& trace() const { return *trace_; }

 private:
  std::shared_ptr<const Trace> trace_;
};

}  // namespace ridgeline
