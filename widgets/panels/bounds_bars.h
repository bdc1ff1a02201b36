#pragma once

#include <array>

#include <QColor>
#include <QString>
#include <QWidget>

namespace ridgeline {

/// The lower bounds of a step drawn over what was measured. All start at the left: they overlap
/// and are never added up. A bound that is not known says so in its place.
class BoundsBars : public QWidget {
  Q_OBJECT

 public:
  struct Bar {
    QString name;       ///< "compute"
    QString value;      ///< "41.2 ms", or why there is none
    QString hover;      ///< what it was computed from
    double share = -1;  ///< of the measured time; negative: not known
    QColor colour;
  };

  explicit BoundsBars(QWidget* parent = nullptr);
  /// `floorShare` is the largest known share, negative if none is.
  void setBars(const QString& heading, std::array<Bar, 3> bars, double floorShare);
  [[nodiscard]] const std::array<Bar, 3>& bars() const { return bars_; }
  [[nodiscard]] QString heading() const { return heading_; }
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  /// The heading takes as many lines as it needs.
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] QRect headingRect(int width) const;
  [[nodiscard]] QRectF measuredRect() const;
  [[nodiscard]] QRectF laneRect(int lane) const;
  void paintBar(QPainter& painter, int lane) const;

  QString heading_;
  std::array<Bar, 3> bars_;
  double floorShare_ = -1;
};

}  // namespace ridgeline
