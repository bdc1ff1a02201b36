#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>

#include "widgets/models/result_table_model.h"

namespace ridgeline {

/// A table over a ResultTableModel as all panels show it: sorted by a click on a header, filtered
/// by text, copied as tab-separated text with Ctrl+C, columns remembered by the name of the table.
class ResultTableView : public QTableView {
  Q_OBJECT

 public:
  explicit ResultTableView(const QString& name, QWidget* parent = nullptr);

  [[nodiscard]] ResultTableModel& content() { return *model_; }
  /// Replaces the content and keeps sorting, filter and column widths.
  void setContent(std::vector<ResultColumn> columns, int rowCount);
  void setFilter(const QString& text);
  /// Scrolls to and selects the row of the result, without emitting rowSelected.
  void showRow(int row);
  /// Selects nothing.
  void showNoRow();
  [[nodiscard]] QString selectionAsText() const;

 Q_SIGNALS:
  void rowSelected(int row);   ///< by click or key; row of the result, not of the view
  void rowActivated(int row);  ///< double-click or Enter
  void badgeClicked();         ///< the mark of a number that findings on the data touch

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  /// What was chosen and in sight stays in sight.
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] int resultRow(const QModelIndex& index) const;
  ResultTableModel* model_;
  QSortFilterProxyModel* proxy_;
  bool quiet_ = false;
  bool sized_ = false;
  bool told_ = false;  ///< the press under way has changed the current row
};

}  // namespace ridgeline
