#include "widgets/common/time_view.h"

#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {
constexpr qint64 kBurstMs = 700;
constexpr std::size_t kHistoryLength = 200;
}  // namespace

TimeView::TimeView(QObject* parent) : QObject(parent) {}

TimeSpan TimeView::fitted(TimeSpan span) const {
  const TimeNs longest = std::max<TimeNs>(bounds_.length(), 1);
  const TimeNs length = std::clamp(span.length(), std::min(kShortest, longest), longest);
  // Keeps the middle when the length had to change.
  TimeNs begin = span.begin + (span.length() - length) / 2;
  begin = std::clamp(begin, bounds_.begin, bounds_.begin + longest - length);
  return {begin, begin + length};
}

void TimeView::reset(TimeSpan bounds, TimeSpan span) {
  bounds_ = {bounds.begin, std::max(bounds.end, bounds.begin + 1)};
  back_.clear();
  forward_.clear();
  sinceNudge_.invalidate();
  span_ = fitted(span);
  Q_EMIT boundsChanged();
  Q_EMIT spanChanged();
  Q_EMIT historyChanged();
}

void TimeView::remember() {
  if (!back_.empty() && back_.back() == span_) return;
  back_.push_back(span_);
  if (back_.size() > kHistoryLength) back_.erase(back_.begin());
  forward_.clear();
  Q_EMIT historyChanged();
}

void TimeView::apply(TimeSpan span) {
  if (span == span_) return;
  span_ = span;
  Q_EMIT spanChanged();
}

void TimeView::show(TimeSpan span) {
  const TimeSpan next = fitted(span);
  if (next == span_) return;
  remember();
  sinceNudge_.invalidate();
  apply(next);
}

void TimeView::nudge(TimeSpan span) {
  const TimeSpan next = fitted(span);
  if (next == span_) return;
  if (!sinceNudge_.isValid() || sinceNudge_.elapsed() > kBurstMs) remember();
  sinceNudge_.start();
  apply(next);
}

void TimeView::zoomAbout(TimeNs fixed, double factor) {
  const auto length = static_cast<double>(span_.length());
  const TimeNs shortest = std::min(kShortest, bounds_.length());
  const TimeNs next = std::clamp(static_cast<TimeNs>(std::llround(length * factor)), shortest,
                                 std::max<TimeNs>(bounds_.length(), 1));
  const double share = static_cast<double>(fixed - span_.begin) / std::max(length, 1.0);
  const TimeNs begin = fixed - static_cast<TimeNs>(std::llround(share * static_cast<double>(next)));
  nudge({begin, begin + next});
}

void TimeView::panBy(double share) {
  const auto shift = static_cast<TimeNs>(std::llround(share * static_cast<double>(span_.length())));
  nudge({span_.begin + shift, span_.end + shift});
}

void TimeView::showAll() {
  show(bounds_);
}

void TimeView::goBack() {
  if (back_.empty()) return;
  const TimeSpan earlier = back_.back();
  back_.pop_back();
  forward_.push_back(span_);
  sinceNudge_.invalidate();
  apply(fitted(earlier));
  Q_EMIT historyChanged();
}

void TimeView::goForward() {
  if (forward_.empty()) return;
  const TimeSpan later = forward_.back();
  forward_.pop_back();
  back_.push_back(span_);
  sinceNudge_.invalidate();
  apply(fitted(later));
  Q_EMIT historyChanged();
}

}  // namespace ridgeline
