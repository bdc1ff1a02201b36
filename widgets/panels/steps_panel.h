#pragma once

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// The steps of the current rank: which are steady, which are not and why, how long each took. A
/// double-click makes a step the window of every panel and shows it in the timeline.
class StepsPanel : public Panel {
  Q_OBJECT

 public:
  StepsPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  ResultTableView* table_;
  std::shared_ptr<const Workload> workload_;
};

}  // namespace ridgeline
