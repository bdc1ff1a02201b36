#pragma once

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// What limits the analyses, what follows from it and what to record instead; and what was lost or
/// mended while reading.
class ProblemsPanel : public Panel {
  Q_OBJECT

 public:
  ProblemsPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);
  [[nodiscard]] int count() const { return count_; }
  /// Selects the row of a check once the panel shows it.
  void showFinding(const QString& key);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;

 private:
  ResultTableView* table_;
  int count_ = 0;
  std::vector<SliceId> examples_;  ///< by row
  std::vector<std::string> keys_;  ///< of checks, by row: they come first
  QString wanted_;                 ///< asked for while the panel was not filled
};

}  // namespace ridgeline
