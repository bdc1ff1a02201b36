#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/index/trace_index.h"
#include "core/trace/trace_builder.h"

namespace ridgeline::test {

/// A slice for a made-up trace. Times in ns.
struct MadeSlice {
  TimeNs start = 0;
  TimeNs length = 0;
  std::string name = "slice";
  std::string category = "cpu_op";
  std::string pid = "1";
  std::string tid = "1";
  std::int64_t device = EventArgs::kAbsent;
  std::int64_t stream = EventArgs::kAbsent;
  std::int64_t correlation = EventArgs::kAbsent;
};

inline std::shared_ptr<const Trace> makeTrace(const std::vector<MadeSlice>& slices) {
  TraceBuilder builder;
  for (const MadeSlice& s : slices) {
    Event e;
    e.name = s.name;
    e.category = s.category;
    e.pid = s.pid;
    e.tid = s.tid;
    e.ts = s.start;
    e.dur = s.length;
    e.args.device = s.device;
    e.args.stream = s.stream;
    e.args.correlation = s.correlation;
    builder.add(e);
  }
  return builder.finish().front();
}

/// One row of slices that do not overlap: lengths and gaps of very different sizes.
inline std::vector<MadeSlice> randomRow(std::mt19937& random, int count) {
  std::vector<MadeSlice> slices;
  TimeNs t = 0;
  for (int i = 0; i < count; ++i) {
    const auto draw = [&random](int bits) {
      return static_cast<TimeNs>(random() >> (32 - std::max(1, bits)));
    };
    t += random() % 3 == 0 ? draw(1 + static_cast<int>(random() % 16)) : 1;
    const TimeNs length = random() % 20 == 0 ? 0 : draw(1 + static_cast<int>(random() % 12));
    slices.push_back({t, length, std::string(1, static_cast<char>('a' + random() % 7))});
    t += length;
  }
  return slices;
}

}  // namespace ridgeline::test
