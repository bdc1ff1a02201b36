#include "widgets/panels/problems_panel.h"

#include <algorithm>
#include <utility>

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {
struct Line {
  QString kind;
  QString sentence;
  QString consequence;
  QString remedy;
  qint64 count = 0;  ///< -1: does not count
  QString examples;
  SliceId example;
};

std::vector<Line> linesOf(const AnalysisResults& results) {
  std::vector<Line> lines;
  for (const QualityCheck& check : results.headline.quality.checks)
    if (check.found)
      lines.push_back({cells::fromView(name(check.weight)),
                       QString::fromStdString(check.finding),
                       QString::fromStdString(check.consequence),
                       QString::fromStdString(check.remedy),
                       -1,
                       {},
                       check.example});
  for (const auto& [key, problem] : results.workload->trace->importLog().problems) {
    QStringList examples;
    for (const auto& example : problem.examples) {
      const QString text = QString::fromStdString(example.text);
      examples << (example.offset == ImportLog::kNoOffset
                       ? text
                       : QObject::tr("byte %1: %2")
                             .arg(formatCount(static_cast<qint64>(example.offset)), text));
    }
    lines.push_back({problem.lost ? QObject::tr("lost") : QObject::tr("mended or odd"),
                     QString::fromStdString(problem.sentence),
                     {},
                     {},
                     static_cast<qint64>(problem.count),
                     examples.join(u'\n'),
                     {}});
  }
  return lines;
}
}  // namespace

ProblemsPanel::ProblemsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("problems"), tr("Problems"), session, analyses, parent),
      table_(new ResultTableView(QStringLiteral("problems"), this)) {
  setContent(table_);
  connect(table_, &ResultTableView::rowSelected, this, [this](int row) {
    const SliceId example = examples_[static_cast<std::size_t>(row)];
    if (!example.valid()) return;
    this->session().setActive({rank(), example});
    this->session().requestReveal(SliceRef{rank(), example});
  });
}

void ProblemsPanel::showFinding(const QString& key) {
  const auto at = std::find(keys_.begin(), keys_.end(), key.toStdString());
  if (at == keys_.end()) {
    wanted_ = key;
    return;
  }
  wanted_.clear();
  table_->showRow(static_cast<int>(at - keys_.begin()));
}

void ProblemsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  const ImportLog& log = results->workload->trace->importLog();
  const auto lines = std::make_shared<const std::vector<Line>>(linesOf(*results));
  count_ = static_cast<int>(lines->size());
  examples_.clear();
  keys_.clear();
  for (const QualityCheck& check : results->headline.quality.checks)
    if (check.found) keys_.push_back(check.key);
  for (const Line& line : *lines) examples_.push_back(line.example);
  const QString read = tr("%1 events read: %2 lost, %3 mended.")
                           .arg(formatCount(static_cast<qint64>(log.read)),
                                formatCount(static_cast<qint64>(log.dropped)),
                                formatCount(static_cast<qint64>(log.repaired)));
  const DataQuality& quality = results->headline.quality;
  const std::size_t fine = quality.checks.size() - quality.found();
  if (lines->empty()) {
    showEmpty(read + tr(" Nothing limits the analyses."));
    return;
  }
  setSentence(read + tr(" %1 checks of the data found something, %2 found nothing.")
                         .arg(quality.found())
                         .arg(fine));
  const auto at = [lines](int row) -> const Line& {
    return (*lines)[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(
      cells::text(tr("Kind"),
                  tr("What it does to figures. Lost: not in the picture. Mended: read "
                     "all the same"),
                  [at](int row) { return at(row).kind; }));
  ResultColumn what = cells::text(tr("What"), tr("Hover for places in the file"),
                                  [at](int row) { return at(row).sentence; });
  what.hover = [at](int row) -> QString {
    return at(row).examples.isEmpty() ? at(row).sentence
                                      : at(row).sentence + u'\n' + at(row).examples;
  };
  columns.push_back(std::move(what));
  columns.push_back(cells::text(tr("What follows"), tr("Which figures it touches, and how"),
                                [at](int row) { return at(row).consequence; }));
  columns.push_back(cells::text(tr("What to do"), tr("How to record it better"),
                                [at](int row) { return at(row).remedy; }));
  ResultColumn count = cells::count(tr("Count"), tr("How often, in the file"),
                                    [at](int row) { return at(row).count; });
  count.text = [at](int row) {
    return at(row).count < 0 ? QStringLiteral("—") : formatCount(at(row).count);
  };
  columns.push_back(std::move(count));
  table_->setContent(std::move(columns), static_cast<int>(lines->size()));
  if (!wanted_.isEmpty()) showFinding(std::exchange(wanted_, QString()));
}

}  // namespace ridgeline
