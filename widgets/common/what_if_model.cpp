#include "widgets/common/what_if_model.h"

#include <algorithm>

#include "widgets/common/background.h"

namespace ridgeline {

namespace {

std::shared_ptr<const WhatIfModel::Answer> answerTo(
    const WhatIfChange& change, const std::shared_ptr<const AnalysisResults>& results,
    std::uint32_t rank, const std::stop_token& stop) {
  if (stop.stop_requested()) return nullptr;
  auto answer = std::make_shared<WhatIfModel::Answer>();
  answer->results = results;
  answer->rank = rank;
  const DependencyGraph& graph = *results->whatIfs.graph;
  answer->whatIf = whatIf(graph, *results->workload, change, results->whatIfs.floors);
  if (stop.stop_requested()) return nullptr;
  answer->begin = graph.window().begin;
  answer->newEnd = answer->begin + answer->whatIf.newStep;
  const SliceTable& slices = results->workload->trace->slices();
  const std::vector<TimeNs>& times = answer->whatIf.times;
  answer->ghosts.reserve(graph.work().size());
  for (const DependencyGraph::Work& work : graph.work())
    answer->ghosts.push_back(
        {slices.row[work.slice.index()], {times[work.begin], times[work.end]}});
  std::stable_sort(answer->ghosts.begin(), answer->ghosts.end());
  return answer;
}

}  // namespace

WhatIfModel::WhatIfModel(Analyses& analyses, QObject* parent)
    : QObject(parent), analyses_(analyses) {
  connect(&analyses_, &Analyses::currentChanged, this, &WhatIfModel::compute);
}

void WhatIfModel::ask(const std::optional<WhatIfChange>& change) {
  asked_ = change;
  askedIn_.reset();
  if (const auto results = analyses_.current()) askedIn_ = results->workload->trace;
  compute();
}

void WhatIfModel::compute() {
  const std::uint64_t request = ++request_;
  // Whoever turns the factor asks many times a second: those that wait are not replayed at all.
  stop_.request_stop();
  stop_ = std::stop_source();
  const auto results = analyses_.current();
  bool possible = asked_ && results && results->whatIfs.graph;
  if (possible && asked_->what == WhatIfChange::What::event)
    possible = askedIn_.lock() == results->workload->trace;
  if (answer_ && (!possible || answer_->results != results)) {
    answer_ = nullptr;
    Q_EMIT answerChanged();
  }
  if (!possible) return;
  using Outcome = std::shared_ptr<const Answer>;
  background::run(
      this,
      [change = *asked_, results, rank = analyses_.currentRank(), stop = stop_.get_token()] {
        return answerTo(change, results, rank, stop);
      },
      [this, request](const Outcome& outcome) {
        if (request != request_) return;
        answer_ = outcome;
        Q_EMIT answerChanged();
      });
}

}  // namespace ridgeline
