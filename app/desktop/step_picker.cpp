#include "app/desktop/step_picker.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

#include "core/analysis/window.h"
#include "core/base/capital.h"
#include "widgets/common/format.h"

namespace ridgeline {

namespace {
/// What an entry of the list stands for: a step's index, or one of these.
constexpr int kSteady = -1;
constexpr int kMarked = -2;
constexpr int kWhole = -3;
}  // namespace

StepPicker::StepPicker(Session& session, Analyses& analyses, QWidget* parent)
    : QWidget(parent),
      session_(session),
      analyses_(analyses),
      choice_(new QComboBox(this)),
      previous_(new QToolButton(this)),
      next_(new QToolButton(this)),
      length_(new QLabel(this)) {
  previous_->setText(QStringLiteral("◀"));
  previous_->setToolTip(tr("The step before"));
  next_->setText(QStringLiteral("▶"));
  next_->setToolTip(tr("The next step"));
  for (QToolButton* button : {previous_, next_}) button->setAutoRaise(true);
  choice_->setToolTip(tr("What all panels look at"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 0, 6, 0);
  layout->setSpacing(2);
  layout->addWidget(previous_);
  layout->addWidget(choice_);
  layout->addWidget(next_);
  layout->addSpacing(10);
  layout->addWidget(length_);
  connect(choice_, &QComboBox::activated, this, &StepPicker::choose);
  connect(previous_, &QToolButton::clicked, this, [this] { moveBy(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { moveBy(1); });
  connect(&analyses_, &Analyses::workloadChanged, this, &StepPicker::refill);
  connect(&analyses_, &Analyses::currentChanged, this, &StepPicker::refill);
  connect(&session_, &Session::documentChanged, this, &StepPicker::refill);
  connect(&session_, &Session::windowChanged, this, &StepPicker::refill);
  connect(&session_, &Session::markedChanged, this, &StepPicker::refill);
  refill();
}

void StepPicker::refill() {
  const QSignalBlocker blocker(choice_);
  choice_->clear();
  const auto workload = analyses_.workload(analyses_.currentRank());
  const bool on = session_.hasDocument() && workload;
  for (QWidget* widget : {static_cast<QWidget*>(choice_), static_cast<QWidget*>(previous_),
                          static_cast<QWidget*>(next_)})
    widget->setEnabled(on);
  if (!on) {
    length_->clear();
    return;
  }
  const Steps& steps = workload->steps;
  const bool marked = steps.extent != StepExtent::trace;
  const std::size_t steady = steps.steadyCount();
  // Where none is steady, the label says which are looked at instead.
  choice_->addItem(!marked       ? tr("Whole trace")
                   : steady == 0 ? QString::fromStdString(capital(steadyWindow(*workload).label))
                   : steady == 1 ? tr("1 steady step")
                                 : tr("%1 steady steps").arg(steady),
                   kSteady);
  if (marked)
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      QString text = QString::fromStdString(steps.steps[i].name);
      if (!steps.steps[i].steady)
        text += tr(" (left out)");
      else if (steps.steps[i].slow)
        text += tr(" (slow)");
      choice_->addItem(text, static_cast<int>(i));
    }
  if (session_.marked()) choice_->addItem(tr("Marked span"), kMarked);
  if (marked) choice_->addItem(tr("Whole recording"), kWhole);
  const TimeSpan window = session_.window().span;
  int current = 0;
  if (!window.empty()) {
    for (int i = 0; i < choice_->count(); ++i) {
      const int step = choice_->itemData(i).toInt();
      if (step >= 0 &&
          session_.toSession(analyses_.currentRank(),
                             steps.steps[static_cast<std::size_t>(step)].window) == window)
        current = i;
      if (step == kMarked && session_.marked() == window) current = i;
      if (step == kWhole && session_.span() == window) current = i;
    }
    if (current == 0) {
      choice_->addItem(
          session_.window().title.isEmpty() ? tr("Chosen span") : session_.window().title,
          kSteady - 10);
      current = choice_->count() - 1;
    }
  }
  choice_->setCurrentIndex(current);
  showLength();
}

void StepPicker::showLength() {
  const auto results = analyses_.current();
  if (!results) {
    length_->clear();
    return;
  }
  const std::size_t spans = results->window.spans.size();
  const TimeNs length = results->window.length();
  length_->setText(tr("Window %1").arg(formatDuration(length)));
  length_->setToolTip(spans > 1 ? tr("%1 steps, %2 together (%3)")
                                      .arg(spans)
                                      .arg(formatDuration(length), formatExact(length))
                                : formatExact(length));
}

void StepPicker::choose(int index) {
  const int what = choice_->itemData(index).toInt();
  const QString title = choice_->itemText(index);
  if (what == kSteady) {
    session_.setWindow({});
  } else if (what == kMarked && session_.marked()) {
    session_.setWindow({*session_.marked(), title});
  } else if (what == kWhole) {
    session_.setWindow({session_.span(), title});
  } else if (what >= 0) {
    const auto workload = analyses_.workload(analyses_.currentRank());
    const TimeSpan span = session_.toSession(
        analyses_.currentRank(), workload->steps.steps[static_cast<std::size_t>(what)].window);
    session_.setWindow({span, title});
    session_.requestReveal(span);
  }
}

void StepPicker::moveBy(int by) {
  const auto workload = analyses_.workload(analyses_.currentRank());
  if (!workload) return;
  const int count = static_cast<int>(workload->steps.steps.size());
  const int now = choice_->currentData().toInt();
  const int wanted = now >= 0 ? now + by
                              : (by > 0 ? static_cast<int>(workload->steps.representative)
                                        : static_cast<int>(workload->steps.representative) - 1);
  const int step = std::clamp(wanted, 0, count - 1);
  const int index = choice_->findData(step);
  if (index < 0) return;
  choice_->setCurrentIndex(index);
  choose(index);
}

}  // namespace ridgeline
