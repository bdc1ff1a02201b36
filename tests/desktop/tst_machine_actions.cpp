#include <functional>

#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <QtTest>

#include "app/desktop/main_window.h"
#include "app/desktop/wiring.h"
#include "tests/support/trace_text.h"
#include "widgets/common/analyses.h"
#include "widgets/common/message_bar.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr const char* kOneProduct = R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  40us  7 volta_sgemm_64x64_nn corr=1
)";

/// 2,000,000 FLOPs of multiply-adds in one launch of the kernel above.
constexpr const char* kNcu =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","7","python","host","volta_sgemm_64x64_nn","1","7","(128, 1, 1)","(10, 1, 1)","0","7.0","x","sm__sass_thread_inst_executed_op_ffma_pred_on.sum","inst","1000000"
"0","7","python","host","volta_sgemm_64x64_nn","1","7","(128, 1, 1)","(10, 1, 1)","0","7.0","x","sm__sass_thread_inst_executed_op_fadd_pred_on.sum","inst","0"
"0","7","python","host","volta_sgemm_64x64_nn","1","7","(128, 1, 1)","(10, 1, 1)","0","7.0","x","sm__sass_thread_inst_executed_op_fmul_pred_on.sum","inst","0"
)csv";

/// The whole window as the program makes it, over a made-up recording.
struct Wired {
  MainWindow window;
  Analyses* analyses = wire(window);

  Wired() {
    const auto trace = traceFromText(kOneProduct);
    window.session().open({{trace, std::make_shared<const TraceIndex>(trace)}},
                          QStringLiteral("made"));
    window.show();
    ok = QTest::qWaitForWindowExposed(&window) && computed();
  }
  [[nodiscard]] bool computed() const {
    return QTest::qWaitFor([this] { return analyses->current() != nullptr && !analyses->busy(); });
  }
  /// Chooses an entry of the File menu and lets `answer` deal with the dialog that it opens.
  template <class Dialog>
  bool choose(const char* action, const std::function<void(Dialog&)>& answer) {
    bool answered = false;
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, [&] {
      auto* dialog = qobject_cast<Dialog*>(QApplication::activeModalWidget());
      if (dialog == nullptr || answered) return;
      answered = true;
      poll.stop();
      answer(*dialog);
    });
    poll.start(10);
    window.findChild<QAction*>(QString::fromLatin1(action))->trigger();
    return answered;
  }
  bool ok = false;
};

void press(QDialog& dialog, QDialogButtonBox::StandardButton which) {
  auto* button = dialog.findChild<QDialogButtonBox*>()->button(which);
  QTest::mouseClick(button, Qt::LeftButton);
}

void type(QDialog& dialog, const char* field, const char* text) {
  auto* edit = dialog.findChild<QLineEdit*>(QString::fromLatin1(field));
  edit->clear();
  QTest::keyClicks(edit, QString::fromLatin1(text));
}

void takeFile(QFileDialog& dialog, const QString& path) {
  dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
  press(dialog, QDialogButtonBox::Open);
}

}  // namespace

/// What the File menu lets the user say about machine and model.
class TestMachineActions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();

  void achievableRatesBecomeTheSettings();
  void achievableRatesThatCannotBeReadCannotBeTaken();
  void achievableRatesAreLeftAloneOnCancel();
  void anEmptyAnswerGoesBackToTheBestOfTheTrace();
  void kernelCountersGiveAKernelItsMeasuredWork();
  void aFileWithoutCountersIsRefusedInWords();
  void theModelsWorkNeedsBothFiguresOrNeither();

 private:
  QString write(const char* name, const char* text) const {
    const QString path = dir_.filePath(QString::fromLatin1(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0) qFatal("cannot write");
    return path;
  }
  QTemporaryDir dir_;
};

void TestMachineActions::initTestCase() {
  QVERIFY(dir_.isValid());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, dir_.path());
  QApplication::setOrganizationName(QStringLiteral("ridgeline-test"));
}

void TestMachineActions::achievableRatesBecomeTheSettings() {
  Wired w;
  QVERIFY(w.ok);
  QVERIFY(w.choose<QDialog>("achievable_rates", [](QDialog& dialog) {
    type(dialog, "achievable_flops", "bf16=640, fp32=50");
    type(dialog, "achievable_bandwidth", "2500");
    press(dialog, QDialogButtonBox::Ok);
  }));
  const AchievableRates& rates = w.analyses->settings().achievable;
  QCOMPARE(achievableFlopsText(rates), std::string("bf16=640, fp32=50"));
  QCOMPARE(rates.bandwidth.value_or(0), 2.5e12);
  // The dialog shows them when it opens again.
  QString shown;
  QVERIFY(w.choose<QDialog>("achievable_rates", [&](QDialog& dialog) {
    shown = dialog.findChild<QLineEdit*>(QStringLiteral("achievable_bandwidth"))->text();
    press(dialog, QDialogButtonBox::Cancel);
  }));
  QCOMPARE(shown, QStringLiteral("2500"));
}

void TestMachineActions::achievableRatesThatCannotBeReadCannotBeTaken() {
  Wired w;
  QVERIFY(w.ok);
  QString problem;
  bool canTake = true;
  QVERIFY(w.choose<QDialog>("achievable_rates", [&](QDialog& dialog) {
    type(dialog, "achievable_flops", "bf16=lots");
    problem = dialog.findChild<QLabel*>(QStringLiteral("achievable_problem"))->text();
    canTake = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->isEnabled();
    press(dialog, QDialogButtonBox::Cancel);
  }));
  QVERIFY2(problem.contains(QStringLiteral("lots")), qPrintable(problem));
  QVERIFY(!canTake);
}

void TestMachineActions::achievableRatesAreLeftAloneOnCancel() {
  Wired w;
  QVERIFY(w.ok);
  QVERIFY(w.choose<QDialog>("achievable_rates", [](QDialog& dialog) {
    type(dialog, "achievable_flops", "bf16=640");
    press(dialog, QDialogButtonBox::Cancel);
  }));
  QVERIFY(w.analyses->settings().achievable.flops.empty());
}

void TestMachineActions::anEmptyAnswerGoesBackToTheBestOfTheTrace() {
  Wired w;
  QVERIFY(w.ok);
  for (const char* text : {"fp32=50", ""})
    QVERIFY(w.choose<QDialog>("achievable_rates", [&](QDialog& dialog) {
      type(dialog, "achievable_flops", text);
      press(dialog, QDialogButtonBox::Ok);
    }));
  QVERIFY(w.analyses->settings().achievable.flops.empty());
}

void TestMachineActions::kernelCountersGiveAKernelItsMeasuredWork() {
  Wired w;
  QVERIFY(w.ok);
  const auto measured = [&] {
    const auto& points = w.analyses->current()->roofline.points;
    return points.empty() ? 0 : points.front().flops.value_or(0);
  };
  const QString path = write("ncu.csv", kNcu);
  QVERIFY(w.choose<QFileDialog>("kernel_counters", [&](QFileDialog& d) { takeFile(d, path); }));
  QVERIFY(w.computed());
  QVERIFY(w.analyses->settings().counters != nullptr);
  QTRY_COMPARE(measured(), 2e6);
}

void TestMachineActions::aFileWithoutCountersIsRefusedInWords() {
  Wired w;
  QVERIFY(w.ok);
  const QString path = write("list.csv", "a,b,c\n1,2,3\n");
  QVERIFY(w.choose<QFileDialog>("kernel_counters", [&](QFileDialog& d) { takeFile(d, path); }));
  QVERIFY(w.analyses->settings().counters == nullptr);
  const auto labels = w.window.messages().findChildren<QLabel*>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->isVisible() && label->text().contains(QStringLiteral("list.csv"));
  }));
}

void TestMachineActions::theModelsWorkNeedsBothFiguresOrNeither() {
  Wired w;
  QVERIFY(w.ok);
  bool half = true, whole = false;
  QVERIFY(w.choose<QDialog>("model_work", [&](QDialog& dialog) {
    auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    type(dialog, "parameters", "7e9");
    half = ok->isEnabled();
    type(dialog, "tokens", "8192");
    whole = ok->isEnabled();
    press(dialog, QDialogButtonBox::Ok);
  }));
  QVERIFY(!half);
  QVERIFY(whole);
  QCOMPARE(w.analyses->settings().model.parameters.value_or(0), 7e9);
  QCOMPARE(w.analyses->settings().model.tokensPerStep.value_or(0), 8192.0);
}

QTEST_MAIN(TestMachineActions)
#include "tst_machine_actions.moc"
