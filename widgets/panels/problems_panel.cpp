#include "widgets/panels/problems_panel.h"

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {
struct Line {
  QString kind;
  QString sentence;
  qint64 count = 0;
  QString examples;
};

std::vector<Line> linesOf(const AnalysisResults& results) {
  std::vector<Line> lines;
  for (const std::string& warning : results.headline.warnings)
    lines.push_back({QObject::tr("analysis"), QString::fromStdString(warning), 1, {}});
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
                     QString::fromStdString(problem.sentence), static_cast<qint64>(problem.count),
                     examples.join(u'\n')});
  }
  return lines;
}
}  // namespace

ProblemsPanel::ProblemsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("problems"), tr("Problems"), session, analyses, parent),
      table_(new ResultTableView(QStringLiteral("problems"), this)) {
  setContent(table_);
}

void ProblemsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  const ImportLog& log = results->workload->trace->importLog();
  const auto lines = std::make_shared<const std::vector<Line>>(linesOf(*results));
  count_ = static_cast<int>(lines->size());
  const QString read = tr("%1 events read: %2 lost, %3 mended.")
                           .arg(formatCount(static_cast<qint64>(log.read)),
                                formatCount(static_cast<qint64>(log.dropped)),
                                formatCount(static_cast<qint64>(log.repaired)));
  if (lines->empty()) {
    showEmpty(read + tr(" Nothing limits the analyses."));
    return;
  }
  setSentence(read);
  const auto at = [lines](int row) -> const Line& {
    return (*lines)[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(tr("Kind"),
                                tr("Lost: not in the picture. Mended: read all the same"),
                                [at](int row) { return at(row).kind; }));
  columns.push_back(
      cells::count(tr("Count"), tr("How often"), [at](int row) { return at(row).count; }));
  ResultColumn what = cells::text(tr("What"), tr("Hover for places in the file"),
                                  [at](int row) { return at(row).sentence; });
  what.hover = [at](int row) -> QString {
    return at(row).examples.isEmpty() ? at(row).sentence
                                      : at(row).sentence + u'\n' + at(row).examples;
  };
  columns.push_back(std::move(what));
  table_->setContent(std::move(columns), static_cast<int>(lines->size()));
}

}  // namespace ridgeline
