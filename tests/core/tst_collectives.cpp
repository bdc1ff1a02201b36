#include <QTest>

#include "core/analysis/bounds.h"
#include "core/analysis/collectives.h"
#include "core/analysis/given_quality.h"
#include "core/analysis/roofline.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// As nccl-tests 2.13 prints it, shortened to three sizes.
constexpr std::string_view kAllReduce = R"(# nThread 1 nGpus 4 minBytes 1048576 maxBytes 4194304
# Using devices
#  Rank  0 Group  0 Pid  10 on  host device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid  10 on  host device  1 [0x1c] NVIDIA H100 80GB HBM3
#  Rank  2 Group  0 Pid  10 on  host device  2 [0x1d] NVIDIA H100 80GB HBM3
#  Rank  3 Group  0 Pid  10 on  host device  3 [0x1e] NVIDIA H100 80GB HBM3
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    30.00   34.95   52.43      0    31.00   33.83   50.74      0
     2097152        524288     float     sum      -1    50.00   41.94   62.91      0    51.00   41.12   61.68      0
     4194304       1048576     float     sum      -1    90.00   46.60   69.91      0    91.00   46.09   69.14      0
# Out of bounds values : 0 OK
)";

/// Two all-reduces of 4 MiB over four ranks, of which the second waits for somebody.
constexpr std::string_view kTwo = R"(
op     0      9us    main nccl:all_reduce
call   1us    2us    main cudaLaunchKernel corr=1
call   3us    4us    main cudaLaunchKernel corr=2
kernel 10us   110us  9 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)' corr=1 collective=allreduce group=0 group_size=4 in_elements=1048576 dtype=Float
kernel 120us  420us  9 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)' corr=2 collective=allreduce group=0 group_size=4 in_elements=1048576 dtype=Float
)";

std::shared_ptr<const Workload> workloadOf(std::string_view text,
                                           std::shared_ptr<const CollectiveTable> table = {}) {
  WorkloadSettings settings;
  settings.collectives = std::move(table);
  return makeWorkload(traceFromText(text), settings).value();
}

std::shared_ptr<const CollectiveTable> tableOf(std::string_view text) {
  return std::make_shared<const CollectiveTable>(
      CollectiveTable::fromText(text, "all_reduce_perf.txt").value());
}

Bounds boundsOf(const Workload& w, TimeSpan span) {
  const AnalysisWindow window = spanWindow(span);
  return bounds(w, roofline(w, window), deviceTimes(w, window), collectives(w, window)).front();
}

}  // namespace

class TestCollectives : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Of two process groups on two streams, side by side: 200 µs on one, 160 on the other.
  void collectivesOfSeveralStreamsAreNoSum() {
    std::string text = "op 0 9us main nccl:all_reduce\n";
    for (int i = 0; i < 4; ++i) {
      const bool second = i % 2 == 1;
      const int begin = 10 + (i / 2) * 110;
      text += "call " + std::to_string(i) + "us " + std::to_string(i) + "500ns main " +
              "cudaLaunchKernel corr=" + std::to_string(i + 1) + "\nkernel " +
              std::to_string(begin) + "us " + std::to_string(begin + (second ? 80 : 100)) + "us " +
              (second ? "10" : "9") +
              " 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)' corr=" + std::to_string(i + 1) +
              " collective=allreduce group=" + (second ? "1" : "0") +
              " group_size=" + (second ? "2" : "4") + " in_elements=1048576 dtype=Float\n";
    }
    const Bounds b = boundsOf(*workloadOf(text), {0, 500'000});
    QCOMPARE(*b.communication, TimeNs{200'000});
  }

  void busBandwidthCountsWhatALinkCarries() {
    QCOMPARE(busFactor("all-reduce", 8), 1.75);
    QCOMPARE(busFactor("all-gather", 8), 0.875);
    QCOMPARE(busFactor("reduce-scatter", 4), 0.75);
    QCOMPARE(busFactor("broadcast", 8), 1.0);
    QCOMPARE(busFactor("all-reduce", 1), 1.0);
  }

  void aTableThatFitsNothingIsTold() {
    const auto collectivesWith = [](std::string_view trace, std::string_view table) {
      const auto w = workloadOf(trace, tableOf(table));
      return collectives(*w, spanWindow({0, 500'000}));
    };
    QCOMPARE(collectivesWith(kTwo, kAllReduce).unusedTable, std::string());
    const Collectives other = collectivesWith(
        kTwo, "collective,ranks,bytes,time_us\nall_reduce,8,4,5\nall_gather,4,4,5\n");
    QCOMPARE(other.unusedTable,
             std::string("your table of collectives (all-gather with 4 ranks, all-reduce with 8 "
                         "ranks) has none of those in the recording (all-reduce with 4 ranks)"));
    QVERIFY(other.bounds.front().from.find(other.unusedTable) != std::string::npos);
    const auto once = workloadOf(
        "kernel 10us 110us 9 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)' collective=allreduce "
        "group=0 group_size=4 in_elements=1048576 dtype=Float\n",
        tableOf("collective,ranks,bytes,time_us\nall_reduce,8,4,5\n"));
    const auto missing = boundsOf(*once, {0, 500'000}).missing;
    QVERIFY(std::any_of(missing.begin(), missing.end(), [](const std::string& text) {
      return text.find("your table of collectives (all-reduce with 8 ranks)") != std::string::npos;
    }));
    const Collectives none = collectivesWith("kernel 10us 110us 7 gemm\n", kAllReduce);
    QVERIFY(none.unusedTable.find("the recording has no collectives") != std::string::npos);
    const auto w = workloadOf(kTwo, tableOf(kAllReduce));
    QVERIFY(!givenChecks(*w, {}, {})[0].found);
    const auto checks = givenChecks(*w, {}, other);
    QVERIFY(checks[0].found && checks[0].key == "unused_collectives");
    QVERIFY(checks[0].finding.starts_with("Your table"));
  }

  void aLogOfTwoRunsKeepsTheirRanksAndKindsApart() {
    const std::string log =
        "# Collective test starting: all_reduce_perf\n" + std::string(kAllReduce) +
        "# Collective test starting: all_gather_perf\n" + std::string(kAllReduce);
    const auto table = CollectiveTable::fromText(log, "all.log");
    QVERIFY(table.ok());
    QCOMPARE(table.value().fits().size(), std::size_t{2});
    QVERIFY(table.value().find("all-reduce", 4) != nullptr);
    QVERIFY(table.value().find("all-gather", 4) != nullptr);
    QCOMPARE(table.value().find("all-gather", 4)->samples, std::size_t{3});
  }

  void anEmptyCellOfATableIsRefusedNotShifted() {
    const auto table = CollectiveTable::fromText(
        "collective,node,ranks,bytes,time_us,bus\nall-reduce,,8,1024,50,7\n", "mine.csv");
    QVERIFY(!table.ok());
    QVERIFY(table.error().where.find("line 2") != std::string::npos);
  }

  void aFitFindsFixedCostAndBandwidth() {
    std::vector<CollectiveSample> samples;
    for (const double bytes : {1e3, 1e4, 1e5, 1e6, 1e7, 1e8})
      samples.push_back({"all-gather", 8, bytes, 12e-6 + bytes / 2e11});
    const auto fits = fitCollectives(samples);
    QCOMPARE(fits.size(), std::size_t{1});
    QVERIFY(std::abs(fits[0].fixedSeconds - 12e-6) < 1e-9);
    QVERIFY(std::abs(fits[0].bytesPerSecond / 2e11 - 1) < 1e-6);
    QCOMPARE(fits[0].samples, std::size_t{6});
  }

  void aFitNeverHasANegativeFixedCost() {
    const auto fits = fitCollectives({{"all-reduce", 2, 1e6, 1e-6},
                                      {"all-reduce", 2, 2e6, 4e-6},
                                      {"all-reduce", 2, 4e6, 12e-6}});
    QCOMPARE(fits[0].fixedSeconds, 0.0);
    QVERIFY(fits[0].bytesPerSecond > 0);
  }

  void whereSizeDoesNotMatterTheBandwidthIsNotInvented() {
    const auto fits = fitCollectives({{"all-reduce", 2, 1e3, 2e-5}, {"all-reduce", 2, 1e6, 1e-5}});
    QVERIFY(std::isinf(fits[0].bytesPerSecond));
    QCOMPARE(fits[0].seconds(1e9), fits[0].fixedSeconds);
    QVERIFY(fits[0].fixedSeconds >= 1e-5 && fits[0].fixedSeconds <= 2e-5);
  }

  void oneSizeGivesABandwidthAlone() {
    const auto fits = fitCollectives({{"all-reduce", 2, 1e6, 1e-5}});
    QCOMPARE(fits[0].fixedSeconds, 0.0);
    QCOMPARE(fits[0].seconds(2e6), 2e-5);
  }

  void ncclTestsOutputIsRead() {
    const auto table = CollectiveTable::fromText(kAllReduce, "runs/all_reduce_perf.txt");
    QVERIFY(table.ok());
    QCOMPARE(table.value().samples().size(), std::size_t{3});
    const CollectiveFit* fit = table.value().find("all-reduce", 4);
    QVERIFY(fit != nullptr);
    // 10 µs and 52.4 GB/s: 20 µs for each MiB.
    QVERIFY(std::abs(fit->fixedSeconds - 10e-6) < 1e-9);
    QVERIFY(std::abs(fit->bytesPerSecond - 1048576 / 20e-6) < 1e3);
    QVERIFY(table.value().find("all-reduce", 8) == nullptr);
    QVERIFY(table.value().find("all-gather", 4) == nullptr);
  }

  void whichTestRanIsAlsoReadFromItsFirstLine() {
    const std::string text =
        "# Collective test starting: all_gather_perf\n" + std::string(kAllReduce);
    QVERIFY(CollectiveTable::fromText(text, "out.txt").value().find("all-gather", 4) != nullptr);
  }

  void aTableOfOnesOwnIsRead() {
    const auto table = CollectiveTable::fromText(
        "collective,ranks,bytes,time_us\nAllReduce,8,1048576,25\nall_gather,8,2097152,40\n",
        "t.csv");
    QVERIFY(table.ok());
    QCOMPARE(table.value().samples().size(), std::size_t{2});
    QVERIFY(table.value().find("all-reduce", 8) && table.value().find("all-gather", 8));
  }

  void badTablesAreRefusedWithTheirLine() {
    const auto bad = CollectiveTable::fromText(
        "collective,ranks,bytes,time_us\nall_reduce,8,1048576,25\nall_reduce,8,-1,25\n", "t.csv");
    QVERIFY(bad.failed());
    QVERIFY(bad.error().where.find("line 3") != std::string::npos);
    QVERIFY(CollectiveTable::fromText("nothing at all", "x").failed());
    QVERIFY(CollectiveTable::fromText("", "x").failed());
    // Without a name that tells the test, the output alone does not.
    QVERIFY(CollectiveTable::fromText(kAllReduce, "out.txt").failed());
  }

  void equalCallsMakeOneGroupWithItsBandwidth() {
    const auto w = workloadOf(kTwo);
    const Collectives c = collectives(*w, spanWindow({0, 500'000}));
    QCOMPARE(c.groups.size(), std::size_t{1});
    const CollectiveGroup& g = c.groups.front();
    QCOMPARE(g.kind, std::string("all-reduce"));
    QCOMPARE(*g.ranks, 4);
    QVERIFY(g.bytes && g.ranks);
    QCOMPARE(*g.bytes, 4194304.0);
    QCOMPARE(g.calls, std::uint64_t{2});
    QCOMPARE(g.total, TimeNs{400'000});
    QCOMPARE(g.exposed, TimeNs{400'000});
    QCOMPARE(g.shortest, TimeNs{100'000});
    QVERIFY(std::abs(*g.algorithmBandwidth - 4194304 / 100e-6) < 1);  // the lower median of two
    QVERIFY(std::abs(*g.busBandwidth / *g.algorithmBandwidth - 1.5) < 1e-12);
  }

  void theShortestCallInTheTraceBoundsTheOthers() {
    const auto w = workloadOf(kTwo);
    const Bounds b = boundsOf(*w, {0, 500'000});
    QCOMPARE(*b.communication, TimeNs{200'000});
    QVERIFY(b.communicationFrom.find("in this trace") != std::string::npos);
  }

  void whatTheUserMeasuredWinsAndIsNeverMoreThanWasMeasuredHere() {
    const auto w = workloadOf(kTwo, tableOf(kAllReduce));
    const Collectives c = collectives(*w, spanWindow({0, 500'000}));
    QCOMPARE(*c.groups.front().least, TimeNs{90'000});
    QVERIFY(c.groups.front().leastFrom.find("extrapolated") == std::string::npos);
    const auto small =
        workloadOf(kTwo, tableOf("collective,ranks,bytes,time_us\nall_reduce,4,1024,10\n"));
    QVERIFY(collectives(*small, spanWindow({0, 500'000}))
                .groups.front()
                .leastFrom.ends_with("extrapolated"));
    const Bounds b = boundsOf(*w, {0, 500'000});
    QCOMPARE(*b.communication, TimeNs{180'000});
    QVERIFY(b.communicationFrom.find("you measured") != std::string::npos);
    // A table of a slower machine claims no more than the calls took.
    const auto slow =
        workloadOf(kTwo, tableOf("collective,ranks,bytes,time_us\nall_reduce,4,4194304,1000\n"));
    QCOMPARE(*boundsOf(*slow, {0, 500'000}).communication, TimeNs{400'000});
  }

  void aSingleCallOfUnknownSizeHasNoBound() {
    const auto w = workloadOf(R"(
op     0     9us   main c10d::allreduce_
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)' corr=1
)");
    const Bounds b = boundsOf(*w, {0, 20'000});
    QVERIFY(!b.communication);
    QVERIFY(std::any_of(b.missing.begin(), b.missing.end(), [](const std::string& text) {
      return text.find("nccl-tests") != std::string::npos;
    }));
  }

  void onlyCallsThatStartInTheWindowCount() {
    const auto w = workloadOf(kTwo);
    QCOMPARE(collectives(*w, spanWindow({0, 115'000})).groups.front().calls, std::uint64_t{1});
    QVERIFY(collectives(*w, spanWindow({430'000, 500'000})).groups.empty());
  }
};

QTEST_GUILESS_MAIN(TestCollectives)
#include "tst_collectives.moc"
