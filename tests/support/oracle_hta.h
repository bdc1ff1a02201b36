#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/device_sweep.h"
#include "core/base/intervals.h"
#include "tests/support/shared_data.h"

/// HTA's complete output on public traces (../shared/oracles), and what HTA looks at in a trace.
namespace ridgeline::test::hta {

struct OracleTrace {
  const char* key;   ///< in hta_noround.json
  const char* file;  ///< below ../shared/traces/kineto
};
/// Every trace of hta_noround.json.
inline constexpr std::array kTraces = {
    OracleTrace{"hta/critical_path/simple_add",
                "facebookresearch__HolisticTraceAnalysis/critical_path/simple_add/"
                "benchmark_result_493459_1694039959_trace.json.gz"},
    OracleTrace{"hta/critical_path/alexnet",
                "facebookresearch__HolisticTraceAnalysis/critical_path/alexnet/"
                "benchmark_result_2869224_1695835535_trace.json.gz"},
    OracleTrace{"hta/critical_path/cuda_event_sync",
                "facebookresearch__HolisticTraceAnalysis/critical_path/cuda_event_sync/"
                "event_sync_trace.json.gz"},
    OracleTrace{"hta/critical_path/cuda_event_sync_multi_stream",
                "facebookresearch__HolisticTraceAnalysis/critical_path/"
                "cuda_event_sync_multi_stream/event_sync_trace.json.gz"},
    OracleTrace{"hta/ns_resolution_trace",
                "facebookresearch__HolisticTraceAnalysis/ns_resolution_trace/"
                "rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"},
    OracleTrace{"hta/amd_trace",
                "facebookresearch__HolisticTraceAnalysis/amd_trace/"
                "mi250_minitoy_train_ROCm6_2_kineto.json.gz"},
    OracleTrace{"hta/nccl_parser_config",
                "facebookresearch__HolisticTraceAnalysis/nccl_parser_config/nccl_data.json.gz"},
    OracleTrace{"hta/trace_diff/control",
                "facebookresearch__HolisticTraceAnalysis/trace_diff/control/control.json.gz"},
    OracleTrace{"hta/trace_diff/test",
                "facebookresearch__HolisticTraceAnalysis/trace_diff/test/test.json.gz"},
    OracleTrace{"hta/timeline_analysis",
                "facebookresearch__HolisticTraceAnalysis/timeline_analysis/sampled_rank-0.json.gz"},
    OracleTrace{"hta/triton_example",
                "facebookresearch__HolisticTraceAnalysis/triton_example/triton_example.json.gz"},
    OracleTrace{"tb/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
                "pytorch__kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"},
    OracleTrace{"tb/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz",
                "pytorch__kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"},
    OracleTrace{"tracelens/b200/eager_trace.json.gz",
                "AMD-AGI__TraceLens/b200/eager_trace.json.gz"},
    OracleTrace{"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
                "AMD-AGI__TraceLens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"},
    OracleTrace{"tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
                "AMD-AGI__TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz"},
    OracleTrace{"tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
                "AMD-AGI__TraceLens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"},
    OracleTrace{"tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz",
                "AMD-AGI__TraceLens/mi300/gaunernst_bert-small-uncased__1016001.json.gz"},
    OracleTrace{"tracelens/mi300/resnet_act_checkpoint.json.gz",
                "AMD-AGI__TraceLens/mi300/resnet_act_checkpoint.json.gz"},
    OracleTrace{"tracelens/perf_model/normalization/normalization_layer_test.json.gz",
                "AMD-AGI__TraceLens/perf_model/normalization/normalization_layer_test.json.gz"},
    OracleTrace{"tracelens/torch_compile_triton/trace.json.gz",
                "AMD-AGI__TraceLens/torch_compile_triton/trace.json.gz"},
};

/// The oracle files hold NaN, which is no JSON; discarded where the file is not there.
inline nlohmann::json readOracle(const std::string& name) {
  const std::string path = sharedFile("oracles/" + name);
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (std::size_t at = text.find(": NaN"); at != std::string::npos; at = text.find(": NaN", at))
    text.replace(at, 5, ": null");
  return nlohmann::json::parse(text, nullptr, false);
}

/// Start of the last ProfilerStep (HTA's own marks on the device count, too), or the end of time
/// where there are fewer than two.
inline TimeNs startOfLastStep(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::map<std::string_view, TimeNs> steps;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (const std::string_view name = trace.name(SliceId(i)); name.rfind("ProfilerStep#", 0) == 0)
      steps[name] = s.start[i];
  if (steps.size() < 2) return std::numeric_limits<TimeNs>::max();
  TimeNs last = std::numeric_limits<TimeNs>::min();
  for (const auto& [name, start] : steps) last = std::max(last, start);
  return last;
}

/// What HTA keeps of the device rows: with two or more ProfilerSteps what was launched before the
/// last one starts; else all.
inline std::vector<SliceId> kept(const Workload& w) {
  const TimeNs last = startOfLastStep(*w.trace);
  if (last == std::numeric_limits<TimeNs>::max()) return w.deviceWork;
  std::vector<SliceId> out;
  for (const SliceId id : w.deviceWork) {
    const SliceId launch = w.trace->launchOf(id);
    if (launch.valid() && w.trace->slices().start[launch.index()] < last) out.push_back(id);
  }
  return out;
}

/// Rows with a stream that are no device work; HTA counts them as such.
inline std::vector<SliceId> rowsOnlyHtaCounts(const Workload& w) {
  std::vector<SliceId> rows;
  for (const auto& [slice, stream] : w.trace->slices().streamArg.entries()) {
    const Category c = w.trace->slices().category[slice.index()];
    if (stream != -1 && (c == Category::sync || c == Category::cpuOp)) rows.push_back(slice);
  }
  return rows;
}

inline bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
/// HTA's launch statistics know these calls only.
inline bool inLaunchStatistics(std::string_view name) {
  return isOneOf(name,
                 {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMemcpyAsync", "cudaMemsetAsync"});
}
/// … and its queue length these.
inline bool inQueueLength(std::string_view name) {
  return inLaunchStatistics(name) ||
         isOneOf(name, {"cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel",
                        "hipExtModuleLaunchKernel", "hipMemcpyAsync", "hipMemcpyWithStream",
                        "hipMemsetAsync"});
}

/// What pandas' describe() says of a column.
struct Description {
  double count = 0, mean = 0, std = 0, min = 0, q25 = 0, q50 = 0, q75 = 0, max = 0;

  explicit Description(std::vector<double> values) {
    if (values.empty()) return;
    std::sort(values.begin(), values.end());
    count = static_cast<double>(values.size());
    mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    for (const double v : values) std += (v - mean) * (v - mean);
    std = values.size() > 1 ? std::sqrt(std / (count - 1)) : 0;
    const auto quantile = [&](double q) {
      const double at = q * (count - 1);
      const auto low = static_cast<std::size_t>(at);
      const std::size_t high = std::min(low + 1, values.size() - 1);
      return values[low] + (at - std::floor(at)) * (values[high] - values[low]);
    };
    min = values.front();
    q25 = quantile(0.25);
    q50 = quantile(0.5);
    q75 = quantile(0.75);
    max = values.back();
  }
  /// Column name → figure; HTA gives no deviation of a single row.
  [[nodiscard]] std::map<std::string, double> figures() const {
    std::map<std::string, double> out{{"count", count}, {"mean", mean}, {"min", min}, {"25%", q25},
                                      {"50%", q50},     {"75%", q75},   {"max", max}};
    if (count > 1) out["std"] = std;
    return out;
  }
};

inline double us(TimeNs t) {
  return static_cast<double>(t) / 1e3;
}

/// Start of an event as HTA holds it: µs since the epoch of the recording, in a double. In
/// ns_resolution_trace that leaves steps of 0.25 µs.
inline double heldStart(const Trace& trace, SliceId s) {
  return static_cast<double>(
      static_cast<long double>(trace.origin() + trace.slices().start[s.index()]) / 1000);
}

/// Idle time of a stream by HTA's three reasons, µs: the work was launched after the work before it
/// had ended; else it began within 30 µs; else.
struct StreamIdle {
  double hostWait = 0, kernelWait = 0, other = 0;
  [[nodiscard]] double sum() const { return hostWait + kernelWait + other; }
};

inline std::map<std::int64_t, StreamIdle> idleByStream(const nlohmann::json& rows,
                                                       std::int64_t rank) {
  std::map<std::int64_t, StreamIdle> out;
  for (const auto& row : rows) {
    if (row.at("rank").get<std::int64_t>() != rank) continue;
    StreamIdle& idle = out[row.at("stream").get<std::int64_t>()];
    const auto reason = row.at("idle_category").get<std::string>();
    double& part = reason == "host_wait"     ? idle.hostWait
                   : reason == "kernel_wait" ? idle.kernelWait
                                             : idle.other;
    part = row.at("idle_time").get<double>();
  }
  return out;
}

/// The same of our model. `exact` by ns; else with the doubles that HTA holds. `unlaunched` is the
/// launch of work without one, if any.
inline StreamIdle idleOf(const Trace& trace, const std::vector<SliceId>& work, bool exact,
                         SliceId unlaunched) {
  const SliceTable& s = trace.slices();
  const auto later = [&](SliceId event, SliceId than) {
    return exact ? us(s.start[event.index()] - s.start[than.index()])
                 : heldStart(trace, event) - heldStart(trace, than);
  };
  StreamIdle idle;
  for (std::size_t i = 1; i < work.size(); ++i) {
    const double busy = us(s.duration(work[i - 1]));
    const double gap = later(work[i], work[i - 1]) - busy;
    SliceId call = trace.launchOf(work[i]);
    if (!call.valid()) call = unlaunched;
    const bool late = call.valid() && later(call, work[i - 1]) > busy;
    (late ? idle.hostWait : gap < 30 ? idle.kernelWait : idle.other) += gap;
  }
  return idle;
}

/// How HTA sorts its rows: by the name alone.
enum class Kind { computation, communication, memory };
inline Kind kindOf(const Trace& trace, SliceId row) {
  const std::string_view name = trace.name(row);
  if (name.rfind("Mem", 0) == 0) return Kind::memory;
  return name.rfind("nccl", 0) == 0 ? Kind::communication : Kind::computation;
}

/// The union of each kind.
using KindTimes = std::array<Intervals, 3>;
template <class KindOf>
KindTimes kindTimes(const Trace& trace, const std::vector<SliceId>& events, KindOf&& kind) {
  std::array<std::vector<TimeSpan>, 3> spans;
  for (const SliceId id : events)
    spans[static_cast<std::size_t>(kind(id))].push_back(trace.slices().span(id));
  return {unionOf(spans[0]), unionOf(spans[1]), unionOf(spans[2])};
}
/// By our own classes.
inline KindTimes kindTimes(const Workload& w, const std::vector<SliceId>& events) {
  return kindTimes(*w.trace, events, [&](SliceId id) {
    return std::min<std::size_t>(static_cast<std::size_t>(workRank(w, id)), 2);
  });
}

/// Exclusive combinations of what runs at once, as HTA's type table has them; µs.
/// `floored` sums the whole µs of each uninterrupted piece: HTA cuts each of its rows to whole µs,
/// which is why its table shows less than there is (nccl_parser_config: 20407 of 20479.016 µs).
struct TypeTable {
  std::map<std::string, double> exact, floored;

  explicit TypeTable(const KindTimes& sets) {
    static const std::array kNames = {"COMPUTATION", "COMMUNICATION", "MEMORY"};
    for (unsigned mask = 1; mask < 8; ++mask) {
      Intervals part;
      std::string name;
      bool first = true;
      for (std::size_t k = 0; k < 3; ++k) {
        if ((mask >> k & 1u) == 0) continue;
        part = first ? sets[k] : intersection(part, sets[k]);
        name += (first ? "" : " overlapping ") + std::string(kNames[k]);
        first = false;
      }
      for (std::size_t k = 0; k < 3; ++k)
        if ((mask >> k & 1u) == 0) part = difference(part, sets[k]);
      exact[name] = static_cast<double>(measure(part)) / 1e3;
      floored[name] = 0;
      for (const TimeSpan& span : part) floored[name] += static_cast<double>(span.length() / 1000);
    }
  }
};

}  // namespace ridgeline::test::hta
