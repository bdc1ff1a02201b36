#include "widgets/panels/kernels_panel.h"

#include <map>

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/trace/recording_advice.h"
#include "widgets/panels/cells.h"

namespace ridgeline {

KernelsPanel::KernelsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("kernels"), tr("Kernels"), session, analyses, parent),
      level_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      table_(new ResultTableView(QStringLiteral("kernels"), this)) {
  level_->addItem(tr("By name"));
  level_->addItem(tr("By class"));
  level_->setToolTip(tr("One row a kernel name, or one a kernel class"));
  filter_->setPlaceholderText(tr("Filter by name or class"));
  filter_->setClearButtonEnabled(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 0);
  bar->addWidget(level_);
  bar->addWidget(filter_, 1);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(bar);
  layout->addWidget(table_, 1);
  setContent(content);
  connect(filter_, &QLineEdit::textChanged, table_, &ResultTableView::setFilter);
  connect(level_, &QComboBox::currentIndexChanged, this, [this] {
    if (results_) fill(results_);
  });
  connect(table_, &ResultTableView::rowSelected, this, &KernelsPanel::select);
  connect(table_, &ResultTableView::rowActivated, this, [this](int row) {
    const std::vector<SliceRef> slices = slicesOf(row);
    if (slices.empty()) return;
    const auto longest =
        std::max_element(slices.begin(), slices.end(), [this](SliceRef a, SliceRef b) {
          return this->session().spanOf(a).length() < this->session().spanOf(b).length();
        });
    select(row);
    this->session().setActive(*longest);
    this->session().requestZoomTo(*longest);
  });
}

std::vector<SliceRef> KernelsPanel::slicesOf(int row) const {
  std::vector<SliceRef> slices;
  const auto add = [&](const KernelGroup& group) {
    for (const SliceId id : group.slices) slices.push_back({rank(), id});
  };
  const auto index = static_cast<std::size_t>(row);
  if (static_cast<Level>(level_->currentIndex()) == Level::names) {
    add(results_->kernelGroups.groups[index]);
  } else {
    for (const std::size_t g : (*classRows_)[index].groups) add(results_->kernelGroups.groups[g]);
  }
  return slices;
}

void KernelsPanel::select(int row) {
  std::vector<SliceRef> slices = slicesOf(row);
  const bool names = static_cast<Level>(level_->currentIndex()) == Level::names;
  const Trace& trace = *results_->workload->trace;
  const QString what =
      names ? shortKernelName(cells::fromView(
                  trace.text(results_->kernelGroups.groups[static_cast<std::size_t>(row)].name)))
            : cells::fromView(name((*classRows_)[static_cast<std::size_t>(row)].kernelClass));
  const QString reason =
      tr("%1 · %2 calls").arg(what, formatCount(static_cast<qint64>(slices.size())));
  session().setSelected(std::move(slices), reason);
}

void KernelsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  const KernelGroups& groups = results->kernelGroups;
  if (groups.groups.empty()) {
    showEmpty(tr("No device work in this window. Choose another step, or, if none has any: %1.")
                  .arg(QString::fromStdString(
                      howToRecord(recordedBy(*results->workload->trace), Lacking::deviceWork))));
    return;
  }
  const Trace& trace = *results->workload->trace;
  const KernelGroup& first = groups.groups.front();
  QString sentence = (groups.groups.size() == 1
                          ? tr("%1 kernel name in %2: %3 (%4), %5 of kernel time.")
                          : tr("%1 kernel names in %2; the largest, %3 (%4), takes %5 of kernel "
                               "time."))
                         .arg(formatCount(static_cast<qint64>(groups.groups.size())),
                              QString::fromStdString(groups.window.label),
                              shortKernelName(cells::fromView(trace.text(first.name))),
                              cells::fromView(name(first.kernelClass)), formatShare(first.share));
  if (groups.unknownShare > 0)
    sentence +=
        tr(" %1 of the time is in kernels of unknown class.").arg(formatShare(groups.unknownShare));
  setSentence(sentence);
  if (static_cast<Level>(level_->currentIndex()) == Level::names)
    fillNames();
  else
    fillClasses();
}

/// Columns of what the profiler estimated, where it did.
static void addFillColumns(const KernelGroups& groups,
                           const std::function<const KernelGroup&(int)>& at,
                           std::vector<ResultColumn>& columns) {
  const auto add = [&](const QString& title, const QString& tooltip,
                       std::optional<double> KernelGroup::*value, QString (*format)(double)) {
    const bool any = std::any_of(groups.groups.begin(), groups.groups.end(),
                                 [value](const KernelGroup& g) { return (g.*value).has_value(); });
    if (!any) return;
    ResultColumn column = cells::share(
        title, tooltip, [at, value](int row) { return (at(row).*value).value_or(-1); });
    column.text = [at, value, format](int row) {
      const std::optional<double>& known = at(row).*value;
      return known ? format(*known) : QObject::tr("not recorded");
    };
    columns.push_back(std::move(column));
  };
  add(QObject::tr("Blocks/SM"),
      QObject::tr("Blocks of a launch for each multiprocessor of the device, as the profiler "
                  "recorded it; below 1 some multiprocessors get no work. Mean, weighted by time"),
      &KernelGroup::blocksPerSm,
      [](double blocks) { return QString::number(blocks, 'g', blocks < 1000 ? 3 : 4); });
  add(QObject::tr("Occupancy"),
      QObject::tr("Achieved share of the warps that a multiprocessor can hold, as the profiler "
                  "estimated it. Mean, weighted by time"),
      &KernelGroup::occupancy, [](double share) { return formatShare(share); });
}

void KernelsPanel::fillNames() {
  const auto results = results_;
  const auto at = [results](int row) -> const KernelGroup& {
    return results->kernelGroups.groups[static_cast<std::size_t>(row)];
  };
  const auto fullName = [results, at](int row) {
    return cells::fromView(results->workload->trace->text(at(row).name));
  };
  const Palette& colours = Palette::of(palette());
  std::vector<ResultColumn> columns;
  ResultColumn classColumn = cells::text(
      tr("Class"), tr("By the rules for kernel names, refined by the op that launched it"),
      [at](int row) -> QString {
        QString text = cells::fromView(name(at(row).kernelClass));
        if (!at(row).subclass.empty()) text += u" · " + QString::fromStdString(at(row).subclass);
        return text;
      });
  classColumn.swatch = [at, &colours](int row) { return colours.of(at(row).kernelClass); };
  classColumn.hover = [at](int row) -> QString {
    return at(row).rule.empty() ? tr("No rule fits this name")
                                : tr("Rule: %1").arg(QString::fromStdString(at(row).rule));
  };
  columns.push_back(std::move(classColumn));
  columns.push_back(cells::count(tr("Calls"), tr("How often it ran in the window"),
                                 [at](int row) { return static_cast<qint64>(at(row).calls); }));
  columns.push_back(cells::duration(tr("Total"), tr("Sum of its durations; overlaps count each"),
                                    [at](int row) { return at(row).total; }));
  columns.push_back(cells::duration(
      tr("Exposed"),
      tr("Time in which nothing of higher rank ran beside it; summed over all rows this is the "
         "device's busy time"),
      [at](int row) { return at(row).exposed; }));
  columns.push_back(cells::share(tr("Share"), tr("Of the total of all kernels"),
                                 [at](int row) { return at(row).share; }));
  columns.push_back(cells::duration(tr("Mean"), tr("Total / calls"), [at](int row) {
    return at(row).calls == 0 ? 0 : at(row).total / static_cast<TimeNs>(at(row).calls);
  }));
  addFillColumns(results->kernelGroups, at, columns);
  ResultColumn nameColumn =
      cells::text(tr("Name"), tr("Template arguments folded; hover for all"),
                  [fullName](int row) { return shortKernelName(fullName(row)); });
  nameColumn.hover = fullName;
  columns.push_back(std::move(nameColumn));
  table_->setContent(std::move(columns), static_cast<int>(results->kernelGroups.groups.size()));
}

void KernelsPanel::fillClasses() {
  auto rows = std::make_shared<std::vector<ClassRow>>();
  std::map<std::pair<KernelClass, std::string>, std::size_t> rowOf;
  const auto& groups = results_->kernelGroups.groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [it, isNew] =
        rowOf.emplace(std::make_pair(groups[g].kernelClass, groups[g].subclass), rows->size());
    if (isNew) rows->push_back({groups[g].kernelClass, groups[g].subclass, {}, 0, 0, 0, 0});
    ClassRow& row = (*rows)[it->second];
    row.groups.push_back(g);
    row.calls += groups[g].calls;
    row.total += groups[g].total;
    row.exposed += groups[g].exposed;
    row.share += groups[g].share;
  }
  std::sort(rows->begin(), rows->end(),
            [](const ClassRow& a, const ClassRow& b) { return a.total > b.total; });
  classRows_ = rows;
  const auto at = [rows](int row) -> const ClassRow& {
    return (*rows)[static_cast<std::size_t>(row)];
  };
  const Palette& colours = Palette::of(palette());
  std::vector<ResultColumn> columns;
  ResultColumn classColumn =
      cells::text(tr("Class"), tr("What kind of work it is"),
                  [at](int row) -> QString { return cells::fromView(name(at(row).kernelClass)); });
  classColumn.swatch = [at, &colours](int row) { return colours.of(at(row).kernelClass); };
  columns.push_back(std::move(classColumn));
  columns.push_back(cells::text(tr("Kind"), tr("The finer class"), [at](int row) -> QString {
    return QString::fromStdString(at(row).subclass);
  }));
  columns.push_back(cells::count(tr("Names"), tr("Distinct kernel names"), [at](int row) {
    return static_cast<qint64>(at(row).groups.size());
  }));
  columns.push_back(cells::count(tr("Calls"), tr("How often they ran"),
                                 [at](int row) { return static_cast<qint64>(at(row).calls); }));
  columns.push_back(cells::duration(tr("Total"), tr("Sum of durations; overlaps count each"),
                                    [at](int row) { return at(row).total; }));
  columns.push_back(cells::duration(tr("Exposed"),
                                    tr("Time in which nothing of higher rank ran beside it"),
                                    [at](int row) { return at(row).exposed; }));
  columns.push_back(cells::share(tr("Share"), tr("Of the total of all kernels"),
                                 [at](int row) { return at(row).share; }));
  table_->setContent(std::move(columns), static_cast<int>(rows->size()));
}

void KernelsPanel::selectionChanged() {
  const SliceRef active = session().active();
  if (!active.valid() || active.rank != rank() ||
      static_cast<Level>(level_->currentIndex()) != Level::names)
    return;
  const Trace& trace = *results_->workload->trace;
  if (!isDeviceWork(trace.slices().category[active.id.index()])) return;
  const auto& groups = results_->kernelGroups.groups;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (groups[g].name == trace.slices().name[active.id.index()]) {
      table_->showRow(static_cast<int>(g));
      return;
    }
}

}  // namespace ridgeline
