#include "widgets/panels/steps_panel.h"

#include "widgets/panels/cells.h"

namespace ridgeline {

StepsPanel::StepsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("steps"), tr("Steps"), session, analyses, parent),
      table_(new ResultTableView(QStringLiteral("steps"), this)) {
  setContent(table_);
  const auto item = [this](int row) {
    const Step& step = workload_->steps.steps[static_cast<std::size_t>(row)];
    return ItemRef{QStringLiteral("steps"), rank(), row,
                   this->session().toSession(rank(), step.window)};
  };
  connect(table_, &ResultTableView::rowSelected, this, [this, item](int row) {
    const ItemRef step = item(row);
    this->session().setActiveItem(step);
    this->session().requestReveal(step.span);
  });
  connect(table_, &ResultTableView::rowActivated, this, [this, item](int row) {
    const ItemRef step = item(row);
    const auto& name = workload_->steps.steps[static_cast<std::size_t>(row)].name;
    this->session().setWindow({step.span, QString::fromStdString(name)});
    this->session().requestZoomTo(step.span);
  });
}

void StepsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  workload_ = results->workload;
  const Steps& steps = workload_->steps;
  const StepStatistics statistics = statisticsOf(steps);
  QString sentence = QString::fromStdString(steps.sentence);
  if (statistics.n > 1)
    sentence += tr(" Median %1, p90 %2, longest %3; half of them within %4 of the median.")
                    .arg(formatDuration(statistics.median), formatDuration(statistics.p90),
                         formatDuration(statistics.max), formatDuration(statistics.mad));
  setSentence(sentence);
  const auto w = workload_;
  const auto at = [w](int row) -> const Step& {
    return w->steps.steps[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(
      tr("Step"), tr("Its name in the trace (%1)").arg(QString::fromStdString(steps.source)),
      [at](int row) { return QString::fromStdString(at(row).name); }));
  columns.push_back(
      cells::duration(tr("Length"),
                      tr("Of the window that analyses of this step look at: its %1 extent")
                          .arg(cells::fromView(name(steps.extent))),
                      [at](int row) { return at(row).window.length(); }));
  columns.push_back(cells::duration(tr("Host"), tr("The annotation on the host thread"),
                                    [at](int row) { return at(row).host.length(); }));
  columns.push_back(cells::duration(tr("Device"),
                                    tr("From the first to the last device event launched in it"),
                                    [at](int row) { return at(row).device.length(); }));
  columns.push_back(cells::duration(tr("Start"), tr("Since the start of the recording"),
                                    [at](int row) { return at(row).window.begin; }));
  columns.push_back(cells::text(
      tr("State"),
      tr("Steady steps count in medians; warm-up, compilation and incomplete steps are left out; "
         "slow ones (over the median by more than 5 MAD and 5 %) are kept in the tail"),
      [at](int row) -> QString {
        if (!at(row).steady) return tr("left out: ") + QString::fromStdString(at(row).why);
        return at(row).slow ? QString::fromStdString(at(row).why) : tr("steady");
      }));
  table_->setContent(std::move(columns), static_cast<int>(steps.steps.size()));
}

void StepsPanel::selectionChanged() {
  const ItemRef& item = session().activeItem();
  if (item.kind == id() && item.rank == rank()) table_->showRow(static_cast<int>(item.index));
}

}  // namespace ridgeline
