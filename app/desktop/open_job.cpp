#include "app/desktop/open_job.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include <QFile>
#include <QFileInfo>

#include "core/io/folder_files.h"
#include "core/io/same_recordings.h"
#include "core/workload/steps.h"
#include "widgets/common/background.h"
#include "widgets/common/format.h"

namespace ridgeline {

/// What the worker and the GUI both see; outlives whichever of them ends last.
struct OpenJob::Shared {
  std::stop_source stop;
  std::atomic<std::uint64_t> bytesDone = 0;    // of the file being read
  std::atomic<std::uint64_t> bytesBefore = 0;  // of the files read before it
  std::atomic<std::uint64_t> events = 0;
  std::atomic<std::uint64_t> eventsBefore = 0;
  std::uint64_t bytesTotal = 0;
  /// Of a folder files are read one after the other, each from its own byte 0.
  std::atomic<std::uint64_t> fileDone = 0, fileTotal = 0, filesBefore = 0;
  std::vector<LoadedTrace> ranks;
  std::vector<SameRecording> copies;
  TimeSpan firstView;
  std::optional<Error> error;
  bool wasCancelled = false;

  void load(const QStringList& paths);
};

namespace {

void sortByRank(std::vector<LoadedTrace>& ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const LoadedTrace& a, const LoadedTrace& b) {
    constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
    return a.trace->info().rank.value_or(kLast) < b.trace->info().rank.value_or(kLast);
  });
}

std::uint64_t bytesIn(const QString& path) {
  const QFileInfo info(path);
  if (!info.isDir()) return static_cast<std::uint64_t>(std::max<qint64>(info.size(), 0));
  std::uint64_t sum = 0;
  const auto files = filesIn(QFile::encodeName(path).toStdString());
  if (files.ok())
    for (const std::string& file : files.value()) sum += bytesIn(QFile::decodeName(file.c_str()));
  return sum;
}

}  // namespace

OpenJob::OpenJob(QObject* parent) : QObject(parent) {
  pollTimer_.setInterval(60);
  connect(&pollTimer_, &QTimer::timeout, this, &OpenJob::poll);
}

OpenJob::~OpenJob() {
  if (current_) current_->stop.request_stop();
}

void OpenJob::start(const QStringList& paths) {
  if (current_) current_->stop.request_stop();
  paths_ = paths;
  current_ = std::make_shared<Shared>();
  for (const QString& path : paths) current_->bytesTotal += bytesIn(path);
  elapsed_.start();
  pollTimer_.start();
  Q_EMIT started();

  background::run(
      this, QThreadPool::globalInstance(),
      [job = current_, paths] {
        job->load(paths);
        return job;
      },
      [this](const std::shared_ptr<Shared>& job) {
        if (job == current_) done();
      });
}

/// On a thread of its own.
void OpenJob::Shared::load(const QStringList& paths) {
  const Task task(stop.get_token(), [this](const Progress& p) {
    if (p.bytesDone < fileDone) filesBefore += fileTotal;
    fileDone = p.bytesDone;
    fileTotal = p.bytesTotal;
    bytesDone = filesBefore + p.bytesDone;
    events = p.events;
  });
  for (const QString& path : paths) {
    auto loaded = loadTrace(QFile::encodeName(path).toStdString(), task);
    if (loaded.cancelled() || task.cancelled()) {
      wasCancelled = true;
      return;
    }
    if (loaded.failed()) {
      error = loaded.error();
      return;
    }
    for (LoadedTrace& rank : loaded.value()) ranks.push_back(std::move(rank));
    bytesBefore += bytesIn(path);
    eventsBefore += events.exchange(0);
    bytesDone = fileDone = fileTotal = filesBefore = 0;
  }
  copies = takeOutCopies(ranks);
  sortByRank(ranks);
  if (!ranks.empty()) firstView = firstViewOf(*ranks.front().trace);
}

void OpenJob::cancel() {
  if (!current_) return;
  current_->stop.request_stop();
  current_.reset();
  pollTimer_.stop();
  Q_EMIT cancelled();
}

void OpenJob::poll() {
  if (!current_) return;
  const auto done = static_cast<double>(current_->bytesDone + current_->bytesBefore);
  const auto total = static_cast<double>(current_->bytesTotal);
  const std::uint64_t events = current_->events + current_->eventsBefore;
  const double share = total > 0 && done > 0 ? std::min(done / total, 1.0) : -1;
  QStringList parts;
  if (total > 0) parts << tr("%1 of %2").arg(formatBytes(done), formatBytes(total));
  if (events > 0) parts << tr("%1 events").arg(formatCount(static_cast<qint64>(events)));
  const double seconds = static_cast<double>(elapsed_.elapsed()) / 1000;
  if (share > 0.05 && share < 1 && seconds > 0.7)
    parts << tr("%1 left").arg(
        formatDuration(static_cast<TimeNs>(seconds / share * (1 - share) * 1e9)));
  if (share >= 1) parts << tr("putting rows in order");
  Q_EMIT progressed(share, parts.join(QStringLiteral(" · ")));
}

void OpenJob::done() {
  const std::shared_ptr<Shared> job = std::move(current_);
  current_.reset();
  pollTimer_.stop();
  copies_.clear();
  for (const SameRecording& copy : job->copies)
    copies_ << QString::fromStdString(copy.sentence()) + tr(" and is left out.");
  if (job->wasCancelled) {
    Q_EMIT cancelled();
  } else if (job->error) {
    Q_EMIT failed(*job->error);
  } else {
    Q_EMIT finished(job->ranks, job->firstView);
  }
}

namespace {

TimeSpan withMargin(TimeSpan span) {
  const TimeNs margin = span.length() / 8;
  return {span.begin - margin, span.end + margin};
}

/// From the first device event to the end of the last one; empty where there is none.
TimeSpan deviceSpanOf(const Trace& trace) {
  std::optional<TimeSpan> span;
  for (const Device& device : trace.devices())
    for (const TrackId stream : device.streams)
      for (const Row& row : trace.rowsOf(stream)) {
        if (row.first == row.last) continue;
        const TimeSpan own =
            TimeSpan{trace.slices().start[row.first], trace.slices().end[row.last - 1]}.clippedTo(
                trace.bulk());
        span =
            span ? TimeSpan{std::min(span->begin, own.begin), std::max(span->end, own.end)} : own;
      }
  return span.value_or(TimeSpan{});
}

}  // namespace

TimeSpan firstViewOf(const Trace& trace) {
  const Steps found = findSteps(trace);
  if (found.extent == StepExtent::trace) {
    const TimeSpan device = deviceSpanOf(trace);
    const bool small = device.length() > 0 && device.length() < trace.bulk().length() / 4;
    return small ? withMargin(device) : trace.bulk();
  }
  if (found.steps.size() < 2) return trace.bulk();
  const std::vector<std::size_t> steady = found.steadyIndices();
  const Step& step = found.steps[steady.empty() ? found.representative : steady.front()];
  TimeSpan span = step.window;
  if (!step.host.empty()) span.begin = std::min(span.begin, step.host.begin);
  return withMargin(span);
}

}  // namespace ridgeline
