#include <QAbstractItemModelTester>
#include <QtTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/trace_text.h"
#include "widgets/panels/launches_panel.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// Two kernels of one stream behind each other, in time.
constexpr const char* kTwoLaunches = R"(
op     0     40us  main aten::mm
call   1us   2us   main cudaLaunchKernel corr=1
call   3us   5us   main cudaLaunchKernel corr=2
kernel 10us  20us  7 gemm corr=1
kernel 21us  22us  7 relu corr=2
)";

/// A panel over a made-up recording, shown.
template <class P>
struct Shown {
  Session session;
  Analyses analyses{session};
  P panel{session, analyses};
  bool ok = false;

  explicit Shown(const char* text) {
    const auto trace = traceFromText(text);
    session.open({{trace, std::make_shared<const TraceIndex>(trace)}}, QStringLiteral("made"));
    panel.resize(700, 400);
    panel.show();
    ok = QTest::qWaitForWindowExposed(&panel) &&
         QTest::qWaitFor([this] { return analyses.current() != nullptr; });
  }
  [[nodiscard]] QString cell(int row, int column) {
    return panel.table().model()->index(row, column).data().toString();
  }
};

/// Every table of a panel says what its columns mean and holds what a model must hold.
void checkTables(TablesPanel& panel) {
  for (int i = 0; i < panel.tableTitles().size(); ++i) {
    panel.chooseTable(i);
    QAbstractItemModel* model = panel.table().model();
    const QAbstractItemModelTester tester(model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QVERIFY(model->rowCount() > 0);
    for (int c = 0; c < model->columnCount(); ++c) {
      QVERIFY(!model->headerData(c, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
      QVERIFY(!model->index(0, c).data().toString().isEmpty());
    }
  }
}

}  // namespace

class TestAnalysisPanels : public QObject {
  Q_OBJECT

  QtWarningGuard guard_;

 private Q_SLOTS:
  void cleanup() { QCOMPARE(QtWarningGuard::take(), QStringList()); }

  void launchesAreListedByStepKernelStreamAndLatency() {
    Shown<LaunchesPanel> s(kTwoLaunches);
    QVERIFY(s.ok);
    QVERIFY(!s.panel.isEmptyState());
    QVERIFY2(s.panel.sentence().startsWith(QStringLiteral("2 launch calls")),
             qPrintable(s.panel.sentence()));
    checkTables(s.panel);
    QCOMPARE(s.panel.tableTitles().size(), 4);
    s.panel.chooseTable(0);
    QCOMPARE(s.cell(0, 1), QStringLiteral("2"));
    QCOMPARE(s.cell(0, 2), QStringLiteral("3.00 µs"));
  }

  void aLaunchThatWaitedIsSelectedByItsRow() {
    Shown<LaunchesPanel> s(kTwoLaunches);
    QVERIFY(s.ok);
    s.panel.chooseTable(3);
    Q_EMIT s.panel.table().rowSelected(0);
    QCOMPARE(s.session.trace(0).name(s.session.active().id), std::string_view("relu"));
  }

  void withoutLaunchesThePanelSaysWhatToRecord() {
    Shown<LaunchesPanel> s("kernel 0 9us 7 gemm\n");
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
    QVERIFY2(s.panel.emptyText().contains(QStringLiteral("ProfilerActivity.CPU")),
             qPrintable(s.panel.emptyText()));
  }
};

QTEST_MAIN(TestAnalysisPanels)
#include "tst_analysis_panels.moc"
