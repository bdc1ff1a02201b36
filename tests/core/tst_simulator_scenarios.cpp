// What the scenarios plant, read back from the files as text: not by the reader of the product.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "core/simulator/simulator.h"
#include "tests/support/simulated.h"

using namespace ridgeline;
using namespace ridgeline::test;
using nlohmann::json;

namespace {

struct Record {
  std::string category, name;
  double start = 0, end = 0;  // µs
  json args;
  std::int64_t pid = 0, tid = 0;
};

std::vector<Record> eventsOf(const Simulation& simulation) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("t.json")).toStdString();
  if (!writeKineto(simulation, 0, path).ok()) return {};
  std::vector<Record> events;
  const json root = json::parse(readAll(path));
  for (const json& one : root["traceEvents"]) {
    if (!one.contains("cat") || one["ph"] == "s" || one["ph"] == "f") continue;
    if (!one["pid"].is_number() || !one["tid"].is_number()) continue;
    Record event;
    event.category = one["cat"];
    event.name = one["name"];
    event.start = one["ts"];
    event.end = event.start + one.value("dur", 0.0);
    event.args = one.value("args", json::object());
    event.pid = one["pid"];
    event.tid = one["tid"];
    events.push_back(event);
  }
  return events;
}

std::vector<Record> named(const std::vector<Record>& events, const std::string& category,
                          const std::string& part) {
  std::vector<Record> found;
  for (const Record& event : events) {
    if (event.category == category && event.name.find(part) != std::string::npos)
      found.push_back(event);
  }
  return found;
}

bool inside(const Record& inner, const Record& outer) {
  return inner.start >= outer.start && inner.end <= outer.end;
}

std::size_t countIn(const std::vector<Record>& events, const Record& outer) {
  std::size_t n = 0;
  for (const Record& event : events) n += inside(event, outer) ? 1 : 0;
  return n;
}

}  // namespace

class TestSimulatorScenarios : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachBlockOfHostSyncReadsAValueBack() {
    const Simulation simulation = simulated("host-sync", 2, 1, 0, 2);
    const auto events = eventsOf(simulation);
    const auto items = named(events, "cpu_op", "aten::item");
    const auto syncs = named(events, "cuda_runtime", "cudaStreamSynchronize");
    const auto steps = named(events, "user_annotation", "ProfilerStep#");
    QCOMPARE(steps.size(), std::size_t{2});
    for (const Record& step : steps) QCOMPARE(countIn(items, step), std::size_t{9});  // 8 and loss
    for (const Record& item : items) QCOMPARE(countIn(syncs, item), std::size_t{1});
  }

  void theAllocatorGivesBackAndTakesInEachStep() {
    const Simulation simulation = simulated("allocator-thrash", 2, 1, 0, 3);
    const auto events = eventsOf(simulation);
    const auto frees = named(events, "cuda_runtime", "cudaFree");
    const auto mallocs = named(events, "cuda_runtime", "cudaMalloc");
    for (const Record& step : named(events, "user_annotation", "ProfilerStep#")) {
      QCOMPARE(countIn(frees, step), std::size_t{3 * 6});
      QVERIFY(countIn(mallocs, step) > 20);
    }
    // Reserved memory falls and rises again; it is never less than what is in use.
    std::int64_t before = 0;
    int falls = 0;
    for (const Record& event : named(events, "cpu_instant_event", "[memory]")) {
      const std::int64_t reserved = event.args["Total Reserved"];
      QVERIFY(reserved >= event.args["Total Allocated"].get<std::int64_t>());
      falls += reserved < before ? 1 : 0;
      before = reserved;
    }
    QVERIFY(falls >= 6);
  }

  void theFirstTwoStepsOfCompiledCompile() {
    const auto events = eventsOf(simulated("compiled", 2, 1, 0, 4));
    const auto compiles = named(events, "user_annotation", "_compile.compile_inner");
    const auto steps = named(events, "user_annotation", "ProfilerStep#");
    QCOMPARE(steps.size(), std::size_t{4});
    for (std::size_t i = 0; i < 4; ++i) {
      QCOMPARE(countIn(compiles, steps[i]), std::size_t{i < 2 ? 1u : 0u});
    }
    std::set<std::int64_t> launches;
    for (const Record& call : named(events, "cuda_driver", "cuLaunchKernel"))
      launches.insert(call.args["correlation"].get<std::int64_t>());
    const auto triton = named(events, "kernel", "triton_");
    QVERIFY(triton.size() > 50);
    for (const Record& kernel : triton)
      QVERIFY(launches.count(kernel.args["correlation"].get<std::int64_t>()) == 1);
  }

  void aTokenOfGraphDecodeIsOneLaunch() {
    const auto events = eventsOf(simulated("graph-decode", 2, 1, 0, 3));
    const auto launches = named(events, "cuda_runtime", "cudaGraphLaunch");
    QCOMPARE(launches.size(), std::size_t{3 * 4});
    QVERIFY(named(events, "cuda_runtime", "cudaLaunchKernel").empty());
    std::map<std::int64_t, std::size_t> kernels;
    for (const Record& kernel : named(events, "kernel", "")) {
      ++kernels[kernel.args["correlation"].get<std::int64_t>()];
      QVERIFY(kernel.args.contains("graph node id"));
    }
    QCOMPARE(kernels.size(), launches.size());
    for (const Record& launch : launches)
      QVERIFY(kernels[launch.args["correlation"].get<std::int64_t>()] > 100);
  }

  void theBackwardOfRecomputeRunsTheForwardAgain() {
    const Simulation simulation = simulated("recompute", 2, 1, 0, 2);
    const auto events = eventsOf(simulation);
    std::size_t outside = 0, within = 0;
    const auto nodes = named(events, "cpu_op", "CheckpointFunctionBackward");
    for (const Record& op : named(events, "cpu_op", "aten::gelu")) {
      if (op.name != "aten::gelu") continue;
      bool again = false;
      for (const Record& node : nodes) again = again || inside(op, node);
      ++(again ? within : outside);
    }
    QCOMPARE(within, outside);
    QCOMPARE(within, std::size_t{8 * 2});
  }

  void batchesArePageableCopiesThatBlock() {
    const auto events = eventsOf(simulated("pageable-copies", 2, 1, 0, 2));
    const auto copies = named(events, "gpu_memcpy", "HtoD (Pageable");
    QCOMPARE(copies.size(), std::size_t{4});
    QVERIFY(named(events, "gpu_memcpy", "HtoD (Pinned").empty());
    std::map<std::int64_t, const Record*> calls;
    const auto memcpys = named(events, "cuda_runtime", "cudaMemcpyAsync");
    for (const Record& call : memcpys) calls[call.args["correlation"].get<std::int64_t>()] = &call;
    for (const Record& copy : copies)
      QVERIFY(calls[copy.args["correlation"].get<std::int64_t>()]->end >= copy.end);
  }

  void theWaitsOfTwoStreamsNameTheirEvents() {
    const auto events = eventsOf(simulated("two-streams", 2, 1, 0, 2));
    std::set<std::int64_t> records;
    for (const Record& call : named(events, "cuda_runtime", "cudaEventRecord"))
      records.insert(call.args["correlation"].get<std::int64_t>());
    const auto waits = named(events, "cuda_sync", "Stream Wait Event");
    QCOMPARE(waits.size(), std::size_t{2 * 2 * 8});
    for (const Record& wait : waits) {
      QVERIFY(records.count(wait.args["wait_on_cuda_event_record_corr_id"].get<std::int64_t>()));
      QCOMPARE(wait.args["stream"].get<std::int64_t>(), wait.tid);
      QVERIFY(wait.args["wait_on_stream"] != wait.args["stream"]);
    }
    std::set<std::int64_t> streams;
    for (const Record& kernel : named(events, "kernel", "")) streams.insert(kernel.tid);
    QCOMPARE(streams.size(), std::size_t{2});
  }

  void theLastBucketOfLateBucketHasNothingBesideIt() {
    const Simulation simulation = simulated("late-bucket", 2, 1, 0, 3);
    const auto events = eventsOf(simulation);
    const auto collectives = named(events, "kernel", "nccl");
    for (const Record& step : named(events, "user_annotation", "ProfilerStep#")) {
      const Record* last = nullptr;
      for (const Record& one : collectives) {
        if (inside(one, step) && (!last || one.start > last->start)) last = &one;
      }
      QVERIFY(last);
      for (const Record& kernel : named(events, "kernel", "at::native"))
        QVERIFY(kernel.end <= last->start || kernel.start >= last->end);
    }
    for (const TruthStep& step : simulation.truth.ranks.front().steps)
      QVERIFY(step.exposedCommunication * 10 > step.communication);
  }
};

QTEST_GUILESS_MAIN(TestSimulatorScenarios)
#include "tst_simulator_scenarios.moc"
