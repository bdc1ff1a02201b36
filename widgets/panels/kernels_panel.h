#pragma once

#include <QComboBox>
#include <QLineEdit>

#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// Kernels by class and name within the window: calls, total, exposed, share. A row selects its
/// events in the timeline; a double-click zooms to the longest of them.
class KernelsPanel : public Panel {
  Q_OBJECT

 public:
  KernelsPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  enum class Level { names, classes };
  void fillNames();
  void fillClasses();
  void select(int row);
  [[nodiscard]] std::vector<SliceRef> slicesOf(int row) const;

  QComboBox* level_;
  QLineEdit* filter_;
  ResultTableView* table_;
  std::shared_ptr<const AnalysisResults> results_;
  /// Groups of one class and subclass, as indices into the result's groups.
  struct ClassRow {
    KernelClass kernelClass;
    std::string subclass;
    std::vector<std::size_t> groups;
    std::uint64_t calls = 0;
    TimeNs total = 0, exposed = 0;
    double share = 0;
  };
  std::shared_ptr<const std::vector<ClassRow>> classRows_;
};

}  // namespace ridgeline
