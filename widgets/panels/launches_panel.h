#pragma once

#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// How work came to the devices: launch cost on the host, from launch to start, queue depth; by
/// step, by kernel, by stream, and the launches that took longest to start.
class LaunchesPanel : public TablesPanel {
  Q_OBJECT

 public:
  LaunchesPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
};

}  // namespace ridgeline
