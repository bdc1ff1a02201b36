#pragma once

#include <vector>

#include <QWidget>

#include "widgets/timeline/overlay.h"

namespace ridgeline {

class TimelineView;

/// Draws a legend from left to right into `rect`, as many entries as fit; returns the width used.
double paintLegend(QPainter& painter, const QRectF& rect, const std::vector<LegendEntry>& entries,
                   const Palette& palette);

/// One line below the rows that says what the looks of the shown overlays mean.
class LegendBar : public QWidget {
  Q_OBJECT

 public:
  explicit LegendBar(TimelineView& view, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] const std::vector<LegendEntry>& entries() const { return entries_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void collect();

  TimelineView& view_;
  std::vector<LegendEntry> entries_;
};

}  // namespace ridgeline
