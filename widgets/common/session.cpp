#include "widgets/common/session.h"

#include <algorithm>

#include "core/trace/wall_clock.h"

namespace ridgeline {

Session::Session(QObject* parent) : QObject(parent) {}

void Session::open(std::vector<LoadedTrace> ranks, const QString& title,
                   std::optional<TimeSpan> firstView) {
  loaded_ = std::move(ranks);
  title_ = title;
  auto job = std::make_shared<Job>();
  for (const LoadedTrace& rank : loaded_) job->ranks.push_back(rank.trace);
  job->clocks.resize(loaded_.size());

  const std::vector<TimeNs> origins = originsOnOneClock(job->ranks);
  const TimeNs origin = origins.empty() ? 0 : *std::min_element(origins.begin(), origins.end());
  shift_.clear();
  colourKeys_.clear();
  span_ = {0, 1};
  for (const LoadedTrace& rank : loaded_) {
    shift_.push_back(origins[shift_.size()] - origin);
    span_.end = std::max(span_.end, rank.trace->span().end + shift_.back());
    colourKeys_.push_back(std::make_shared<const std::vector<ColourKey>>(
        colourKeysByCategory(rank.trace->slices().category)));
  }
  job_ = std::move(job);

  active_ = {};
  activeItem_ = {};
  selection_ = {};
  marked_.reset();
  window_ = {};  // analyses then take all steady steps
  view_.reset(span_, firstView.value_or(span_));
  Q_EMIT documentChanged();
  Q_EMIT colourKeysChanged();
  Q_EMIT activeChanged();
  Q_EMIT selectionChanged();
  Q_EMIT markedChanged();
  Q_EMIT windowChanged();
}

void Session::setColourKeys(std::uint32_t rank,
                            std::shared_ptr<const std::vector<ColourKey>> keys) {
  if (rank >= colourKeys_.size() || !keys || keys->size() != trace(rank).slices().size()) return;
  colourKeys_[rank] = std::move(keys);
  Q_EMIT colourKeysChanged();
}

void Session::requestReveal(SliceRef slice) {
  if (slice.valid()) Q_EMIT revealSliceRequested(slice, false);
}

void Session::requestReveal(TimeSpan span) {
  Q_EMIT revealSpanRequested(span, false);
}

void Session::requestZoomTo(SliceRef slice) {
  if (slice.valid()) Q_EMIT revealSliceRequested(slice, true);
}

void Session::requestZoomTo(TimeSpan span) {
  Q_EMIT revealSpanRequested(span, true);
}

void Session::setActive(SliceRef slice) {
  if (active_ == slice && !activeItem_.valid()) return;
  active_ = slice;
  activeItem_ = {};
  Q_EMIT activeChanged();
}

void Session::setActiveItem(const ItemRef& item) {
  if (activeItem_ == item && !active_.valid()) return;
  activeItem_ = item;
  active_ = {};
  Q_EMIT activeChanged();
}

void Session::setSelected(std::vector<SliceRef> slices, const QString& reason) {
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  selection_ = {std::move(slices), reason};
  Q_EMIT selectionChanged();
}

void Session::clearSelection() {
  if (active_.valid() || activeItem_.valid()) {
    active_ = {};
    activeItem_ = {};
    Q_EMIT activeChanged();
  }
  if (!selection_.empty()) {
    selection_ = {};
    Q_EMIT selectionChanged();
  }
}

void Session::setWindow(const WindowChoice& window) {
  if (window.span == window_.span && window.title == window_.title) return;
  window_ = window;
  Q_EMIT windowChanged();
}

void Session::setMarked(std::optional<TimeSpan> span) {
  if (span == marked_) return;
  marked_ = span;
  Q_EMIT markedChanged();
}

void Session::setOverlayOn(const QString& id, bool on) {
  if (isOverlayOn(id) == on) return;
  if (on) {
    overlaysOff_.remove(id);
  } else {
    overlaysOff_.insert(id);
  }
  Q_EMIT overlaySwitched(id, on);
}

}  // namespace ridgeline
