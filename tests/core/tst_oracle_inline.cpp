// The small cases of other tools' tests, as far as our analyses have an equivalent: each asserts
// their figures on a trace made here, after the name of their test. And facts that HTA's tests
// assert of its recordings.

#include <numeric>
#include <set>

#include <QtTest>

#include "core/analysis/kernel_groups.h"
#include "tests/support/oracle_hta.h"
#include "tests/support/oracle_kineto.h"
#include "tests/support/oracle_trace.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::shared_ptr<const Workload> workloadOf(std::string_view text) {
  return makeWorkload(traceFromText(text)).value();
}

/// In µs: kernel, copies, sets, communication, runtime, data loading, host, rest, all.
using Costs = std::vector<TimeNs>;
Costs costs(const Workload& w, TimeSpan span) {
  const kineto::StepCosts c = kineto::costsOf(w, span);
  Costs out{c.kernel,     c.memcpy, c.memset, c.communication, c.runtime,
            c.dataLoader, c.cpu,    c.other,  c.total};
  for (TimeNs& t : out) t /= 1000;
  return out;
}

DeviceTime wholeStep(const Workload& w) {
  return deviceTimes(w, spanWindow(w.steps.steps.front().host)).devices.front();
}

const char* kHta = "facebookresearch__HolisticTraceAnalysis/";

}  // namespace

class TestOracleInline : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // kineto's TensorBoard plugin.
  void allCategories();
  void withoutStepMarksTheTraceIsTheStep();
  void stepsWithoutOverlap();
  void stepsWithOverlap();
  void aTrailingStepWithoutKernels();
  void kernelsOutsideStepsDoNotCount();
  void multiprocessorsInUseAndOccupancy();
  void selfTime();
  void oneCallMayLaunchSeveralKernels();
  void externalIdNamesTheOp();
  void namesTellTensorCores();
  void collectivesBesideCompute();
  void dataPipesCountAsDataLoading();
  // TraceLens.
  void intervals();
  void metricsOfATimeline();
  // HTA.
  void annotationsOfARecording();
  void edgesOfARecording();
  void opsOfAStepOfTwoRecordings();
  void collectivesOfARecording();
  void tritonOfARecording();
};

void TestOracleInline::allCategories() {
  const auto w = workloadOf(R"(
step   0     400us main ProfilerStep#1
op     60us  240us main enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__
op     250us 335us main aten::to
call   250us 260us main cudaMemcpyAsync corr=1
call   265us 275us main cudaLaunchKernel corr=2
call   280us 290us main cudaMemsetAsync corr=3
kernel 295us 310us 7 some_kernel corr=2
memset 315us 320us 7 'Memset (Device)' corr=3
memcpy 340us 350us 7 'Memcpy HtoD (Pageable -> Device)' corr=1
)");
  QCOMPARE(costs(*w, kineto::extents(*w).front()), (Costs{15, 10, 5, 0, 30, 180, 35, 125, 400}));
}

void TestOracleInline::withoutStepMarksTheTraceIsTheStep() {
  const auto w = workloadOf(R"(
op     0     80us  main aten::mat_mul
call   10us  20us  main cudaLaunchKernel corr=1
kernel 220us 320us 7 sgemm corr=1
)");
  QCOMPARE(w->steps.steps.size(), std::size_t{1});
  QCOMPARE(costs(*w, w->steps.steps.front().window), (Costs{100, 0, 0, 0, 10, 0, 70, 140, 320}));
}

void TestOracleInline::stepsWithoutOverlap() {
  const auto w = workloadOf(R"(
step   0     100us main ProfilerStep#1
op     0     60us  main aten::to
call   10us  15us  main cudaMemcpyAsync corr=1
memcpy 180us 220us 7 'Memcpy HtoD (Pageable -> Device)' corr=1
step   300us 355us main ProfilerStep#2
op     300us 350us main aten::mat_mul
call   310us 315us main cudaLaunchKernel corr=2
kernel 360us 560us 7 sgemm corr=2
)");
  const auto steps = kineto::extents(*w);
  QCOMPARE(costs(*w, steps[0]), (Costs{0, 40, 0, 0, 5, 0, 55, 120, 220}));
  QCOMPARE(costs(*w, steps[1]), (Costs{200, 0, 0, 0, 5, 0, 45, 10, 260}));
}

void TestOracleInline::stepsWithOverlap() {
  const auto w = workloadOf(R"(
step   0     100us main ProfilerStep#1
call   10us  15us  main cudaLaunchKernel corr=1
kernel 80us  150us 7 sgemm corr=1
step   100us 200us main ProfilerStep#2
call   110us 115us main cudaLaunchKernel corr=2
kernel 190us 230us 7 sgemm corr=2
)");
  QCOMPARE(w->steps.steps[0].device, (TimeSpan{80'000, 150'000}));
  QCOMPARE(w->steps.steps[1].device, (TimeSpan{190'000, 230'000}));
  const auto steps = kineto::extents(*w);
  QCOMPARE(steps[1], (TimeSpan{150'000, 230'000}));
}

/// The plugin drops it. Here it stays in the list, but counts in no median.
void TestOracleInline::aTrailingStepWithoutKernels() {
  const auto w = workloadOf(R"(
step   0     100us main ProfilerStep#1
call   10us  15us  main cudaLaunchKernel corr=1
kernel 20us  90us  7 sgemm corr=1
step   100us 200us main ProfilerStep#2
call   110us 115us main cudaLaunchKernel corr=2
kernel 120us 190us 7 sgemm corr=2
step   200us 210us main ProfilerStep#3
)");
  QCOMPARE(w->steps.steps.size(), std::size_t{3});
  const Step& last = w->steps.steps.back();
  QVERIFY(last.device.empty());
  QVERIFY(!last.steady);
  QCOMPARE(last.why, std::string("it launched no device work"));
  QCOMPARE(w->steps.steadyCount(), std::size_t{2});
  // Where most steps launch nothing, that tells nothing of a step.
  const auto few = workloadOf(R"(
step   0     100us main ProfilerStep#1
call   10us  15us  main cudaLaunchKernel corr=1
kernel 20us  90us  7 sgemm corr=1
step   100us 200us main ProfilerStep#2
step   200us 300us main ProfilerStep#3
)");
  QVERIFY(few->steps.steps.back().why != "it launched no device work");
}

void TestOracleInline::kernelsOutsideStepsDoNotCount() {
  const auto w = workloadOf(R"(
kernel 0     10us  7 before corr=9
step   20us  140us main ProfilerStep#1
call   21us  22us  main cudaLaunchKernel corr=1
kernel 30us  70us  7 a corr=1
call   41us  42us  main cudaLaunchKernel corr=2
kernel 80us  100us 7 b corr=2
kernel 150us 160us 7 after corr=8
)");
  const DeviceTime t = wholeStep(*w);
  QCOMPARE(t.span, TimeNs{120'000});
  QCOMPARE(t.busy, TimeNs{60'000});
}

/// test_gpu_utilization: 60 of 120 µs; two kernels side by side fill the device by their sum, at
/// most all of it; occupancies weigh by duration, so one of no duration says nothing.
void TestOracleInline::multiprocessorsInUseAndOccupancy() {
  const auto w = workloadOf(R"(
op     100us 200us main aten::mat_mul
kernel 130us 140us 7 a blocks=0.5 occ=0.6
kernel 135us 150us 8 b blocks=0.6 occ=0.1
kernel 150us 150us 8 b blocks=0.3 occ=0.2
kernel 145us 170us 7 a blocks=0.3 occ=1.0
kernel 200us 220us 7 a blocks=10.5 occ=0.3
)");
  const TimeNs origin = w->trace->slices().start[0];
  const AnalysisWindow window = spanWindow({origin, origin + 120'000});
  const DeviceTime t = deviceTimes(*w, window).devices.front();
  QCOMPARE(t.busy * 120, t.span * 60);
  const double ranges = 0.5 * 5 + 1.0 * 5 + 0.6 * 5 + 0.9 * 5 + 0.3 * 20 + 1.0 * 20;
  QVERIFY(std::abs(static_cast<double>(t.fill.filled) / 1000 - ranges) < ranges / 32768);
  QCOMPARE(t.fill.occupancy.value() * 100, (0.6 * 10 + 0.1 * 15 + 1.0 * 25 + 0.3 * 20) / 70);
  for (const KernelGroup& group : kernelGroups(*w, window).groups) {
    const bool a = w->trace->text(group.name) == "a";
    const double blocks = a ? (0.5 * 10 + 0.3 * 25 + 10.5 * 20) / 55 : 0.6;
    const double occupancy = a ? (0.6 * 10 + 1.0 * 25 + 0.3 * 20) / 55 : 0.1;
    QVERIFY(std::abs(group.blocksPerSm.value() / blocks - 1) < 1.0 / 32768);
    QCOMPARE(group.occupancy.value() * 100, occupancy);
  }
}

void TestOracleInline::selfTime() {
  const auto w = workloadOf(R"(
op     0     100us main outer
op     20us  60us  main inner
call   70us  75us  main cudaLaunchKernel corr=1
call   30us  35us  main cudaLaunchKernel corr=2
kernel 80us  100us 7 of_outer corr=1
kernel 40us  70us  7 of_inner corr=2
)");
  const auto table = kineto::opTable(*w);
  const kineto::OpTimes outer = table.at("outer"), inner = table.at("inner");
  QCOMPARE(outer.deviceSelf, TimeNs{20'000});
  QCOMPARE(outer.deviceTotal, TimeNs{50'000});
  QCOMPARE(outer.hostSelf, TimeNs{55'000});
  QCOMPARE(outer.hostTotal, TimeNs{100'000});
  QCOMPARE(inner.deviceSelf, TimeNs{30'000});
  QCOMPARE(inner.deviceTotal, TimeNs{30'000});
  QCOMPARE(inner.hostSelf, TimeNs{35'000});
}

void TestOracleInline::oneCallMayLaunchSeveralKernels() {
  const auto w = workloadOf(R"(
op     0     30us  main aten::mm
call   10us  15us  main cudaLaunchCooperativeKernelMultiDevice corr=1
kernel 20us  30us  7 a corr=1
kernel 40us  60us  7 b corr=1
)");
  QCOMPARE(kineto::opTable(*w).at("aten::mm").deviceSelf, TimeNs{30'000});
  QCOMPARE(w->opCalls.size(), std::size_t{1});
  QCOMPARE(w->opCalls.front().deviceWork.size(), std::size_t{2});
}

void TestOracleInline::externalIdNamesTheOp() {
  const auto w = workloadOf(R"(
op     0     30us  main aten::mm ext=2
op     40us  70us  main aten::add ext=3
call   10us  15us  other cudaLaunchKernel corr=1 ext=2
kernel 50us  60us  7 a corr=1 ext=2
)");
  const auto table = kineto::opTable(*w);
  QCOMPARE(table.at("aten::mm").deviceTotal, TimeNs{10'000});
  QCOMPARE(table.at("aten::add").deviceTotal, TimeNs{0});
}

void TestOracleInline::namesTellTensorCores() {
  const auto w = workloadOf(R"(
op     0     30us  main aten::mm
call   1us   2us   main cudaLaunchKernel corr=1
call   3us   4us   main cudaLaunchKernel corr=2
kernel 50us  65us  7 volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_tn corr=1
kernel 70us  80us  7 volta_sgemm_64x64_nt corr=2
)");
  TimeNs matrix = 0, all = 0;
  for (const SliceId s : w->deviceWork) {
    all += w->trace->slices().duration(s);
    if (w->label(s).matrixUnit == MatrixUnit::yes) matrix += w->trace->slices().duration(s);
  }
  QCOMPARE(matrix, TimeNs{15'000});
  QCOMPARE(all, TimeNs{25'000});
}

/// Its overlap tables: compute alone, both, communication alone, other.
void TestOracleInline::collectivesBesideCompute() {
  const auto table = [](const Workload& w) {
    const DeviceTime t = wholeStep(w);
    const TimeNs both = t.communication - t.exposedCommunication;
    return Costs{(t.compute - both) / 1000, both / 1000, t.exposedCommunication / 1000,
                 t.idle / 1000};
  };
  const auto first = workloadOf(R"(
step   0     235us main ProfilerStep#1
call   0     10us  main cudaLaunchKernel corr=1
kernel 10us  115us 7 volta_sgemm_64x64_nt corr=1
call   12us  13us  main cudaLaunchKernel corr=2
kernel 40us  190us 20 ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*) corr=2
op     190us 210us main aten::mul
)");
  QCOMPARE(table(*first), (Costs{30, 75, 75, 55}));
  QCOMPARE(costs(*first, kineto::extents(*first).front()),
           (Costs{105, 0, 0, 75, 10, 0, 20, 25, 235}));
  const auto second = workloadOf(R"(
step   0     235us main ProfilerStep#1
call   0     1us   main cudaLaunchKernel corr=1
kernel 0     161us 7 volta_sgemm_64x64_nt corr=1
call   2us   3us   main cudaLaunchKernel corr=2
kernel 121us 235us 20 ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*) corr=2
)");
  QCOMPARE(table(*second), (Costs{121, 40, 74, 0}));
}

void TestOracleInline::dataPipesCountAsDataLoading() {
  for (const char* name : {"enumerate(DataPipe)#ShufflerIterDataPipe",
                           "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"})
    for (const Category category : {Category::cpuOp, Category::userAnnotation})
      QCOMPARE(hostActivityOf(category, name), HostActivity::input);
}

void TestOracleInline::intervals() {
  QCOMPARE(unionOf(std::vector<TimeSpan>{{20, 30}, {0, 5}, {5, 10}, {8, 15}}),
           (Intervals{{0, 15}, {20, 30}}));
  const Intervals ten{{0, 10}};
  QCOMPARE(difference({}, ten), Intervals{});
  QCOMPARE(difference(ten, {}), ten);
  QCOMPARE(difference(ten, {{3, 5}}), (Intervals{{0, 3}, {5, 10}}));
  QCOMPARE(difference(ten, {{2, 3}, {5, 7}}), (Intervals{{0, 2}, {3, 5}, {7, 10}}));
  QCOMPARE(difference(ten, unionOf({{2, 4}, {4, 6}})), (Intervals{{0, 2}, {6, 10}}));
  QCOMPARE(difference({{5, 10}}, {{0, 3}}), (Intervals{{5, 10}}));
  QCOMPARE(difference({{5, 10}}, {{12, 15}}), (Intervals{{5, 10}}));
  QCOMPARE(difference({{5, 10}}, {{0, 7}}), (Intervals{{7, 10}}));
  QCOMPARE(difference(ten, ten), Intervals{});
  QCOMPARE(difference({{5, 10}}, {{0, 20}}), Intervals{});
  QCOMPARE(difference({{0, 10}, {20, 30}}, {{5, 25}}), (Intervals{{0, 5}, {25, 30}}));
}

void TestOracleInline::metricsOfATimeline() {
  const auto w = workloadOf(R"(
kernel 0     50us  7 a
memcpy 100us 150us 7 'Memcpy DtoD (Device -> Device)'
kernel 200us 250us 7 b
)");
  const DeviceTime t = deviceTimes(*w, wholeDeviceWindow(*w)).devices.front();
  QCOMPARE(t.compute, TimeNs{100'000});
  QCOMPARE(t.memory, TimeNs{50'000});
  QCOMPARE(t.span, TimeNs{250'000});
  QCOMPARE(t.idle, TimeNs{100'000});
}

void TestOracleInline::annotationsOfARecording() {
  const auto w = realWorkload(std::string(kHta) +
                              "ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz");
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const Trace& trace = *w->trace;
  const SliceTable& s = trace.slices();
  std::map<std::string, int> device, host;
  std::vector<SliceId> optimizer;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (s.category[i] == Category::deviceAnnotation) {
      ++device[std::string(trace.name(id))];
      if (trace.name(id) == "Optimizer.step#SGD.step") optimizer.push_back(id);
    }
    if (s.category[i] == Category::userAnnotation) ++host[std::string(trace.name(id))];
  }
  QCOMPARE(device, (std::map<std::string, int>{{"Optimizer.step#SGD.step", 5},
                                               {"## backward ##", 5},
                                               {"DistributedDataParallel.forward", 5}}));
  // HTA says 12: it drops all from the last ProfilerStep (#105) on.
  QCOMPARE(host.size(), std::size_t{13});
  const auto nameOfCorrelation = [&](std::int64_t correlation) {
    for (const SliceId work : w->deviceWork)
      if (s.correlation.get(work) == correlation) return std::string(trace.name(work));
    return std::string();
  };
  QCOMPARE(nameOfCorrelation(135139), std::string("Memcpy DtoD (Device -> Device)"));
  QVERIFY(nameOfCorrelation(164926).find("multi_tensor_apply_kernel") != std::string::npos);

  // Kernels under a mark on the device. Nine under each mark of the optimizer; HTA keeps the marks
  // that start before the last ProfilerStep does on the host, 3 of 5: 27 kernels.
  const auto markAround = [&](SliceId work) {
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s.category[i] == Category::deviceAnnotation && s.start[i] <= s.start[work.index()] &&
          s.end[work.index()] <= s.end[i])
        return SliceId(i);
    return SliceId();
  };
  std::map<SliceId, int> under;
  std::set<std::string> marks;
  const std::vector<SliceId> kept = hta::kept(*w);
  QCOMPARE(kept.size(), std::size_t{4876});
  for (const SliceId work : w->deviceWork) {
    const SliceId mark = markAround(work);
    marks.insert(mark.valid() ? std::string(trace.name(mark)) : std::string());
    ++under[mark];
    const auto correlation = s.correlation.get(work);
    if (correlation == 135139)
      QCOMPARE(trace.name(mark), std::string_view("DistributedDataParallel.forward"));
    if (correlation == 164926)
      QCOMPARE(trace.name(mark), std::string_view("Optimizer.step#SGD.step"));
  }
  QCOMPARE(marks.size(), std::size_t{4});
  int before = 0;
  for (const SliceId mark : optimizer) {
    QCOMPARE(under[mark], 9);
    if (s.start[mark.index()] < hta::startOfLastStep(trace)) before += under[mark];
  }
  QCOMPARE(before, 27);
}

/// Its critical path test names five edges within one call of relu_.
void TestOracleInline::edgesOfARecording() {
  const auto w = realWorkload(std::string(kHta) +
                              "critical_path/simple_add/"
                              "benchmark_result_493459_1694039959_trace.json.gz");
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const SliceTable& s = w->trace->slices();
  std::set<Costs> found;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId clamp = s.parent[i];
    if (w->trace->name(SliceId(i)) != "cudaLaunchKernel" || !clamp.valid() ||
        w->trace->name(clamp) != "aten::clamp_min_")
      continue;
    const SliceId relu = s.parent[clamp.index()];
    if (!relu.valid() || w->trace->name(relu) != "aten::relu_") continue;
    Costs edges{s.start[clamp.index()] - s.start[relu.index()], s.start[i] - s.start[clamp.index()],
                s.end[i] - s.start[i], s.end[clamp.index()] - s.end[i],
                s.end[relu.index()] - s.end[clamp.index()]};
    for (TimeNs& t : edges) t /= 1000;
    found.insert(edges);
  }
  QVERIFY(found.count(Costs{15, 14, 17, 15, 32}) == 1);
}

/// Its comparison of two recordings of rank 1: what step 1010 of each ran. (It takes the call of
/// the step's mark for an op, too.)
void TestOracleInline::opsOfAStepOfTwoRecordings() {
  using Ops = std::map<std::string, std::vector<TimeNs>>;
  const auto opsOf = [](const std::string& file) {
    std::pair<Ops, int> out;
    const auto w = realWorkload(std::string(kHta) + "trace_compare/" + file);
    if (!w) return out;
    const SliceTable& s = w->trace->slices();
    const auto& steps = w->steps.steps;
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [](const Step& one) { return one.number == 1010; });
    if (step == steps.end()) return out;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (!isDeviceWork(s.category[i]) && s.category[i] != Category::profilerSpan &&
          step->host.contains(s.start[i]))
        out.first[std::string(w->trace->name(SliceId(i)))].push_back((s.end[i] - s.start[i]) /
                                                                     1000);
    for (const SliceId work : w->deviceWork)
      if (const SliceId call = w->trace->launchOf(work);
          call.valid() && step->host.contains(s.start[call.index()]))
        ++out.second;
    return out;
  };
  const auto [base, baseWork] = opsOf("base/base.json.gz");
  if (base.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  QVERIFY(base == (Ops{{"ProfilerStep#1010", {122'149}},
                       {"aten::as_strided", {0}},
                       {"aten::empty", {0}},
                       {"cudaEventQuery", {4}},
                       {"cudaLaunchKernel", {4}},
                       {"nccl:all_reduce", {67}}}));
  QCOMPARE(baseWork, 1);
  auto [test, testWork] = opsOf("test/test.json.gz");
  QCOMPARE(testWork, 0);
  for (const char* added : {"AddmmBackward0", "All2All_Pooled_Req", "CatBackward0"})
    QCOMPARE(test.erase(added), std::size_t{1});
  QCOMPARE(test.count("nccl:all_reduce"), std::size_t{0});
  QCOMPARE(test.size(), std::size_t{5});
}

void TestOracleInline::collectivesOfARecording() {
  const auto w = realWorkload(std::string(kHta) + "nccl_parser_config/nccl_data.json.gz");
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const Trace& trace = *w->trace;
  std::size_t count = 0;
  SliceId longest;
  for (const SliceId s : w->deviceWork) {
    if (w->classOf(s) != KernelClass::collective) continue;
    ++count;
    if (!longest.valid() || trace.slices().duration(s) > trace.slices().duration(longest))
      longest = s;
  }
  QCOMPARE(count, std::size_t{21});
  const auto id = trace.slices().collective.get(longest);
  QVERIFY(id.has_value());
  const CollectiveArgs& args = trace.collectives()[id->index()];
  QCOMPARE(trace.text(args.name), std::string_view("allreduce"));
  QCOMPARE(args.inElements, std::int64_t{2'049'000});
  QCOMPARE(args.outElements, std::int64_t{2'049'000});
  QCOMPARE(trace.text(args.group), std::string_view("0"));
  QCOMPARE(trace.text(args.groupDescription), std::string_view("default_pg"));
  QCOMPARE(trace.text(args.ranks), std::string_view("[0, 1]"));
}

void TestOracleInline::tritonOfARecording() {
  const auto w = realWorkload(std::string(kHta) + "triton_example/triton_example.json.gz");
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const Trace& trace = *w->trace;
  std::size_t ops = 0;
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.slices().category[i] == Category::cpuOp &&
        trace.name(SliceId(i)) == "triton_poi_fused_add_cos_sin_0")
      ++ops;
  QCOMPARE(ops, std::size_t{1});
  QVERIFY(trace.info().baseTimeNs.has_value());
  QCOMPARE(*trace.info().baseTimeNs, std::int64_t{1'727'743'122'000'000'000});
  // HTA's start of the trace is its first row, ours the profiler's own span before it; HTA rounds.
  TimeNs first = trace.span().end;
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.slices().category[i] != Category::profilerSpan)
      first = std::min(first, trace.slices().start[i]);
  const TimeNs start = trace.origin() + first;
  QVERIFY2(std::abs(start - 2'413'669'096'090'100) <= 1000, std::to_string(start).c_str());
}

QTEST_GUILESS_MAIN(TestOracleInline)
#include "tst_oracle_inline.moc"
