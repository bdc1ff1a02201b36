#pragma once

#include <vector>

#include <QElapsedTimer>
#include <QObject>

#include "core/base/time.h"

namespace ridgeline {

/// Which span of session time is on screen; shared by ruler, timeline, overview and whoever wants
/// to follow. Invariant: the span lies inside bounds() and is at least kShortest long (or as long
/// as the bounds, if those are shorter). Remembers earlier spans; bursts of small changes (wheel,
/// drag) count as one step back.
class TimeView : public QObject {
  Q_OBJECT

 public:
  static constexpr TimeNs kShortest = 100;

  explicit TimeView(QObject* parent = nullptr);

  [[nodiscard]] TimeSpan bounds() const { return bounds_; }
  [[nodiscard]] TimeSpan span() const { return span_; }

  /// New document: forgets the history and shows `span`.
  void reset(TimeSpan bounds, TimeSpan span);
  /// A jump: always a step of its own in the history.
  void show(TimeSpan span);
  /// A small change that is part of a burst.
  void nudge(TimeSpan span);
  /// Zooms so that `fixed` stays where it is; factor < 1 zooms in.
  void zoomAbout(TimeNs fixed, double factor);
  /// Shifts by a share of the visible span (positive = later).
  void panBy(double share);
  void showAll();

  [[nodiscard]] bool canGoBack() const { return !back_.empty(); }
  [[nodiscard]] bool canGoForward() const { return !forward_.empty(); }
  void goBack();
  void goForward();

 Q_SIGNALS:
  void spanChanged();
  void boundsChanged();
  void historyChanged();

 private:
  [[nodiscard]] TimeSpan fitted(TimeSpan span) const;
  void remember();
  void apply(TimeSpan span);

  TimeSpan bounds_{0, 1};
  TimeSpan span_{0, 1};
  std::vector<TimeSpan> back_;
  std::vector<TimeSpan> forward_;
  QElapsedTimer sinceNudge_;
};

}  // namespace ridgeline
