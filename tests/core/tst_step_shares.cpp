#include <numeric>

#include <QTemporaryDir>
#include <QtTest>

#include "core/io/load_trace.h"
#include "tests/support/analysed.h"
#include "tests/support/shared_data.h"
#include "tests/support/simulated.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

Results simulatedResults(const std::string& scenario, std::uint64_t seed) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("trace.json")).toStdString();
  if (!writeKineto(simulated(scenario, seed, 1, 0, 4), 0, path).ok()) return nullptr;
  auto loaded = loadTrace(path);
  if (!loaded.ok() || loaded.value().empty()) return nullptr;
  return steadyResults(loaded.value().front().trace);
}

/// Everything that must hold of the shares, whatever the recording.
void checkIdentities(const AnalysisResults& r) {
  const StepShares& shares = r.headline.shares;
  if (!shares.device.valid()) return;
  const DeviceTime& device = r.deviceTimes.devices[shares.device.index()];
  TimeNs time = 0, step = 0, idle = 0;
  for (const StepShares::Share& one : shares.shares) {
    QVERIFY(one.time > 0);
    time += one.time;
    step += one.perStep;
    if (one.part >= StepPart::input) idle += one.time;
  }
  QCOMPARE(time, r.window.length());
  QCOMPARE(shares.window, r.window.length());
  QCOMPARE(step, shares.step);
  QCOMPARE(shares.step, r.window.length() / static_cast<TimeNs>(r.window.spans.size()));
  QCOMPARE(idle, device.idle);
  QCOMPARE(shares.of(StepPart::collectives), device.exposedCommunication);
  QCOMPARE(shares.of(StepPart::hostCopies) + shares.of(StepPart::otherCopies),
           device.exposedMemory);
}

QString text(std::string_view s) {
  return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
}

}  // namespace

class TestStepShares : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachInstantIsGivenToOnePart() {
    const Results r = steadyResults(
        traceFromText("call 0 1us main cudaLaunchKernel corr=1\n"
                      "call 1us 2us main cudaLaunchKernel corr=2\n"
                      "call 2us 3us main cudaMemcpyAsync corr=3\n"
                      "call 3us 4us main cudaMemcpyAsync corr=4\n"
                      "kernel 10us 40us 7 gemm corr=1\n"
                      "kernel 30us 70us 8 ncclDevKernel_AllReduce_Sum_f32_RING_LL corr=2\n"
                      "memcpy 60us 90us 9 'Memcpy HtoD (Pinned -> Device)' corr=3\n"
                      "memcpy 90us 95us 9 'Memcpy DtoD (Device -> Device)' corr=4\n"));
    const StepShares& shares = r->headline.shares;
    checkIdentities(*r);
    // The kernel hides what runs beside it, the collective the copy.
    QCOMPARE(shares.of(StepPart::kernels), TimeNs{30'000});
    QCOMPARE(shares.of(StepPart::collectives), TimeNs{30'000});
    QCOMPARE(shares.of(StepPart::hostCopies), TimeNs{20'000});
    QCOMPARE(shares.of(StepPart::otherCopies), TimeNs{5'000});
  }

  void thePartsSumToTheStep_data() {
    QTest::addColumn<QString>("scenario");
    for (const auto& one : scenarioNames())
      QTest::addRow("%s", std::string(one.name).c_str()) << text(one.name);
  }
  void thePartsSumToTheStep() {
    QFETCH(QString, scenario);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Results r = simulatedResults(scenario.toStdString(), seed);
      QVERIFY(r);
      checkIdentities(*r);
    }
  }

  void theWordIsThePlantedBottleneck_data() {
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* scenario, const char* word) {
      QTest::addRow("%s", scenario) << QString::fromLatin1(scenario) << QString::fromLatin1(word);
    };
    row("healthy", "compute-bound");
    row("input-bound", "input-bound");
    row("launch-bound", "launch-bound");
    row("memory-bound", "memory-bound");
    row("no-overlap", "communication-bound");
  }
  void theWordIsThePlantedBottleneck() {
    QFETCH(QString, scenario);
    QFETCH(QString, word);
    const Results r = simulatedResults(scenario.toStdString(), 2);
    QVERIFY(r);
    QCOMPARE(text(name(r->headline.word)), word);
    QVERIFY(!r->headline.verdict.empty());
  }

  void exposedCopiesAreCommunicationAndListedApart() {
    const Results r =
        steadyResults(traceFromText("call 0 1us main cudaMemcpyAsync corr=1\n"
                                    "call 1us 2us main cudaLaunchKernel corr=2\n"
                                    "memcpy 2us 60us 7 'Memcpy HtoD (Pinned -> Device)' corr=1\n"
                                    "kernel 60us 100us 7 gemm corr=2\n"));
    QCOMPARE(text(name(r->headline.word)), QStringLiteral("communication-bound"));
    QCOMPARE(r->headline.shares.of(StepPart::hostCopies), TimeNs{58'000});
    QCOMPARE(r->headline.shares.of(StepPart::collectives), TimeNs{0});
  }

  void twoLossesAlikeAreMixed() {
    // 40 µs of a host sync that nothing follows, and 40 µs of copies.
    const Results r =
        steadyResults(traceFromText("call 0 1us main cudaMemcpyAsync corr=1\n"
                                    "memcpy 1us 41us 7 'Memcpy HtoD (Pinned -> Device)' corr=1\n"
                                    "op 1us 80us main aten::mm\n"
                                    "call 80us 81us main cudaLaunchKernel corr=2\n"
                                    "kernel 81us 101us 7 gemm corr=2\n"));
    QVERIFY2(r->headline.word == Verdict::mixed,
             (std::string(name(r->headline.word)) + " " + r->headline.verdict).c_str());
    QVERIFY(r->headline.verdict.find("Nearly as much makes it") != std::string::npos);
  }

  void withoutShapesNothingIsSaidOfMathOrMemory() {
    const Results r =
        steadyResults(traceFromText("call 0 1us main cudaLaunchKernel corr=1\n"
                                    "kernel 2us 100us 7 gemm corr=1\n"));
    QCOMPARE(text(name(r->headline.word)), QStringLiteral("device-bound"));
    QCOMPARE(r->headline.shares.of(StepPart::kernels), TimeNs{98'000});
  }

  void withoutDeviceWorkThereAreNoShares() {
    const Results r = steadyResults(traceFromText("op 0 9us main aten::mm\n"));
    QVERIFY(r->headline.shares.shares.empty());
    QVERIFY(!r->headline.shares.device.valid());
  }

  void realRecordingsSumToo() {
    const std::string path = sharedFile(
        "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
        "worker0.1623143089861.pt.trace.json.gz");
    if (path.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces)");
    auto loaded = loadTrace(path);
    QVERIFY(loaded.ok());
    const Results r = steadyResults(loaded.value().front().trace);
    checkIdentities(*r);
    QCOMPARE(text(name(r->headline.word)), QStringLiteral("input-bound"));
  }
};

QTEST_GUILESS_MAIN(TestStepShares)
#include "tst_step_shares.moc"
