#pragma once

#include <QFrame>
#include <QLabel>

#include "widgets/common/analyses.h"
#include "widgets/panels/share_bar.h"

namespace ridgeline {

/// The lines above the timeline: the one sentence that a colleague would act on, and the figures
/// behind it, with the step's time by what it went to. Every part is a link to its evidence.
class HeadlineBar : public QFrame {
  Q_OBJECT

 public:
  HeadlineBar(Session& session, Analyses& analyses, QWidget* parent = nullptr);

  [[nodiscard]] QString verdict() const;
  [[nodiscard]] ShareBar& shares() const { return *shares_; }

 Q_SIGNALS:
  void panelRequested(const QString& id);
  /// A check of the data is to be shown: its key.
  void findingRequested(const QString& key);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void follow(const QString& link);
  /// To the evidence of a part of the step.
  void followShare(int index);
  /// The badge of a number that findings on the data touch; empty if none does.
  [[nodiscard]] QString badge(const std::vector<std::string>& sections) const;

  Session& session_;
  Analyses& analyses_;
  QLabel* verdict_;
  ShareBar* shares_;
  QLabel* parts_;
  std::shared_ptr<const AnalysisResults> results_;
};

}  // namespace ridgeline
