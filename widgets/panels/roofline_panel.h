#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>

#include "widgets/charts/roofline_chart.h"
#include "widgets/models/result_table_view.h"
#include "widgets/panels/bounds_bars.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// Op × shape points of one device under its roofs, and the three lower bounds of a step. The
/// active kernel's point lights up; a click on a point, a row or a lasso selects its slices.
class RooflinePanel : public Panel {
  Q_OBJECT

 public:
  RooflinePanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

  /// Writes the chart with a caption to a .png or .svg file; an empty text, or what went wrong.
  QString exportPicture(const QString& path);
  [[nodiscard]] RooflineChart& chart() const { return *chart_; }

 Q_SIGNALS:
  /// "Set peaks…" was clicked: the device's figures are not known.
  void peaksWanted();

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void connectParts();
  void fillDevices();
  void fillDevice();
  void fillChart();
  void showNotes();
  void select(const QList<int>& ids, const QString& reason);
  void selectPoint(int id);
  void zoomTo(int id);
  void light(const QList<int>& ids);
  void paintPicture(QPainter& painter, QSizeF size);
  void askForPicture();
  [[nodiscard]] QStringList caption() const;
  [[nodiscard]] int pointOf(SliceId slice) const;
  [[nodiscard]] QList<int> pointsOf(const Selection& selection) const;
  [[nodiscard]] const RooflinePoint& point(int id) const {
    return results_->roofline.points[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] bool isOnChart(int id) const {
    return point(id).intensity.value_or(0) > 0 && point(id).performance.value_or(0) > 0;
  }

  QComboBox* devices_;
  QLabel* noRoofs_;
  QPushButton* setPeaks_;
  BoundsBars* bounds_;
  QSplitter* splitter_;
  RooflineChart* chart_;
  ResultTableView* table_;
  QLabel* line_;  ///< what is lit, in words
  std::shared_ptr<const AnalysisResults> results_;
  std::shared_ptr<const std::vector<int>> rows_;  ///< points of the device shown, by table row
  DeviceId device_;
  bool sized_ = false;
  SliceRef lastActive_;
  QString lastReason_;
  std::size_t lastCount_ = 0;
};

}  // namespace ridgeline
