#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace_builder.h"
#include "core/workload/workload.h"

namespace ridgeline::test {

/// A small recording written down by hand for tests of the critical path: times in ns.
class PathScene {
 public:
  struct Item {
    std::string category, name, pid, tid;
    TimeNs start = 0, length = 0;
    EventArgs args;
  };

  PathScene& host(const std::string& category, const std::string& name, TimeNs start, TimeNs end,
                  int thread = 1, std::int64_t correlation = EventArgs::kAbsent) {
    Item item{category, name, "1", std::to_string(thread), start, end - start, {}};
    item.args.correlation = correlation;
    items.push_back(item);
    return *this;
  }
  PathScene& op(const std::string& name, TimeNs start, TimeNs end, int thread = 1) {
    return host("cpu_op", name, start, end, thread);
  }
  PathScene& call(const std::string& name, TimeNs start, TimeNs end,
                  std::int64_t correlation = EventArgs::kAbsent, int thread = 1) {
    return host("cuda_runtime", name, start, end, thread, correlation);
  }
  PathScene& device(const std::string& category, const std::string& name, TimeNs start, TimeNs end,
                    std::int64_t stream = 7, std::int64_t correlation = EventArgs::kAbsent) {
    Item item{category, name, "0", std::to_string(stream), start, end - start, {}};
    item.args.correlation = correlation;
    item.args.device = 0;
    item.args.stream = stream;
    items.push_back(item);
    return *this;
  }
  PathScene& kernel(const std::string& name, TimeNs start, TimeNs end,
                    std::int64_t correlation = EventArgs::kAbsent, std::int64_t stream = 7) {
    return device("kernel", name, start, end, stream, correlation);
  }
  /// A cuda_sync record of a wait: `stream` waits for what `other` had been given when the event of
  /// `record` was recorded.
  PathScene& waitRecord(TimeNs at, std::int64_t correlation, std::int64_t stream,
                        std::int64_t other, std::int64_t record) {
    device("cuda_sync", "Stream Wait Event", at, at + 1, stream, correlation);
    items.back().args.waitOnStream = other;
    items.back().args.waitOnRecordCorrelation = record;
    return *this;
  }

  /// The Workload of the scene; only what the critical path needs: the Trace and kernel labels.
  [[nodiscard]] std::shared_ptr<const Workload> workload() const {
    TraceBuilder builder;
    for (const Item& item : items) {
      Event e;
      e.name = item.name;
      e.category = item.category;
      e.pid = item.pid;
      e.tid = item.tid;
      e.ts = item.start;
      e.dur = item.length;
      e.args = item.args;
      builder.add(e);
    }
    // The Trace's time 0 is its earliest event: one at 0 keeps the times as written.
    Event mark;
    mark.name = "PyTorch Profiler (0)";
    mark.category = "Trace";
    mark.pid = "Spans";
    mark.tid = "PyTorch Profiler";
    builder.add(mark);
    return labelled(builder.finish().front());
  }

  static std::shared_ptr<const Workload> labelled(std::shared_ptr<const Trace> trace) {
    auto w = std::make_shared<Workload>();
    w->trace = std::move(trace);
    const SliceTable& s = w->trace->slices();
    w->labels.resize(2);
    w->labels[1].kernelClass = KernelClass::collective;
    w->labelIndex.assign(s.size(), 0);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (!isDeviceWork(s.category[i])) continue;
      w->labelIndex[i] = w->trace->text(s.name[i]).substr(0, 4) == "nccl" ? 1 : 0;
    }
    return w;
  }

  std::vector<Item> items;
};

}  // namespace ridgeline::test
