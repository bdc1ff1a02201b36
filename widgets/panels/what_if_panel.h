#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>

#include "widgets/common/what_if_model.h"
#include "widgets/models/result_table_view.h"
#include "widgets/panels/panel.h"

namespace ridgeline {

/// What the step nearest the median would have taken, had something in it taken another time:
/// choose the thing and the factor, or one of the usual changes in the list. The ghost of that step
/// can be drawn over the timeline.
class WhatIfPanel : public Panel {
  Q_OBJECT

 public:
  WhatIfPanel(Session& session, Analyses& analyses, WhatIfModel& model, QWidget* parent = nullptr);

  [[nodiscard]] QComboBox& kindBox() const { return *kind_; }
  [[nodiscard]] QComboBox& thingBox() const { return *thing_; }
  [[nodiscard]] QDoubleSpinBox& factorBox() const { return *factor_; }
  [[nodiscard]] QCheckBox& ghostBox() const { return *ghost_; }
  [[nodiscard]] ResultTableView& table() const { return *table_; }
  [[nodiscard]] QString answerText() const { return answer_->text(); }

 protected:
  void fill(const std::shared_ptr<const AnalysisResults>& results) override;
  void selectionChanged() override;

 private:
  [[nodiscard]] QWidget* makeChoice();
  void fillThings();
  void nameThing();
  void fillTable();
  void choose(const WhatIfChange& change);
  void ask();
  void showAnswer();
  [[nodiscard]] std::optional<WhatIfChange> chosen() const;

  WhatIfModel& model_;
  std::shared_ptr<const AnalysisResults> results_;
  QComboBox* kind_;
  QComboBox* thing_;
  QDoubleSpinBox* factor_;
  QCheckBox* ghost_;
  QLabel* answer_;
  ResultTableView* table_;
  bool opened_ = false;  ///< something was chosen once
  bool quiet_ = false;   ///< the boxes are being filled
};

}  // namespace ridgeline
