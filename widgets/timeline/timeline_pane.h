#pragma once

#include <QWidget>

#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

class LegendBar;
class OverviewBar;
class TimeRuler;
class TrackHeader;

/// Overview, ruler, names and rows put together.
class TimelinePane : public QWidget {
  Q_OBJECT

 public:
  explicit TimelinePane(Session& session, QWidget* parent = nullptr);

  [[nodiscard]] TimelineView& view() const { return *view_; }
  [[nodiscard]] OverviewBar& overview() const { return *overview_; }
  [[nodiscard]] TimeRuler& ruler() const { return *ruler_; }
  [[nodiscard]] TrackHeader& header() const { return *header_; }
  /// What is on screen, ruler and names included: for pictures.
  [[nodiscard]] TimelineScene fullScene() const;

 private:
  OverviewBar* overview_;
  TimelineView* view_;
  TimeRuler* ruler_;
  TrackHeader* header_;
  LegendBar* legend_;
};

}  // namespace ridgeline
