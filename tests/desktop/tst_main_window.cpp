#include <algorithm>

#include <QComboBox>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/main_window.h"
#include "app/desktop/open_job.h"
#include "app/desktop/step_picker.h"
#include "app/desktop/wiring.h"
#include "tests/support/trace_text.h"
#include "widgets/common/analyses.h"
#include "widgets/common/message_bar.h"

using namespace ridgeline;
using namespace ridgeline::test;

/// The window as a whole, with all its panels.
class TestMainWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();

  void aNarrowWindowCutsNoNameOfAPanel();
  void theStepPickerSaysWhatIsLookedAtWhereNoStepIsSteady();
  void theFirstLookIsAtTheDeviceWhereItWorksForAShortTimeOnly();
  void theFirstLookLeavesOutADamagedTime();
  void aCopyIsNoRankAndIsTold();

 private:
  QTemporaryDir dir_;
};

void TestMainWindow::initTestCase() {
  QVERIFY(dir_.isValid());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, dir_.path());
  QApplication::setOrganizationName(QStringLiteral("ridgeline-test"));
}

void TestMainWindow::aNarrowWindowCutsNoNameOfAPanel() {
  MainWindow window;
  wire(window);
  window.resize(1000, 700);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  const auto bars = window.findChildren<QTabBar*>();
  const auto widest = std::max_element(bars.begin(), bars.end(),
                                       [](auto* a, auto* b) { return a->count() < b->count(); });
  QVERIFY(widest != bars.end());
  QVERIFY((*widest)->count() > 8);
  for (int i = 0; i < (*widest)->count(); ++i) {
    const int name = (*widest)->fontMetrics().horizontalAdvance((*widest)->tabText(i));
    QVERIFY2((*widest)->tabRect(i).width() >= name, qPrintable((*widest)->tabText(i)));
  }
}

void TestMainWindow::theStepPickerSaysWhatIsLookedAtWhereNoStepIsSteady() {
  MainWindow window;
  const Analyses* analyses = wire(window);
  // A third of the device work was launched before the recording began.
  const auto trace = traceFromText(R"(
step   0     100us main ProfilerStep#6
call   1us   2us   main cudaLaunchKernel corr=1
kernel 5us   35us  7 early
kernel 40us  95us  7 gemm corr=1
)");
  window.session().open({{trace, std::make_shared<const TraceIndex>(trace)}},
                        QStringLiteral("made"));
  QVERIFY(QTest::qWaitFor([&] { return analyses->current() != nullptr; }));
  const auto* choice = window.findChild<StepPicker*>()->findChild<QComboBox*>();
  QCOMPARE(choice->currentText(), QStringLiteral("Step #6, not steady"));
}

void TestMainWindow::theFirstLookIsAtTheDeviceWhereItWorksForAShortTimeOnly() {
  const auto firstLook = [](const char* text) { return firstViewOf(*traceFromText(text)); };
  const TimeSpan late = firstLook(R"(
op     0       9000us  main start_trace
kernel 9100us  9400us  7 first corr=1
kernel 9500us  9900us  8 last corr=2
)");
  QCOMPARE(late.begin, TimeNs{9'000'000});  // an eighth of 800 us before it
  QCOMPARE(late.end, TimeNs{10'000'000});
  const TimeSpan whole = firstLook(R"(
op     0       900us  main forward
kernel 100us   900us  7 only corr=1
)");
  QCOMPARE(whole.begin, TimeNs{0});
  QCOMPARE(whole.end, TimeNs{900'000});
}

void TestMainWindow::theFirstLookLeavesOutADamagedTime() {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "op " + std::to_string(i) + "us " + std::to_string(i + 1) + "us main aten::mm\n";
  QCOMPARE(firstViewOf(*traceFromText(text + "op 3456000s 3456001s main aten::mm\n")),
           (TimeSpan{0, 20'000}));
}

void TestMainWindow::aCopyIsNoRankAndIsTold() {
  const QByteArray text = R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5}])";
  QStringList paths;
  for (const char* name : {"one.json", "again.json"}) {
    paths << dir_.filePath(QLatin1String(name));
    QFile file(paths.back());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  MainWindow window;
  wire(window);
  QSignalSpy ended(&window, &MainWindow::openEnded);
  window.openFiles(paths);
  QVERIFY(ended.wait());
  QCOMPARE(window.session().ranks().size(), std::size_t{1});
  const QString told = window.findChild<MessageBar*>()->text();
  QVERIFY2(told.contains(QStringLiteral("again.json holds the same events as")), qPrintable(told));
  // What was opened before is told no more.
  window.openFiles({paths.front()});
  QVERIFY(ended.wait());
  QVERIFY(window.findChild<MessageBar*>()->isHidden());
}

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
