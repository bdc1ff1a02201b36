#include "widgets/panels/collectives_panel.h"

#include <algorithm>

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

QString orUnknown(bool known, const QString& text) {
  return known ? text : QObject::tr("unknown");
}

QVariant sortKey(const std::optional<double>& value) {
  return value ? QVariant(*value) : QVariant(-1.0);
}

QString sentenceOf(const Collectives& collectives) {
  TimeNs total = 0, exposed = 0, known = 0, least = 0;
  for (const CommunicationBound& bound : collectives.bounds) {
    total += bound.total;
    exposed += bound.exposed;
    known += bound.known;
    least += bound.least;
  }
  QString text = QObject::tr("Collectives run for %1, %2 of it exposed (nothing computes).")
                     .arg(formatDuration(total), formatDuration(exposed));
  if (known == 0) return text;
  QString from;
  for (const CommunicationBound& bound : collectives.bounds)
    if (from.isEmpty()) from = QString::fromStdString(bound.from);
  return text + QObject::tr(" They take at least %1, by %2.").arg(formatDuration(least), from);
}

std::vector<ResultColumn> columnsOf(const std::shared_ptr<const AnalysisResults>& results) {
  const auto at = [results](int row) -> const CollectiveGroup& {
    return results->collectives.groups[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(QObject::tr("Collective"),
                                QObject::tr("From its record, else from the kernel or operator"),
                                [at](int row) { return QString::fromStdString(at(row).kind); }));
  columns.push_back({QObject::tr("Ranks"),
                     QObject::tr("In its process group, as recorded"),
                     ResultColumn::Align::right,
                     [at](int row) {
                       return orUnknown(at(row).ranks.has_value(),
                                        QString::number(at(row).ranks.value_or(0)));
                     },
                     [at](int row) { return QVariant(at(row).ranks.value_or(-1)); },
                     {},
                     {}});
  columns.push_back(
      {QObject::tr("Message"),
       QObject::tr("Bytes of one: of an all-gather the output, of a reduce-scatter and an "
                   "all-to-all the input, else the buffer"),
       ResultColumn::Align::right,
       [at](int row) {
         return orUnknown(at(row).bytes.has_value(), formatBytes(at(row).bytes.value_or(0)));
       },
       [at](int row) { return sortKey(at(row).bytes); },
       {},
       {}});
  columns.push_back(cells::count(QObject::tr("Calls"), QObject::tr("That start in the window"),
                                 [at](int row) { return static_cast<qint64>(at(row).calls); }));
  columns.push_back(cells::duration(QObject::tr("Time"), QObject::tr("Measured, all calls"),
                                    [at](int row) { return at(row).total; }));
  columns.push_back(cells::duration(QObject::tr("Exposed"),
                                    QObject::tr("Measured: while nothing computes"),
                                    [at](int row) { return at(row).exposed; }));
  columns.push_back(cells::duration(QObject::tr("Median"), QObject::tr("Of one call, measured"),
                                    [at](int row) { return at(row).median; }));
  columns.push_back(
      {QObject::tr("Bus bandwidth"),
       QObject::tr("Computed from the median: what a link carries, as nccl-tests counts it. A rank "
                   "that waits for a later one runs its collective all that time: low may mean "
                   "waiting"),
       ResultColumn::Align::right,
       [at](int row) {
         return orUnknown(at(row).busBandwidth.has_value(),
                          formatRate(at(row).busBandwidth.value_or(0), QStringLiteral("B/s")));
       },
       [at](int row) { return sortKey(at(row).busBandwidth); },
       {},
       {}});
  columns.push_back(
      {QObject::tr("At least"),
       QObject::tr("What one such call takes at least: File > Collective bandwidth… "
                   "gives what you measured; else the shortest in this trace"),
       ResultColumn::Align::right,
       [at](int row) {
         return orUnknown(at(row).least.has_value(), formatDuration(at(row).least.value_or(0)));
       },
       [at](int row) { return QVariant(static_cast<qlonglong>(at(row).least.value_or(-1))); },
       [at](int row) { return QString::fromStdString(at(row).leastFrom); },
       {}});
  return columns;
}

SliceId longestOf(const AnalysisResults& results, int row) {
  const CollectiveGroup& group = results.collectives.groups[static_cast<std::size_t>(row)];
  const SliceTable& s = results.workload->trace->slices();
  return *std::max_element(group.slices.begin(), group.slices.end(),
                           [&s](SliceId a, SliceId b) { return s.duration(a) < s.duration(b); });
}

}  // namespace

CollectivesPanel::CollectivesPanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("collectives"), tr("Collectives"), session, analyses, parent) {}

void CollectivesPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  if (results->collectives.groups.empty()) {
    showEmpty(tr("No collective ran on a device in this window."));
    return;
  }
  showContent();
  setSentence(sentenceOf(results->collectives));
  View view;
  view.title = tr("By kind and size");
  view.tooltip = tr("Calls of one kind, group size and message size; a click shows the longest");
  view.columns = columnsOf(results);
  view.rows = static_cast<int>(results->collectives.groups.size());
  view.slice = [results](int row) { return longestOf(*results, row); };
  view.evidence = [results](int row) {
    return results->workload->trace->slices().span(longestOf(*results, row));
  };
  setViews({std::move(view)});
}

}  // namespace ridgeline
