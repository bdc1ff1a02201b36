#include <array>
#include <random>
#include <set>

#include <QtTest>

#include "core/analysis/device_sweep.h"
#include "core/analysis/device_time.h"
#include "core/analysis/kernel_groups.h"
#include "core/io/load_trace.h"
#include "tests/support/oracle_hta.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::shared_ptr<const Workload> workloadOf(std::shared_ptr<const Trace> trace) {
  return makeWorkload(std::move(trace)).value();
}

std::shared_ptr<const Workload> workloadFromText(const std::string& text) {
  return workloadOf(traceFromText(text));
}

/// Random work on three streams of one device, overlapping as it likes.
std::string randomWork(std::mt19937& random, int events) {
  static const std::array kNames = {
      "kernel %s ampere_sgemm_128x64_tn", "kernel %s 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'",
      "kernel %s vectorized_elementwise_kernel", "memcpy %s 'Memcpy HtoD (Pinned -> Device)'",
      "memset %s 'Memset (Device)'"};
  std::string text = "op 0 1 main aten::empty\n";
  for (int i = 0; i < events; ++i) {
    const int begin = std::uniform_int_distribution(0, 200)(random);
    const int length = std::uniform_int_distribution(0, 25)(random);
    const int stream = std::uniform_int_distribution(1, 3)(random);
    std::string line = kNames[static_cast<std::size_t>(
        std::uniform_int_distribution(0, static_cast<int>(kNames.size()) - 1)(random))];
    line.replace(line.find("%s"), 2,
                 std::to_string(begin) + ' ' + std::to_string(begin + length) + ' ' +
                     std::to_string(stream));
    static const std::array kFills = {"", " blocks=0.25", " blocks=0.5 occ=50", " blocks=4 occ=25"};
    if (line.starts_with("kernel"))
      line += kFills[static_cast<std::size_t>(std::uniform_int_distribution(0, 3)(random))];
    text += line + '\n';
  }
  return text;
}

/// The same figures by looking at every single nanosecond.
struct BruteForce {
  TimeNs busy = 0, compute = 0, communication = 0, exposedCommunication = 0, memory = 0,
         exposedMemory = 0;
  double filled = 0;
  std::array<TimeNs, kKernelClassCount> byClass{}, byClassExclusive{};

  BruteForce(const Workload& w, const std::vector<TimeSpan>& spans) {
    for (const TimeSpan& span : spans)
      for (TimeNs t = span.begin; t < span.end; ++t) look(w, t);
  }

 private:
  void look(const Workload& w, TimeNs t) {
    const SliceTable& s = w.trace->slices();
    std::set<KernelClass> classes;
    std::array<SliceId, kWorkRankCount> first;
    double blocks = 0;
    for (const SliceId id : w.deviceWork) {  // in start order
      if (!s.span(id).contains(t)) continue;
      classes.insert(w.classOf(id));
      if (const auto fill = s.fill.get(id)) blocks += fill->blocksPerSm().value_or(0);
      SliceId& best = first[static_cast<std::size_t>(workRank(w, id))];
      if (!best.valid()) best = id;
    }
    if (classes.empty()) return;
    ++busy;
    filled += std::min(1.0, blocks);
    for (const KernelClass c : classes) ++byClass[static_cast<std::size_t>(c)];
    const bool computes = first[0].valid();
    const bool communicates = first[1].valid();
    const bool copies = first[2].valid() || first[3].valid();
    compute += computes;
    communication += communicates;
    memory += copies;
    exposedCommunication += communicates && !computes;
    exposedMemory += copies && !computes && !communicates;
    for (const SliceId winner : first)
      if (winner.valid()) {
        ++byClassExclusive[static_cast<std::size_t>(w.classOf(winner))];
        break;
      }
  }
};

void compareWithBruteForce(const Workload& w, const AnalysisWindow& window) {
  const DeviceTime time = deviceTimes(w, window).devices.front();
  const BruteForce expected(w, window.spans);
  QCOMPARE(time.busy, expected.busy);
  QCOMPARE(time.compute, expected.compute);
  QCOMPARE(time.communication, expected.communication);
  QCOMPARE(time.exposedCommunication, expected.exposedCommunication);
  QCOMPARE(time.memory, expected.memory);
  QCOMPARE(time.exposedMemory, expected.exposedMemory);
  QCOMPARE(time.fill.filled, static_cast<TimeNs>(std::llround(expected.filled)));
  QVERIFY(time.fill.filled <= time.busy && time.fill.known <= time.fill.kernelTime);
  QVERIFY(time.byClass == expected.byClass);
  QVERIFY(time.byClassExclusive == expected.byClassExclusive);
  QCOMPARE(time.busy + time.idle, window.length());
  QCOMPARE(measure(time.busyIntervals), time.busy);
  const KernelGroups groups = kernelGroups(w, window);
  TimeNs exposed = 0;
  TimeNs total = 0;
  std::uint64_t calls = 0;
  for (const KernelGroup& group : groups.groups) {
    exposed += group.exposed;
    total += group.total;
    calls += group.calls;
    QCOMPARE(group.calls, std::uint64_t{group.slices.size()});
    QCOMPARE(std::set<SliceId>(group.slices.begin(), group.slices.end()).size(),
             group.slices.size());
  }
  QCOMPARE(exposed, time.busy);
  QCOMPARE(total, groups.total);
  QVERIFY(calls <= w.deviceWork.size());
}

/// Everything HTA calls computation: what is neither a synchronisation record, nor memory, nor
/// named like NCCL. µs.
double computeOfHta(const Workload& w, const std::vector<SliceId>& rows) {
  std::vector<TimeSpan> spans;
  for (const SliceId id : rows) {
    const Category c = w.trace->slices().category[id.index()];
    if (c == Category::sync || c == Category::memcpy || c == Category::memset) continue;
    if (w.trace->name(id).substr(0, 4) == "nccl") continue;
    spans.push_back(w.trace->slices().span(id));
  }
  return static_cast<double>(measure(unionOf(std::move(spans)))) / 1e3;
}

/// Span, idle and compute time in µs.
struct Figures {
  double span = 0, idle = 0, compute = 0;

  Figures(double s, double i, double c) : span(s), idle(i), compute(c) {}
  explicit Figures(const nlohmann::json& oracle) {
    const auto& temporal = oracle.at("temporal").at(0);
    span = temporal.at("kernel_time(us)").get<double>();
    idle = temporal.at("idle_time(us)").get<double>();
    compute = temporal.at("compute_time(us)").get<double>();
  }
  Figures(const Workload& w, const std::vector<SliceId>& rows) {
    const SliceTable& s = w.trace->slices();
    TimeSpan all = s.span(rows.front());
    for (const SliceId id : rows)
      all = {std::min(all.begin, s.start[id.index()]), std::max(all.end, s.end[id.index()])};
    const DeviceTime time = deviceTimeOf(w, DeviceId(0), rows, {all});
    span = static_cast<double>(time.span) / 1e3;
    idle = static_cast<double>(time.idle) / 1e3;
    compute = static_cast<double>(time.compute) / 1e3;
  }
  [[nodiscard]] bool isNear(const Figures& other, double tolerance) const {
    return std::abs(span - other.span) <= tolerance && std::abs(idle - other.idle) <= tolerance &&
           std::abs(compute - other.compute) <= tolerance;
  }
  [[nodiscard]] std::string beside(const Figures& other) const {
    const auto pair = [](const char* what, double a, double b) {
      return std::string(what) + std::to_string(a) + " / " + std::to_string(b) + "  ";
    };
    return pair("span ", span, other.span) + pair("idle ", idle, other.idle) +
           pair("compute ", compute, other.compute);
  }
};

const char* kKineto = "traces/kineto/";
struct OracleCase {
  const char* key;
  const char* file;
  double tolerance;  ///< µs
};
constexpr std::array kSame = {
    OracleCase{"tb/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
               "pytorch__kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
               0.01},
    OracleCase{"tb/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz",
               "pytorch__kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz",
               0.01},
    OracleCase{"hta/nccl_parser_config",
               "facebookresearch__HolisticTraceAnalysis/nccl_parser_config/nccl_data.json.gz",
               0.01},
    OracleCase{"hta/trace_diff/control",
               "facebookresearch__HolisticTraceAnalysis/trace_diff/control/control.json.gz", 0.01},
    OracleCase{"hta/trace_diff/test",
               "facebookresearch__HolisticTraceAnalysis/trace_diff/test/test.json.gz", 0.01},
    OracleCase{"hta/timeline_analysis",
               "facebookresearch__HolisticTraceAnalysis/timeline_analysis/sampled_rank-0.json.gz",
               0.01},
    OracleCase{"tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
               "AMD-AGI__TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz", 0.01},
    OracleCase{"tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz",
               "AMD-AGI__TraceLens/mi300/gaunernst_bert-small-uncased__1016001.json.gz", 0.01},
    OracleCase{"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
               "AMD-AGI__TraceLens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 0.01},
    OracleCase{"tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
               "AMD-AGI__TraceLens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 0.01},
    OracleCase{"tracelens/perf_model/normalization/normalization_layer_test.json.gz",
               "AMD-AGI__TraceLens/perf_model/normalization/normalization_layer_test.json.gz",
               0.01},
    OracleCase{"hta/ns_resolution_trace",
               "facebookresearch__HolisticTraceAnalysis/ns_resolution_trace/"
               "rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
               0.1},
    OracleCase{"tracelens/mi300/resnet_act_checkpoint.json.gz",
               "AMD-AGI__TraceLens/mi300/resnet_act_checkpoint.json.gz", 0.01},
    OracleCase{"hta/amd_trace",
               "facebookresearch__HolisticTraceAnalysis/amd_trace/"
               "mi250_minitoy_train_ROCm6_2_kineto.json.gz",
               0.01},
};

/// Traces in which HTA takes rows for device work that are none. Our figures in µs, and by hand
/// what the difference is made of; the test adds those rows and must then get HTA's figures.
struct Difference {
  const char* key;
  const char* file;
  double span, idle, compute;
  std::size_t extraRows;
};
// torch_compile_triton: four Triton cpu_ops carry a "stream" argument. The first runs from 53.555
// µs to 15.708 µs before the first kernel, the other three (16.604, 14.772 and 13.070 µs) while
// kernels run: span 12549.032 + 53.555 = 12602.587, idle 0.011 + 53.555 − 37.847 = 15.719, compute
// 12549.021 + 37.847 = 12586.868.
// triton_example: one Triton cpu_op of 95.812 µs from 90.534 µs before the only kernel (1.760 µs
// long) to 3.518 µs after its end: HTA's span, busy and compute are the cpu_op's 95.812.
// b200: one Triton cpu_op of 74.391 µs, 1.691 of them beside kernels: idle 72890.696 − 72.700 =
// 72817.996; and 73 multimem_all_reduce kernels are communication here, computation in HTA.
// cuda_event_sync: "Stream Sync" on stream 7 counts 5 µs: idle 212 − 5 = 207 (its memory is 2,
// HTA's "non-compute" 7). cuda_event_sync_multi_stream: "Stream Wait Event" on stream 24, 2 µs:
// idle 19134 − 2 = 19132. simple_add: 41 sync records; two Context Syncs after the last work (at
// 16025812, 19 µs, and at 16464325, 14 µs) stretch the span from 16025575 to 16464339; 205 µs of
// them lie beside no work: busy 16025575 − 15975817 + 205 = 49963 = 16464339 − 16414376. alexnet:
// 41 sync records; the last, 10 µs at 12996001, stretches the span from 12920244 to 12996011; 186
// µs beside no work: busy 12920244 − 12854103 + 186 = 66327 = 12996011 − 12929684.
constexpr std::array kDifferent = {
    Difference{"tracelens/b200/eager_trace.json.gz", "AMD-AGI__TraceLens/b200/eager_trace.json.gz",
               84487.178, 72890.696, 8652.137, 1},
    Difference{"tracelens/torch_compile_triton/trace.json.gz",
               "AMD-AGI__TraceLens/torch_compile_triton/trace.json.gz", 12549.032, 0.011, 12549.021,
               4},
    Difference{"hta/triton_example",
               "facebookresearch__HolisticTraceAnalysis/triton_example/triton_example.json.gz",
               1.760, 0, 1.760, 1},
    Difference{"hta/critical_path/simple_add",
               "facebookresearch__HolisticTraceAnalysis/critical_path/simple_add/"
               "benchmark_result_493459_1694039959_trace.json.gz",
               16025575, 15975817, 10670, 41},
    Difference{"hta/critical_path/alexnet",
               "facebookresearch__HolisticTraceAnalysis/critical_path/alexnet/"
               "benchmark_result_2869224_1695835535_trace.json.gz",
               12920244, 12854103, 10630, 41},
    Difference{"hta/critical_path/cuda_event_sync",
               "facebookresearch__HolisticTraceAnalysis/critical_path/cuda_event_sync/"
               "event_sync_trace.json.gz",
               263, 212, 49, 1},
    Difference{"hta/critical_path/cuda_event_sync_multi_stream",
               "facebookresearch__HolisticTraceAnalysis/critical_path/cuda_event_sync_multi_stream/"
               "event_sync_trace.json.gz",
               19506, 19134, 369, 1},
};

}  // namespace

class TestDeviceTime : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void randomWorkGivesWhatLookingAtEveryNanosecondGives() {
    std::mt19937 random(20240607);
    for (int round = 0; round < 60; ++round) {
      const auto w = workloadFromText(randomWork(random, 1 + round));
      compareWithBruteForce(*w, wholeDeviceWindow(*w));
      AnalysisWindow pieces;
      pieces.spans = {{10, 40}, {40, 77}, {80, 80}, {120, 230}};
      compareWithBruteForce(*w, pieces);
    }
  }

  void touchingStepsSumToTheirUnion() {
    std::mt19937 random(7);
    const auto w = workloadFromText(randomWork(random, 50));
    AnalysisWindow halves, whole;
    halves.spans = {{0, 100}, {100, 225}};
    whole.spans = {{0, 225}};
    const DeviceTime a = deviceTimes(*w, halves).devices.front();
    const DeviceTime b = deviceTimes(*w, whole).devices.front();
    QCOMPARE(a.busy, b.busy);
    QCOMPARE(a.idle, b.idle);
    QCOMPARE(a.exposedCommunication, b.exposedCommunication);
    QVERIFY(a.byClass == b.byClass);
    QVERIFY(a.byClassExclusive == b.byClassExclusive);
    QVERIFY(a.busyIntervals == b.busyIntervals);
  }

  void devicesAreNeverMixed() {
    const auto w = workloadFromText(
        "kernel 0 10 0/7 gemm\nkernel 5 30 1/7 gemm\nmemcpy 12 20 0/8 'Memcpy DtoD'\n");
    const DeviceTimes times = deviceTimes(*w, wholeDeviceWindow(*w));
    QCOMPARE(times.devices.size(), std::size_t{2});
    QCOMPARE(times.devices[0].busy, TimeNs{18});
    QCOMPARE(times.devices[0].idle, TimeNs{12});
    QCOMPARE(times.devices[1].busy, TimeNs{25});
  }

  /// Half of the multiprocessors for 10 ns, all of them for 20, then two kernels side by side that
  /// fill three quarters; what has no estimate fills nothing.
  void multiprocessorsInUseFollowFromBlocksPerSm() {
    const auto w = workloadFromText(
        "kernel 0 10 7 a blocks=0.5 occ=40\nkernel 10 30 7 b blocks=12.5 occ=100\n"
        "kernel 30 50 7 c blocks=0.5 occ=10\nkernel 30 50 8 d blocks=0.25 occ=10\n"
        "kernel 60 80 7 e\nmemcpy 80 100 7 'Memcpy DtoD'\n");
    const DeviceFill fill = deviceTimes(*w, spanWindow({0, 100})).devices.front().fill;
    QCOMPARE(fill.filled, TimeNs{5 + 20 + 15});
    QCOMPARE(fill.kernelTime, TimeNs{10 + 20 + 20 + 20 + 20});
    QCOMPARE(fill.known, TimeNs{10 + 20 + 20 + 20});
    QCOMPARE(fill.occupancy.value(), (0.4 * 10 + 1.0 * 20 + 0.1 * 40) / 70);
    const auto none = workloadFromText("kernel 0 10 7 a\n");
    QCOMPARE(deviceTimes(*none, spanWindow({0, 10})).devices.front().fill.known, TimeNs{0});
  }

  void aKernelsFillIsTheMeanOverItsCallsByDuration() {
    const auto w = workloadFromText(
        "kernel 0 10 7 a blocks=1 occ=20\nkernel 10 40 7 a blocks=2 occ=60\nkernel 40 50 7 a\n");
    const KernelGroup group = kernelGroups(*w, spanWindow({0, 50})).groups.front();
    QCOMPARE(group.blocksPerSm.value(), 1.75);
    QCOMPARE(group.occupancy.value(), 0.5);
  }

  void synchronisationRecordsAreNoWork() {
    const auto w = workloadFromText(
        "kernel 0 10 7 gemm\nsync 10 50 7 'Stream Wait Event'\nkernel 60 70 7 x\n");
    QCOMPARE(deviceTimes(*w, wholeDeviceWindow(*w)).devices.front().busy, TimeNs{20});
  }

  void windowsCarryLabels() {
    const auto w = workloadFromText(
        "step 0 9 main ProfilerStep#4\nstep 9 20 main ProfilerStep#5\nkernel 1 8 7 gemm\n");
    QCOMPARE(stepsWindow(*w, {1}).label, std::string("step #5"));
    QCOMPARE(stepsWindow(*w, {1, 0}).label, std::string("2 steps (#4, #5)"));
    QCOMPARE(wholeDeviceWindow(*w).spans.front(), (TimeSpan{1, 8}));
  }

  void aLabelNamesNoStepThatIsNotThere() {
    const auto w = workloadFromText(
        "step 0 9 main ProfilerStep#4\nstep 9 20 main ProfilerStep#5\n"
        "step 20 29 main ProfilerStep#6\nstep 29 40 main ProfilerStep#9\nkernel 1 8 7 gemm\n");
    QCOMPARE(stepsWindow(*w, {0, 1, 2, 3}).label, std::string("4 steps (#4…#6, #9)"));
  }

  void agreesWithHta_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kSame.size(); ++i)
      QTest::newRow(kSame[i].key) << static_cast<int>(i);
  }

  void agreesWithHta() {
    QFETCH(int, index);
    const OracleCase& oracle = kSame[static_cast<std::size_t>(index)];
    const std::string file = sharedFile(std::string(kKineto) + oracle.file);
    if (file.empty()) QSKIP("the shared traces and oracles are not there");
    const auto expected = hta::readOracle("hta_noround.json").at(oracle.key);
    auto loaded = loadTrace(file);
    QVERIFY(loaded.ok());
    const auto w = workloadOf(loaded.value().front().trace);
    const std::vector<SliceId> kept = hta::kept(*w);
    QCOMPARE(kept.size(), expected.at("gpu_rows").get<std::size_t>());
    const Figures ours(*w, kept);
    const Figures theirs(expected);
    QVERIFY2(ours.isNear(theirs, oracle.tolerance), ours.beside(theirs).c_str());
    const hta::TypeTable table(hta::kindTimes(*w, kept));
    for (const auto& row : expected.at("kernel_breakdown").at("types")) {
      const auto name = row.at("kernel_type").get<std::string>();
      const double sum = row.at("sum").get<double>();
      const std::string text =
          name + ": " + std::to_string(table.floored.at(name)) + ", HTA " + std::to_string(sum);
      QVERIFY2(std::abs(table.floored.at(name) - sum) <= 1.0, text.c_str());
      QVERIFY(table.exact.at(name) >= sum - 1.0);
    }
  }

  void differsFromHtaByNamedRows_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kDifferent.size(); ++i)
      QTest::newRow(kDifferent[i].key) << static_cast<int>(i);
  }

  void differsFromHtaByNamedRows() {
    QFETCH(int, index);
    const Difference& difference = kDifferent[static_cast<std::size_t>(index)];
    const std::string file = sharedFile(std::string(kKineto) + difference.file);
    if (file.empty()) QSKIP("the shared traces and oracles are not there");
    const auto expected = hta::readOracle("hta_noround.json").at(difference.key);
    auto loaded = loadTrace(file);
    QVERIFY(loaded.ok());
    const auto w = workloadOf(loaded.value().front().trace);
    std::vector<SliceId> rows = hta::kept(*w);
    const Figures ours(*w, rows);
    const Figures byHand(difference.span, difference.idle, difference.compute);
    QVERIFY2(ours.isNear(byHand, 0.002), ours.beside(byHand).c_str());

    const std::vector<SliceId> extra = hta::rowsOnlyHtaCounts(*w);
    QCOMPARE(extra.size(), difference.extraRows);
    rows.insert(rows.end(), extra.begin(), extra.end());
    Figures with(*w, rows);
    const Figures theirs(expected);
    with.compute = computeOfHta(*w, rows);
    QVERIFY2(with.isNear(theirs, 0.01), with.beside(theirs).c_str());
  }
};

QTEST_GUILESS_MAIN(TestDeviceTime)
#include "tst_device_time.moc"
