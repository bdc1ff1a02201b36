#pragma once

#include <QFrame>
#include <QLabel>

#include "widgets/common/analyses.h"

namespace ridgeline {

/// The lines above the timeline: the one sentence that a colleague would act on, and the figures
/// behind it. Every part is a link to its evidence.
class HeadlineBar : public QFrame {
  Q_OBJECT

 public:
  HeadlineBar(Session& session, Analyses& analyses, QWidget* parent = nullptr);

  [[nodiscard]] QString verdict() const;

 Q_SIGNALS:
  void panelRequested(const QString& id);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void follow(const QString& link);

  Session& session_;
  Analyses& analyses_;
  QLabel* verdict_;
  QLabel* parts_;
  std::shared_ptr<const AnalysisResults> results_;
};

}  // namespace ridgeline
