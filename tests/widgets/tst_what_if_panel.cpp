#include <QPainter>
#include <QtTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/trace_text.h"
#include "widgets/overlays/what_if_overlay.h"
#include "widgets/panels/what_if_panel.h"
#include "widgets/timeline/timeline_pane.h"
#include "widgets/timeline/timeline_view.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// The host waits for two kernels of one stream: gemm for 60 µs, relu for 30 µs.
constexpr const char* kWaited = R"(
call   1us   2us   main cudaLaunchKernel corr=1
call   3us   5us   main cudaLaunchKernel corr=2
kernel 10us  70us  7 gemm corr=1
kernel 70us  100us 7 relu corr=2
call   6us   101us main cudaDeviceSynchronize
)";

struct Shown {
  Session session;
  Analyses analyses{session};
  WhatIfModel model{analyses};
  WhatIfOverlay overlay{session, model};
  WhatIfPanel panel{session, analyses, model};
  bool ok = false;

  explicit Shown(const char* text) {
    const auto trace = traceFromText(text);
    session.open({{trace, std::make_shared<const TraceIndex>(trace)}}, QStringLiteral("made"));
    panel.resize(800, 400);
    panel.show();
    ok = QTest::qWaitForWindowExposed(&panel) &&
         QTest::qWaitFor([this] { return model.answer() != nullptr; });
  }
  /// Chooses an item of a box by keys, as a person would.
  static void pick(QComboBox& box, const QString& beginning) {
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Home);
    while (!box.currentText().startsWith(beginning) && box.currentIndex() + 1 < box.count())
      QTest::keyClick(&box, Qt::Key_Down);
  }
  void factor(const QString& text) {
    QDoubleSpinBox& box = panel.factorBox();
    box.setFocus();
    box.selectAll();
    QTest::keyClicks(&box, text);
    QTest::keyClick(&box, Qt::Key_Return);
  }
};

/// The columns that an overlay paints in the middle of a row.
std::vector<int> paintedColumns(const WhatIfOverlay& overlay, const TimelineGeometry& geometry,
                                const QRectF& row, QSize size) {
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setClipRect(geometry.area());
  overlay.paint(painter, geometry);
  painter.end();
  std::vector<int> columns;
  for (int x = 0; x < image.width(); ++x)
    if (qAlpha(image.pixel(x, static_cast<int>(row.center().y()))) > 128) columns.push_back(x);
  return columns;
}

}  // namespace

class TestWhatIfPanel : public QObject {
  Q_OBJECT

  QtWarningGuard guard_;

 private Q_SLOTS:
  void cleanup() { QCOMPARE(QtWarningGuard::take(), QStringList()); }

  void aKernelTwiceAsFastIsAnswered() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    Shown::pick(s.panel.kindBox(), QStringLiteral("Kernel"));
    while (s.panel.kindBox().currentText() != QStringLiteral("Kernel"))
      QTest::keyClick(&s.panel.kindBox(), Qt::Key_Down);
    Shown::pick(s.panel.thingBox(), QStringLiteral("gemm"));
    s.factor(QLocale().toString(0.5));
    QTRY_COMPARE(s.model.answer() ? s.model.answer()->whatIf.saving() : -1, TimeNs{30'000});
    QVERIFY2(s.panel.answerText().contains(QStringLiteral("at best")),
             qPrintable(s.panel.answerText()));
  }

  void theGhostIsOffUntilItIsAskedFor() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    QVERIFY(!s.session.isOverlayOn(s.overlay.id()));
    QTest::mouseClick(&s.panel.ghostBox(), Qt::LeftButton, {},
                      QPoint(8, s.panel.ghostBox().height() / 2));
    QVERIFY(s.session.isOverlayOn(s.overlay.id()));
    const auto answer = s.model.answer();
    QCOMPARE(answer->ghosts.size(), std::size_t{2});
    QVERIFY(answer->newEnd <= answer->results->whatIfs.window.end);
  }

  void theGhostStaysInPlaceWhenZoomedAndPanned() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    WhatIfChange change;
    change.what = WhatIfChange::What::kernel;
    change.name = "gemm";
    change.factor = 0.5;
    s.model.ask(change);
    QTRY_COMPARE(s.model.answer()->whatIf.change.name, change.name);
    TimelinePane pane(s.session);
    pane.resize(1000, 300);
    pane.show();
    QVERIFY(QTest::qWaitForWindowExposed(&pane));
    const auto answer = s.model.answer();
    std::vector<TimeNs> edges{answer->newEnd};
    for (const auto& ghost : answer->ghosts)
      edges.insert(edges.end(), {ghost.span.begin, ghost.span.end});
    for (const TimeSpan& span : {TimeSpan{0, 101'000}, TimeSpan{5'000, 60'000},
                                 TimeSpan{35'000, 45'000}, TimeSpan{65'000, 99'000}}) {
      s.session.requestZoomTo(s.session.toSession(0, span));
      QTest::qWait(300);  // the view glides
      const TimelineGeometry geometry = pane.view().geometry();
      const auto row = geometry.rowRect(0, answer->ghosts.front().row);
      QVERIFY(row);
      const auto columns =
          paintedColumns(s.overlay, geometry, *row, pane.view().viewport()->size());
      for (const int column : columns)
        QVERIFY2(std::any_of(edges.begin(), edges.end(),
                             [&](TimeNs t) { return std::abs(geometry.xOf(0, t) - column) <= 3; }),
                 qPrintable(QStringLiteral("nothing is at %1").arg(column)));
      for (const TimeNs t : edges) {
        const double x = geometry.xOf(0, t);
        if (x < geometry.area().left() + 4 || x > geometry.area().right() - 4) continue;
        QVERIFY(std::any_of(columns.begin(), columns.end(),
                            [&](int column) { return std::abs(x - column) <= 3; }));
      }
    }
  }

  void withoutASelectedEventItSaysToSelectOne() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    Shown::pick(s.panel.kindBox(), QStringLiteral("Selected event"));
    QVERIFY2(s.panel.answerText().contains(QStringLiteral("Click an event")),
             qPrintable(s.panel.answerText()));
    QVERIFY(s.model.answer() == nullptr);
    s.session.setActive({0, SliceId(0)});
    QTRY_VERIFY(s.model.answer() != nullptr);
    QVERIFY(!s.panel.thingBox().placeholderText().isEmpty());
  }

  void namesAreWholeOnHover() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    Shown::pick(s.panel.kindBox(), QStringLiteral("Kernel"));
    while (s.panel.kindBox().currentText() != QStringLiteral("Kernel"))
      QTest::keyClick(&s.panel.kindBox(), Qt::Key_Down);
    QCOMPARE(s.panel.thingBox().toolTip(), QStringLiteral("gemm"));
  }

  void withoutATraceItSaysWhatToDo() {
    Session session;
    Analyses analyses(session);
    WhatIfModel model(analyses);
    WhatIfPanel panel(session, analyses, model);
    panel.show();
    QVERIFY(panel.isEmptyState());
    QVERIFY(!panel.emptyText().isEmpty());
  }

  void aRowOfTheUsualChangesIsLookedAt() {
    Shown s(kWaited);
    QVERIFY(s.ok);
    QVERIFY(s.panel.table().model()->rowCount() > 0);
    const QRect cell = s.panel.table().visualRect(s.panel.table().model()->index(0, 0));
    QTest::mouseClick(s.panel.table().viewport(), Qt::LeftButton, {}, cell.center());
    QTRY_VERIFY(s.model.answer() && textOf(s.model.answer()->whatIf.change) ==
                                        textOf(s.analyses.current()->whatIfs.list[0].change));
  }
};

QTEST_MAIN(TestWhatIfPanel)
#include "tst_what_if_panel.moc"
