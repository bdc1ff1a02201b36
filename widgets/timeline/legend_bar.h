#pragma once

#include <vector>

#include <QWidget>

#include "widgets/timeline/overlay.h"

namespace ridgeline {

class TimelineView;

/// Where each entry stands in a legend of this width: the left end and the line, from 0.
struct LegendPlace {
  double x = 0;
  int line = 0;
};
[[nodiscard]] std::vector<LegendPlace> layOutLegend(const std::vector<LegendEntry>& entries,
                                                    const QFontMetricsF& metrics, double width);

/// Below the rows: says what the looks of the shown overlays mean, in as many lines as it takes.
class LegendBar : public QWidget {
  Q_OBJECT

 public:
  explicit LegendBar(TimelineView& view, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] const std::vector<LegendEntry>& entries() const { return entries_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void collect();
  void fitHeight();
  [[nodiscard]] double lineHeight() const;

  TimelineView& view_;
  std::vector<LegendEntry> entries_;
};

}  // namespace ridgeline
