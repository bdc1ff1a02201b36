#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "widgets/common/analyses.h"

namespace ridgeline {

/// "Step ◀ 103 of 101…105 ▶   Window 96.3 ms": chooses what all panels look at: all steady steps,
/// one step, the marked span or the whole recording.
class StepPicker : public QWidget {
  Q_OBJECT

 public:
  StepPicker(Session& session, Analyses& analyses, QWidget* parent = nullptr);

 private:
  void refill();
  void choose(int index);
  void moveBy(int steps);
  void showLength();

  Session& session_;
  Analyses& analyses_;
  QComboBox* choice_;
  QToolButton* previous_;
  QToolButton* next_;
  QLabel* length_;
};

}  // namespace ridgeline
