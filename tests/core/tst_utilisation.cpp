#include <QTest>

#include "core/analysis/utilisation.h"
#include "core/hardware/device_catalog.h"
#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// An A100's peak, for a recording that does not name its device.
constexpr const char* kPeaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
  "tflops": {"bf16": 312, "fp32": 19.5}, "memory_gb_per_s": 1555, "source": "made for a test"}]})";

std::shared_ptr<const Workload> workloadOf(std::string_view text, const ModelWork& model) {
  WorkloadSettings settings;
  settings.catalog =
      std::make_shared<const DeviceCatalog>(DeviceCatalog::builtin().withUserFile(kPeaks).value());
  settings.model = model;
  return makeWorkload(traceFromText(text), settings).value();
}

Utilisation of(const Workload& w, TimeSpan span) {
  const AnalysisWindow window = spanWindow(span);
  return utilisation(w, roofline(w, window), deviceTimes(w, window)).front();
}

/// One product of 1000 × 1000 matrices, 2e9 FLOP, in a window of 100 ms.
constexpr std::string_view kProduct = R"(
op     0     9us   main aten::mm dims=[[1000,1000],[1000,1000]] types=["c10::BFloat16","c10::BFloat16"] seq=1
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  30us  7 ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn corr=1
)";

}  // namespace

class TestUtilisation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// 2200 tokens a second and GPU at 42 GFLOP a token are 92.4 TFLOP/s: 29.6 % of an A100's 312.
  void theSeedNumbersComeOut() {
    ModelWork model;
    model.parameters = 7e9;     // × 6 = 42 GFLOP a token
    model.tokensPerStep = 220;  // in a step of 100 ms
    const auto w = workloadOf(kProduct, model);
    const Utilisation u = of(*w, {0, 100'000'000});
    QCOMPARE(*u.modelFlops / 0.1, 92.4e12);
    QCOMPARE(u.peak, 312e12);
    QCOMPARE(u.peakKey, std::string("bf16"));
    QVERIFY(std::abs(*u.mfu - 0.296) < 0.0005);

    const DeviceMatch a100 = DeviceCatalog::builtin().match(
        {.name = "NVIDIA A100-SXM4-40GB", .vendor = VendorHint::cuda});
    QVERIFY(a100.spec.has_value());
    const auto ridge = ridgePoint(*a100.spec, "bf16", true);
    QVERIFY(ridge && std::abs(*ridge - 200) < 2);
  }

  void flopsOfAStepCanBeGivenAsSuch() {
    ModelWork model;
    model.flopsPerStep = 3.12e12;
    QCOMPARE(*of(*workloadOf(kProduct, model), {0, 100'000'000}).mfu, 0.1);
  }

  void figuresThatCannotBeOfThisStepAreSaidToBe() {
    const auto impossible = [](const Utilisation& u) {
      return std::any_of(u.missing.begin(), u.missing.end(), [](const std::string& text) {
        return text.find("above 100 %") != std::string::npos;
      });
    };
    ModelWork model;
    model.flopsPerStep = 3.12e13;  // all that the peak allows in this step
    QVERIFY(!impossible(of(*workloadOf(kProduct, model), {0, 100'000'000})));
    model.flopsPerStep = 3.13e13;
    QVERIFY(impossible(of(*workloadOf(kProduct, model), {0, 100'000'000})));
  }

  void withoutTheUsersFiguresMfuIsUnknownAndSaysWhatItNeeds() {
    const Utilisation u = of(*workloadOf(kProduct, {}), {0, 100'000'000});
    QVERIFY(!u.mfu && !u.modelFlops);
    QVERIFY(std::any_of(u.missing.begin(), u.missing.end(), [](const std::string& text) {
      return text.find("--model-flops") != std::string::npos;
    }));
  }

  void hfuCountsWhatRan() {
    const Utilisation u = of(*workloadOf(kProduct, {}), {0, 100'000'000});
    QCOMPARE(u.hardwareFlops, 2e9);
    QCOMPARE(*u.hfu, 2e9 / 0.1 / 312e12);
    QCOMPARE(u.coverage, 1.0);
    QCOMPARE(u.recomputedFlops, 0.0);
  }

  void aForwardOpInsideTheBackwardIsRecomputed() {
    const Utilisation u = of(*workloadOf(R"(
op     0     60us  worker 'autograd::engine::evaluate_function: CheckpointFunctionBackward' seq=5 fwd_thread=1
op     1us   50us  worker CheckpointFunctionBackward seq=5 fwd_thread=1
op     2us   9us   worker aten::mm dims=[[1000,1000],[1000,1000]] types=["c10::BFloat16","c10::BFloat16"] seq=9
call   3us   4us   worker cudaLaunchKernel corr=1
op     20us  29us  worker aten::mm dims=[[1000,1000],[1000,1000]] types=["c10::BFloat16","c10::BFloat16"]
call   21us  22us  worker cudaLaunchKernel corr=2
kernel 30us  50us  7 ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn corr=1
kernel 50us  70us  7 ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn corr=2
)",
                                         {}),
                             {0, 100'000'000});
    QCOMPARE(u.hardwareFlops, 4e9);
    QCOMPARE(u.recomputedFlops, 2e9);
  }

  /// A step of forward (F), recomputed forward and backward (2 F) spends about a quarter of its
  /// FLOPs again; one without checkpointing none.
  void activationCheckpointingShowsInARealTrace() {
    const std::string with =
        sharedFile("traces/kineto/AMD-AGI__TraceLens/mi300/resnet_act_checkpoint.json.gz");
    const std::string without = sharedFile(
        "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
        "worker0.1623143089861.pt.trace.json.gz");
    if (with.empty() || without.empty()) QSKIP("needs ../shared: recordings of training");
    const auto shareOf = [](const std::string& file) {
      const auto loaded = loadTrace(file);
      const auto w = makeWorkload(loaded.value().front().trace).value();
      const AnalysisWindow window = steadyWindow(*w);
      const Utilisation u = utilisation(*w, roofline(*w, window), deviceTimes(*w, window)).front();
      return u.hardwareFlops > 0 ? u.recomputedFlops / u.hardwareFlops : -1;
    };
    const double again = shareOf(with);
    QVERIFY2(again > 0.15 && again < 0.35, qPrintable(QString::number(again)));
    QCOMPARE(shareOf(without), 0.0);
  }

  void withoutPeaksNothingIsClaimed() {
    const auto w = makeWorkload(traceFromText(kProduct)).value();
    const Utilisation u = of(*w, {0, 100'000'000});
    QVERIFY(!u.hfu && !u.mfu);
    QVERIFY(!u.missing.empty());
  }
};

QTEST_GUILESS_MAIN(TestUtilisation)
#include "tst_utilisation.moc"
