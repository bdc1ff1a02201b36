#pragma once

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"
#include "widgets/panels/share_bar.h"

namespace ridgeline {

/// Where each device's time went within the window: busy and idle, compute, exposed communication
/// and copies, and the same by kernel class.
class DeviceTimePanel : public Panel {
  Q_OBJECT

 public:
  DeviceTimePanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;

 private:
  ShareBar* bar_;
  ResultTableView* table_;
};

}  // namespace ridgeline
