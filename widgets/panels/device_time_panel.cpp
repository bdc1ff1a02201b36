#include "widgets/panels/device_time_panel.h"

#include <algorithm>

#include "core/trace/device_words.h"
#include "core/trace/recording_advice.h"
#include "widgets/panels/cells.h"
#include "widgets/panels/step_share_texts.h"

namespace ridgeline {

namespace {

/// A line of the table: a figure of one device.
struct Line {
  std::size_t device = 0;
  QString name;
  QString meaning;
  TimeNs time = 0;
  int colourKey = -1;
};

std::vector<Line> linesOf(const AnalysisResults& results) {
  std::vector<Line> lines;
  const auto& devices = results.deviceTimes.devices;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const DeviceTime& t = devices[d];
    const auto add = [&](const QString& name, const QString& meaning, TimeNs time, int key = -1) {
      lines.push_back({d, name, meaning, time, key});
    };
    add(QObject::tr("busy"), QObject::tr("At least one stream worked"), t.busy);
    add(QObject::tr("idle"), QObject::tr("No stream worked: window − busy"), t.idle);
    add(QObject::tr("compute"), QObject::tr("Union of kernels that are no collective"), t.compute);
    add(QObject::tr("communication"), QObject::tr("Union of collectives, overlapped or not"),
        t.communication);
    add(QObject::tr("exposed communication"), QObject::tr("Collectives while nothing computed"),
        t.exposedCommunication);
    add(QObject::tr("copies and sets"), QObject::tr("Union of copies and sets"), t.memory);
    add(QObject::tr("exposed copies and sets"),
        QObject::tr("Copies and sets while nothing computed or communicated"), t.exposedMemory);
    if (t.fill.known > 0)
      add(QObject::tr("SMs in use"),
          QObject::tr("Time × the share of multiprocessors that had a block of a kernel (SM "
                      "efficiency), estimated by the profiler from the grids of %1 of kernel "
                      "time; the rest would only raise it")
              .arg(formatShare(static_cast<double>(t.fill.known) /
                               static_cast<double>(std::max<TimeNs>(t.fill.kernelTime, 1)))),
          t.fill.filled);
    for (int c = 0; c < kKernelClassCount; ++c)
      if (t.byClassExclusive[static_cast<std::size_t>(c)] > 0)
        add(cells::fromView(name(static_cast<KernelClass>(c))),
            QObject::tr("Each instant given to one class; the classes sum to busy"),
            t.byClassExclusive[static_cast<std::size_t>(c)], c);
  }
  return lines;
}

const StepShares::Share& shareAt(const std::shared_ptr<const AnalysisResults>& results, int row) {
  return results->headline.shares.shares[static_cast<std::size_t>(row)];
}

std::vector<ResultColumn> shareColumns(const std::shared_ptr<const AnalysisResults>& results,
                                       const Palette& colours) {
  const auto at = [results](int row) -> const StepShares::Share& { return shareAt(results, row); };
  ResultColumn part =
      cells::text(QObject::tr("Part"), QObject::tr("What the device did, or why it did nothing"),
                  [at](int row) { return cells::fromView(title(at(row).part)); });
  part.hover = [at](int row) { return cells::fromView(explanation(at(row).part)); };
  part.swatch = [at, &colours](int row) { return colourOf(at(row).part, colours); };
  std::vector<ResultColumn> columns{std::move(part)};
  columns.push_back(cells::duration(QObject::tr("A step"),
                                    QObject::tr("Mean; these sum to the mean step exactly"),
                                    [at](int row) { return at(row).perStep; }));
  columns.push_back(
      cells::share(QObject::tr("Share"), QObject::tr("Of the step"),
                   [results, at](int row) { return results->headline.shares.share(at(row)); }));
  columns.push_back(cells::duration(QObject::tr("In the window"),
                                    QObject::tr("Sums to the window exactly"),
                                    [at](int row) { return at(row).time; }));
  columns.push_back(
      cells::text(QObject::tr("What counts"), QObject::tr("As that part"),
                  [at](int row) { return cells::fromView(explanation(at(row).part)); }));
  return columns;
}

}  // namespace

DeviceTimePanel::DeviceTimePanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("device_time"), tr("Device time"), session, analyses, parent),
      bar_(new ShareBar(this)) {
  setTop(bar_);
}

void DeviceTimePanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  const auto& devices = results->deviceTimes.devices;
  if (devices.empty()) {
    showEmpty(tr("No device work was recorded. If a device was used: %1.")
                  .arg(QString::fromStdString(
                      howToRecord(recordedBy(*results->workload->trace), Lacking::deviceWork))));
    return;
  }
  const auto busiest =
      std::max_element(devices.begin(), devices.end(),
                       [](const DeviceTime& a, const DeviceTime& b) { return a.busy < b.busy; });
  const auto shareOf = [&](TimeNs t) {
    return busiest->span > 0 ? static_cast<double>(t) / static_cast<double>(busiest->span) : 0;
  };
  const Device& ofBusiest = results->workload->trace->devices()[busiest->device.index()];
  setSentence(tr("%1 was idle for %2 of %3 (%4); exposed communication %5, exposed copies %6.")
                  .arg(QString::fromStdString(deviceTitle(ofBusiest)))
                  .arg(formatShare(shareOf(busiest->idle)),
                       QString::fromStdString(results->window.label), formatDuration(busiest->span),
                       formatDuration(busiest->exposedCommunication),
                       formatDuration(busiest->exposedMemory)) +
              (busiest->fill.known > 0
                   ? tr(" SMs in use for %1.").arg(formatShare(shareOf(busiest->fill.filled)))
                   : QString()));
  const Palette& colours = Palette::of(palette());
  std::vector<ShareBar::Part> parts;
  for (int c = 0; c < kKernelClassCount; ++c) {
    const TimeNs time = busiest->byClassExclusive[static_cast<std::size_t>(c)];
    if (time > 0)
      parts.push_back({cells::fromView(name(static_cast<KernelClass>(c))), formatDuration(time),
                       formatShare(shareOf(time)), shareOf(time),
                       colours.of(static_cast<KernelClass>(c)), false});
  }
  if (busiest->idle > 0)
    parts.push_back({tr("idle"), formatDuration(busiest->idle), formatShare(shareOf(busiest->idle)),
                     shareOf(busiest->idle), colours.idleGap, true});
  bar_->setParts(std::move(parts));

  auto lines = std::make_shared<const std::vector<Line>>(linesOf(*results));
  const auto at = [lines](int row) -> const Line& {
    return (*lines)[static_cast<std::size_t>(row)];
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(tr("Device"), tr("As recorded"), [results, at](int row) {
    const Trace& trace = *results->workload->trace;
    const DeviceId id = results->deviceTimes.devices[at(row).device].device;
    const Device& device = trace.devices()[id.index()];
    QString text = QString::fromStdString(deviceTitle(device));
    if (!device.name.empty()) text += u' ' + QString::fromStdString(device.name);
    return text;
  }));
  ResultColumn what =
      cells::text(tr("What"), tr("Which part of its time"), [at](int row) { return at(row).name; });
  what.hover = [at](int row) { return at(row).meaning; };
  what.swatch = [at, &colours](int row) {
    return at(row).colourKey < 0 ? QColor(Qt::transparent)
                                 : colours.of(static_cast<KernelClass>(at(row).colourKey));
  };
  columns.push_back(std::move(what));
  columns.push_back(cells::duration(tr("Time"), tr("Measured, within the window"),
                                    [at](int row) { return at(row).time; }));
  columns.push_back(cells::share(tr("Share"), tr("Of the window"), [results, at](int row) {
    const TimeNs span = results->deviceTimes.devices[at(row).device].span;
    return span > 0 ? static_cast<double>(at(row).time) / static_cast<double>(span) : 0.0;
  }));
  std::vector<View> views;
  views.push_back({tr("By device and class"),
                   tr("Each device's time in the window"),
                   std::move(columns),
                   static_cast<int>(lines->size()),
                   {},
                   {}});
  const StepShares& shares = results->headline.shares;
  views.push_back({tr("By what it went to"),
                   tr("A step of the busiest device: each instant in one part, so that they sum to "
                      "the step"),
                   shareColumns(results, colours), static_cast<int>(shares.shares.size()),
                   [results](int row) { return shareAt(results, row).longest; },
                   [results](int row) { return shareAt(results, row).example; }});
  setViews(std::move(views));
}

}  // namespace ridgeline
