#pragma once

#include <string>
#include <vector>

#include <QLabel>

#include "widgets/common/analyses.h"

namespace ridgeline {

/// What the checks of the data found of the figures that a panel shows, worst first.
[[nodiscard]] std::vector<const QualityCheck*> findingsOf(const AnalysisResults& results,
                                                          const QString& panelId);
/// Each finding with its consequence and remedy, one a line; empty without findings.
[[nodiscard]] QString findingsText(const std::vector<const QualityCheck*>& findings);

/// "▲ 2 warnings": that findings on the data touch the numbers beside it, told on hover; a click
/// asks to be led to them. Hidden while there are none.
class QualityBadge : public QLabel {
  Q_OBJECT

 public:
  explicit QualityBadge(QWidget* parent = nullptr);
  void setFindings(const std::vector<const QualityCheck*>& findings);
  /// Key of the worst finding; empty without one.
  [[nodiscard]] QString worst() const { return worst_; }

 Q_SIGNALS:
  /// Key of the worst.
  void findingRequested(const QString& key);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show(int count);
  int count_ = 0;
  QString worst_;
};

}  // namespace ridgeline
