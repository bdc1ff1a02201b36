// What the recording lacks, and how each program that records can be told to record it.
#include <QTest>

#include "core/report/report.h"
#include "core/trace/recording_advice.h"
#include "core/trace/trace_builder.h"
#include "tests/support/analysed.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// Kernels without launches, shapes and steps, as a program recorded them that says so.
Results recordedByProgram(const char* producer) {
  TraceBuilder builder;
  builder.info().producer = producer;
  for (int i = 0; i < 4; ++i) {
    Event kernel;
    kernel.name = "gemm";
    kernel.category = "kernel";
    kernel.pid = kernel.tid = "0";
    kernel.args.device = kernel.args.stream = 0;
    kernel.ts = i * 5'000'123;
    kernel.dur = 1'000'077;
    builder.add(kernel);
  }
  return steadyResults(builder.finish().front());
}

const QualityCheck* foundIn(const Results& r, std::string_view key) {
  for (const QualityCheck& check : r->headline.quality.checks)
    if (check.key == key && check.found) return &check;
  return nullptr;
}

}  // namespace

class TestRecordingAdvice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void programsAreToldByWhatTheyWrite_data() {
    QTest::addColumn<QString>("producer");
    QTest::addColumn<int>("program");
    QTest::addColumn<QString>("steps");
    const auto row = [](const char* producer, RecordedBy program, const char* steps) {
      QTest::addRow("%s", producer) << producer << static_cast<int>(program) << steps;
    };
    row("JAX (XLA, ROCm)", RecordedBy::jax, "StepTraceAnnotation");
    row("TensorFlow or JAX (XLA, CUDA)", RecordedBy::jax, "StepTraceAnnotation");
    row("Nsight Systems 2024.5.1.113 (CUDA)", RecordedBy::nsight, "NVTX");
    row("rocprofv3 (ROCm)", RecordedBy::rocprofv3, "--marker-trace");
    row("rocmProfileData (ROCm)", RecordedBy::rocmProfileData, "roctx");
    row("Intel unitrace", RecordedBy::unitrace, "--chrome-itt-logging");
    row("something else", RecordedBy::other, "range of one name");
  }

  /// No advice for PyTorch where PyTorch did not record: neither in the checks, nor in any other
  /// sentence of the report.
  void programsAreToldByWhatTheyWrite() {
    QFETCH(QString, producer);
    QFETCH(int, program);
    QFETCH(QString, steps);
    const Results r = recordedByProgram(producer.toStdString().c_str());
    QCOMPARE(static_cast<int>(recordedBy(*r->workload->trace)), program);
    QVERIFY(foundIn(r, "no_steps") != nullptr);
    QVERIFY2(foundIn(r, "no_steps")->remedy.find(steps.toStdString()) != std::string::npos,
             foundIn(r, "no_steps")->remedy.c_str());
    QVERIFY(foundIn(r, "no_shapes") != nullptr);
    QVERIFY(foundIn(r, "no_launch") != nullptr);
    const std::vector<ReportRank> ranks{{0, r}};
    const QString report = QString::fromStdString(reportToMarkdown(ranks));
    for (const char* word : {"with_stack", "profiler.step()", "ProfilerActivity", "schedule(",
                             "record with record_shapes", "Record with record_shapes",
                             "_ExperimentalConfig", "PyTorch 2.2"})
      QVERIFY2(!report.contains(QLatin1String(word)), word);
  }

  void pyTorchIsToldByItsCategories() {
    const Results r =
        steadyResults(traceFromText("op 0 9us main aten::mm\n"
                                    "call 1us 2us main cudaLaunchKernel corr=1\n"
                                    "kernel 10us 20us 7 gemm corr=1\n"));
    QVERIFY(recordedBy(*r->workload->trace) == RecordedBy::pytorch);
    QVERIFY(foundIn(r, "no_steps")->remedy.starts_with("Call profiler.step()"));
    QCOMPARE(foundIn(r, "no_shapes")->remedy,
             std::string("Record with record_shapes=True to get them"));
    QVERIFY(foundIn(r, "no_stacks")->remedy.starts_with("Record with with_stack=True"));
  }

  /// Kernels of a graph have no operators, with record_shapes as without.
  void shapesCannotHelpReplayedGraphs() {
    const Results r = steadyResults(
        traceFromText("op 0 3us main aten::mm dims=[[2,3],[3,4]] types=[\"float\",\"float\"]\n"
                      "call 5us 6us main cudaGraphLaunch corr=1\n"
                      "kernel 10us 40us 7 ampere_sgemm_128x64_tn corr=1\n"
                      "kernel 41us 80us 7 ampere_sgemm_128x64_tn corr=1\n"));
    const QualityCheck* check = foundIn(r, "no_shapes");
    QVERIFY(check != nullptr);
    QVERIFY2(check->sentence().find("without graphs") != std::string::npos,
             check->sentence().c_str());
    for (const Utilisation& u : r->utilisation)
      for (const std::string& text : u.missing)
        QVERIFY2(!text.starts_with("shapes of the operators: record"), text.c_str());
  }

  /// The host's waits on streams are HIP's: no option of PyTorch records them.
  void waitsOfHipCannotBeRecorded() {
    const auto text = [](const std::string& api) {
      return "op 0 9us main aten::mm\n"
             "call 1us 2us main " +
             api +
             "LaunchKernel corr=1\n"
             "call 3us 4us main " +
             api +
             "StreamWaitEvent\n"
             "kernel 10us 20us 7 gemm corr=1\n";
    };
    const auto remedy = [&](const std::string& api) {
      const Results r = steadyResults(traceFromText(text(api)));
      return foundIn(r, "inferred_waits") == nullptr ? std::string("none")
                                                     : foundIn(r, "inferred_waits")->remedy;
    };
    QVERIFY(remedy("cuda").find("enable_cuda_sync_events") != std::string::npos);
    QCOMPARE(remedy("hip"), std::string("Profilers of ROCm do not record it"));
  }

  /// Where Python frames are recorded, nobody is told to record them.
  void recordedStacksAreNotAskedForAgain() {
    const std::string silent =
        "op 0 10us main aten::mm\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n"
        "kernel 5us 15us 7 gemm corr=1\n"
        "op 900us 910us main aten::mm\n"
        "call 901us 902us main cudaLaunchKernel corr=2\n"
        "kernel 905us 915us 7 gemm corr=2\n";
    const auto action = [](const std::string& text) {
      return steadyResults(traceFromText(text))->headline.action;
    };
    QVERIFY2(action(silent).find("record with with_stack=True") != std::string::npos,
             action(silent).c_str());
    const std::string framed = action(silent + "python 0 12us main 'train.py(3): step'\n");
    QVERIFY2(framed.find("with_stack") == std::string::npos, framed.c_str());
    QVERIFY2(framed.find("though Python frames are") != std::string::npos, framed.c_str());
  }
};

QTEST_GUILESS_MAIN(TestRecordingAdvice)
#include "tst_recording_advice.moc"
