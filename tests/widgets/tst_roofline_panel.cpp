#include <algorithm>

#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/trace_text.h"
#include "widgets/charts/roofline_chart.h"
#include "widgets/panels/bounds_bars.h"
#include "widgets/panels/headline_bar.h"
#include "widgets/panels/roofline_panel.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr const char* kPeaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
  "tflops": {"fp32": 1, "bf16": 10}, "memory_gb_per_s": 100, "source": "made for a test"}]})";

/// Two products of one shape, one of another, and an addition.
constexpr const char* kOps = R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
op     20us  29us  main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   21us  22us  main cudaLaunchKernel corr=2
kernel 30us  36us  7 volta_sgemm_64x64_nn corr=2
op     40us  49us  main aten::mm dims=[[400,400],[400,400]] types=["float","float"]
call   41us  42us  main cudaLaunchKernel corr=3
kernel 50us  250us 7 volta_sgemm_128x64_nn corr=3
op     300us 309us main aten::add dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   301us 302us main cudaLaunchKernel corr=4
kernel 310us 510us 7 vectorized_elementwise_kernel corr=4
)";

/// Without shapes nothing has a place.
constexpr const char* kWithoutShapes = R"(
op     0     9us   main aten::mm
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
)";

/// A panel over a made-up recording, shown.
struct Shown {
  Session session;
  Analyses analyses{session};
  RooflinePanel panel{session, analyses};

  explicit Shown(const char* text, bool peaks = true, WorkloadSettings settings = {}) {
    if (peaks)
      settings.catalog = std::make_shared<const DeviceCatalog>(
          std::move(DeviceCatalog::builtin().withUserFile(kPeaks).value()));
    analyses.setSettings(settings);
    const auto trace = traceFromText(text);
    session.open({{trace, std::make_shared<const TraceIndex>(trace)}}, QStringLiteral("made"));
    panel.resize(620, 720);
    panel.show();
    ok = QTest::qWaitForWindowExposed(&panel) &&
         QTest::qWaitFor([this] { return analyses.current() != nullptr; });
  }
  bool ok = false;

  [[nodiscard]] int pointOf(const char* op, const char* shape = "") const {
    const auto& points = analyses.current()->roofline.points;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].op == op && points[i].shape.find(shape) != std::string::npos)
        return static_cast<int>(i);
    return -1;
  }
  [[nodiscard]] QWidget* plot() { return panel.chart().childAt(panel.chart().rect().center()); }
  [[nodiscard]] QPoint at(int id) {
    return plot()->mapFrom(&panel.chart(), panel.chart().positionOf(id).toPoint());
  }
};

}  // namespace

class TestRooflinePanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aSentenceSaysWhatBindsMost() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QVERIFY(!s.panel.isEmptyState());
    // 210 µs of products under the flat roof, 200 µs of an addition under the slanted one.
    QVERIFY2(s.panel.sentence().startsWith(QStringLiteral("51.2 % of kernel time is compute")),
             qPrintable(s.panel.sentence()));
    QVERIFY(s.panel.sentence().contains(QStringLiteral("48.8 % memory-bound")));
    QCOMPARE(s.panel.chart().pointCount(), 3);
  }

  void anActiveKernelLightsItsPoint() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QVERIFY(s.panel.chart().highlighted().isEmpty());
    s.session.setActive({0, sliceNamed(s.session.trace(0), "volta_sgemm_64x64_nn", 1)});
    QCOMPARE(s.panel.chart().highlighted(), QList<int>{s.pointOf("aten::mm", "100")});
    s.session.setActive({0, sliceNamed(s.session.trace(0), "vectorized_elementwise_kernel")});
    QCOMPARE(s.panel.chart().highlighted(), QList<int>{s.pointOf("aten::add")});
    s.session.setActive({});
    QVERIFY(s.panel.chart().highlighted().isEmpty());
  }

  void aNameWithoutEndDoesNotWidenThePanel() {
    const std::string name = "Cijk_" + std::string(600, 'x') + "_end";
    const std::string text = "kernel 0 100us 7 " + name + "\n";
    Shown s(text.c_str());
    QVERIFY(s.ok);
    s.session.setActive({0, sliceNamed(s.session.trace(0), name)});
    QVERIFY(s.panel.minimumSizeHint().width() <= 700);
    const auto labels = s.panel.findChildren<QLabel*>();
    const auto line = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().startsWith(QStringLiteral("Cijk_"));
    });
    QVERIFY2(line != labels.end(), "the point's line does not name it");
    QVERIFY((*line)->text().contains(QStringLiteral("x…x")));
    QVERIFY((*line)->toolTip().contains(QString::fromStdString(name)));
  }

  void theHeadingOfTheBoundsTakesTheLinesItNeeds() {
    BoundsBars bars;
    bars.setBars(QStringLiteral("47.2 ms measured; at least 13.4 ms (memory); 3.5 times the floor"),
                 {}, 0.3);
    const int one = bars.heightForWidth(2000);
    const int line = bars.fontMetrics().height();
    QVERIFY(bars.heightForWidth(200) >= one + 2 * line);
    QCOMPARE(bars.heightForWidth(1000), one);
  }

  void aClickOnAPointSelectsItsSlices() {
    Shown s(kOps);
    QVERIFY(s.ok);
    const int id = s.pointOf("aten::mm", "100×100");
    QTest::mouseClick(s.plot(), Qt::LeftButton, {}, s.at(id));
    QCOMPARE(s.session.selection().slices.size(), std::size_t{2});
    QCOMPARE(s.session.selection().slices.front().id,
             sliceNamed(s.session.trace(0), "volta_sgemm_64x64_nn"));
    QVERIFY(s.session.selection().reason.contains(QStringLiteral("2 calls")));
    QCOMPARE(s.panel.chart().highlighted(), QList<int>{id});
    auto* table = s.panel.findChild<ResultTableView*>();
    QVERIFY(table->selectionAsText().contains(QStringLiteral("100×100")));
  }

  void anotherThemeColoursTheTableAndTheHeadlineAnew() {
    Shown s(kOps);
    QVERIFY(s.ok);
    HeadlineBar headline(s.session, s.analyses);
    auto* table = s.panel.findChild<ResultTableView*>();
    const auto swatch = [table] {
      const QVariant decoration = table->content().index(0, 0).data(Qt::DecorationRole);
      return decoration.value<QColor>().isValid()
                 ? decoration.value<QColor>()
                 : decoration.value<QIcon>().pixmap(8, 8).toImage().pixelColor(4, 4);
    };
    const QColor before = swatch();
    const QString text = headline.findChild<QLabel*>()->text();
    QPalette dark;
    dark.setColor(QPalette::Window, Palette::darkTheme().chrome);
    dark.setColor(QPalette::Base, Palette::darkTheme().background);
    dark.setColor(QPalette::Link, Palette::darkTheme().mark);
    s.panel.setPalette(dark);
    headline.setPalette(dark);
    QVERIFY(swatch() != before);
    QVERIFY(headline.findChild<QLabel*>()->text() != text);
    s.session.setActive({0, sliceNamed(s.session.trace(0), "volta_sgemm_64x64_nn")});
    QVERIFY(table->selectionModel()->hasSelection());
    s.session.clearSelection();
    QVERIFY(!table->selectionModel()->hasSelection());
  }

  void aClickBesideThePointsClearsTheSelection() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QTest::mouseClick(s.plot(), Qt::LeftButton, {}, s.at(s.pointOf("aten::add")));
    QVERIFY(!s.session.selection().empty());
    QTest::mouseClick(s.plot(), Qt::LeftButton, {}, QPoint(3, s.plot()->height() - 3));
    QVERIFY(s.session.selection().empty());
    QVERIFY(s.panel.chart().highlighted().isEmpty());
  }

  void aLassoSelectsWhatIsInIt() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QSignalSpy lasso(&s.panel.chart(), &RooflineChart::lassoSelected);
    const QRect all = s.plot()->rect().adjusted(3, 3, -3, -3);
    QTest::mousePress(s.plot(), Qt::LeftButton, {}, all.topLeft());
    for (const QPoint corner : {all.topRight(), all.bottomRight(), all.bottomLeft()})
      QTest::mouseMove(s.plot(), corner);
    QTest::mouseRelease(s.plot(), Qt::LeftButton, {}, all.bottomLeft());
    QCOMPARE(lasso.count(), 1);
    QCOMPARE(s.session.selection().slices.size(), std::size_t{4});
    QCOMPARE(s.panel.chart().highlighted().size(), 3);
  }

  void hoveringNamesThePoint() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QSignalSpy hovered(&s.panel.chart(), &RooflineChart::pointHovered);
    QTest::mouseMove(s.plot(), s.at(s.pointOf("aten::add")));
    QTRY_COMPARE(hovered.count(), 1);
    QCOMPARE(hovered.front().front().toInt(), s.pointOf("aten::add"));
  }

  void aDoubleClickOnARowZoomsToItsLongestSlice() {
    Shown s(kOps);
    QVERIFY(s.ok);
    QSignalSpy zoomed(&s.session, &Session::revealSliceRequested);
    auto* table = s.panel.findChild<ResultTableView*>();
    int row = 0;
    while (row < table->model()->rowCount() &&
           !table->model()->index(row, 1).data().toString().contains(QStringLiteral("100×100 ")))
      ++row;
    const QPoint at = table->visualRect(table->model()->index(row, 1)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(zoomed.count(), 1);
    QCOMPARE(zoomed.front().at(0).value<SliceRef>().id,
             sliceNamed(s.session.trace(0), "volta_sgemm_64x64_nn", 1));
    QVERIFY(zoomed.front().at(1).toBool());
  }

  void withoutShapesItSaysHowToRecordThem() {
    Shown s(kWithoutShapes);
    QVERIFY(s.ok);
    QVERIFY(s.panel.isEmptyState());
    QVERIFY2(s.panel.emptyText().contains(QStringLiteral("record_shapes=True")),
             qPrintable(s.panel.emptyText()));
  }

  void withoutPeaksItSaysWhereToSetThem() {
    Shown s(kOps, false);
    QVERIFY(s.ok);
    QVERIFY(!s.panel.isEmptyState());
    QCOMPARE(s.panel.chart().pointCount(), 3);
    bool said = false;
    for (const QLabel* label : s.panel.findChildren<QLabel*>())
      said = said || label->text().contains(QStringLiteral("resources/hardware/README.md"));
    QVERIFY(said);
  }

  void whatIsReachedIsASecondDashedRoofWithItsSource() {
    Shown s(kOps);
    QVERIFY(s.ok);
    const auto& roofs = s.panel.chart().roofs();
    const auto reached = std::find_if(roofs.begin(), roofs.end(), [](const RooflineLine& roof) {
      return roof.achievable && roof.kind == RooflineLine::Kind::compute;
    });
    QVERIFY(reached != roofs.end());
    QCOMPARE(reached->value, 128e6 / 200e-6);
    QVERIFY2(reached->hover.contains(QStringLiteral("best of this trace: aten::mm")),
             qPrintable(reached->hover));
    const auto& keys = s.panel.chart().keys();
    QCOMPARE(
        std::count_if(keys.begin(), keys.end(), [](const ChartKey& k) { return k.dashedLine; }), 1);
    // The pointer on the line, right of all points, is told what it is.
    QStringList told;
    const QRect plot = s.panel.chart().rect();
    for (int y = 0; y < plot.height(); ++y)
      told << s.panel.chart().roofHoverAt(QPointF(plot.width() - 60, y));
    told.removeAll(QString());
    told.removeDuplicates();
    QVERIFY(told.contains(reached->hover));
    QVERIFY(told.filter(QStringLiteral("Peak")).size() >= 1);
  }

  void measuredFiguresSayThatTheyAreAndShowTheComputedBeside() {
    const auto row = [](const char* metric, const char* unit, const char* value) {
      return std::string("\"0\",\"volta_sgemm_128x64_nn\",\"") + metric + "\",\"" + unit + "\",\"" +
             value + "\"\n";
    };
    const std::string op = "sm__sass_thread_inst_executed_op_";
    const std::string csv =
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n" +
        row((op + "fadd_pred_on.sum").c_str(), "inst", "0") +
        row((op + "fmul_pred_on.sum").c_str(), "inst", "0") +
        row((op + "ffma_pred_on.sum").c_str(), "inst", "70,000,000") +
        row("dram__bytes.sum", "Mbyte", "2.5");
    WorkloadSettings settings;
    settings.counters =
        std::make_shared<const KernelCounters>(KernelCounters::fromText(csv, "ncu.csv").value());
    Shown s(kOps, true, settings);
    QVERIFY(s.ok);
    QVERIFY2(s.panel.sentence().contains(QStringLiteral("Nsight Compute measured 1 of 3")),
             qPrintable(s.panel.sentence()));
    auto* table = s.panel.findChild<ResultTableView*>();
    QString hover;
    for (int i = 0; i < table->model()->rowCount(); ++i) {
      const QString text = table->model()->index(i, 0).data(Qt::ToolTipRole).toString();
      if (text.contains(QStringLiteral("400×400"))) hover = text;
    }
    QVERIFY2(hover.contains(QStringLiteral("140 MFLOP a call, measured by Nsight Compute (computed "
                                           "from shapes: 128 MFLOP)")),
             qPrintable(hover));
    QVERIFY2(hover.contains(QStringLiteral("measured by Nsight Compute: 1 launch")),
             qPrintable(hover));
  }

  void theBoundsAreDrawnOverTheMeasuredTime() {
    Shown s(kOps);
    QVERIFY(s.ok);
    const auto* bars = s.panel.findChild<BoundsBars*>();
    QVERIFY(bars->isVisible());
    for (const BoundsBars::Bar& bar : bars->bars()) QVERIFY(bar.share >= 0 && bar.share <= 1);
    QVERIFY(bars->heading().contains(QStringLiteral("at least")));
    QVERIFY(bars->bars()[0].hover.contains(QStringLiteral("made for a test")) ||
            bars->bars()[0].hover.contains(QStringLiteral("user")));
  }

  void thePictureIsWrittenAsPixelsAndAsVectors() {
    Shown s(kOps);
    QVERIFY(s.ok);
    const QTemporaryDir folder;
    const QString png = folder.filePath(QStringLiteral("a.png"));
    QCOMPARE(s.panel.exportPicture(png), QString());
    const QImage image(png);
    QVERIFY(image.width() >= 1000);
    const QString svg = folder.filePath(QStringLiteral("a.svg"));
    QCOMPARE(s.panel.exportPicture(svg), QString());
    QFile file(svg);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.contains("ridge point"));  // real text, no pixels
    QVERIFY(text.contains("Arithmetic intensity"));
    QVERIFY(!text.contains("<image"));
    QVERIFY(!s.panel.exportPicture(QStringLiteral("/nowhere/at/all.png")).isEmpty());
  }

  void aLowChartLeavesItsKeysOutForThePlot() {
    const auto heightOf = [](QSize size, int keys) {  // between a point of 1 GFLOP/s and of 10 T
      RooflineChart chart;
      std::vector<ChartKey> names;
      for (int i = 0; i < keys; ++i)
        names.push_back({QStringLiteral("a class of kernels"), Qt::blue, false});
      chart.setTitle(QStringLiteral("Roofline"));
      chart.setKeys(std::move(names));
      chart.setData({{0, 1, 1e9, 1, Qt::blue, false, false, QStringLiteral("low"), QString()},
                     {1, 100, 1e13, 1, Qt::blue, false, false, QStringLiteral("high"), QString()}});
      chart.resize(size);
      chart.grab();
      return chart.positionOf(0).y() - chart.positionOf(1).y();
    };
    QCOMPARE(heightOf({380, 220}, 12), heightOf({380, 220}, 0));
    QVERIFY(heightOf({380, 800}, 12) < heightOf({380, 800}, 0));
  }

  void fiveThousandPointsAreDrawnWithoutAStall() {
    RooflineChart chart;
    std::vector<RooflineMark> marks;
    for (int i = 0; i < 6000; ++i)
      marks.push_back({i, 0.1 + i % 977, 1e9 + 1e8 * (i % 1009), double(i), Qt::blue, false, false,
                       QStringLiteral("op"), QString()});
    chart.setRoofs({{RooflineLine::Kind::compute, 1e14, QStringLiteral("bf16"),
                     QStringLiteral("bf16 100 TFLOP/s")},
                    {RooflineLine::Kind::memory, 1e12, QStringLiteral("memory"),
                     QStringLiteral("memory 1 TB/s")}});
    chart.setData(std::move(marks));
    QCOMPARE(chart.pointCount(), int{RooflineChart::kMaxPoints});  // the heaviest are kept
    chart.resize(800, 600);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    QVERIFY(chart.positionOf(0).isNull());
    QElapsedTimer timer;
    timer.start();
    chart.grab();
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
  }
};

QTEST_MAIN(TestRooflinePanel)
#include "tst_roofline_panel.moc"
