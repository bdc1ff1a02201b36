#pragma once

#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// Memory within the window: peaks, who allocated what was alive at them, and the calls by which
/// the allocator took memory from the driver. The curves are lanes of the timeline.
class MemoryPanel : public TablesPanel {
  Q_OBJECT

 public:
  MemoryPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
};

}  // namespace ridgeline
