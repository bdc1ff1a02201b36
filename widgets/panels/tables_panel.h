#pragma once

#include <functional>

#include <QComboBox>
#include <QLineEdit>

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// A panel whose result is best read as one of several tables: a choice of tables and a filter
/// above one table. A row selects its evidence in the timeline; a double-click zooms to it.
class TablesPanel : public Panel {
  Q_OBJECT

 public:
  TablesPanel(const QString& id, const QString& title, Session& session, Analyses& analyses,
              QWidget* parent = nullptr);

  /// What is listed, in words: "By step".
  [[nodiscard]] QStringList tableTitles() const;
  [[nodiscard]] ResultTableView& table() const { return *table_; }
  void chooseTable(int index) { choice_->setCurrentIndex(index); }

 protected:
  /// One table. `evidence` gives what a row speaks of, in times of the trace; empty: nothing.
  /// `slice` gives the event itself; invalid: none. `slices` gives many, which a click selects all.
  struct View {
    QString title;
    QString tooltip;
    std::vector<ResultColumn> columns;
    int rows = 0;
    std::function<TimeSpan(int row)> evidence = {};
    std::function<SliceId(int row)> slice = {};
    std::function<std::vector<SliceId>(int row)> slices = {};
  };
  void setViews(std::vector<View> views);
  /// A widget above the tables (a chart); takes it over. At most one.
  void setTop(QWidget* top);

 private:
  void showTable(int index);
  void choose(int row, bool zoom);
  void select(const std::vector<SliceId>& slices, bool zoom);

  QComboBox* choice_;
  QLineEdit* filter_;
  ResultTableView* table_;
  std::vector<View> views_;
};

}  // namespace ridgeline
