#include "widgets/panels/critical_path_panel.h"

#include <algorithm>

#include <QVBoxLayout>

#include "widgets/panels/cells.h"

namespace ridgeline {

QColor colourOf(PathCause cause, const Palette& palette) {
  switch (cause) {
    case PathCause::compute:
      return palette.of(KernelClass::matmul);
    case PathCause::communication:
      return palette.of(KernelClass::collective);
    case PathCause::memory:
      return palette.of(KernelClass::memcpy);
    case PathCause::hostOp:
    case PathCause::python:
      return palette.of(ColourKey::op);
    case PathCause::launch:
    case PathCause::hostSync:
    case PathCause::allocation:
    case PathCause::compileLoad:
      return palette.of(ColourKey::runtime);
    case PathCause::profiler:
      return palette.of(ColourKey::overhead);
    case PathCause::launchLatency:
    case PathCause::queueing:
    case PathCause::streamWait:
      return mix(palette.idleGap, palette.background, 0.45);
    case PathCause::input:
    case PathCause::hostGap:
    case PathCause::untraced:
      return mix(palette.idleGap, palette.background, 0.8);
  }
  return palette.mutedText;
}

CriticalPathPanel::CriticalPathPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("critical_path"), tr("Critical path"), session, analyses, parent),
      bar_(new ShareBar(this)),
      table_(new ResultTableView(QStringLiteral("critical_path"), this)) {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(bar_);
  layout->addWidget(table_, 1);
  setContent(content);
  const auto show = [this](int row, bool zoom) {
    const PathSegment& segment = path().segments[static_cast<std::size_t>(row)];
    const TimeSpan span = this->session().toSession(rank(), segment.span);
    if (segment.event.valid()) {
      this->session().setActive({rank(), segment.event});
      if (!zoom) this->session().requestReveal(SliceRef{rank(), segment.event});
    }
    if (zoom)
      this->session().requestZoomTo(span);
    else if (!segment.event.valid())
      this->session().requestReveal(span);
  };
  connect(table_, &ResultTableView::rowSelected, this, [show](int row) { show(row, false); });
  connect(table_, &ResultTableView::rowActivated, this, [show](int row) { show(row, true); });
}

const CriticalPath& CriticalPathPanel::path() const {
  return results_->criticalPaths.paths[results_->criticalPaths.representative];
}

void CriticalPathPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  const CriticalPaths& paths = results->criticalPaths;
  if (paths.paths.empty() || path().segments.empty()) {
    showEmpty(tr("There is no critical path: the window holds no events."));
    return;
  }
  const CriticalPath& p = path();
  std::vector<std::pair<TimeNs, PathCause>> causes;
  for (int c = 0; c < kPathCauseCount; ++c)
    if (const TimeNs time = p.byCause[static_cast<std::size_t>(c)]; time > 0)
      causes.emplace_back(time, static_cast<PathCause>(c));
  std::sort(causes.rbegin(), causes.rend());
  const auto total = static_cast<double>(std::max<TimeNs>(1, p.window.length()));
  QString where;
  if (paths.window.steps.size() == paths.paths.size())
    where = QString::fromStdString(
        results->workload->steps.steps[paths.window.steps[paths.representative]].name);
  else
    where = QString::fromStdString(paths.window.label);
  QStringList largest;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, causes.size()); ++i)
    largest << tr("%1 %2").arg(cells::fromView(ridgeline::title(causes[i].second)),
                               formatShare(static_cast<double>(causes[i].first) / total));
  const QString which = paths.paths.size() > 1
                            ? tr("%1 (%2, the step whose length is nearest the median)")
                            : tr("%1 (%2)");
  setSentence(tr("The end of %1 waited for: %2.")
                  .arg(which.arg(where, formatDuration(p.window.length())),
                       largest.join(QStringLiteral(", "))));
  const Palette& colours = Palette::of(palette());
  std::vector<ShareBar::Part> parts;
  for (const auto& [time, cause] : causes) {
    const double share = static_cast<double>(time) / total;
    parts.push_back({cells::fromView(ridgeline::title(cause)), formatDuration(time),
                     formatShare(share), share, colourOf(cause, colours), false});
  }
  bar_->setParts(std::move(parts));

  const auto at = [results](int row) -> const PathSegment& {
    const CriticalPaths& all = results->criticalPaths;
    return all.paths[all.representative].segments[static_cast<std::size_t>(row)];
  };
  const auto nameOf = [results](SliceId slice) {
    return slice.valid() ? cells::fromView(results->workload->trace->name(slice))
                         : QStringLiteral("—");
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::duration(tr("Start"), tr("Since the start of the recording"),
                                    [at](int row) { return at(row).span.begin; }));
  columns.push_back(cells::duration(tr("Length"), tr("The segments touch and sum to the window"),
                                    [at](int row) { return at(row).span.length(); }));
  ResultColumn cause = cells::text(tr("Cause"), tr("Every instant has exactly one"), [at](int row) {
    return cells::fromView(ridgeline::title(at(row).cause));
  });
  cause.swatch = [at, &colours](int row) { return colourOf(at(row).cause, colours); };
  columns.push_back(std::move(cause));
  columns.push_back(
      cells::text(tr("Why it is here"),
                  tr("How the path led from the next segment (\"it\") back into this one"),
                  [at](int row) { return cells::fromView(ridgeline::title(at(row).edge)); }));
  ResultColumn event =
      cells::text(tr("Event"), tr("What ran, or what was waited for"),
                  [at, nameOf](int row) { return shortKernelName(nameOf(at(row).event)); });
  event.hover = [at, nameOf](int row) { return nameOf(at(row).event); };
  columns.push_back(std::move(event));
  columns.push_back(cells::text(tr("Track"), tr("Where it ran"), [at, results](int row) {
    const SliceId slice = at(row).event;
    if (!slice.valid()) return QStringLiteral("—");
    const Trace& trace = *results->workload->trace;
    return QString::fromStdString(trace.track(trace.trackOf(slice)).displayName);
  }));
  table_->setContent(std::move(columns), static_cast<int>(p.segments.size()));
}

void CriticalPathPanel::selectionChanged() {
  if (!results_ || results_->criticalPaths.paths.empty()) return;
  const SliceRef active = session().active();
  if (!active.valid() || active.rank != rank()) return;
  const auto& segments = path().segments;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (segments[i].event == active.id) {
      table_->showRow(static_cast<int>(i));
      return;
    }
}

}  // namespace ridgeline
