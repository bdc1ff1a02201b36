// Sentences call a device by its kind, and advise nothing that only CUDA's and HIP's GPUs have.
#include <algorithm>

#include <QTest>

#include "core/report/report.h"
#include "core/trace/device_words.h"
#include "core/workload/host_activity.h"
#include "tests/support/analysed.h"
#include "tests/support/loaded_trace.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::string event(const std::string& category, const std::string& name, int pid, int ts, int dur,
                  const std::string& args) {
  return "{'ph':'X','pid':" + std::to_string(pid) + ",'tid':" + std::to_string(pid) + ",'cat':'" +
         category + "','name':'" + name + "','ts':" + std::to_string(ts) +
         ",'dur':" + std::to_string(dur) + ",'args':{" + args + "}}";
}

/// Twelve steps, each of another shape, in which device 17 waits for launches most of the time.
std::shared_ptr<const Trace> recording(const std::string& runtime, const std::string& call,
                                       const std::string& kernel) {
  std::string text = "{'traceEvents':[";
  for (int i = 0; i < 12; ++i) {
    const int at = 1000 * i;
    text += (i == 0 ? "" : ",") +
            event("user_annotation", "ProfilerStep#" + std::to_string(i + 1), 1, at, 1000, "");
    for (int k = 0; k < 4; ++k) {
      const int id = 4 * i + k + 1;
      const std::string correlation = "'correlation':" + std::to_string(id);
      text += "," + event("cpu_op", "aten::mm", 1, at + 200 * k, 199,
                          "'External id':" + std::to_string(id) + ",'Input Dims':[[" +
                              std::to_string(i + 2) + ",3],[3,4]],'Input type':['float','float']");
      text += "," + event(runtime, call, 1, at + 200 * k + 150, 5, correlation);
      text += "," + event(kernel, "work", 17, at + 200 * k + 160, 20,
                          correlation + ",'device':17,'stream':7");
    }
  }
  text += "]}";
  std::replace(text.begin(), text.end(), '\'', '"');
  return load(text);
}

const QualityCheck* foundIn(const Results& r, std::string_view key) {
  for (const QualityCheck& check : r->headline.quality.checks)
    if (check.key == key && check.found) return &check;
  return nullptr;
}

}  // namespace

class TestDeviceWords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sentencesCallADeviceByItsKind_data() {
    QTest::addColumn<QString>("runtime");
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("title");
    QTest::addColumn<bool>("graphs");
    QTest::addRow("CUDA") << "cuda_runtime"
                          << "cudaLaunchKernel"
                          << "kernel"
                          << "GPU 17" << true;
    QTest::addRow("MTIA") << "mtia_runtime"
                          << "runFunction - job"
                          << "mtia_ccp_events"
                          << "MTIA 17" << false;
    QTest::addRow("XPU") << "xpu_runtime"
                         << "urEnqueueKernelLaunch"
                         << "kernel"
                         << "XPU 17" << false;
    QTest::addRow("another") << "privateuse1_runtime"
                             << "launch"
                             << "kernel"
                             << "device 17" << false;
  }

  void sentencesCallADeviceByItsKind() {
    QFETCH(QString, runtime);
    QFETCH(QString, call);
    QFETCH(QString, kernel);
    QFETCH(QString, title);
    QFETCH(bool, graphs);
    const auto trace = recording(runtime.toStdString(), call.toStdString(), kernel.toStdString());
    QVERIFY(trace);
    QCOMPARE(QString::fromStdString(deviceTitle(trace->devices()[0])), title);
    const Results r = steadyResults(trace);
    const QString verdict = QString::fromStdString(r->headline.verdict);
    const QString action = QString::fromStdString(r->headline.action);
    QVERIFY2(verdict.contains(title), qPrintable(verdict));
    QCOMPARE(action.contains(QStringLiteral("CUDA graphs")), graphs);
    if (graphs) return;
    QVERIFY2(!verdict.contains(QStringLiteral("GPU")), qPrintable(verdict));
    QVERIFY2(!action.contains(QStringLiteral("CUDA")), qPrintable(action));
    for (const HeadlinePart& part : r->headline.parts)
      QVERIFY2(part.tooltip.find("GPU") == std::string::npos, part.tooltip.c_str());
  }

  /// "11 steps of other shapes than most" of 12 would be no sense.
  void stepsOfWhichNoneIsLikeMostAreCountedByKinds() {
    const Results r = steadyResults(recording("cuda_runtime", "cudaLaunchKernel", "kernel"));
    const QualityCheck* check = foundIn(r, "mixed_shapes");
    QVERIFY(check != nullptr);
    QCOMPARE(check->finding, std::string("No operators and shapes are those of most steady steps: "
                                         "12 do work of 12 kinds"));
  }

  void mtiaSynchronisesToo() {
    for (const char* name : {"synchronizeStream", "synchronize", "cudaStreamSynchronize"}) {
      QCOMPARE(hostActivityOf(Category::runtime, name), HostActivity::sync);
      QVERIFY(isBlockingCall(name));
    }
    QVERIFY(hostActivityOf(Category::runtime, "runFunction") != HostActivity::sync);
  }
};

QTEST_GUILESS_MAIN(TestDeviceWords)
#include "tst_device_words.moc"
