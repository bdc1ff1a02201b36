#pragma once

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"
#include "widgets/panels/share_bar.h"

namespace ridgeline {

/// The critical path of one step: its time by cause and the list of its segments. A row selects the
/// segment's event; a double-click zooms to the segment.
class CriticalPathPanel : public Panel {
  Q_OBJECT

 public:
  CriticalPathPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  [[nodiscard]] const CriticalPath& path() const;
  ShareBar* bar_;
  ResultTableView* table_;
  std::shared_ptr<const AnalysisResults> results_;
};

/// The colour of a stretch of the path in charts and in the overlay's legend.
[[nodiscard]] QColor colourOf(PathCause cause, const Palette& palette);

}  // namespace ridgeline
