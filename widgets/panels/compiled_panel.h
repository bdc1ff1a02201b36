#pragma once

#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// What compilers made: programs (regions of torch.compile, graph replays, XLA modules), their
/// kernels with the source ops fused in them, their runs, and the time that compiling took. A row
/// selects its events in the timeline; a double-click zooms to the first of them.
class CompiledPanel : public TablesPanel {
  Q_OBJECT

 public:
  CompiledPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
};

}  // namespace ridgeline
