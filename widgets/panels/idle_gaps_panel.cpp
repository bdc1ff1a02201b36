#include "widgets/panels/idle_gaps_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/trace/recording_advice.h"
#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {
/// Shorter ones are in the sums but not in the list: there can be one a kernel.
constexpr TimeNs kShortestListed = 1000;
constexpr std::size_t kMostListed = 20000;
}  // namespace

IdleGapsPanel::IdleGapsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("idle_gaps"), tr("Idle gaps"), session, analyses, parent),
      bar_(new ShareBar(this)),
      cause_(new QComboBox(this)),
      table_(new ResultTableView(QStringLiteral("idle_gaps"), this)) {
  cause_->setToolTip(tr("Show gaps of one cause only"));
  cause_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(0, 0, 6, 0);
  top->addWidget(bar_, 1);
  top->addWidget(cause_, 0, Qt::AlignTop);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(top);
  layout->addWidget(table_, 1);
  setContent(content);
  connect(cause_, &QComboBox::currentIndexChanged, this, [this] {
    if (results_) fillTable();
  });
  connect(bar_, &ShareBar::partClicked, this, [this](int part) {
    const GapCause cause = barCauses_[static_cast<std::size_t>(part)];
    cause_->setCurrentIndex(cause_->findData(static_cast<int>(cause)));
  });
  const auto item = [this](int row) {
    const std::size_t index = (*shownGaps_)[static_cast<std::size_t>(row)];
    const IdleGap& gap = results_->idleGaps.gaps[index];
    return ItemRef{QStringLiteral("idle_gaps"), rank(), static_cast<std::int64_t>(index),
                   this->session().toSession(rank(), gap.span)};
  };
  connect(table_, &ResultTableView::rowSelected, this, [this, item](int row) {
    this->session().setActiveItem(item(row));
    this->session().requestReveal(item(row).span);
  });
  connect(table_, &ResultTableView::rowActivated, this, [this, item](int row) {
    this->session().setActiveItem(item(row));
    this->session().requestZoomTo(item(row).span);
  });
}

void IdleGapsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  const IdleGaps& gaps = results->idleGaps;
  if (results->deviceTimes.devices.empty()) {
    showEmpty(tr("No device work was recorded, so there is nothing to be idle. If a device was "
                 "used: %1.")
                  .arg(QString::fromStdString(
                      howToRecord(recordedBy(*results->workload->trace), Lacking::deviceWork))));
    return;
  }
  const Palette& colours = Palette::of(palette());
  std::vector<std::pair<TimeNs, GapCause>> causes;
  for (int c = 0; c < kGapCauseCount; ++c)
    if (const TimeNs time = gaps.byCause[static_cast<std::size_t>(c)]; time > 0)
      causes.emplace_back(time, static_cast<GapCause>(c));
  std::sort(causes.rbegin(), causes.rend());
  QString sentence =
      causes.empty()
          ? tr("The devices were never idle in %1.").arg(QString::fromStdString(gaps.window.label))
          : tr("Idle for %1 in %2; %3 of it: %4.")
                .arg(formatDuration(gaps.total), QString::fromStdString(gaps.window.label),
                     formatShare(static_cast<double>(causes.front().first) /
                                 static_cast<double>(gaps.total)),
                     cells::fromView(ridgeline::title(causes.front().second)));
  if (!causes.empty()) sentence += u' ' + cells::fromView(explanation(causes.front().second));
  if (!gaps.reliable)
    sentence += tr(" Not reliable: %1.").arg(QString::fromStdString(gaps.unreliable));
  setSentence(sentence);
  std::vector<ShareBar::Part> parts;
  barCauses_.clear();
  double strength = 1.0;
  for (const auto& [time, cause] : causes) {
    const double share = static_cast<double>(time) / static_cast<double>(gaps.total);
    parts.push_back({cells::fromView(ridgeline::title(cause)), formatDuration(time),
                     formatShare(share) + u'\n' + cells::fromView(explanation(cause)), share,
                     mix(colours.idleGap, colours.background, strength), false});
    barCauses_.push_back(cause);
    strength = std::max(0.25, strength - 0.18);
  }
  bar_->setParts(std::move(parts));
  {
    const QSignalBlocker blocker(cause_);
    const QVariant chosen = cause_->currentData();
    cause_->clear();
    cause_->addItem(tr("All causes"), -1);
    for (const auto& [time, cause] : causes)
      cause_->addItem(cells::fromView(ridgeline::title(cause)), static_cast<int>(cause));
    const int again = cause_->findData(chosen);
    cause_->setCurrentIndex(std::max(0, again));
  }
  fillTable();
}

void IdleGapsPanel::fillTable() {
  const int only = cause_->currentData().toInt();
  auto shown = std::make_shared<std::vector<std::size_t>>();
  const auto& gaps = results_->idleGaps.gaps;
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (gaps[i].span.length() >= kShortestListed &&
        (only < 0 || static_cast<int>(gaps[i].cause) == only))
      shown->push_back(i);
  std::sort(shown->begin(), shown->end(), [&](std::size_t a, std::size_t b) {
    return gaps[a].span.length() > gaps[b].span.length();
  });
  if (shown->size() > kMostListed) shown->resize(kMostListed);
  shownGaps_ = shown;
  const auto results = results_;
  const auto at = [results, shown](int row) -> const IdleGap& {
    return results->idleGaps.gaps[(*shown)[static_cast<std::size_t>(row)]];
  };
  const auto nameOf = [results](SliceId slice) {
    return slice.valid() ? shortKernelName(cells::fromView(results->workload->trace->name(slice)))
                         : QStringLiteral("—");
  };
  std::vector<ResultColumn> columns;
  ResultColumn cause =
      cells::text(tr("Cause"), tr("What the next kernel was waiting for"),
                  [at](int row) { return cells::fromView(ridgeline::title(at(row).cause)); });
  cause.hover = [at](int row) { return cells::fromView(explanation(at(row).cause)); };
  columns.push_back(std::move(cause));
  columns.push_back(cells::duration(tr("Length"),
                                    tr("Time in which no stream of the device worked"),
                                    [at](int row) { return at(row).span.length(); }));
  columns.push_back(cells::duration(tr("Start"), tr("Since the start of the recording"),
                                    [at](int row) { return at(row).span.begin; }));
  columns.push_back(cells::text(tr("Why"), tr("The evidence in a sentence"),
                                [at](int row) { return QString::fromStdString(at(row).why); }));
  columns.push_back(cells::text(tr("Host did"), tr("What filled the launching thread's time"),
                                [at, nameOf](int row) { return nameOf(at(row).hostEvent); }));
  columns.push_back(cells::text(tr("Before"), tr("The device event that ended last before the gap"),
                                [at, nameOf](int row) { return nameOf(at(row).before); }));
  columns.push_back(cells::text(tr("After"), tr("The first device event after the gap"),
                                [at, nameOf](int row) { return nameOf(at(row).after); }));
  table_->setContent(std::move(columns), static_cast<int>(shown->size()));
}

void IdleGapsPanel::selectionChanged() {
  const ItemRef& item = session().activeItem();
  if (item.kind != id() || item.rank != rank() || !shownGaps_) return;
  const auto it =
      std::find(shownGaps_->begin(), shownGaps_->end(), static_cast<std::size_t>(item.index));
  if (it != shownGaps_->end()) table_->showRow(static_cast<int>(it - shownGaps_->begin()));
}

}  // namespace ridgeline
