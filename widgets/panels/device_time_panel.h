#pragma once

#include "widgets/panels/share_bar.h"
#include "widgets/panels/tables_panel.h"

namespace ridgeline {

/// Where each device's time went within the window: busy and idle, compute, exposed communication
/// and copies, and the same by kernel class; and a step's time by what it went to.
class DeviceTimePanel : public TablesPanel {
  Q_OBJECT

 public:
  DeviceTimePanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;

 private:
  ShareBar* bar_;
};

}  // namespace ridgeline
