// Launches against the engine's own schedule of 200 jobs of drawn size.
#include <algorithm>
#include <map>
#include <tuple>

#include <QTest>

#include "core/analysis/launches.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;
using simulator::DeviceNode;

namespace {

constexpr std::size_t kSkipped = 1;

/// What the engine says of a piece of work.
struct Truth {
  const DeviceNode* node;
  TimeNs before;  ///< end of the work before it on its stream; 0: none
};

std::vector<Truth> truthOf(const TruthJob& job) {
  std::vector<Truth> all;
  std::array<TimeNs, simulator::kStreams> ends{};
  for (std::size_t step = 0; step < job.nodes.size(); ++step) {
    for (const DeviceNode& node : job.nodes[step]) {
      TimeNs& end = ends[static_cast<std::size_t>(node.stream)];
      if (step >= kSkipped) all.push_back({&node, end});
      end = node.end;
    }
  }
  return all;
}

int streamOf(const DeviceNode& node) {
  return simulator::kStreamNumbers[static_cast<std::size_t>(node.stream)];
}

LaunchFigures sumsOf(const std::vector<DeviceNode>& nodes) {
  LaunchFigures sums;
  std::map<TimeNs, std::pair<std::uint64_t, TimeNs>> calls;  // by begin: pieces, Σ of the work
  std::map<TimeNs, TimeNs> lengths;
  for (const DeviceNode& node : nodes) {
    ++sums.pieces;
    sums.workTime += node.end - node.begin;
    ++calls[node.call.begin].first;
    lengths[node.call.begin] = node.call.length();
  }
  for (const auto& [begin, call] : calls) {
    ++sums.calls;
    sums.callTime += lengths[begin];
    if (call.first < 2) continue;
    ++sums.graphCalls;
    sums.graphPieces += call.first;
  }
  return sums;
}

/// The depth of a stream's queue, counted anew at every moment at which it may have grown.
std::uint32_t mostWaiting(const TruthJob& job, int stream, TimeSpan span) {
  std::vector<const DeviceNode*> own;
  for (const auto& nodes : job.nodes)
    for (const DeviceNode& node : nodes)
      if (streamOf(node) == stream) own.push_back(&node);
  std::uint32_t most = 0;
  for (const DeviceNode* at : own) {
    const TimeNs t = at->call.begin;
    if (!span.contains(t)) continue;
    const auto waiting = std::count_if(own.begin(), own.end(), [&](const DeviceNode* other) {
      return other->call.begin <= t && t < other->begin;
    });
    most = std::max(most, static_cast<std::uint32_t>(waiting));
  }
  return most;
}

}  // namespace

class TestTruthLaunches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void launchesAreTheEngines();
};

void TestTruthLaunches::launchesAreTheEngines() {
  std::uint64_t graphs = 0, negative = 0, delayed = 0, deepest = 0;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const TruthJob job = drawnJob(scenarioOf(seed), seed);
    const std::string where =
        std::string(scenarioOf(seed)) + ", seed " + std::to_string(seed) + ": ";
    const Launches found = launches(*job.workload, job.window(kSkipped));
    const SliceTable& slices = job.workload->trace->slices();

    std::map<std::pair<int, TimeNs>, Truth> truth;  // by stream and start
    for (const Truth& one : truthOf(job)) truth[{streamOf(*one.node), one.node->begin}] = one;
    QVERIFY2(found.launches.size() == truth.size(),
             (where + std::to_string(found.launches.size())).c_str());
    for (const Launch& launch : found.launches) {
      const Track& track = job.workload->trace->track(job.workload->trace->trackOf(launch.work));
      const TimeNs start = slices.start[launch.work.index()];
      const auto one = truth.find({static_cast<int>(track.stream), start});
      QVERIFY2(one != truth.end(), where.c_str());
      const DeviceNode& node = *one->second.node;
      const TimeNs ready = std::max(node.call.end, one->second.before);
      const auto expected =
          std::make_tuple(node.begin - node.call.end, ready - node.call.end, node.begin - ready);
      QVERIFY2(std::make_tuple(launch.latency, launch.behind, launch.queueDelay) == expected,
               (where + std::to_string(launch.queueDelay)).c_str());
      negative += launch.latency < 0 ? 1 : 0;
      delayed += launch.behind > 0 ? 1 : 0;
    }

    QCOMPARE(found.spans.size(), job.nodes.size() - kSkipped);
    for (std::size_t i = 0; i < found.spans.size(); ++i) {
      const LaunchFigures expected = sumsOf(job.nodes[i + kSkipped]);
      const LaunchFigures& own = found.spans[i];
      QVERIFY2(own.pieces == expected.pieces && own.launched == expected.pieces &&
                   own.calls == expected.calls && own.graphCalls == expected.graphCalls &&
                   own.graphPieces == expected.graphPieces && own.callTime == expected.callTime &&
                   own.workTime == expected.workTime,
               where.c_str());
      graphs += expected.graphCalls;
    }

    QVERIFY(found.queues != nullptr);
    for (std::size_t i = 0; i < found.queues->size(); ++i) {
      std::uint32_t most = 0;
      for (const TimeSpan span : found.window.spans)
        most = std::max(most, mostWaiting(job, static_cast<int>((*found.queues)[i].stream), span));
      QVERIFY2(found.queueFigures[i].most == most,
               (where + std::to_string(found.queueFigures[i].most) + " for " + std::to_string(most))
                   .c_str());
      deepest = std::max<std::uint64_t>(deepest, most);
    }
  }
  // The jobs have what the figures are about.
  QVERIFY(graphs > 20);
  QVERIFY(negative > 20);
  QVERIFY(delayed > 1000);
  QVERIFY(deepest > 50);
}

QTEST_GUILESS_MAIN(TestTruthLaunches)
#include "tst_truth_launches.moc"
