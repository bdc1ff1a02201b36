// TraceLens' reference reports, row by row, on the traces they were made from. What TraceLens
// counts otherwise than we do is derived here from our own result objects; the conventions are said
// where they are applied.

#include <QtTest>

#include "core/analysis/roofline.h"
#include "tests/support/oracle_trace.h"
#include "tests/support/oracle_tracelens.h"

using namespace ridgeline;
using namespace ridgeline::test;
using tracelens::OpRow;
using tracelens::Part;
using tracelens::TimeRow;

namespace {

/// Whether a call belongs to the part of the report: recomputation runs under the function that
/// PyTorch's checkpointing hands to autograd.
bool belongs(const Trace& trace, SliceId host, Part part) {
  return part == Part::all || isWithin(trace, host, "recompute_fn") == (part == Part::recomputed);
}

/// TraceLens reports device work that an arrow (ac2g) joins to a host event. Work still queued from
/// before the recording has none; nor have ROCm's fills, whose launch we find by its correlation:
/// of normalization_layer_test five fills with 10.655 + 3.284 + 9.133 + 1.842 + 1.722 = 26.636
/// µs, busy 1018.632 - 26.636 = 991.996 µs.
bool isReported(const Trace& trace, SliceId work) {
  const SliceId launch = trace.launchOf(work);
  return launch.valid() && (trace.slices().category[work.index()] != Category::memset ||
                            trace.name(launch).rfind("hip", 0) != 0);
}

std::vector<SliceId> reportedWork(const Workload& w, Part part) {
  std::vector<SliceId> out;
  for (const SliceId s : w.deviceWork)
    if (isReported(*w.trace, s) && belongs(*w.trace, w.trace->launchOf(s), part)) out.push_back(s);
  return out;
}

template <class Keep>
std::vector<SliceId> only(const std::vector<SliceId>& events, Keep&& keep) {
  std::vector<SliceId> out;
  std::copy_if(events.begin(), events.end(), std::back_inserter(out), keep);
  return out;
}

/// TraceLens' gpu_timeline from our sweep. It counts fills (memset) as computation, and hands out
/// time in the order computation, communication, copies.
TimeRow timesOf(const Workload& w, const std::vector<SliceId>& events) {
  const TimeSpan extent = extentOf(*w.trace, events);
  const auto sweep = [&](const std::vector<SliceId>& part) {
    return deviceTimeOf(w, DeviceId(0), part, {extent});
  };
  const auto isCopy = [&](SliceId s) {
    return w.trace->slices().category[s.index()] == Category::memcpy;
  };
  const auto isComm = [&](SliceId s) { return w.classOf(s) == KernelClass::collective; };
  const DeviceTime all = sweep(events);
  const TimeNs computation =
      sweep(only(events, [&](SliceId s) { return !isCopy(s) && !isComm(s); })).busy;
  const TimeNs withoutCopies = sweep(only(events, [&](SliceId s) { return !isCopy(s); })).busy;
  return {nullptr,
          Part::all,
          milliseconds(all.span),
          milliseconds(all.busy),
          milliseconds(computation),
          milliseconds(withoutCopies - computation),
          milliseconds(all.busy - withoutCopies),
          milliseconds(all.idle),
          milliseconds(all.communication),
          milliseconds(sweep(only(events, isCopy)).busy)};
}

/// Six printed digits, of figures that TraceLens holds as doubles of µs.
bool agreesInTime(double ours, double printed) {
  return std::abs(ours - printed) <= 1e-4 * std::abs(printed) + 2e-6;
}

bool beginsWith(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

std::string recordedTypes(const Trace& trace, SliceId op) {
  const ShapeId id = trace.slices().shape[op.index()];
  if (!id.valid() || !trace.shapes()[id.index()].types.valid()) return {};
  return compact(trace.text(trace.shapes()[id.index()].types));
}

std::vector<SliceId> callsOf(const Trace& trace, const OpRow& row) {
  std::vector<SliceId> out;
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    if (s.category[i] == Category::cpuOp && trace.name(id) == row.op &&
        beginsWith(recordedDims(trace, id), row.dims) &&
        beginsWith(recordedTypes(trace, id), row.types) && belongs(trace, id, row.part))
      out.push_back(id);
  }
  return out;
}

/// TraceLens reads no strides and counts a broadcast operand whole: copy_ of [8,16] from strides
/// [0,1] is 8·16·4 + 8·16·4 = 1024 bytes there, 8·16·4 + 16·4 = 576 here.
OpShapes withoutStrides(OpShapes shapes) {
  for (ArgShape& arg : shapes.args) arg.strides.clear();
  return shapes;
}

/// TraceLens counts half of N² for causal attention, and its own bytes of a norm.
CostContext theirConventions() {
  CostContext context;
  context.causal = CausalCount::HalfSquare;
  context.norm = NormCount::TraceLens;
  return context;
}

}  // namespace

class TestOracleTraceLens : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void timesAgree_data();
  void timesAgree();
  void opsAgree_data();
  void opsAgree();
  void whereTheDefaultsDifferTheDifferenceIsTheNamedOne();
  void theComparisonOfTwoDevicesAgrees();
};

void TestOracleTraceLens::timesAgree_data() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < tracelens::kTimes.size(); ++i)
    QTest::addRow("%d %s", static_cast<int>(i), tracelens::kTimes[i].file) << static_cast<int>(i);
}

void TestOracleTraceLens::timesAgree() {
  QFETCH(int, index);
  const TimeRow& theirs = tracelens::kTimes[static_cast<std::size_t>(index)];
  const auto w = realWorkload(theirs.file);
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const TimeRow ours = timesOf(*w, reportedWork(*w, theirs.part));
  const auto check = [](const char* what, double a, double b) {
    QVERIFY2(agreesInTime(a, b), qPrintable(QStringLiteral("%1: ours %2 ms, TraceLens %3")
                                                .arg(QLatin1String(what))
                                                .arg(a, 0, 'g', 9)
                                                .arg(b, 0, 'g', 9)));
  };
  check("total", ours.total, theirs.total);
  check("busy", ours.busy, theirs.busy);
  check("computation", ours.computation, theirs.computation);
  check("exposed communication", ours.exposedComm, theirs.exposedComm);
  check("exposed copies", ours.exposedMemcpy, theirs.exposedMemcpy);
  check("idle", ours.idle, theirs.idle);
  check("communication", ours.totalComm, theirs.totalComm);
  check("copies", ours.totalMemcpy, theirs.totalMemcpy);
}

void TestOracleTraceLens::opsAgree_data() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < tracelens::kOps.size(); ++i)
    QTest::addRow("%d %s %s", static_cast<int>(i), tracelens::kOps[i].op, tracelens::kOps[i].dims)
        << static_cast<int>(i);
}

void TestOracleTraceLens::opsAgree() {
  QFETCH(int, index);
  const OpRow& row = tracelens::kOps[static_cast<std::size_t>(index)];
  const auto w = realWorkload(row.file);
  if (!w) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const std::vector<SliceId> calls = callsOf(*w->trace, row);
  QCOMPARE(calls.size(), row.calls);
  const auto below = deviceWorkBelow(*w);
  std::vector<SliceId> kernels;
  for (const SliceId call : calls) {
    if (const auto it = below.find(call); it != below.end())
      std::copy_if(it->second.begin(), it->second.end(), std::back_inserter(kernels),
                   [&](SliceId s) { return isReported(*w->trace, s); });
    const OpShapes shapes = shapesOf(*w->trace, call);
    // TraceLens takes norms without weights for ones with weights: see the last test.
    if (row.file == tracelens::kNorms && !shapes.arg(1).isTensor()) continue;
    const OpCost cost = costOf(row.op, withoutStrides(shapes), theirConventions());
    QVERIFY(cost.flops && cost.bytes);
    // A copy reckons nothing; TraceLens counts one operation an element.
    const bool moves = cost.family == OpFamily::Copy;
    if (moves) QCOMPARE(*cost.flops, 0.0);
    const double flops = moves ? shapes.arg(0).elements() : *cost.flops;
    // Nine printed digits.
    QVERIFY2(std::abs(flops / 1e9 - row.gigaflops) <= 5e-9 * row.gigaflops,
             qPrintable(QString::number(flops)));
    QVERIFY2(std::abs(*cost.bytes / (1 << 20) - row.mebibytes) <= 5e-9 * row.mebibytes,
             qPrintable(QString::number(*cost.bytes)));
  }
  const double time = microseconds(unionTime(*w->trace, kernels));
  // Seven printed digits (trailing zeros left out), and TraceLens holds begin and end of each
  // kernel in µs since the epoch of the recording, in a double.
  const double step = std::ldexp(microseconds(w->trace->origin()), -52);
  const double tolerance = 5e-6 * row.kernelTime + 2 * step * static_cast<double>(kernels.size());
  QVERIFY2(std::abs(time - row.kernelTime) <= tolerance, qPrintable(QString::number(time, 'g', 9)));
}

/// By hand, on one call each.
void TestOracleTraceLens::whereTheDefaultsDifferTheDifferenceIsTheNamedOne() {
  const auto first = [](const char* file, const char* op, const char* dims) {
    const auto w = realWorkload(file);
    if (!w) return OpCost();
    const auto calls = callsOf(*w->trace, OpRow{file, op, dims, "", Part::all, 0, 0, 0, 0});
    if (calls.empty()) return OpCost();
    const OpShapes shapes = shapesOf(*w->trace, calls.front());
    return costOf(op, shapes, {});
  };
  if (!realWorkload(tracelens::kNorms))
    QSKIP("needs the real traces beside the checkout (../shared/traces)");
  // Causal pairs 559·560/2 = 156520 of which TraceLens counts 559²/2 = 156240.5.
  const OpCost causal =
      first(tracelens::kH100Qwen, "aten::_scaled_dot_product_flash_attention", "[[16,16,559,64]");
  QCOMPARE(*causal.flops, 16.0 * 16 * 4 * 64 * 156520);
  QVERIFY(std::abs(*causal.flops / 10.2393774e9 - 156520 / 156240.5) < 1e-8);
  QCOMPARE(*first(tracelens::kNorms, "aten::copy_", "[[8,16],[8,16]").bytes, 576.0);
  // A norm of n = 131072 elements in 16 channels without weights: TraceLens calls it affine and
  // counts 6·16·4 = 384 bytes beside the two tensors, its own formula would give 256.
  const auto w = realWorkload(tracelens::kNorms);
  std::size_t plain = 0;
  for (const SliceId call :
       callsOf(*w->trace, OpRow{tracelens::kNorms, "aten::instance_norm", "[[8,16,32,32],", "",
                                Part::all, 0, 0, 0, 0})) {
    const OpShapes shapes = shapesOf(*w->trace, call);
    const bool affine = shapes.arg(1).isTensor();
    plain += affine ? 0 : 1;
    const OpCost cost = costOf("aten::instance_norm", shapes, theirConventions());
    QCOMPARE(*cost.flops, 5.0 * 131072 + 6 * 16);
    QCOMPARE(*cost.bytes, 2.0 * 131072 * 4 + (affine ? 384 : 256));
  }
  QCOMPARE(plain, std::size_t{3});
}

/// TraceLens' report that compares the Qwen model on H100 and MI300: per cent from one to the
/// other, of the times in ms and of the kernel time of ops.
void TestOracleTraceLens::theComparisonOfTwoDevicesAgrees() {
  const auto h100 = realWorkload(tracelens::kH100Qwen);
  const auto mi300 = realWorkload(tracelens::kMi300Qwen);
  if (!h100 || !mi300) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  const auto check = [](const char* what, double from, double to, double theirs, double digit) {
    const double ours = 100 * (to - from) / from;
    QVERIFY2(std::abs(ours - theirs) <= digit,
             qPrintable(QStringLiteral("%1: %2 %").arg(QLatin1String(what)).arg(ours, 0, 'f', 4)));
  };
  const TimeRow a = timesOf(*h100, reportedWork(*h100, Part::all));
  const TimeRow b = timesOf(*mi300, reportedWork(*mi300, Part::all));
  check("busy", a.busy, b.busy, -6.77, 0.0051);
  check("idle", a.idle, b.idle, 13.4, 0.051);
  check("total", a.total, b.total, -5.05, 0.0051);
  const auto kernelTime = [](const Workload& w, const char* op, const char* dims) {
    const OpRow row{nullptr, op, dims, "", Part::all, 0, 0, 0, 0};
    const auto below = deviceWorkBelow(w);
    std::vector<SliceId> kernels;
    for (const SliceId call : callsOf(*w.trace, row))
      if (const auto it = below.find(call); it != below.end())
        std::copy_if(it->second.begin(), it->second.end(), std::back_inserter(kernels),
                     [&](SliceId s) { return isReported(*w.trace, s); });
    return microseconds(unionTime(*w.trace, kernels));
  };
  struct Row {
    const char* op;
    const char* dims;
    double percent;
  };
  for (const Row& row :
       {Row{"aten::mm", "[[8944,1024],[1024,2816]", 30.90},
        Row{"aten::addmm", "[[1024],[8944,1024],[1024,1024]", 26.86},
        Row{"aten::_scaled_dot_product_flash_attention", "[[16,16,559,64],", 47.51},
        Row{"aten::mul", "", -32.75}, Row{"aten::copy_", "", -37.46}, Row{"aten::mm", "", 29.91}})
    check(row.op, kernelTime(*h100, row.op, row.dims), kernelTime(*mi300, row.op, row.dims),
          row.percent, 0.0051);
}

QTEST_GUILESS_MAIN(TestOracleTraceLens)
#include "tst_oracle_tracelens.moc"
