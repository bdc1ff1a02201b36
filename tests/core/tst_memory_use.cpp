#include <map>
#include <random>

#include <QTemporaryDir>
#include <QtTest>

#include "core/analysis/memory_use.h"
#include "core/io/load_trace.h"
#include "core/simulator/simulator.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

MemoryUse memoryOf(const std::shared_ptr<const Trace>& trace) {
  const auto w = makeWorkload(trace).value();
  AnalysisWindow all = spanWindow(trace->span());
  ++all.spans[0].end;
  return memoryUse(*w, all, idleGaps(*w, all));
}

MemoryUse memoryOf(const std::string& text) {
  return memoryOf(traceFromText(text));
}

/// A record of device 0.
std::string record(int at, long address, long bytes, long total, long reserved) {
  const std::string t = std::to_string(at) + "us ";
  return "instant " + t + t + "main [memory] addr=" + std::to_string(address) +
         " bytes=" + std::to_string(bytes) + " total=" + std::to_string(total) +
         " reserved=" + std::to_string(reserved) + " device_type=1 device=0\n";
}

const std::string kKernel =
    "op 0 4us main aten::zero_\n"
    "call 1us 2us main cudaLaunchKernel corr=1\n"
    "kernel 3us 90us 7 fill corr=1\n";

}  // namespace

class TestMemoryUse : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thePeakHasItsBlocksAndTheirOperators() {
    const MemoryUse m =
        memoryOf(kKernel + "op 10us 20us main aten::empty\n" + "op 30us 40us main aten::mm\n" +
                 "op 31us 39us main aten::resize_\n" + record(12, 100, 1000, 6000, 8000) +
                 record(35, 200, 500, 6500, 8000) + record(50, 100, -1000, 5500, 8000) +
                 record(60, 300, 10, 5510, 9000));
    QCOMPARE(m.pools.size(), std::size_t{1});
    const MemoryPool& pool = m.pools[0];
    QCOMPARE(pool.name, std::string("GPU 0"));
    QCOMPARE(pool.peak, std::int64_t{6500});
    QCOMPARE(pool.peakTime, TimeNs{35'000});
    QCOMPARE(pool.reservedPeak, std::optional<std::int64_t>(9000));
    QCOMPARE(pool.aliveBefore, std::optional<std::int64_t>(5000));
    QCOMPARE(pool.alive.size(), std::size_t{2});
    QCOMPARE(pool.alive[0].bytes, std::int64_t{1000});
    QCOMPARE(pool.ops[0].op, std::string("aten::empty"));
    QCOMPARE(pool.ops[1].op, std::string("aten::resize_"));
    QCOMPARE(pool.ops[1].aliveBytes, std::int64_t{500});
    QCOMPARE(pool.allocations, std::uint64_t{3});
    QCOMPARE(pool.releases, std::uint64_t{1});
    QVERIFY(!m.thrash);
    QVERIFY(m.missing.empty());
  }

  void withoutTotalsTheCurveIsRelative() {
    const MemoryUse m =
        memoryOf(kKernel +
                 "instant 10us 10us main [memory] bytes=300 device_type=1 device=0\n"
                 "instant 20us 20us main [memory] bytes=-900 device_type=1 device=0\n"
                 "instant 30us 30us main [memory] bytes=50 device_type=1 device=0\n");
    const MemoryPool& pool = m.pools.at(0);
    QVERIFY(pool.relative);
    QVERIFY(!pool.addresses);
    QCOMPARE(pool.peak, std::int64_t{300});
    QCOMPARE(pool.allocated, (std::vector<std::int64_t>{300, -600, -550}));
    QVERIFY(!pool.aliveBefore);
    QVERIFY(pool.alive.empty());
    QVERIFY(m.sentence.find("more than at the start of the recording") != std::string::npos);
  }

  void withoutRecordsItSaysHowToGetThem() {
    const MemoryUse m = memoryOf(kKernel);
    QVERIFY(m.pools.empty());
    QVERIFY(m.missing.find("profile_memory=True") != std::string::npos);
  }

  void hostAndDevicesAreSeparate() {
    const MemoryUse m = memoryOf(
        kKernel + "instant 5us 5us main [memory] addr=1 bytes=8 total=8 device_type=0 device=-1\n" +
        record(6, 1, 64, 64, 64));
    QCOMPARE(m.pools.size(), std::size_t{2});
    QCOMPARE(m.pools[0].name, std::string("GPU 0"));
    QCOMPARE(m.pools[1].name, std::string("host"));
    QVERIFY(m.pools[1].reserved.empty());
  }

  void callsInASettledStepAreThrash() {
    std::string text = "range 0 100us main ProfilerStep#1\n" + kKernel;
    const std::string calls =
        "call 10us 20us main cudaMalloc\n"
        "driver 12us 18us main cuMemAlloc_v2\n"
        "call 30us 31us main cudaMemGetInfo\n"
        "call 40us 42us main cudaHostAlloc\n"
        "call 50us 60us main cudaFree\n";
    const MemoryUse m = memoryOf(text + calls);
    QCOMPARE(m.calls.size(), std::size_t{4});
    QCOMPARE(m.spans[0].allocations, std::uint64_t{1});
    QCOMPARE(m.spans[0].releases, std::uint64_t{1});
    QCOMPARE(m.spans[0].time, TimeNs{20'000});
    QVERIFY(m.thrash);
    QVERIFY(m.thrashWhy.find("empty_cache") != std::string::npos);
    // A near miss: queries and pinned host memory alone.
    QVERIFY(!memoryOf(text + "call 30us 31us main cudaMemGetInfo\n"
                             "call 40us 42us main cudaHostAlloc\n")
                 .thrash);
  }

  void reservedMemoryThatFallsIsAFlushOfTheCache() {
    const std::string before = kKernel + record(10, 1, 100, 100, 1000);
    const MemoryUse m = memoryOf(before + record(50, 1, -100, 0, 800));
    QVERIFY(m.thrash);
    QCOMPARE(m.spans[0].reservedDrop, std::int64_t{200});
    QVERIFY(!memoryOf(before + record(50, 1, -100, 0, 1000)).thrash);
  }

  void aliveIsWhatReplayingAllRecordsGives() {
    std::mt19937 random(5);
    for (int round = 0; round < 40; ++round) {
      std::map<long, long> live;
      long total = 700, peak = total, reserved = 100'000;
      std::map<long, long> liveAtPeak;
      std::string text = kKernel;
      for (int i = 0; i < 60; ++i) {
        const long address = std::uniform_int_distribution<long>(1, 12)(random);
        const auto it = live.find(address);
        long bytes = std::uniform_int_distribution<long>(1, 50)(random);
        if (it != live.end()) {
          bytes = -it->second;
          live.erase(it);
        } else {
          live[address] = bytes;
        }
        total += bytes;
        text += record(10 + i, address, bytes, total, reserved);
        if (total <= peak) continue;
        peak = total;
        liveAtPeak = live;
      }
      const MemoryPool pool = memoryOf(text).pools.at(0);
      QCOMPARE(pool.peak, std::int64_t{peak});
      std::map<long, long> ours;
      std::int64_t sum = 0, byOp = 0;
      for (const MemoryBlock& block : pool.alive) {
        ours[static_cast<long>(block.address)] = static_cast<long>(block.bytes);
        sum += block.bytes;
      }
      for (const MemoryOp& op : pool.ops) byOp += op.aliveBytes;
      QVERIFY(ours == liveAtPeak);
      QCOMPARE(byOp, sum);
      QCOMPARE(sum + *pool.aliveBefore, pool.peak);
    }
  }

  void theSimulatedAllocatorAddsUp() {
    SimulationOptions options;
    options.scenario = "healthy";
    options.steps = 2;
    const auto simulation = simulate(options);
    QVERIFY(simulation.ok());
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("trace.json")).toStdString();
    QVERIFY(writeKineto(simulation.value(), 0, path).ok());
    const auto trace = loadFile(path);
    const MemoryUse m = memoryOf(trace);
    QVERIFY(!m.pools.empty());
    for (const MemoryPool& pool : m.pools) {
      std::int64_t known = 0;
      for (const MemoryBlock& block : pool.alive) known += block.bytes;
      if (pool.aliveBefore) QCOMPARE(known + *pool.aliveBefore, pool.peak);
      if (pool.reservedPeak) QVERIFY(*pool.reservedPeak >= pool.peak);
    }
  }

  /// Figures of the raw records of a public recording, found by a few lines of another language.
  void aRealRecordingHasItsPeak() {
    const std::string file =
        sharedFile("traces/kineto/AMD-AGI__TraceLens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    if (file.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces)");
    const MemoryUse m = memoryOf(loadFile(file));
    QCOMPARE(m.pools.at(0).peakOfRecording, std::int64_t{2'088'508'416});
    QCOMPARE(m.pools.at(0).reservedPeak, std::optional<std::int64_t>(2'629'828'608));
    QCOMPARE(m.pools.at(0).time.size(), std::size_t{2250});
  }
};

QTEST_GUILESS_MAIN(TestMemoryUse)
#include "tst_memory_use.moc"
