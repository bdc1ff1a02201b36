#include <QAbstractItemModelTester>
#include <QtTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/trace_text.h"
#include "widgets/overlays/step_curve.h"
#include "widgets/panels/collectives_panel.h"
#include "widgets/panels/compiled_panel.h"
#include "widgets/panels/launches_panel.h"
#include "widgets/panels/memory_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/recording_panel.h"

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

constexpr const char* kCollectives = R"(
op     0      9us    main nccl:all_reduce
call   1us    2us    main cudaLaunchKernel corr=1
call   3us    4us    main cudaLaunchKernel corr=2
kernel 10us   110us  9 ncclDevKernel_AllReduce_Sum_f32_RING_LL corr=1 collective=allreduce group=0 group_size=4 in_elements=1048576 dtype=Float
kernel 120us  420us  9 ncclDevKernel_AllReduce_Sum_f32_RING_LL corr=2 collective=allreduce group=0 group_size=4 in_elements=1048576 dtype=Float
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

  void compiledKernelsAreListedAndSelectedByTheirRow() {
    Shown<CompiledPanel> s(
        "op 0 40us main 'Torch-Compiled Region: 0/0'\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n"
        "call 3us 5us main cuModuleLoadData\n"
        "kernel 10us 20us 7 triton_poi_fused_add_mul_0 corr=1\n"
        "kernel 20us 30us 7 triton_poi_fused_add_mul_0 corr=1\n");
    QVERIFY(s.ok);
    QVERIFY2(s.panel.sentence().startsWith(QStringLiteral("1 compiled program takes 100 %")),
             qPrintable(s.panel.sentence()));
    QCOMPARE(s.panel.tableTitles().size(), 4);
    checkTables(s.panel);
    s.panel.chooseTable(1);
    QCOMPARE(s.cell(0, 1), QStringLiteral("add, mul"));
    Q_EMIT s.panel.table().rowSelected(0);
    QCOMPARE(s.session.selection().slices.size(), std::size_t{2});
  }

  void withoutCompiledCodeThePanelSaysWhatWouldShow() {
    Shown<CompiledPanel> s(kTwoLaunches);
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
    QVERIFY(s.panel.emptyText().contains(QStringLiteral("torch.compile")));
  }

  void memoryIsListedByDeviceOperatorBlockAndCall() {
    Shown<MemoryPanel> s(
        "op 0 40us main aten::empty\n"
        "call 1us 2us main cudaMalloc\n"
        "kernel 10us 20us 7 gemm\n"
        "instant 3us 3us main [memory] addr=16 bytes=4096 total=5000 reserved=9000 device_type=1 "
        "device=0\n");
    QVERIFY(s.ok);
    QVERIFY2(s.panel.sentence().startsWith(QStringLiteral("GPU 0 holds at most 5.00 kB")),
             qPrintable(s.panel.sentence()));
    QCOMPARE(s.panel.tableTitles().size(), 4);
    checkTables(s.panel);
    s.panel.chooseTable(2);
    Q_EMIT s.panel.table().rowSelected(0);
    QCOMPARE(s.session.trace(0).name(s.session.active().id), std::string_view("aten::empty"));
  }

  void withoutMemoryRecordsThePanelSaysWhatToRecord() {
    Shown<MemoryPanel> s("op 0 40us main aten::empty\nkernel 10us 20us 7 gemm\n");
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
    QVERIFY(s.panel.emptyText().contains(QStringLiteral("profile_memory=True")));
  }

  void theRecordingIsDescribed() {
    Shown<RecordingPanel> s(kTwoLaunches);
    QVERIFY(s.ok);
    QVERIFY(!s.panel.isEmptyState());
    checkTables(s.panel);
    QVERIFY(s.panel.tableTitles().contains(QStringLiteral("What recording cost")));
  }

  void curvesShowTheWholeRangeOfEveryPixel() {
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i < 1000; ++i) {
      times.push_back(10 + 3 * i);
      values.push_back((i * 7919) % 613);
    }
    const StepCurve curve(times, values);
    QVERIFY(!curve.at(9));
    QVERIFY(!curve.in({0, 10}));
    QCOMPARE(*curve.at(13), values[1]);
    for (const TimeSpan span : {TimeSpan{0, 11}, TimeSpan{12, 13}, TimeSpan{100, 2500},
                                TimeSpan{190, 400}, TimeSpan{3000, 9000}}) {
      double low = 1e9, high = -1;
      for (TimeNs t = std::max<TimeNs>(span.begin, 10); t < span.end; ++t) {
        low = std::min(low, *curve.at(t));
        high = std::max(high, *curve.at(t));
      }
      const auto range = curve.in(span);
      QVERIFY(range);
      QCOMPARE(range->low, low);
      QCOMPARE(range->high, high);
    }
  }

  void withoutLaunchesThePanelSaysWhatToRecord() {
    Shown<LaunchesPanel> s("kernel 0 9us 7 gemm\n");
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
    QVERIFY2(s.panel.emptyText().contains(QStringLiteral("ProfilerActivity.CPU")),
             qPrintable(s.panel.emptyText()));
  }

  void collectivesAreListedByKindAndSize() {
    Shown<CollectivesPanel> s(kCollectives);
    QVERIFY(s.ok);
    checkTables(s.panel);
    QCOMPARE(s.cell(0, 0), QStringLiteral("all-reduce"));
    QCOMPARE(s.cell(0, 1), QStringLiteral("4"));
    QCOMPARE(s.cell(0, 3), QStringLiteral("2"));
    QCOMPARE(s.cell(0, 8), QStringLiteral("100 µs"));  // the shorter of the two
    Q_EMIT s.panel.table().rowSelected(0);
    QCOMPARE(s.session.trace(0).slices().duration(s.session.active().id), TimeNs{300'000});
  }

  void withoutCollectivesThePanelSaysSo() {
    Shown<CollectivesPanel> s(kTwoLaunches);
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
  }
};

QTEST_MAIN(TestAnalysisPanels)
#include "tst_analysis_panels.moc"
