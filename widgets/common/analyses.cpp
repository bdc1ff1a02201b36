#include "widgets/common/analyses.h"

#include "widgets/common/background.h"

namespace ridgeline {

Analyses::Analyses(Session& session, QObject* parent) : QObject(parent), session_(session) {
  connect(&session_, &Session::documentChanged, this, &Analyses::restart);
  connect(&session_, &Session::windowChanged, this, [this] {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) computeResultsOf(rank);
  });
  connect(&session_, &Session::activeChanged, this, [this] {
    if (session_.active().valid())
      setCurrentRank(session_.active().rank);
    else if (session_.activeItem().valid())
      setCurrentRank(session_.activeItem().rank);
  });
  if (session_.hasDocument()) restart();
}

Analyses::~Analyses() {
  for (PerRank& rank : ranks_) rank.stop.request_stop();
}

std::shared_ptr<const Workload> Analyses::workload(std::uint32_t rank) const {
  return rank < ranks_.size() ? ranks_[rank].workload : nullptr;
}

std::shared_ptr<const AnalysisResults> Analyses::results(std::uint32_t rank) const {
  return rank < ranks_.size() ? ranks_[rank].results : nullptr;
}

void Analyses::setCurrentRank(std::uint32_t rank) {
  if (rank == currentRank_ || rank >= ranks_.size()) return;
  currentRank_ = rank;
  Q_EMIT currentChanged();
}

void Analyses::setSettings(const WorkloadSettings& settings) {
  settings_ = settings;
  restart();
}

void Analyses::restart() {
  for (PerRank& rank : ranks_) rank.stop.request_stop();
  store_ = std::make_shared<AnalysisStore>();
  ranks_.clear();
  ranks_.resize(session_.ranks().size());
  currentRank_ = 0;
  problem_.clear();
  Q_EMIT currentChanged();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) makeWorkloadOf(rank);
}

void Analyses::makeWorkloadOf(std::uint32_t rank) {
  using Outcome = Result<std::shared_ptr<const Workload>>;
  const std::uint64_t request = ranks_[rank].request = ++requests_;
  ranks_[rank].stop = std::stop_source();
  const auto made = [this, rank, request](const std::shared_ptr<Outcome>& outcome) {
    finished();
    if (rank >= ranks_.size() || ranks_[rank].request != request) return;
    if (outcome->failed()) problem_ = QString::fromStdString(outcome->error().text());
    if (!outcome->ok()) return;
    ranks_[rank].workload = outcome->value();
    Q_EMIT workloadChanged(rank);
    computeResultsOf(rank);
  };
  if (++pending_ == 1) Q_EMIT busyChanged(true);
  background::run(
      this,
      [trace = session_.sharedTrace(rank), settings = settings_, stop = ranks_[rank].stop] {
        return std::make_shared<Outcome>(makeWorkload(trace, settings, Task(stop.get_token())));
      },
      made);
}

void Analyses::computeResultsOf(std::uint32_t rank) {
  if (!ranks_[rank].workload) return;
  ranks_[rank].stop.request_stop();
  ranks_[rank].stop = std::stop_source();
  const std::uint64_t request = ranks_[rank].request = ++requests_;
  using Outcome = std::shared_ptr<const AnalysisResults>;
  const auto computed = [this, rank, request](const Outcome& outcome) {
    finished();
    if (rank >= ranks_.size() || ranks_[rank].request != request) return;
    if (!outcome) return;
    ranks_[rank].results = outcome;
    Q_EMIT resultsChanged(rank);
    if (rank == currentRank_) Q_EMIT currentChanged();
  };
  if (++pending_ == 1) Q_EMIT busyChanged(true);
  background::run(
      this,
      [store = store_, workload = ranks_[rank].workload,
       window = chosenWindow(rank, *ranks_[rank].workload), stop = ranks_[rank].stop] {
        return store->results(workload, window, Task(stop.get_token()));
      },
      computed);
}

void Analyses::finished() {
  if (--pending_ == 0) Q_EMIT busyChanged(false);
}

AnalysisWindow Analyses::chosenWindow(std::uint32_t rank, const Workload& workload) const {
  const TimeSpan chosen = session_.window().span;
  if (chosen.empty()) return steadyWindow(workload);
  const TimeSpan inTrace = session_.toTrace(rank, chosen);
  for (std::size_t i = 0; i < workload.steps.steps.size(); ++i)
    if (workload.steps.steps[i].window == inTrace) return stepsWindow(workload, {i});
  // What was not recorded was not idle.
  return spanWindow(inTrace.clippedTo(workload.trace->span()));
}

}  // namespace ridgeline
