#include "widgets/panels/what_if_panel.h"

#include <algorithm>
#include <map>
#include <utility>

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

using What = WhatIfChange::What;

/// At most so many names of kernels and operators are offered: those that take the longest.
constexpr std::size_t kMostNames = 200;

const QString kGhost = QStringLiteral("what_if");

/// What a combo box offers of a kind: its value, as in WhatIfChange, beside the text.
struct Thing {
  QString text;
  QVariant value;
  TimeNs time = 0;
};

std::vector<Thing> byName(const std::map<StringId, TimeNs>& times, const Trace& trace) {
  std::vector<Thing> things;
  for (const auto& [name, time] : times) {
    const QString text = cells::fromView(trace.text(name));
    things.push_back({shortKernelName(text), text, time});
  }
  std::stable_sort(things.begin(), things.end(),
                   [](const Thing& a, const Thing& b) { return a.time > b.time; });
  if (things.size() > kMostNames) things.resize(kMostNames);
  return things;
}

std::vector<Thing> thingsOf(What kind, const AnalysisResults& results) {
  const Workload& w = *results.workload;
  const SliceTable& s = w.trace->slices();
  const DependencyGraph& graph = *results.whatIfs.graph;
  std::map<StringId, TimeNs> names;
  std::map<KernelClass, TimeNs> classes;
  for (const DependencyGraph::Work& work : graph.work()) {
    const TimeNs time = graph.times()[work.end] - graph.times()[work.begin];
    if (kind == What::kernelClass) classes[w.classOf(work.slice)] += time;
    if (kind == What::kernel) names[s.name[work.slice.index()]] += time;
    if (kind == What::op && !w.opOf.empty() && w.opOf[work.slice.index()].valid())
      names[s.name[w.opOf[work.slice.index()].index()]] += time;
  }
  std::vector<Thing> things = byName(names, *w.trace);
  for (const auto& [kernelClass, time] : classes)
    things.push_back({cells::fromView(name(kernelClass)), static_cast<int>(kernelClass), time});
  if (kind == What::cause)
    for (int c = 0; c < kPathCauseCount; ++c)
      things.push_back(
          {cells::fromView(ridgeline::title(static_cast<PathCause>(c))), c,
           results.criticalPaths.paths[results.whatIfs.span].byCause[static_cast<std::size_t>(c)]});
  std::stable_sort(things.begin(), things.end(),
                   [](const Thing& a, const Thing& b) { return a.time > b.time; });
  return things;
}

}  // namespace

WhatIfPanel::WhatIfPanel(Session& session, Analyses& analyses, WhatIfModel& model, QWidget* parent)
    : Panel(QStringLiteral("what_if"), tr("What if"), session, analyses, parent),
      model_(model),
      kind_(new QComboBox(this)),
      thing_(new QComboBox(this)),
      factor_(new QDoubleSpinBox(this)),
      ghost_(new QCheckBox(tr("Ghost in the timeline"), this)),
      answer_(new QLabel(this)),
      table_(new ResultTableView(QStringLiteral("what_if"), this)) {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(makeChoice());
  answer_->setWordWrap(true);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  answer_->setContentsMargins(8, 0, 8, 0);
  layout->addWidget(answer_);
  layout->addWidget(table_, 1);
  setContent(content);
  session.setOverlayOn(kGhost, false);
  connect(&model_, &WhatIfModel::answerChanged, this, &WhatIfPanel::showAnswer);
  connect(table_, &ResultTableView::rowSelected, this, [this](int row) {
    choose(results_->whatIfs.list[static_cast<std::size_t>(row)].change);
  });
}

QWidget* WhatIfPanel::makeChoice() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(6, 0, 6, 0);
  const auto add = [this](const QString& text, What what) {
    kind_->addItem(text, static_cast<int>(what));
  };
  add(tr("Class of kernels"), What::kernelClass);
  add(tr("Kernels of operator"), What::op);
  add(tr("Kernel"), What::kernel);
  add(tr("Selected event"), What::event);
  add(tr("Cause"), What::cause);
  add(tr("Collectives"), What::collectives);
  add(tr("Launches"), What::launches);
  kind_->setAccessibleName(tr("What changes"));
  thing_->setAccessibleName(tr("Which"));
  thing_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  thing_->setMinimumContentsLength(16);
  factor_->setRange(0, 100);
  factor_->setSingleStep(0.1);
  factor_->setValue(0.5);
  factor_->setPrefix(tr("× "));
  factor_->setToolTip(tr("Its time, times this: 0.5 is twice as fast, 0 takes no time"));
  factor_->setAccessibleName(tr("Factor on its time"));
  ghost_->setToolTip(tr("Outlines device work where it would be, and the new end of the step"));
  layout->addWidget(kind_);
  layout->addWidget(thing_, 1);
  layout->addWidget(factor_);
  layout->addWidget(ghost_);
  connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
    if (quiet_) return;
    fillThings();
    ask();
  });
  connect(thing_, &QComboBox::currentIndexChanged, this, [this] {
    if (quiet_) return;
    nameThing();
    ask();
  });
  connect(factor_, &QDoubleSpinBox::valueChanged, this, &WhatIfPanel::ask);
  connect(ghost_, &QCheckBox::toggled, this,
          [this](bool on) { session().setOverlayOn(kGhost, on); });
  connect(&session(), &Session::overlaySwitched, ghost_, [this](const QString& id, bool on) {
    if (id == kGhost) ghost_->setChecked(on);
  });
  return row;
}

void WhatIfPanel::fillThings() {
  const auto kind = static_cast<What>(kind_->currentData().toInt());
  const QVariant before = thing_->currentData();
  const bool wasQuiet = std::exchange(quiet_, true);
  thing_->clear();
  const auto step = static_cast<double>(results_->whatIfs.window.length());
  for (const Thing& thing : thingsOf(kind, *results_))
    thing_->addItem(
        tr("%1  (%2)")
            .arg(thing.text, formatShare(static_cast<double>(thing.time) / std::max(1.0, step))),
        thing.value);
  for (int i = 0; i < thing_->count(); ++i) {
    // Of names whole, for the box elides them.
    const QVariant value = thing_->itemData(i);
    thing_->setItemData(i, value.userType() == QMetaType::QString ? value : thing_->itemText(i),
                        Qt::ToolTipRole);
  }
  const int again = thing_->findData(before);
  if (again >= 0) thing_->setCurrentIndex(again);
  thing_->setEnabled(thing_->count() > 0);
  thing_->setPlaceholderText(QString());
  if (kind == What::kernelClass || kind == What::op || kind == What::kernel)
    if (thing_->count() == 0) thing_->setPlaceholderText(tr("none in this step"));
  nameThing();
  quiet_ = wasQuiet;
}

/// The box shows what does not fit elided: whole on hover. Of an event, which one is selected.
void WhatIfPanel::nameThing() {
  const bool event = static_cast<What>(kind_->currentData().toInt()) == What::event;
  if (!event) {
    thing_->setToolTip(thing_->currentData(Qt::ToolTipRole).toString());
    return;
  }
  const SliceRef active = session().active();
  const QString name = active.valid() && active.rank == rank()
                           ? cells::fromView(results_->workload->trace->name(active.id))
                           : QString();
  thing_->setPlaceholderText(name.isEmpty() ? tr("none selected") : shortKernelName(name));
  thing_->setToolTip(name);
}

std::optional<WhatIfChange> WhatIfPanel::chosen() const {
  WhatIfChange change;
  change.what = static_cast<What>(kind_->currentData().toInt());
  change.factor = factor_->value();
  const QVariant value = thing_->currentData();
  switch (change.what) {
    case What::kernelClass:
      if (!value.isValid()) return std::nullopt;
      change.kernelClass = static_cast<KernelClass>(value.toInt());
      break;
    case What::cause:
      if (!value.isValid()) return std::nullopt;
      change.cause = static_cast<PathCause>(value.toInt());
      break;
    case What::op:
    case What::kernel:
      if (!value.isValid()) return std::nullopt;
      change.name = value.toString().toStdString();
      break;
    case What::event:
      if (!session().active().valid() || session().active().rank != rank()) return std::nullopt;
      change.event = session().active().id;
      break;
    case What::collectives:
    case What::launches:
      break;
  }
  return change;
}

void WhatIfPanel::choose(const WhatIfChange& change) {
  quiet_ = true;
  kind_->setCurrentIndex(kind_->findData(static_cast<int>(change.what)));
  fillThings();
  QVariant value = QString::fromStdString(change.name);
  if (change.what == What::kernelClass) value = static_cast<int>(change.kernelClass);
  if (change.what == What::cause) value = static_cast<int>(change.cause);
  const int index = thing_->findData(value);
  if (index >= 0) thing_->setCurrentIndex(index);
  factor_->setValue(change.factor);
  quiet_ = false;
  ask();
}

void WhatIfPanel::ask() {
  if (quiet_ || !results_) return;
  const auto change = chosen();
  if (change) {
    answer_->setEnabled(false);  // what it shows is of the question before
  } else {
    const bool event = static_cast<What>(kind_->currentData().toInt()) == What::event;
    answer_->setEnabled(true);
    answer_->setText(event ? tr("Click an event of this recording in the timeline to change it.")
                           : tr("This step has none of that: choose another kind of change."));
  }
  model_.ask(change);
}

void WhatIfPanel::showAnswer() {
  const auto answer = model_.answer();
  if (!answer) return;
  answer_->setEnabled(true);
  QStringList lines;
  lines << QString::fromStdString(answer->whatIf.sentence);
  QStringList assumptions;
  for (const std::string& text : answer->whatIf.assumptions)
    assumptions << QString::fromStdString(text);
  lines << assumptions.join(u' ');  // one paragraph: the table needs the room
  const QString text = lines.join(QLatin1Char('\n'));
  answer_->setText(elidedWords(text));
  answer_->setToolTip(wrappedHover(text));
}

void WhatIfPanel::fillTable() {
  const auto at = [results = results_](int row) -> const WhatIf& {
    return results->whatIfs.list[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(
      cells::text(tr("Change"), tr("Usual changes; a click looks at one"),
                  [at](int row) { return QString::fromStdString(titleOf(at(row).change)); }));
  columns.push_back(cells::duration(tr("Step then"), tr("Replayed; a bound"),
                                    [at](int row) { return at(row).newStep; }));
  columns.push_back(cells::duration(tr("Saved"), tr("Of the measured step, at best"),
                                    [at](int row) { return at(row).saving(); }));
  columns.push_back(cells::share(tr("Share"), tr("Saved, of the step"), [at](int row) {
    return static_cast<double>(at(row).saving()) /
           static_cast<double>(std::max<TimeNs>(1, at(row).step));
  }));
  columns.push_back(cells::duration(tr("On the path"), tr("Time of it on the critical path"),
                                    [at](int row) { return at(row).onPath; }));
  columns.push_back(
      cells::text(tr("So"), tr("What follows, and where the path goes"),
                  [at](int row) { return QString::fromStdString(at(row).sentence); }));
  table_->setContent(std::move(columns), static_cast<int>(results_->whatIfs.list.size()));
}

void WhatIfPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  const WhatIfs& all = results->whatIfs;
  if (!all.graph) {
    results_ = nullptr;
    showEmpty(tr("No what-if: %1").arg(QString::fromStdString(all.missing)));
    return;
  }
  showContent();
  setSentence(
      tr("The step whose length is nearest the median (%1), replayed on its dependencies with one "
         "thing changed: bounds, not forecasts.")
          .arg(formatDuration(all.window.length())));
  fillTable();
  if (!std::exchange(opened_, true) && !all.list.empty())
    return choose(all.list.front().change);  // what would bring most
  fillThings();
  ask();
}

void WhatIfPanel::selectionChanged() {
  if (results_ && static_cast<What>(kind_->currentData().toInt()) == What::event) {
    nameThing();
    ask();
  }
}

}  // namespace ridgeline
