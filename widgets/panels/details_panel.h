#pragma once

#include <QTextBrowser>

#include "core/analysis/exposure.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// Everything that is known of the selection: times, args, the launching call, its op with shapes,
/// class, place on the roofline, whether it is on the critical path and why. For a gap: cause and
/// evidence. Links lead to the events named.
class DetailsPanel : public Panel {
  Q_OBJECT

 public:
  DetailsPanel(Session& session, Analyses& analyses, QWidget* parent = nullptr);

  [[nodiscard]] QString text() const { return view_->toPlainText(); }

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  [[nodiscard]] QString sliceHtml(SliceRef slice);
  [[nodiscard]] QString gapHtml(const ItemRef& item) const;
  [[nodiscard]] QString stepHtml(const ItemRef& item) const;

  QTextBrowser* view_;
  std::shared_ptr<const AnalysisResults> results_;
  std::shared_ptr<const Workload> exposureOf_;
  std::unique_ptr<Exposure> exposure_;
};

}  // namespace ridgeline
