#include "widgets/panels/launches_panel.h"

#include <algorithm>

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

constexpr std::size_t kMostListed = 20000;

using Results = std::shared_ptr<const AnalysisResults>;

qint64 asCount(std::uint64_t value) {
  return static_cast<qint64>(value);
}

double shareOfCount(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<ResultColumn> stepColumns(const Results& r) {
  const auto at = [r](int row) -> const LaunchFigures& {
    return r->launches.spans[static_cast<std::size_t>(row)];
  };
  using T = QObject;
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(
      T::tr("Step"), T::tr("Device work counts in the step in which it starts"), [r](int row) {
        return QString::fromStdString(r->launches.spanNames[static_cast<std::size_t>(row)]);
      }));
  columns.push_back(cells::count(T::tr("Calls"),
                                 T::tr("Host calls that launched device work of this step; a graph "
                                       "launch is one, whatever it starts"),
                                 [at](int row) { return asCount(at(row).calls); }));
  columns.push_back(cells::duration(T::tr("Host time"), T::tr("Sum of the launching calls"),
                                    [at](int row) { return at(row).callTime; }));
  columns.push_back(cells::duration(T::tr("Device time"),
                                    T::tr("Sum of the launched work, overlaps counted each"),
                                    [at](int row) { return at(row).workTime; }));
  columns.push_back(cells::share(
      T::tr("Short"),
      T::tr("Share of the calls that take the host longer than the device works for them: fuse "
            "such kernels, or capture them in a graph"),
      [at](int row) { return shareOfCount(at(row).shorter, at(row).calls); }));
  columns.push_back(cells::duration(
      T::tr("Full queue"),
      T::tr("Inferred: what calls of 20 µs or more take above 8 times or more the median of their "
            "name, while 256 or more pieces of work wait in their stream. The host is then far "
            "ahead of the device, and loses nothing by it."),
      [at](int row) { return at(row).blocked; }));
  columns.push_back(cells::duration(
      T::tr("Other long calls"),
      T::tr("As long as those, but the queue was not deep: locks of the driver, loading of code, "
            "allocation"),
      [at](int row) { return at(row).slow; }));
  columns.push_back(cells::duration(T::tr("Own copy"),
                                    T::tr("Calls that return only when their copy is done"),
                                    [at](int row) { return at(row).waiting; }));
  columns.push_back(cells::count(T::tr("Device events"),
                                 T::tr("Kernels, copies and sets that start in this step"),
                                 [at](int row) { return asCount(at(row).pieces); }));
  columns.push_back(cells::count(T::tr("With a launch"),
                                 T::tr("Of these, those whose launching call is recorded"),
                                 [at](int row) { return asCount(at(row).launched); }));
  columns.push_back(cells::count(T::tr("By graphs"),
                                 T::tr("Of these, those of calls that start more than one"),
                                 [at](int row) { return asCount(at(row).graphPieces); }));
  return columns;
}

std::vector<ResultColumn> kernelColumns(const Results& r) {
  const auto at = [r](int row) -> const LaunchGroup& {
    return r->launches.groups[static_cast<std::size_t>(row)];
  };
  using T = QObject;
  std::vector<ResultColumn> columns;
  ResultColumn name = cells::text(
      T::tr("Kernel"), T::tr("By name; a click shows the one that took longest to start"),
      [r, at](int row) {
        return shortKernelName(cells::fromView(r->workload->trace->text(at(row).name)));
      });
  name.hover = [r, at](int row) { return cells::fromView(r->workload->trace->text(at(row).name)); };
  columns.push_back(std::move(name));
  columns.push_back(cells::count(T::tr("Launches"), T::tr("Within the window"),
                                 [at](int row) { return asCount(at(row).pieces); }));
  columns.push_back(cells::duration(
      T::tr("Host time"),
      T::tr("Sum of the launching calls; a call that starts several is shared out among them"),
      [at](int row) { return at(row).callTime; }));
  columns.push_back(cells::duration(T::tr("Device time"), T::tr("Sum of their durations"),
                                    [at](int row) { return at(row).workTime; }));
  columns.push_back(cells::duration(T::tr("Median kernel"), T::tr("Median duration"),
                                    [at](int row) { return at(row).medianWork; }));
  columns.push_back(cells::duration(
      T::tr("Launch to start"),
      T::tr("Median, from the return of the call to the start of the kernel; negative: it starts "
            "before the call has returned"),
      [at](int row) { return at(row).medianLatency; }));
  columns.push_back(
      cells::share(T::tr("Short"), T::tr("Share of these that take less time than their call"),
                   [at](int row) { return shareOfCount(at(row).shorter, at(row).pieces); }));
  return columns;
}

std::vector<ResultColumn> queueColumns(const Results& r) {
  const auto at = [r](int row) -> const QueueDepth& {
    return (*r->launches.queues)[static_cast<std::size_t>(row)];
  };
  const auto figures = [r](int row) -> const QueueFigures& {
    return r->launches.queueFigures[static_cast<std::size_t>(row)];
  };
  using T = QObject;
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Stream"), T::tr("As recorded"), [r, at](int row) {
    return QString::fromStdString(r->workload->trace->track(at(row).track).displayName);
  }));
  columns.push_back({T::tr("Mean depth"),
                     T::tr("Launched work that had not started, mean over the time of the window"),
                     ResultColumn::Align::right,
                     [at, figures](int row) {
                       return at(row).counted == 0 ? QStringLiteral("—")
                                                   : QString::number(figures(row).mean, 'f', 1);
                     },
                     [figures](int row) { return QVariant(figures(row).mean); },
                     {},
                     {}});
  columns.push_back({T::tr("Largest"),
                     T::tr("Largest depth within the window"),
                     ResultColumn::Align::right,
                     [at, figures](int row) {
                       return at(row).counted == 0 ? QStringLiteral("—")
                                                   : formatCount(figures(row).most);
                     },
                     [figures](int row) { return QVariant(figures(row).most); },
                     {},
                     {}});
  columns.push_back(cells::count(T::tr("Counted"), T::tr("Pieces of work of the whole recording"),
                                 [at](int row) { return asCount(at(row).counted); }));
  columns.push_back(cells::count(T::tr("No launch"),
                                 T::tr("Left out: their launching call is not recorded"),
                                 [at](int row) { return asCount(at(row).withoutLaunch); }));
  columns.push_back(
      cells::count(T::tr("Before launch"),
                   T::tr("Left out: they start before their launch, so the clocks disagree"),
                   [at](int row) { return asCount(at(row).beforeLaunch); }));
  return columns;
}

using Longest = std::shared_ptr<const std::vector<Launch>>;

Longest longestOf(const Launches& l) {
  auto all = std::make_shared<std::vector<Launch>>(l.launches);
  const std::size_t n = std::min(all->size(), kMostListed);
  std::partial_sort(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(n), all->end(),
                    [](const Launch& a, const Launch& b) {
                      return a.latency != b.latency ? a.latency > b.latency : a.work < b.work;
                    });
  all->resize(n);
  return all;
}

std::vector<ResultColumn> longestColumns(const Results& r, const Longest& longest) {
  const auto at = [longest](int row) -> const Launch& {
    return (*longest)[static_cast<std::size_t>(row)];
  };
  using T = QObject;
  const auto name = [r](SliceId s) {
    return shortKernelName(cells::fromView(r->workload->trace->name(s)));
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Work"), T::tr("Kernel, copy or set"),
                                [name, at](int row) { return name(at(row).work); }));
  columns.push_back(cells::text(T::tr("Call"), T::tr("The host call that launched it"),
                                [name, at](int row) { return name(at(row).call); }));
  columns.push_back(
      cells::duration(T::tr("Launch to start"),
                      T::tr("Start of the work − return of the call = behind + queue delay"),
                      [at](int row) { return at(row).latency; }));
  columns.push_back(cells::duration(T::tr("Behind"),
                                    T::tr("Of that: its stream still did earlier work"),
                                    [at](int row) { return at(row).behind; }));
  columns.push_back(cells::duration(
      T::tr("Queue delay"),
      T::tr(
          "Launched, and the stream free, but not started: launch latency, or a wait for an event"),
      [at](int row) { return at(row).queueDelay; }));
  columns.push_back(cells::duration(
      T::tr("Call took"), T::tr("Duration of the launching call"),
      [r, at](int row) { return r->workload->trace->slices().duration(at(row).call); }));
  columns.push_back(cells::duration(
      T::tr("Work took"), T::tr("Duration on the device"),
      [r, at](int row) { return r->workload->trace->slices().duration(at(row).work); }));
  return columns;
}

}  // namespace

LaunchesPanel::LaunchesPanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("launches"), tr("Launches"), session, analyses, parent) {}

void LaunchesPanel::fill(const Results& results) {
  const Launches& l = results->launches;
  if (!l.missing.empty()) {
    showEmpty(QString::fromStdString(l.missing));
    return;
  }
  setSentence(QString::fromStdString(l.sentence));
  const auto index = [](int row) { return static_cast<std::size_t>(row); };
  const Longest longest = longestOf(l);
  setViews({
      {tr("By step"),
       tr("One row a step of the window"),
       stepColumns(results),
       static_cast<int>(l.spans.size()),
       [results, index](int row) { return results->launches.window.spans[index(row)]; },
       {}},
      {tr("By kernel"),
       tr("One row a kernel name, most host time first"),
       kernelColumns(results),
       static_cast<int>(l.groups.size()),
       {},
       [results, index](int row) { return results->launches.groups[index(row)].longest; }},
      {tr("By stream"),
       tr("How much launched work waited in each stream"),
       queueColumns(results),
       static_cast<int>(l.queues->size()),
       {},
       {}},
      {tr("Longest to start"),
       tr("The launches that took longest to start"),
       longestColumns(results, longest),
       static_cast<int>(longest->size()),
       {},
       [longest, index](int row) { return (*longest)[index(row)].work; }},
  });
}

}  // namespace ridgeline
