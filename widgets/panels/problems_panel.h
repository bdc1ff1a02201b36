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

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;

 private:
  ResultTableView* table_;
  int count_ = 0;
  std::vector<SliceId> examples_;  ///< by row
};

}  // namespace ridgeline
