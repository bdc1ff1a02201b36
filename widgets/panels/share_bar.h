#pragma once

#include <vector>

#include <QColor>
#include <QString>
#include <QWidget>

namespace ridgeline {

/// One whole split into coloured parts, with their names below, or within them where there is no
/// room for a second line: "where a step's time went".
class ShareBar : public QWidget {
  Q_OBJECT

 public:
  struct Part {
    QString name;
    QString value;  ///< as people read it: "59 ms"
    QString tooltip;
    double share = 0;  ///< 0…1
    QColor colour;
    bool hatched = false;
  };

  explicit ShareBar(QWidget* parent = nullptr);
  void setParts(std::vector<Part> parts);
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// Names stand within the parts.
  void setOneLine(bool oneLine);
  /// The middle of a part, to be pointed at.
  [[nodiscard]] QPoint middleOf(int part) const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void partClicked(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] QRectF barRect() const;
  [[nodiscard]] int partAt(double x) const;
  [[nodiscard]] QString labelOf(const Part& part, double width) const;
  std::vector<Part> parts_;
  bool oneLine_ = false;
};

}  // namespace ridgeline
