#include <QtTest>

#include "core/analysis/bounds.h"
#include "core/analysis/roofline.h"
#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// 1 TFLOP/s in fp32 and tf32 on matrix units, 10 in bf16, 100 GB/s: numbers to reckon in the head.
constexpr const char* kPeaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
  "tflops": {"fp32": 1, "tf32": 2, "bf16": 10}, "memory_gb_per_s": 100,
  "source": "made for a test"}]})";

std::shared_ptr<const Workload> workloadOf(std::string_view text, const char* peaks = kPeaks) {
  WorkloadSettings settings;
  if (peaks != nullptr) {
    auto catalog = DeviceCatalog::builtin().withUserFile(peaks);
    if (!catalog.ok()) qFatal("%s", catalog.error().text().c_str());
    settings.catalog = std::make_shared<const DeviceCatalog>(std::move(catalog.value()));
  }
  auto made = makeWorkload(traceFromText(text), settings);
  return made.ok() ? made.value() : nullptr;
}

Roofline rooflineOf(const std::shared_ptr<const Workload>& w) {
  return roofline(*w, wholeDeviceWindow(*w));
}

const RooflinePoint* pointOf(const Roofline& r, std::string_view op, std::string_view shape = {}) {
  for (const RooflinePoint& p : r.points)
    if (p.op == op && (shape.empty() || p.shape == shape)) return &p;
  return nullptr;
}

bool isMissing(const std::vector<std::string>& missing, const char* what) {
  return std::any_of(missing.begin(), missing.end(),
                     [&](const std::string& text) { return text.find(what) != std::string::npos; });
}

/// A matrix product of 100 × 100 matrices: 2e6 FLOP, 120 kB in fp32.
constexpr std::string_view kProduct = R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
op     20us  29us  main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   21us  22us  main cudaLaunchKernel corr=2
kernel 30us  36us  7 volta_sgemm_64x64_nn corr=2
)";

/// Figures of a recording, in one line.
struct Coverage {
  double placed = 0, named = 0, withRoof = 0;
};

Coverage coverageOf(const char* file) {
  auto loaded = loadTrace(sharedFile(file));
  if (!loaded.ok()) qFatal("%s", loaded.error().text().c_str());
  auto w = makeWorkload(loaded.value().front().trace);
  const Roofline r = rooflineOf(w.value());
  TimeNs roofTime = 0, all = 0;
  for (const RooflinePoint& p : r.points) {
    all += p.time;
    if (p.ofRoof) roofTime += p.time;
  }
  const auto share = [](TimeNs a, TimeNs b) {
    return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
  };
  const Coverage c{share(r.placedTime, r.launchedTime), share(r.namedTime, r.launchedTime),
                   share(roofTime, all)};
  qInfo(
      "%s: %zu points; of launched kernel time (%.3f ms) %.2f %% has FLOPs and bytes, %.2f %% "
      "these or a named missing input; %.2f %% of kernel time has a roof",
      file, r.points.size(), static_cast<double>(r.launchedTime) * 1e-6, c.placed * 100,
      c.named * 100, c.withRoof * 100);
  return c;
}

}  // namespace

class TestRoofline : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void callsOfOneOpAndShapeAreOnePoint() {
    const Roofline r = rooflineOf(workloadOf(kProduct));
    QCOMPARE(r.points.size(), std::size_t{1});
    const RooflinePoint& p = r.points.front();
    QCOMPARE(p.op, std::string("aten::mm"));
    QCOMPARE(p.calls, std::uint64_t{2});
    QCOMPARE(p.time, TimeNs{10'000});
    QCOMPARE(*p.flops, 2e6);
    QCOMPARE(*p.bytes, 120e3);
    QCOMPARE(*p.performance, 4e6 / 10e-6);
    QCOMPARE(p.slices.size(), std::size_t{2});
    QCOMPARE(r.launchedTime, TimeNs{10'000});
    QCOMPARE(r.placedTime, TimeNs{10'000});
  }

  void theRoofIsTheLargerOfComputeAndMemoryTime() {
    const Roofline r = rooflineOf(workloadOf(kProduct));
    const RooflinePoint& p = r.points.front();
    QVERIFY(!p.matrixUnit);  // volta_sgemm runs on the vector units
    QCOMPARE(p.peakKey, std::string("fp32"));
    QCOMPARE(*p.computeTime, 2e-6);   // 2e6 FLOP at 1 TFLOP/s
    QCOMPARE(*p.memoryTime, 1.2e-6);  // 120 kB at 100 GB/s
    QCOMPARE(*p.roof, 1e12);
    QCOMPARE(*p.ofRoof, 2e-6 * 2 / 10e-6);
    QCOMPARE(p.bound, RooflineBound::compute);
    QVERIFY(!p.aboveRoof);
    QCOMPARE(r.devices.front().computeBound, TimeNs{10'000});
    QCOMPARE(r.devices.front().kernelTime, TimeNs{10'000});
  }

  void overlappingKernelsOfACallCountOnce() {
    const Roofline r = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
call   3us   4us   main cudaLaunchKernel corr=2
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
kernel 12us  18us  8 splitKreduce_kernel corr=2
)"));
    QCOMPARE(r.points.size(), std::size_t{1});
    QCOMPARE(r.points.front().calls, std::uint64_t{1});
    QCOMPARE(r.points.front().time, TimeNs{8'000});
    QCOMPARE(r.points.front().slices.size(), std::size_t{2});
  }

  void withoutShapesTheMissingInputIsNamed() {
    const Roofline r = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mm
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
)"));
    const RooflinePoint& p = r.points.front();
    QVERIFY(!p.flops && !p.intensity && !p.ofRoof);
    QVERIFY(isMissing(p.missing, "record_shapes=True"));
    QCOMPARE(r.placedTime, TimeNs{0});
    QCOMPARE(r.namedTime, TimeNs{4'000});
    QCOMPARE(r.devices.front().unknownBound, TimeNs{4'000});
  }

  void withoutPeaksThereIsAPositionButNoRoof() {
    const Roofline r = rooflineOf(workloadOf(kProduct, nullptr));
    const RooflinePoint& p = r.points.front();
    QVERIFY(p.intensity && p.performance && !p.roof && !p.ofRoof);
    QCOMPARE(p.bound, RooflineBound::unknown);
    QVERIFY(isMissing(p.missing, "peaks"));
    QVERIFY(!r.devices.front().memory);
    QVERIFY(!r.devices.front().why.empty());
  }

  void aTypeWithoutPeakIsNotMeasuredAgainstMemoryAlone() {
    const char* peaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
      "tflops": {"bf16": 10}, "memory_gb_per_s": 100, "source": "test"}]})";
    const RooflinePoint p = rooflineOf(workloadOf(kProduct, peaks)).points.front();
    QVERIFY(!p.ofRoof);
    QCOMPARE(p.bound, RooflineBound::unknown);
    QVERIFY(isMissing(p.missing, "fp32"));
  }

  void vectorKernelsOnNarrowFloatsAreMeasuredInFp32() {
    // ATen computes bf16 elementwise ops in fp32; nobody publishes a bf16 vector peak here.
    const RooflinePoint p = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mul dims=[[1000,1000],[1000,1000]] types=["c10::BFloat16","c10::BFloat16"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  110us 7 'void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16>>' corr=1
)"))
                                .points.front();
    QCOMPARE(p.peakKey, std::string("fp32"));
    QCOMPARE(*p.bytes, 6e6);
    QCOMPARE(p.bound, RooflineBound::memory);  // 60 µs of 100 at 100 GB/s
    QCOMPARE(*p.ofRoof, 0.6);
  }

  void narrowProductsRunOnMatrixUnits() {
    const RooflinePoint p = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["c10::BFloat16","c10::BFloat16"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  11us  7 some_gemm_kernel corr=1
)"))
                                .points.front();
    QVERIFY(p.matrixUnit);
    QCOMPARE(p.peakKey, std::string("bf16"));
    QCOMPARE(p.bound, RooflineBound::memory);  // 33 FLOP/byte, the ridge is at 100
    QCOMPARE(*p.roof, *p.intensity * 100e9);
  }

  void shortKernelsFarBelowTheirRoofAreBoundByLatency() {
    const RooflinePoint p = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mul dims=[[100],[100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  12us  7 'void at::native::vectorized_elementwise_kernel<4>' corr=1
)"))
                                .points.front();
    QCOMPARE(p.bound, RooflineBound::latency);
  }

  void whatRunsFasterThanItsRoofIsFlagged() {
    const RooflinePoint p = rooflineOf(workloadOf(R"(
op     0     9us   main aten::mul dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  40us  7 'void at::native::vectorized_elementwise_kernel<4>' corr=1
)"))
                                .points.front();
    QVERIFY(p.aboveRoof);  // 12 MB need 120 µs of 100 GB/s: they came from a cache
    QCOMPARE(*p.ofRoof, 4.0);
  }

  void collectivesAreNamedAndApart() {
    const Roofline r = rooflineOf(workloadOf(R"(
op     0     9us   main c10d::allreduce_
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)' corr=1
)"));
    QVERIFY(!r.points.front().flops);
    QVERIFY(isMissing(r.points.front().missing, "communication"));
    QCOMPARE(r.devices.front().communication, TimeNs{4'000});
    QCOMPARE(r.devices.front().unknownBound, TimeNs{0});
  }

  void onlyCallsThatStartInTheWindowCount() {
    const auto w = workloadOf(kProduct);
    const Roofline r = roofline(*w, spanWindow({0, 12'000}));
    QCOMPARE(r.points.front().calls, std::uint64_t{1});
    QCOMPARE(r.points.front().time, TimeNs{4'000});
    QVERIFY(roofline(*w, spanWindow({14'000, 30'000})).points.empty());
  }

  void boundsAreSumsOfLeastTimesAndNeverMoreThanMeasured() {
    const auto w = workloadOf(std::string(kProduct) + R"(
op     40us  49us  main aten::mul dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   41us  42us  main cudaLaunchKernel corr=3
kernel 50us  80us  7 'void at::native::vectorized_elementwise_kernel<4>' corr=3
)");
    const AnalysisWindow window = spanWindow({0, 100'000});
    const auto all =
        bounds(*w, roofline(*w, window), deviceTimes(*w, window), collectives(*w, window));
    QCOMPARE(all.size(), std::size_t{1});
    const Bounds& b = all.front();
    QCOMPARE(b.measured, TimeNs{100'000});
    QCOMPARE(*b.compute, TimeNs{4'000 + 1'000});  // 2 × 2 µs, 1e6 FLOP at 1 TFLOP/s
    QCOMPARE(*b.memory, TimeNs{2'400 + 30'000});  // the second ran in less than its 120 µs
    QCOMPARE(*b.communication, TimeNs{0});
    QCOMPARE(*b.floor(), TimeNs{32'400});
    QCOMPARE(b.floorName(), std::string_view("memory"));
    QCOMPARE(b.coverage, 1.0);
    QCOMPARE(b.flops, 4e6 + 1e6);
  }

  void boundsSayWhatTheyLack() {
    const auto w = workloadOf(
        "op 0 9us main aten::mm\n call 1us 2us main cudaLaunchKernel corr=1\n"
        "kernel 10us 14us 7 volta_sgemm corr=1");
    const AnalysisWindow window = wholeDeviceWindow(*w);
    const Bounds b =
        bounds(*w, roofline(*w, window), deviceTimes(*w, window), collectives(*w, window)).front();
    QVERIFY(!b.compute && !b.memory);
    QVERIFY(isMissing(b.missing, "record_shapes=True"));
    QCOMPARE(b.coverage, 0.0);
  }

  void whatTheKernelsDoIsKnownWithoutPeaks() {
    const auto w = workloadOf(kProduct, nullptr);
    const AnalysisWindow window = wholeDeviceWindow(*w);
    const Bounds b =
        bounds(*w, roofline(*w, window), deviceTimes(*w, window), collectives(*w, window)).front();
    QVERIFY(!b.compute && !b.memory);
    QCOMPARE(b.coverage, 1.0);
    QCOMPARE(b.flops, 4e6);
    QCOMPARE(b.bytes, 2 * 120e3);
  }

  void anOldConvolutionTakesItsSizeFromItsBackward() {
    // No Concrete Inputs: 3×3, padding 1 and stride 2 can only be told from the gradient's size.
    const Roofline r = rooflineOf(workloadOf(R"(
op     0     9us   main aten::cudnn_convolution dims=[[1,2,8,8],[4,2,3,3],[],[]] types=["float","float","",""]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 implicit_convolve_sgemm corr=1
op     20us  39us  main aten::cudnn_convolution_backward dims=[[1,2,8,8],[1,4,4,4],[4,2,3,3],[]] types=["float","float","float",""]
op     21us  29us  main aten::cudnn_convolution_backward_input dims=[[],[1,4,4,4],[4,2,3,3]] types=["","float","float"]
call   22us  23us  main cudaLaunchKernel corr=2
kernel 30us  34us  7 dgrad2d_alg1 corr=2
op     31us  38us  main aten::cudnn_convolution_backward_weight dims=[[],[1,4,4,4],[1,2,8,8]] types=["","float","float"]
call   32us  33us  main cudaLaunchKernel corr=3
kernel 40us  44us  7 wgrad_alg0_engine corr=3
)"));
    const double once = 2.0 * 2 * 3 * 3 * (4 * 4 * 4);
    for (const char* op : {"aten::cudnn_convolution", "aten::cudnn_convolution_backward_input",
                           "aten::cudnn_convolution_backward_weight"}) {
      const RooflinePoint* p = pointOf(r, op);
      QVERIFY2(p != nullptr, op);
      QVERIFY2(p->flops && p->bytes, op);
      QCOMPARE(*p->flops, once);
      QCOMPARE(*p->bytes, 4.0 * (2 * 8 * 8 + 4 * 2 * 9 + 4 * 4 * 4));
      QVERIFY2(p->inferred, op);
    }
  }

  void realTracesAreCovered_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<double>("leastNamed");
    QTest::addColumn<double>("leastPlaced");
    const QString tracelens = QStringLiteral("traces/kineto/AMD-AGI__TraceLens/");
    QTest::newRow("h100 Qwen") << tracelens +
                                      QStringLiteral("h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz")
                               << 0.9 << 0.9;
    QTest::newRow("mi300 Qwen") << tracelens + QStringLiteral(
                                                   "mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz")
                                << 0.9 << 0.9;
    QTest::newRow("resnet50, shapes without Concrete Inputs")
        << QStringLiteral(
               "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
               "worker0.1623143089861.pt.trace.json.gz")
        << 0.9 << 0.9;
  }
  void realTracesAreCovered() {
    QFETCH(QString, file);
    QFETCH(double, leastNamed);
    QFETCH(double, leastPlaced);
    const std::string path = file.toStdString();
    if (sharedFile(path).empty()) QSKIP("needs the real traces in ../shared");
    const Coverage c = coverageOf(path.c_str());
    QVERIFY(c.named >= leastNamed);
    QVERIFY(c.placed >= leastPlaced);
  }
};

QTEST_GUILESS_MAIN(TestRoofline)
#include "tst_roofline.moc"
