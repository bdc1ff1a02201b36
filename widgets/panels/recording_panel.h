#pragma once

#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// The recording itself: what run it is of, and what recording it cost.
class RecordingPanel : public TablesPanel {
  Q_OBJECT

 public:
  RecordingPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
};

}  // namespace ridgeline
