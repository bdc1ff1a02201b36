#include "widgets/timeline/timeline_view.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QContextMenuEvent>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLoggingCategory>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolTip>

#include "widgets/common/format.h"
#include "widgets/timeline/timeline_input.h"
#include "widgets/timeline/timeline_navigation.h"
#include "widgets/timeline/timeline_renderer.h"

namespace ridgeline {

namespace {

Q_LOGGING_CATEGORY(frames, "ridgeline.frames", QtWarningMsg)

/// Threads fold to "quiet" only when the view has come to rest: heights do not jump while zooming.
constexpr int kSettleMs = 250;

}  // namespace

TimelineView::TimelineView(Session& session, QWidget* parent)
    : QAbstractScrollArea(parent),
      session_(session),
      input_(std::make_unique<TimelineInput>(*this)) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  viewport()->setMouseTracking(true);
  viewport()->grabGesture(Qt::PinchGesture);
  settle_.setSingleShot(true);
  settle_.setInterval(kSettleMs);
  connect(&settle_, &QTimer::timeout, this, &TimelineView::relayout);
  connect(&settle_, &QTimer::timeout, this, &TimelineView::legendChanged);
  connect(&session_, &Session::documentChanged, this, &TimelineView::documentChanged);
  connect(&session_, &Session::colourKeysChanged, this, &TimelineView::invalidateContent);
  connect(&session_, &Session::selectionChanged, this, &TimelineView::invalidateContent);
  connect(&session_, &Session::activeChanged, this, [this] {
    viewport()->update();
    announceActive();
  });
  connect(&session_, &Session::markedChanged, viewport(), qOverload<>(&QWidget::update));
  connect(&session_, &Session::windowChanged, viewport(), qOverload<>(&QWidget::update));
  connect(&session_, &Session::overlaySwitched, this, [this](const QString& id) {
    for (const Overlay* overlay : overlays_)
      if (overlay->id() == id && !overlay->lanes().empty()) relayout();
    viewport()->update();
    Q_EMIT legendChanged();
  });
  connect(&session_.view(), &TimeView::spanChanged, this, [this] {
    invalidateContent();
    settle_.start();
  });
  connect(&session_, &Session::revealSliceRequested, this,
          qOverload<SliceRef, bool>(&TimelineView::reveal));
  connect(&session_, &Session::revealSpanRequested, this,
          qOverload<TimeSpan, bool>(&TimelineView::reveal));
}

TimelineView::~TimelineView() = default;

void TimelineView::addOverlay(Overlay* overlay) {
  overlay->setParent(this);
  overlays_.push_back(overlay);
  connect(overlay, &Overlay::changed, viewport(), qOverload<>(&QWidget::update));
  connect(overlay, &Overlay::changed, this, &TimelineView::legendChanged);
  connect(overlay, &Overlay::lanesChanged, this, &TimelineView::chooseDepthLimit);
  if (!overlay->lanes().empty()) relayout();
  viewport()->update();
}

std::vector<const Overlay*> TimelineView::shownOverlays() const {
  std::vector<const Overlay*> shown;
  for (const Overlay* overlay : overlays_)
    if (!overlay->switchable() || session_.isOverlayOn(overlay->id())) shown.push_back(overlay);
  return shown;
}

const Palette& TimelineView::colours() const {
  return Palette::of(palette());
}

double TimelineView::scrollY() const {
  return verticalScrollBar()->value();
}

TimelineScene TimelineView::scene() const {
  TimelineScene scene;
  scene.session = &session_;
  scene.span = session_.view().span();
  scene.layout = layout_;
  scene.scrollY = scrollY();
  scene.size = viewport()->size();
  scene.palette = &colours();
  scene.font = font();
  scene.overlays = shownOverlays();
  return scene;
}

TimelineGeometry TimelineView::geometry() const {
  const QRectF area = viewport()->rect();
  return {session_, *layout_,  TimeAxis(session_.view().span(), area.left(), area.width()),
          area,     scrollY(), colours()};
}

// --- layout ---

void TimelineView::documentChanged() {
  hover_ = {};
  folds_.unfoldedTracks.clear();
  folds_.hostDepthLimit = 0;
  chooseDepthLimit();
  verticalScrollBar()->setValue(0);
  invalidateContent();
  Q_EMIT legendChanged();
}

void TimelineView::chooseDepthLimit() {
  // Stacks of Python frames would push the device out of sight, and it is the device that people
  // want to see first: show fewer depths of each host thread until it fits. Once somebody has
  // folded or unfolded a track, nothing changes by itself any more.
  if (!folds_.foldedTracks.isEmpty() || !folds_.unfoldedTracks.isEmpty()) return relayout();
  for (const std::uint32_t limit : {0u, 12u, 8u, 6u, 4u, 3u}) {
    folds_.hostDepthLimit = limit;
    relayout();
    if (layout_->height() <= viewport()->height()) return;
  }
}

void TimelineView::relayout() {
  settle_.stop();
  // The line at the top stays at the top.
  const int topLine = layout_->lineAt(scrollY());
  std::optional<LayoutLine> top;
  double offset = 0;
  if (topLine >= 0 && scrollY() > 0) {
    top = layout_->lines()[static_cast<std::size_t>(topLine)];
    offset = scrollY() - top->y;
  }
  layout_ = session_.hasDocument() ? TimelineRenderer::layoutOf(session_, font(), shownOverlays(),
                                                                folds_, session_.view().span())
                                   : std::make_shared<const RowLayout>();
  updateScrollBar();
  if (top && top->kind == LayoutLine::Kind::row && top->rank < session_.ranks().size() &&
      top->row.index() < session_.trace(top->rank).rows().size()) {
    const int line = layout_->lineOf(top->rank, top->row);
    if (line >= 0)
      verticalScrollBar()->setValue(static_cast<int>(
          std::lround(layout_->lines()[static_cast<std::size_t>(line)].y + offset)));
  }
  invalidateContent();
  Q_EMIT layoutChanged();
}

void TimelineView::updateScrollBar() {
  const int page = viewport()->height();
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(20);
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(layout_->height()) + 8 - page));
}

void TimelineView::toggleGroup(const QString& key) {
  if (!folds_.foldedGroups.remove(key)) folds_.foldedGroups.insert(key);
  relayout();
}

void TimelineView::toggleTrack(std::uint32_t rank, TrackId track) {
  const QString key = RowLayout::trackKey(rank, session_.trace(rank), track);
  if (!folds_.foldedTracks.remove(key)) {
    folds_.foldedTracks.insert(key);
    folds_.unfoldedTracks.remove(key);
  }
  relayout();
}

void TimelineView::showAllDepths(std::uint32_t rank, TrackId track) {
  const QString key = RowLayout::trackKey(rank, session_.trace(rank), track);
  folds_.foldedTracks.remove(key);
  folds_.unfoldedTracks.insert(key);
  relayout();
}

void TimelineView::setQuietShown(bool shown) {
  if (folds_.quietShown == shown) return;
  folds_.quietShown = shown;
  relayout();
}

// --- painting ---

void TimelineView::invalidateContent() {
  contentDirty_ = true;
  viewport()->update();
}

void TimelineView::paintContent() {
  const double ratio = viewport()->devicePixelRatioF();
  // Compared in device pixels: in logical ones it would be rebuilt on each paint at ratios
  // like 1.5.
  const QSize wanted(static_cast<int>(std::round(viewport()->width() * ratio)),
                     static_cast<int>(std::round(viewport()->height() * ratio)));
  if (content_.size() != wanted || content_.devicePixelRatio() != ratio) {
    content_ = QImage(wanted, QImage::Format_RGB32);
    content_.setDevicePixelRatio(ratio);
    contentDirty_ = true;
  }
  if (!contentDirty_ || content_.isNull()) return;
  contentDirty_ = false;
  QElapsedTimer timer;
  timer.start();
  painter_.paint(content_, scene());
  qCDebug(frames, "rows drawn in %.2f ms", static_cast<double>(timer.nsecsElapsed()) * 1e-6);
  if (painter_.wantsAnotherFrame()) QTimer::singleShot(0, this, &TimelineView::invalidateContent);
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  if (!session_.hasDocument()) {
    paintEmpty(painter);
    return;
  }
  paintContent();
  painter.drawImage(0, 0, content_);
  const TimelineGeometry now = geometry();
  painter.setFont(font());
  for (const Overlay* overlay : shownOverlays()) {
    painter.save();
    overlay->paint(painter, now);
    painter.restore();
  }
  paintHover(painter, now);
  input_->paint(painter);
}

void TimelineView::paintHover(QPainter& painter, const TimelineGeometry& now) const {
  std::optional<QRectF> rect;
  if (hover_.hit)
    rect = hover_.hit->rect;
  else if (hover_.slice.valid() && !hover_.isFolded())
    rect = now.sliceRect(hover_.slice);
  if (!rect) return;
  if (rect->width() < 3) rect->setWidth(3);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(now.palette().hover, 1));
  painter.drawRect(rect->adjusted(0.5, 0.5, -0.5, -0.5));
}

void TimelineView::paintEmpty(QPainter& painter) const {
  const Palette& colour = colours();
  painter.fillRect(viewport()->rect(), colour.background);
  painter.setPen(colour.mutedText);
  painter.setFont(font());
  painter.drawText(viewport()->rect(), Qt::AlignCenter,
                   tr("Open a trace with Ctrl+O, or drop a file here.\n\n"
                      "PyTorch / Kineto trace JSON, plain, gzip or zstd."));
}

// --- moving about ---

void TimelineView::step(int sliceStep) {
  const SliceRef active = session_.active();
  if (!active.valid()) {
    for (const LayoutLine& line : layout_->lines()) {
      if (line.kind != LayoutLine::Kind::row || line.y + line.height <= scrollY()) continue;
      const Trace& trace = session_.trace(line.rank);
      const SliceRange range = slicesTouching(trace.slices(), trace.rows()[line.row.index()],
                                              session_.toTrace(line.rank, session_.view().span()));
      if (range.count() == 0) continue;
      session_.setActive({line.rank, SliceId(range.first)});
      reveal(session_.active(), false);
      return;
    }
    return;
  }
  const SliceRef next = stepFrom(session_, active, static_cast<SliceStep>(sliceStep));
  if (!next.valid()) return;
  session_.setActive(next);
  reveal(next, false);
}

void TimelineView::stepItem(int direction) {
  TimeNs from = session_.view().span().begin + session_.view().span().length() / 2;
  if (session_.activeItem().valid())
    from = session_.activeItem().span.begin;
  else if (session_.active().valid())
    from = session_.spanOf(session_.active()).begin;
  std::optional<ItemRef> best;
  for (const Overlay* overlay : shownOverlays()) {
    // Once an item is active, the keys stay with its kind.
    if (session_.activeItem().valid() && overlay->id() != session_.activeItem().kind) continue;
    const auto item = direction > 0 ? overlay->itemAfter(from) : overlay->itemBefore(from);
    if (!item) continue;
    const bool nearer = !best || (direction > 0 ? item->span.begin < best->span.begin
                                                : item->span.begin > best->span.begin);
    if (nearer) best = item;
  }
  if (!best) return;
  session_.setActiveItem(*best);
  reveal(best->span, false);
}

void TimelineView::zoomToSelection() {
  if (session_.active().valid()) {
    reveal(session_.active(), true);
  } else if (session_.activeItem().valid()) {
    reveal(session_.activeItem().span, true);
  } else if (!session_.selection().empty()) {
    TimeSpan all = session_.spanOf(session_.selection().slices.front());
    for (const SliceRef& slice : session_.selection().slices) {
      const TimeSpan span = session_.spanOf(slice);
      all = {std::min(all.begin, span.begin), std::max(all.end, span.end)};
    }
    reveal(all, true);
  } else if (session_.marked()) {
    reveal(*session_.marked(), true);
  }
}

void TimelineView::markSpan() {
  if (session_.active().valid())
    session_.setMarked(session_.spanOf(session_.active()));
  else if (session_.activeItem().valid())
    session_.setMarked(session_.activeItem().span);
  else
    session_.setMarked(session_.view().span());
}

void TimelineView::reveal(TimeSpan span, bool zoom) {
  TimeView& view = session_.view();
  const TimeSpan shown = view.span();
  if (zoom) {
    const TimeNs margin = std::max<TimeNs>(span.length() / 8, TimeView::kShortest / 2);
    view.show({span.begin - margin, span.end + margin});
  } else if (span.length() > shown.length()) {
    if (!shown.intersects(span)) view.show({span.begin, span.begin + shown.length()});
  } else if (!shown.contains(span)) {
    const TimeNs begin = span.begin + span.length() / 2 - shown.length() / 2;
    view.show({begin, begin + shown.length()});
  }
}

void TimelineView::reveal(SliceRef slice, bool zoom) {
  if (!slice.valid() || slice.rank >= session_.ranks().size()) return;
  reveal(session_.spanOf(slice), zoom);
  if (settle_.isActive()) relayout();
  const Trace& trace = session_.trace(slice.rank);
  const RowId row = trace.slices().row[slice.id.index()];
  if (layout_->lineOf(slice.rank, row) < 0) {
    // Folded away: unfold what hides it.
    const TrackId track = trace.rows()[row.index()].track;
    const QString key = RowLayout::trackKey(slice.rank, trace, track);
    folds_.foldedTracks.remove(key);
    folds_.unfoldedTracks.insert(key);
    for (const RowLayout::Group& group : layout_->groups())
      if (group.rank == slice.rank && group.holds(track)) folds_.foldedGroups.remove(group.key);
    relayout();
  }
  scrollToLine(layout_->lineOf(slice.rank, row));
}

void TimelineView::scrollToLine(int index) {
  if (index < 0) return;
  const LayoutLine& line = layout_->lines()[static_cast<std::size_t>(index)];
  const int top = static_cast<int>(line.y), bottom = static_cast<int>(line.y + line.height) + 1;
  QScrollBar* bar = verticalScrollBar();
  if (top < bar->value())
    bar->setValue(top - viewport()->height() / 4);
  else if (bottom > bar->value() + viewport()->height())
    bar->setValue(bottom - viewport()->height() * 3 / 4);
}

void TimelineView::activateAt(const QPointF& pos) {
  const HoverTarget target = hoverTargetAt(geometry(), shownOverlays(), pos);
  if (target.line >= 0 && !target.hit) {
    const LayoutLine line = layout_->lines()[static_cast<std::size_t>(target.line)];
    if (line.kind == LayoutLine::Kind::quiet) return setQuietShown(true);
    if (line.kind == LayoutLine::Kind::deeper) return showAllDepths(line.rank, line.track);
    if (line.kind == LayoutLine::Kind::group) return toggleGroup(layout_->groups()[line.group].key);
  }
  if (target.hit) {
    const bool done = const_cast<Overlay*>(target.overlay)->clicked(*target.hit);
    if (!done) session_.setActiveItem(target.hit->item);
    return;
  }
  if (target.slice.valid()) {
    session_.setActive(target.slice);
  } else {
    session_.clearSelection();
  }
}

void TimelineView::zoomAt(const QPointF& pos) {
  const HoverTarget target = hoverTargetAt(geometry(), shownOverlays(), pos);
  if (target.hit)
    reveal(target.hit->item.span, true);
  else if (target.isFolded())
    reveal(foldedSpan(session_, target), true);
  else if (target.slice.valid())
    reveal(target.slice, true);
}

void TimelineView::hoverAt(const QPointF& pos, const QPoint& globalPos) {
  Q_EMIT cursorMoved(pos.x());
  HoverTarget target = hoverTargetAt(geometry(), shownOverlays(), pos);
  if (target == hover_) return;
  hover_ = std::move(target);
  viewport()->update();
  Q_EMIT hoverChanged();
  const QString text = hoverText(geometry(), shownOverlays(), hover_);
  if (text.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(globalPos + QPoint(12, 12), text, viewport());
}

void TimelineView::clearHover() {
  Q_EMIT cursorMoved(-1);
  if (hover_ == HoverTarget()) return;
  hover_ = {};
  viewport()->update();
  Q_EMIT hoverChanged();
}

void TimelineView::announceActive() {
  QString text;
  if (session_.active().valid()) {
    const SliceRef active = session_.active();
    text = labelText(session_.trace(active.rank), active.id) + QStringLiteral(", ") +
           formatDuration(session_.spanOf(active).length());
  }
  setAccessibleDescription(text);
  if (!QAccessible::isActive()) return;
  QAccessibleEvent event(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&event);
}

// --- events ---

bool TimelineView::viewportEvent(QEvent* event) {
  // The tooltip follows the hover target, not Qt's timer.
  if (event->type() == QEvent::ToolTip) return true;
  if (event->type() == QEvent::ContextMenu) {
    const auto* menu = static_cast<QContextMenuEvent*>(event);
    hoverAt(menu->pos(), menu->globalPos());
    QToolTip::hideText();
    chooseUnder(session_, geometry(), hover_, menu->pos());
    Q_EMIT menuRequested(menu->globalPos());
    return true;
  }
  if (input_->handle(event)) return true;
  return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (!input_->key(event)) QAbstractScrollArea::keyPressEvent(event);
}

bool TimelineView::focusNextPrevChild(bool next) {
  // Tab walks the slices; without an active slice it leaves the timeline, so that the keyboard is
  // not caught in here (Esc, then Tab).
  if (session_.active().valid()) return false;
  return QAbstractScrollArea::focusNextPrevChild(next);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  if (event->size().height() != event->oldSize().height())
    chooseDepthLimit();
  else
    updateScrollBar();
  viewport()->update();
}

void TimelineView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
    invalidateContent();
  if (event->type() == QEvent::FontChange) relayout();
}

void TimelineView::scrollContentsBy(int, int) {
  invalidateContent();
  Q_EMIT layoutChanged();
}

}  // namespace ridgeline
