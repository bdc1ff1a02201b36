#include <QApplication>
#include <QContextMenuEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/row_trace.h"
#include "widgets/overlays/links_overlay.h"
#include "widgets/overlays/selection_overlay.h"
#include "widgets/timeline/legend_bar.h"
#include "widgets/timeline/overview_bar.h"
#include "widgets/timeline/time_ruler.h"
#include "widgets/timeline/timeline_navigation.h"
#include "widgets/timeline/timeline_pane.h"
#include "widgets/timeline/track_header.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// Two host threads (the second has nothing after 1 ms) and one stream whose kernels were launched
/// from the first: 10 steps of 1 ms.
std::vector<LoadedTrace> smallJob() {
  std::vector<MadeSlice> slices;
  for (int i = 0; i < 10; ++i) {
    const TimeNs t = i * 1'000'000;
    slices.push_back({t, 900'000, "step", "cpu_op"});
    slices.push_back({t + 100'000, 50'000, "cudaLaunchKernel", "cuda_runtime", "1", "1",
                      EventArgs::kAbsent, EventArgs::kAbsent, i + 1});
    slices.push_back({t + 200'000, 400'000, "kernel", "kernel", "0", "7", 0, 7, i + 1});
  }
  slices.push_back({10'000, 20'000, "worker", "cpu_op", "1", "2"});
  auto trace = makeTrace(slices);
  auto index = std::make_shared<const TraceIndex>(trace);
  return {{trace, index}};
}

SliceRef named(const Session& session, std::string_view name, int nth = 0) {
  const Trace& trace = session.trace(0);
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == name && nth-- == 0) return {0, SliceId(i)};
  return {};
}

void wheel(QWidget* target, QPointF pos, int delta, Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(pos, target->mapToGlobal(pos), {}, {0, delta}, Qt::NoButton, modifiers,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(target, &event);
}

}  // namespace

class TestTimelineView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();

  void theDeviceStandsBelowTheHost();
  void ctrlWheelZoomsAboutTheCursor();
  void aBurstOfWheelEventsIsOneStepBack();
  void wheelScrollsAndShiftWheelPans();
  void draggingPansByWhatTheMouseMoved();
  void keysZoomPanAndFit();
  void aClickSelectsTheSliceUnderIt();
  void aClickOnNothingSelectsNothing();
  void aMenuSpeaksOfWhatIsUnderIt();
  void aLegendTakesAsManyLinesAsItNeeds();
  void aDoubleClickZoomsToTheSlice();
  void arrowsWalkTheRowAndTheLaunch();
  void escapeClears();
  void draggingOnTheRulerZoomsToTheSpan();
  void quietThreadsFoldToOneLine();
  void aClickOnAProcessFoldsIt();
  void revealUnfoldsWhatHidesASlice();
  void theOverviewFrameFollowsAndLeads();
  void selectedSlicesStayBrightAndOthersDim();
  void theContentIsDrawnInDevicePixels_data();
  void theContentIsDrawnInDevicePixels();
  void shiftDragMarksASpan();
  void hoverDoesNotDrawTheRowsAgain();
  void anotherDocumentForgetsTheSelection();

 private:
  [[nodiscard]] TimelineView& view() const { return pane_->view(); }
  [[nodiscard]] QWidget* viewport() const { return view().viewport(); }
  [[nodiscard]] QPoint middleOf(SliceRef slice) const {
    return view().geometry().sliceRect(slice)->center().toPoint();
  }

  QtWarningGuard guard_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<TimelinePane> pane_;
};

void TestTimelineView::init() {
  QtWarningGuard::take();
  session_ = std::make_unique<Session>();
  pane_ = std::make_unique<TimelinePane>(*session_);
  view().addOverlay(new LinksOverlay);
  view().addOverlay(new SelectionOverlay);
  pane_->resize(1000, 500);
  pane_->show();
  QVERIFY(QTest::qWaitForWindowExposed(pane_.get()));
  session_->open(smallJob(), QStringLiteral("small"));
  QCoreApplication::processEvents();
}

void TestTimelineView::cleanup() {
  pane_.reset();
  session_.reset();
  QCOMPARE(QtWarningGuard::take(), QStringList());
}

void TestTimelineView::theDeviceStandsBelowTheHost() {
  const TimelineGeometry g = view().geometry();
  const auto host = g.sliceRect(named(*session_, "step"));
  const auto call = g.sliceRect(named(*session_, "cudaLaunchKernel"));
  const auto kernel = g.sliceRect(named(*session_, "kernel"));
  QVERIFY(host && call && kernel);
  QVERIFY(host->bottom() <= call->top());
  QVERIFY(call->bottom() <= kernel->top());
  QVERIFY(kernel->height() > host->height());
}

void TestTimelineView::ctrlWheelZoomsAboutTheCursor() {
  const QPointF at(viewport()->width() * 0.3, 60);
  const TimeNs before = view().geometry().timeAt(at.x());
  const TimeNs length = session_->view().span().length();
  wheel(viewport(), at, 240, Qt::ControlModifier);
  QVERIFY(session_->view().span().length() < length);
  const double nsPerPixel = view().geometry().axis().nsPerPixel();
  QVERIFY(std::abs(static_cast<double>(view().geometry().timeAt(at.x()) - before)) <=
          nsPerPixel + 1);
}

void TestTimelineView::aBurstOfWheelEventsIsOneStepBack() {
  const TimeSpan whole = session_->view().span();
  for (int i = 0; i < 8; ++i) wheel(viewport(), {300, 60}, 120, Qt::ControlModifier);
  const TimeSpan zoomed = session_->view().span();
  QTest::keyClick(&view(), Qt::Key_Left, Qt::AltModifier);
  QCOMPARE(session_->view().span(), whole);
  QTest::keyClick(&view(), Qt::Key_Right, Qt::AltModifier);
  QCOMPARE(session_->view().span(), zoomed);
}

void TestTimelineView::wheelScrollsAndShiftWheelPans() {
  pane_->resize(1000, 140);
  QCoreApplication::processEvents();
  const TimeSpan whole = session_->view().span();
  wheel(viewport(), {300, 20}, -120, Qt::NoModifier);
  QVERIFY(view().scrollY() > 0);
  QCOMPARE(session_->view().span(), whole);
  session_->view().show({2'000'000, 4'000'000});
  wheel(viewport(), {300, 20}, -120, Qt::ShiftModifier);
  QVERIFY(session_->view().span().begin > 2'000'000);
  QCOMPARE(session_->view().span().length(), TimeNs{2'000'000});
}

void TestTimelineView::draggingPansByWhatTheMouseMoved() {
  session_->view().show({4'000'000, 6'000'000});
  const TimeNs under = view().geometry().timeAt(500);
  QTest::mousePress(viewport(), Qt::LeftButton, {}, {500, 60});
  QTest::mouseMove(viewport(), {520, 60});
  QTest::mouseMove(viewport(), {400, 60});
  QTest::mouseRelease(viewport(), Qt::LeftButton, {}, {400, 60});
  QVERIFY(std::abs(view().geometry().timeAt(400) - under) < 4'000);
  QVERIFY(!session_->active().valid());
}

void TestTimelineView::keysZoomPanAndFit() {
  QTest::keyClick(&view(), Qt::Key_W);
  const TimeSpan zoomed = session_->view().span();
  QVERIFY(zoomed.length() < session_->span().length());
  QTest::keyClick(&view(), Qt::Key_D);
  QVERIFY(session_->view().span().begin > zoomed.begin);
  QTest::keyClick(&view(), Qt::Key_A);
  QCOMPARE(session_->view().span(), zoomed);
  QTest::keyClick(&view(), Qt::Key_0);
  QCOMPARE(session_->view().span(), session_->span());
}

void TestTimelineView::aClickSelectsTheSliceUnderIt() {
  const SliceRef kernel = named(*session_, "kernel", 4);
  QSignalSpy spy(session_.get(), &Session::activeChanged);
  QTest::mouseClick(viewport(), Qt::LeftButton, {}, middleOf(kernel));
  QCOMPARE(session_->active(), kernel);
  QCOMPARE(spy.count(), 1);
  QTest::mouseClick(viewport(), Qt::LeftButton, {}, middleOf(kernel));
  QCOMPARE(spy.count(), 1);
}

void TestTimelineView::aClickOnNothingSelectsNothing() {
  session_->setActive(named(*session_, "kernel"));
  QTest::mouseClick(viewport(), Qt::LeftButton, {},
                    {500, static_cast<int>(view().layout().height()) + 20});
  QVERIFY(!session_->active().valid());
}

void TestTimelineView::aMenuSpeaksOfWhatIsUnderIt() {
  const SliceRef kernel = named(*session_, "kernel", 2);
  const QPoint at = view().geometry().sliceRect(kernel)->center().toPoint();
  QSignalSpy wanted(&view(), &TimelineView::menuRequested);
  const auto ask = [&] {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, viewport()->mapToGlobal(at));
    QApplication::sendEvent(viewport(), &event);
  };
  ask();
  QCOMPARE(wanted.count(), 1);
  QCOMPARE(session_->active(), kernel);
  // A marked span around it is what the menu is for.
  session_->clearSelection();
  const TimeSpan span = session_->spanOf(kernel);
  session_->setMarked(TimeSpan{span.begin - 1'000, span.end + 1'000});
  ask();
  QVERIFY(!session_->active().valid());
}

void TestTimelineView::aLegendTakesAsManyLinesAsItNeeds() {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < 9; ++i)
    entries.push_back({Qt::red, LegendEntry::Look::fill, QStringLiteral("a class of kernels")});
  const QFontMetricsF metrics(QApplication::font());
  const auto places = layOutLegend(entries, metrics, 400);
  QCOMPARE(places.size(), entries.size());
  QVERIFY(places.back().line > 0);
  for (const LegendPlace& place : places)
    QVERIFY(place.x + metrics.horizontalAdvance(entries.front().text) <= 400);
  QCOMPARE(layOutLegend(entries, metrics, 10'000).back().line, 0);
  // Too narrow for any: one a line, and no endless loop.
  QCOMPARE(layOutLegend(entries, metrics, 10).back().line, 8);
}

void TestTimelineView::aDoubleClickZoomsToTheSlice() {
  const SliceRef kernel = named(*session_, "kernel", 4);
  QTest::mouseDClick(viewport(), Qt::LeftButton, {}, middleOf(kernel));
  QVERIFY(session_->view().span().contains(session_->spanOf(kernel)));
  QVERIFY(session_->view().span().length() < 2 * session_->spanOf(kernel).length());
}

void TestTimelineView::arrowsWalkTheRowAndTheLaunch() {
  session_->setActive(named(*session_, "kernel", 4));
  QTest::keyClick(&view(), Qt::Key_Right);
  QCOMPARE(session_->active(), named(*session_, "kernel", 5));
  QTest::keyClick(&view(), Qt::Key_Tab);
  QCOMPARE(session_->active(), named(*session_, "kernel", 6));
  QTest::keyClick(&view(), Qt::Key_Left);
  QTest::keyClick(&view(), Qt::Key_Tab, Qt::ShiftModifier);
  QCOMPARE(session_->active(), named(*session_, "kernel", 4));
  QTest::keyClick(&view(), Qt::Key_Up);
  QCOMPARE(session_->active(), named(*session_, "cudaLaunchKernel", 4));
  QTest::keyClick(&view(), Qt::Key_Down);
  QCOMPARE(session_->active(), named(*session_, "kernel", 4));
  QTest::keyClick(&view(), Qt::Key_Up);
  QTest::keyClick(&view(), Qt::Key_Up);
  QCOMPARE(session_->active(), named(*session_, "step", 4));
}

void TestTimelineView::escapeClears() {
  session_->setActive(named(*session_, "kernel"));
  session_->setSelected({named(*session_, "kernel")}, QStringLiteral("one"));
  QTest::keyClick(&view(), Qt::Key_Escape);
  QVERIFY(!session_->active().valid());
  QVERIFY(session_->selection().empty());
}

void TestTimelineView::draggingOnTheRulerZoomsToTheSpan() {
  const TimeNs from = view().geometry().timeAt(200), to = view().geometry().timeAt(450);
  QTest::mousePress(&pane_->ruler(), Qt::LeftButton, {}, {450, 8});
  QTest::mouseMove(&pane_->ruler(), {200, 8});
  QTest::mouseRelease(&pane_->ruler(), Qt::LeftButton, {}, {200, 8});
  QCOMPARE(session_->view().span(), (TimeSpan{from, to}));
}

void TestTimelineView::quietThreadsFoldToOneLine() {
  const auto quietLines = [this] {
    int lines = 0;
    for (const LayoutLine& line : view().layout().lines())
      if (line.kind == LayoutLine::Kind::quiet) lines += static_cast<int>(line.quietTracks);
    return lines;
  };
  QCOMPARE(quietLines(), 0);
  session_->view().show({4'000'000, 6'000'000});
  view().relayout();
  QCOMPARE(quietLines(), 1);
  view().setQuietShown(true);
  QCOMPARE(quietLines(), 0);
}

void TestTimelineView::aClickOnAProcessFoldsIt() {
  const double before = view().layout().height();
  const LayoutLine& heading = view().layout().lines().front();
  QCOMPARE(heading.kind, LayoutLine::Kind::group);
  QTest::mouseClick(&pane_->header(), Qt::LeftButton, {}, {20, static_cast<int>(heading.y) + 5});
  QVERIFY(view().layout().height() < before);
  QVERIFY(!view().geometry().sliceRect(named(*session_, "step")));
  QTest::mouseClick(&pane_->header(), Qt::LeftButton, {}, {20, 5});
  QCOMPARE(view().layout().height(), before);
}

void TestTimelineView::revealUnfoldsWhatHidesASlice() {
  view().toggleGroup(view().layout().groups().front().key);
  session_->view().show({8'000'000, 9'000'000});
  const SliceRef call = named(*session_, "cudaLaunchKernel", 2);
  QVERIFY(!view().geometry().sliceRect(call));
  session_->requestReveal(call);
  const auto rect = view().geometry().sliceRect(call);
  QVERIFY(rect);
  QVERIFY(QRectF(viewport()->rect()).contains(rect->center()));
}

void TestTimelineView::theOverviewFrameFollowsAndLeads() {
  session_->view().show({4'000'000, 6'000'000});
  OverviewBar& bar = pane_->overview();
  const QRectF frame = bar.frame();
  const double perNs = bar.width() / static_cast<double>(session_->span().length());
  QVERIFY(std::abs(frame.left() - 4'000'000 * perNs) < 1);
  QVERIFY(std::abs(frame.width() - 2'000'000 * perNs) < 1);
  const QPoint grab = frame.center().toPoint();
  QTest::mousePress(&bar, Qt::LeftButton, {}, grab);
  QTest::mouseMove(&bar, grab + QPoint(50, 0));
  QTest::mouseRelease(&bar, Qt::LeftButton, {}, grab + QPoint(50, 0));
  QVERIFY(std::abs(bar.frame().left() - frame.left() - 50) < 1);
}

void TestTimelineView::selectedSlicesStayBrightAndOthersDim() {
  const SliceRef one = named(*session_, "kernel", 2), other = named(*session_, "kernel", 3);
  const auto at = [this](SliceRef slice) {
    const QRect rect = view().geometry().sliceRect(slice)->toRect();
    return viewport()->grab().toImage().pixelColor(rect.right() - 6, rect.bottom() - 2);
  };
  const QColor bright = at(one);
  QCOMPARE(at(other), bright);
  session_->setSelected({one}, QStringLiteral("one"));
  QCOMPARE(at(one), bright);
  QVERIFY(at(other) != bright);
}

void TestTimelineView::theContentIsDrawnInDevicePixels_data() {
  QTest::addColumn<double>("ratio");
  QTest::newRow("1") << 1.0;
  QTest::newRow("1.5") << 1.5;
  QTest::newRow("2") << 2.0;
}

void TestTimelineView::theContentIsDrawnInDevicePixels() {
  QFETCH(double, ratio);
  const TimelineScene scene = view().scene();
  QImage image((scene.size * ratio).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  RowPainter painter;
  painter.paint(image, scene);
  // A slice is where the geometry says, to the device pixel.
  const SliceRef kernel = named(*session_, "kernel", 4);
  const QRectF rect = *view().geometry().sliceRect(kernel);
  const int y = static_cast<int>((rect.bottom() - 3) * ratio);
  const QRgb background = scene.palette->background.rgb();
  const QRgb alternate = scene.palette->alternate.rgb();
  const auto isEmpty = [&](int x) {
    const QRgb pixel = image.pixel(x, y);
    return pixel == background || pixel == alternate || pixel == scene.palette->grid.rgb();
  };
  const int left = static_cast<int>(std::lround(rect.left() * ratio));
  const int right = static_cast<int>(std::lround(rect.right() * ratio));
  QVERIFY(isEmpty(left - 2));
  QVERIFY(!isEmpty(left + 1));
  QVERIFY(!isEmpty(right - 2));
  QVERIFY(isEmpty(right + 1));
}

void TestTimelineView::shiftDragMarksASpan() {
  QTest::mousePress(viewport(), Qt::LeftButton, Qt::ShiftModifier, {300, 60});
  QTest::mouseMove(viewport(), {600, 60});
  QTest::mouseRelease(viewport(), Qt::LeftButton, Qt::ShiftModifier, {600, 60});
  QVERIFY(session_->marked().has_value());
  QCOMPARE(*session_->marked(),
           (TimeSpan{view().geometry().timeAt(300), view().geometry().timeAt(600)}));
}

void TestTimelineView::hoverDoesNotDrawTheRowsAgain() {
  const SliceRef kernel = named(*session_, "kernel", 4);
  QTest::mouseMove(viewport(), middleOf(kernel));
  QTRY_COMPARE(view().hover().slice, kernel);
  QVERIFY(!view().hover().isFolded());
  QTest::mouseMove(viewport(), {5, static_cast<int>(view().layout().height()) + 30});
  QTRY_VERIFY(!view().hover().slice.valid());
}

void TestTimelineView::anotherDocumentForgetsTheSelection() {
  session_->setActive(named(*session_, "kernel", 4));
  session_->view().show({1000, 2000});
  session_->open(smallJob(), QStringLiteral("again"));
  QVERIFY(!session_->active().valid());
  QCOMPARE(session_->view().span(), session_->span());
  QVERIFY(!session_->view().canGoBack());
}

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"
