#pragma once

#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// The collectives of the window by kind, group size and message size: how long they take, what of
/// it is exposed, their bandwidth, and what they would take at least. A row shows the longest of
/// its calls.
class CollectivesPanel : public TablesPanel {
  Q_OBJECT

 public:
  CollectivesPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
};

}  // namespace ridgeline
