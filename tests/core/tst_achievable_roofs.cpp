#include <cmath>

#include <QtTest>

#include "core/analysis/achievable_roofs.h"
#include "core/analysis/bounds.h"
#include "core/analysis/given_quality.h"
#include "core/analysis/op_communication.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// 1 TFLOP/s in fp32, 100 GB/s.
constexpr const char* kPeaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
  "tflops": {"fp32": 1, "bf16": 10}, "memory_gb_per_s": 100, "source": "made for a test"}]})";

/// A product of 128 MFLOP and 1.92 MB in 200 µs, an addition of 12 MB in 200 µs; and what must not
/// count: a faster product of 2.5 µs, and an addition faster than the memory can be.
constexpr std::string_view kOps = R"(
op     0     9us   main aten::mm dims=[[400,400],[400,400]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  210us 7 volta_sgemm_128x64_nn corr=1
op     20us  29us  main aten::add dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   21us  22us  main cudaLaunchKernel corr=2
kernel 210us 410us 7 vectorized_elementwise_kernel corr=2
op     30us  39us  main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   31us  32us  main cudaLaunchKernel corr=3
kernel 410us 412500ns 7 volta_sgemm_64x64_nn corr=3
op     40us  49us  main aten::mul dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   41us  42us  main cudaLaunchKernel corr=4
kernel 420us 520us 7 vectorized_elementwise_kernel corr=4
)";

constexpr std::string_view kReduces = R"(
op     0    9us   main c10d::allreduce_
call   1us  2us   main cudaLaunchKernel corr=1
kernel 10us 20us  7 ncclDevKernel_AllReduce_Sum_f32_RING_LL corr=1 collective=allreduce group=0 group_size=4 in_elements=1000000 dtype=Float
op     20us 29us  main c10d::allreduce_
call   21us 22us  main cudaLaunchKernel corr=2
kernel 30us 60us  7 ncclDevKernel_AllReduce_Sum_f32_RING_LL corr=2 collective=allreduce group=0 group_size=4 in_elements=1000000 dtype=Float
op     60us 69us  main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   61us 62us  main cudaLaunchKernel corr=3
kernel 70us 80us  7 volta_sgemm_64x64_nn corr=3
)";

std::shared_ptr<const Workload> workloadOf(std::string_view text, WorkloadSettings settings = {},
                                           bool peaks = true) {
  if (peaks)
    settings.catalog = std::make_shared<const DeviceCatalog>(
        std::move(DeviceCatalog::builtin().withUserFile(kPeaks).value()));
  return makeWorkload(traceFromText(text), settings).value();
}

const RooflinePoint* pointOf(const Roofline& r, std::string_view op, TimeNs time = 0) {
  for (const RooflinePoint& p : r.points)
    if (p.op == op && (time == 0 || p.time == time)) return &p;
  return nullptr;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class TestAchievableRoofs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theBestLongCallsOfTheTraceAreTheSecondRoof() {
    const auto w = workloadOf(kOps);
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    const Roofline::PerDevice& device = r.devices.front();
    QCOMPARE(device.achievable.size(), std::size_t{1});
    QCOMPARE(device.achievable.front().key, std::string("fp32"));
    QCOMPARE(device.achievable.front().value, 128e6 / 200e-6);  // not the 0.8 TFLOP/s of 2.5 µs
    const std::string source = device.achievable.front().source;
    QVERIFY2(contains(source, "best of this trace: aten::mm"), source.c_str());
    QVERIFY2(contains(source, "200 µs") && contains(source, "64 % of the peak"), source.c_str());
    QCOMPARE(device.achievable.front().example, sliceNamed(*w->trace, "volta_sgemm_128x64_nn"));
    QCOMPARE(device.achievableMemory->value, 12e6 / 200e-6);  // not the 120 GB/s of 100
    QVERIFY(contains(device.achievableMemory->source, "60 % of the bandwidth"));
  }

  void pointsAreComparedWithWhatIsReached() {
    const auto w = workloadOf(kOps);
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    QCOMPARE(*pointOf(r, "aten::add")->ofAchievable, 1.0);
    QCOMPARE(*pointOf(r, "aten::mm", 200'000)->ofAchievable, 1.0);
    QCOMPARE(*pointOf(r, "aten::mul")->ofAchievable, 2.0);
    QCOMPARE(*pointOf(r, "aten::add")->ofRoof, 0.6);  // the datasheet stays the roof
  }

  void aWindowKeepsTheRoofsOfTheWholeTrace() {
    const auto w = workloadOf(kOps);
    const Roofline r = roofline(*w, spanWindow({410'000, 415'000}));
    QCOMPARE(r.points.size(), std::size_t{1});
    QCOMPARE(r.devices.front().achievable.front().value, 0.64e12);
    QCOMPARE(r.devices.front().achievableMemory->value, 60e9);
  }

  void figuresOfTheUserWin() {
    WorkloadSettings settings;
    settings.achievable.flops["fp32"] = 0.8e12;
    settings.achievable.bandwidth = 80e9;
    const auto w = workloadOf(kOps, settings);
    const Roofline::PerDevice device = roofline(*w, wholeDeviceWindow(*w)).devices.front();
    QCOMPARE(device.achievable.size(), std::size_t{1});
    QCOMPARE(device.achievable.front().value, 0.8e12);
    QCOMPARE(device.achievable.front().source, std::string("achievable, given by you"));
    QVERIFY(!device.achievable.front().example.valid());
    QCOMPARE(device.achievableMemory->value, 80e9);
  }

  void ratesThatCannotBeAreDoubted() {
    const auto doubtsOf = [](double flops, double bandwidth) {
      WorkloadSettings settings;
      settings.achievable.flops["fp32"] = flops;
      settings.achievable.bandwidth = bandwidth;
      const auto w = workloadOf(kOps, settings);
      const Roofline r = roofline(*w, wholeDeviceWindow(*w));
      const auto checks = givenChecks(*w, r, {});
      for (const QualityCheck& check : checks)
        if (check.key != "achievable_rates" || check.found == r.devices.front().doubts.empty())
          return std::vector<std::string>{"the check is not that of the doubts"};
      return r.devices.front().doubts;
    };
    QVERIFY(doubtsOf(0.8e12, 80e9).empty());
    QVERIFY(doubtsOf(0.638e12, 59.9e9).empty());  // as reached, but rounded
    const auto above = doubtsOf(1.1e12, 110e9);
    QCOMPARE(above.size(), std::size_t{2});
    QVERIFY2(contains(above[0], "for memory, 110 GB/s, is above the 100 GB/s of the datasheet"),
             above[0].c_str());
    QVERIFY2(contains(above[1], "for fp32, 1.1 TFLOP/s, is above the 1 TFLOP/s"), above[1].c_str());
    const auto below = doubtsOf(0.3e12, 30e9);
    QCOMPARE(below.size(), std::size_t{2});
    QVERIFY2(contains(below[0], "is below the 60 GB/s that this recording reached (aten::add)"),
             below[0].c_str());
    QVERIFY2(contains(below[1], "is below the 640 GFLOP/s that this recording reached (aten::mm)"),
             below[1].c_str());
  }

  void shortCallsAloneGiveNoRoof() {
    const auto w = workloadOf(R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
)");
    const Roofline::PerDevice device = roofline(*w, wholeDeviceWindow(*w)).devices.front();
    QVERIFY(device.achievable.empty() && !device.achievableMemory);
  }

  void memoryBoundKernelsSayNothingAboutArithmetic() {
    const auto w = workloadOf(R"(
op     0     9us   main aten::add dims=[[1000,1000],[1000,1000]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  210us 7 vectorized_elementwise_kernel corr=1
)");
    const Roofline::PerDevice device = roofline(*w, wholeDeviceWindow(*w)).devices.front();
    QVERIFY(device.achievable.empty());
    QCOMPARE(device.achievableMemory->value, 60e9);
  }

  void withoutPeaksTheBestOfTheTraceIsAllThereIs() {
    const auto w = workloadOf(kOps, {}, false);
    const Roofline::PerDevice device = roofline(*w, wholeDeviceWindow(*w)).devices.front();
    QVERIFY(device.compute.empty() && !device.memory);
    QCOMPARE(device.achievableMemory->value, 120e9);
    QCOMPARE(device.achievable.size(), std::size_t{1});
    QCOMPARE(device.achievable.front().key, std::string("fp32"));
    QCOMPARE(device.achievable.front().value, 0.64e12);
  }

  void whatStandsAboveItsRoofSaysWhatCanBeWrong() {
    const auto w = workloadOf(kOps);
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    const RooflinePoint* above = pointOf(r, "aten::mul");
    QVERIFY(above->aboveRoof);  // 120 µs of memory in 100
    const std::string why = whyAbove(*above);
    QVERIFY2(contains(why, "cache") && contains(why, "the peak is") && contains(why, "count"),
             why.c_str());
    QVERIFY(whyAbove(*pointOf(r, "aten::add")).empty());
  }

  void ratesAreReadAndWritten() {
    AchievableRates rates;
    QVERIFY(readAchievableFlops("bf16=640, fp32=50.5", rates).ok());
    QCOMPARE(rates.flops.at("bf16"), 640e12);
    QCOMPARE(achievableFlopsText(rates), std::string("bf16=640, fp32=50.5"));
    for (const char* bad : {"bf17=3", "bf16", "bf16=", "bf16=-1", "=4"}) {
      const Status read = readAchievableFlops(bad, rates);
      QVERIFY2(read.failed() && contains(read.error().text(), "bf16=640"), bad);
    }
    QCOMPARE(rates.flops.size(), std::size_t{2});
  }

  void collectivesTakeAtLeastWhatTheShortestOfTheirSizeDid() {
    const auto w = workloadOf(kReduces);
    const AnalysisWindow window = wholeDeviceWindow(*w);
    Roofline r = roofline(*w, window);
    const Collectives c = collectives(*w, window);
    addCommunicationTimes(*w, c, r);
    const RooflinePoint* p = pointOf(r, "c10d::allreduce_");
    QCOMPARE(p->calls, std::uint64_t{2});
    QCOMPARE(*p->communicationTime, 10e-6);  // twice the shorter of 10 and 30 µs, of two calls
    QVERIFY(contains(p->communicationFrom, "the shortest of 2"));
    QVERIFY(!pointOf(r, "aten::mm")->communicationTime);
    TimeNs sum = 0;  // the same estimate as the bound
    for (const RooflinePoint& point : r.points)
      if (point.communicationTime)
        sum += std::llround(*point.communicationTime * static_cast<double>(point.calls) * 1e9);
    QCOMPARE(sum, c.bounds.front().least);
  }

  void theUsersTableTellsTheCommunicationOfAnOp() {
    WorkloadSettings settings;
    settings.collectives = std::make_shared<const CollectiveTable>(
        CollectiveTable::fromText("collective,ranks,bytes,time_us\nall_reduce,4,4000000,8\n", "t")
            .value());
    const auto w = workloadOf(kReduces, settings);
    const AnalysisWindow window = wholeDeviceWindow(*w);
    Roofline r = roofline(*w, window);
    addCommunicationTimes(*w, collectives(*w, window), r);
    QCOMPARE(*pointOf(r, "c10d::allreduce_")->communicationTime, 8e-6);
    QVERIFY(contains(pointOf(r, "c10d::allreduce_")->communicationFrom, "measured by you"));
  }

  void aCollectiveSeenOnceHasNoLeastTimeAndSaysWhatIsMissing() {
    const auto w = workloadOf(kReduces.substr(0, kReduces.find("op     20us")));
    const AnalysisWindow window = wholeDeviceWindow(*w);
    Roofline r = roofline(*w, window);
    addCommunicationTimes(*w, collectives(*w, window), r);
    QVERIFY(!r.points.front().communicationTime);
    QVERIFY(contains(r.points.front().communicationFrom, "--collectives"));
  }
};

QTEST_GUILESS_MAIN(TestAchievableRoofs)
#include "tst_achievable_roofs.moc"
