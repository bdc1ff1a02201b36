#pragma once

#include <QComboBox>

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"
#include "widgets/panels/share_bar.h"

namespace ridgeline {

/// Why devices stood still within the window: idle time by cause, and every gap of a microsecond or
/// more with its evidence. A row selects the gap in the timeline; a double-click zooms to it.
class IdleGapsPanel : public Panel {
  Q_OBJECT

 public:
  IdleGapsPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  void fillTable();

  ShareBar* bar_;
  QComboBox* cause_;
  ResultTableView* table_;
  std::shared_ptr<const AnalysisResults> results_;
  std::vector<GapCause> barCauses_;
  std::shared_ptr<const std::vector<std::size_t>> shownGaps_;  ///< indices into the result
};

}  // namespace ridgeline
