#include <QtTest>

#include "core/analysis/headline.h"
#include "core/analysis/import_quality.h"
#include "core/io/load_trace.h"
#include "tests/support/analysed.h"
#include "tests/support/gzip.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

Results resultsOf(const std::string& text) {
  return steadyResults(traceFromText(text));
}

const QualityCheck* foundIn(const Results& r, std::string_view key) {
  for (const QualityCheck& check : r->headline.quality.checks)
    if (check.key == key && check.found) return &check;
  return nullptr;
}

/// Two steps in order: shapes, launches, finer than a µs.
const std::string kGood =
    "step 0 50001 main ProfilerStep#1\n"
    "op 1us 9us main aten::mm dims=[[2,3],[3,4]] types=[\"float\",\"float\"]\n"
    "call 2us 3us main cudaLaunchKernel corr=1\n"
    "kernel 10us 40us 7 ampere_sgemm_128x64_tn corr=1\n"
    "step 50001 100us main ProfilerStep#2\n"
    "op 51us 59us main aten::mm dims=[[2,3],[3,4]] types=[\"float\",\"float\"]\n"
    "call 52us 53us main cudaLaunchKernel corr=2\n"
    "kernel 60us 90us 7 ampere_sgemm_128x64_tn corr=2\n";

std::string factOf(const RunInfo& run, std::string_view key) {
  for (const RunFact& fact : run.facts)
    if (fact.key == key) return fact.value;
  return "(no such fact)";
}

}  // namespace

class TestDataQuality : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void warningsAreTheFoundChecks() {
    const Results r = resultsOf(kGood);
    const DataQuality& quality = r->headline.quality;
    QVERIFY(!foundIn(r, "no_shapes"));
    QVERIFY(!foundIn(r, "no_launch"));
    QVERIFY(!foundIn(r, "mixed_shapes"));
    QCOMPARE(r->headline.warnings, quality.warnings());
    for (std::size_t i = 1; i < quality.checks.size(); ++i)
      QVERIFY(quality.checks[i - 1].found || !quality.checks[i].found);
    for (const QualityCheck& check : quality.checks) {
      QVERIFY(!check.finding.empty());
      QVERIFY(check.finding.back() != '.');
    }
  }

  void aFileThatWasJoinedWithItselfIsTold() {
    const Results twice = resultsOf(kGood + kGood);
    const QualityCheck* check = foundIn(twice, "duplicate_events");
    QVERIFY(check != nullptr);
    QCOMPARE(check->weight, QualityCheck::Weight::spoils);
    QVERIFY2(check->finding.starts_with("8 events of 16 are exact copies"), check->finding.c_str());
    QVERIFY(check->example.valid());
    QVERIFY(foundIn(twice, "no_steps") == nullptr);
    QVERIFY(foundIn(resultsOf(kGood), "duplicate_events") == nullptr);
  }

  /// Same times alone make no copy: calls within calls have them in whole microseconds.
  void whatDiffersInOneFieldIsNoCopy_data() {
    QTest::addColumn<QByteArray>("inner");
    QTest::newRow("name") << QByteArray("op 1us 9us main aten::addmm ext=1");
    QTest::newRow("end") << QByteArray("op 1us 8us main aten::linear ext=1");
    QTest::newRow("External id") << QByteArray("op 1us 9us main aten::linear ext=2");
    QTest::newRow("category") << QByteArray("range 1us 9us main aten::linear ext=1");
  }

  void whatDiffersInOneFieldIsNoCopy() {
    QFETCH(QByteArray, inner);
    const std::string outer = "op 0 10us main aten::add\nop 1us 9us main aten::linear ext=1\n";
    QVERIFY(!foundIn(resultsOf(outer + inner.toStdString()), "duplicate_events"));
    // Behind another of the same times, a copy is found all the same.
    QVERIFY(foundIn(
        resultsOf(outer + "op 1us 9us main aten::addmm\n" + "op 1us 9us main aten::linear ext=1\n"),
        "duplicate_events"));
  }

  void aDamagedTimeIsToldWithItsPlace() {
    std::string text;
    for (int i = 0; i < 20; ++i)
      text += "op " + std::to_string(i) + "us " + std::to_string(i + 1) + "us main aten::mm\n";
    const Results r = resultsOf(text + "op 3456000s 3456000s main aten::bmm\n");
    QCOMPARE(r->window.length(), TimeNs{20'000});
    const QualityCheck* check = foundIn(r, "stray_time");
    QVERIFY(check != nullptr);
    QVERIFY2(check->finding.find("'aten::bmm'") != std::string::npos, check->finding.c_str());
    QCOMPARE(problem(*r->workload->trace, "stray_time"), std::uint64_t{1});
    QVERIFY(!foundIn(resultsOf(text), "stray_time"));
  }

  /// Where the list of events has its end, no event can be missing.
  void aFileThatEndsBehindItsEventsIsNotCutOff() {
    const std::string event =
        R"({"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":2})";
    const Results whole = steadyResults(load("{\"traceEvents\":[" + event + "],\"traceName\":\"t"));
    QVERIFY(!foundIn(whole, "truncated"));
    QVERIFY(foundIn(whole, "open_object"));
    QVERIFY(foundIn(steadyResults(load("{\"traceEvents\":[" + event)), "truncated"));
  }

  void missingShapesSayWhatToRecord() {
    const Results r = resultsOf(
        "op 0 9us main aten::mm\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n"
        "kernel 10us 20us 7 gemm corr=1\n");
    const QualityCheck* check = foundIn(r, "no_shapes");
    QVERIFY(check != nullptr);
    QVERIFY(check->remedy.find("record_shapes=True") != std::string::npos);
    const auto touching = r->headline.quality.touching("roofline");
    QVERIFY(std::find(touching.begin(), touching.end(), check) != touching.end());
    QCOMPARE(r->headline.quality.touchingAny({"roofline", "roofline"}).size(), touching.size());
    QVERIFY(foundIn(r, "no_steps") != nullptr);
  }

  void clocksThatDisagreeSpoilCauses() {
    const Results r = resultsOf(
        "op 0 90us main aten::mm\n"
        "call 50us 52us main cudaLaunchKernel corr=1\n"
        "kernel 20us 40us 7 gemm corr=1\n");
    const QualityCheck* check = foundIn(r, "device_before_launch");
    QVERIFY(check != nullptr);
    QCOMPARE(check->weight, QualityCheck::Weight::spoils);
    QVERIFY(!foundIn(resultsOf(kGood), "device_before_launch"));
  }

  void lostRecordsAreFoundOnBothSides() {
    const Results r = resultsOf(
        "op 0 90us main aten::mm\n"
        "call 5us 6us main cudaLaunchKernel corr=1\n"
        "call 7us 8us main cudaLaunchKernel corr=2\n"
        "kernel 20us 40us 7 gemm corr=1\n"
        "kernel 50us 60us 7 gemm corr=9\n");
    QVERIFY(foundIn(r, "no_launch") != nullptr);
    const QualityCheck* check = foundIn(r, "no_device_event");
    QVERIFY(check != nullptr);
    QCOMPARE(r->workload->trace->slices().start[check->example.index()], TimeNs{7'000});
  }

  /// Nothing of what was launched: no word for the step, and no advice to switch on what was on.
  void launchesWithoutAnyDeviceWorkAreFound() {
    const Results r = resultsOf(
        "step 0 90us main ProfilerStep#1\n op 0 80us main aten::mm\n"
        "call 5us 6us main cudaLaunchKernel corr=1\n"
        "call 7us 8us main cudaLaunchKernel corr=2\n");
    const QualityCheck* check = foundIn(r, "no_device_work");
    QVERIFY(check != nullptr);
    QCOMPARE(check->finding, std::string("2 calls launch device work, but none of that work is in "
                                         "the recording"));
    QVERIFY(!check->consequence.empty() && check->remedy.find("CUPTI") != std::string::npos);
    QCOMPARE(r->headline.word, Verdict::unknown);
    QVERIFY2(r->headline.verdict.find("2 calls launch device work") != std::string::npos,
             r->headline.verdict.c_str());
    QVERIFY(r->headline.action.find("ProfilerActivity") == std::string::npos);
    QVERIFY(!foundIn(resultsOf(kGood), "no_device_work"));
    const Results host = resultsOf("step 0 90us main ProfilerStep#1\n op 0 80us main aten::mm\n");
    QVERIFY(!foundIn(host, "no_device_work"));
    QCOMPARE(host->headline.word, Verdict::hostBound);
  }

  void aFileThatIsCutOffGivesNoWholeVerdict() {
    const auto quoted = [](std::string text) {
      std::replace(text.begin(), text.end(), '\'', '"');
      return text;
    };
    const auto event = [](const std::string& category, const std::string& name, int ts, int dur,
                          const std::string& args) {
      return "{'ph':'X','pid':1,'tid':1,'cat':'" + category + "','name':'" + name +
             "','ts':" + std::to_string(ts) + ",'dur':" + std::to_string(dur) + ",'args':{" + args +
             "}}";
    };
    std::string host, device;
    for (int i = 0; i < 4; ++i) {
      const std::string correlation = "'correlation':" + std::to_string(i + 1);
      host += (i == 0 ? "" : ",") +
              event("user_annotation", "ProfilerStep#" + std::to_string(i + 1), 100 * i, 99, "") +
              "," + event("cuda_runtime", "cudaLaunchKernel", 100 * i + 5, 3, correlation);
      device +=
          "," + event("kernel", "gemm", 100 * i + 10, 60, correlation + ",'device':0,'stream':7");
    }
    const std::string head = "{'traceEvents':[";
    const std::string half = ",{'ph':'X','na";
    const Results whole = steadyResults(load(quoted(head + host + device + "]}")));
    QCOMPARE(whole->workload->steps.steadyCount(), std::size_t{4});
    QVERIFY(whole->headline.verdict.find("cut off") == std::string::npos);

    const Results cut = steadyResults(load(quoted(head + host + device + half)));
    QVERIFY(foundIn(cut, "truncated") != nullptr);
    QCOMPARE(cut->workload->steps.steadyCount(), std::size_t{3});
    QVERIFY(cut->workload->steps.steps[3].why.find("the file is cut off") == 0);
    QVERIFY(cut->headline.verdict.find("the file is cut off") != std::string::npos);
    QCOMPARE(cut->headline.word, whole->headline.word);

    // Those of the last two steps are gone: they are no steps without device work.
    const std::string firstTwo = device.substr(0, device.size() / 2);
    const Results part = steadyResults(load(quoted(head + host + firstTwo + half)));
    QCOMPARE(part->workload->steps.steadyCount(), std::size_t{2});
    for (const std::size_t k : {2, 3})
      QVERIFY2(part->workload->steps.steps[k].why.find("the file is cut off") == 0,
               part->workload->steps.steps[k].why.c_str());

    // Device events are written last: all of them may be gone.
    const Results hostOnly = steadyResults(load(quoted(head + host + half)));
    QCOMPARE(hostOnly->headline.word, Verdict::unknown);
    QVERIFY2(hostOnly->headline.verdict.find("may be in the missing part") != std::string::npos,
             hostOnly->headline.verdict.c_str());
    QVERIFY(hostOnly->headline.action.find("ProfilerActivity") == std::string::npos);
    QVERIFY(hostOnly->headline.action.find("opy the file once more") != std::string::npos);
  }

  void impossibleDurationsAreFound() {
    const Results r = resultsOf(
        "op 0 90us main aten::mm\n"
        "call 5us 6us main cudaLaunchKernel corr=1\n"
        "kernel 20us 40s 7 gemm corr=1\n");
    QVERIFY(foundIn(r, "impossible_durations") != nullptr);
    QVERIFY(!foundIn(resultsOf(kGood), "impossible_durations"));
  }

  void stepsOfOtherShapesAreNoted() {
    std::string text =
        kGood +
        "step 100us 150us main ProfilerStep#3\n"
        "op 101us 109us main aten::mm dims=[[9,3],[3,4]] types=[\"float\",\"float\"]\n"
        "call 102us 103us main cudaLaunchKernel corr=3\n"
        "kernel 110us 140us 7 ampere_sgemm_128x64_tn corr=3\n";
    QVERIFY(foundIn(resultsOf(text), "mixed_shapes") != nullptr);
  }

  void overlapsOnAStreamAreOnlyNoted() {
    const Results r = resultsOf(
        "op 0 90us main aten::mm\n"
        "call 1us 2us main cudaLaunchKernel corr=1\n"
        "call 3us 4us main cudaLaunchKernel corr=2\n"
        "kernel 10us 30us 7 gemm corr=1\n"
        "kernel 20us 40us 7 gemm corr=2\n");
    const QualityCheck* check = foundIn(r, "stream_overlap");
    QVERIFY(check != nullptr);
    QCOMPARE(check->weight, QualityCheck::Weight::note);
    for (const std::string& warning : r->headline.warnings)
      QVERIFY(warning.find("overlap another") == std::string::npos);
  }

  void whatWasWrongWithTheFileIsToldWithWhatItDoes() {
    ImportLog log;
    QCOMPARE(importChecks(log).size(), std::size_t{1});
    QVERIFY(!importChecks(log)[0].found);
    log.note("gzip_checksum", "the checksum does not fit", false, 1234);
    log.note("second_document", "documents were not read", true, 99);
    log.note("second_document", "documents were not read", true, 120);
    log.note("unreadable_event", "told by lost_events", true, 5);
    log.note("trailing_comma", "mended", false, 5);
    log.note("of_a_new_kind", "something was left out.", true, ImportLog::kNoOffset);
    const auto checks = importChecks(log);
    QCOMPARE(checks.size(), std::size_t{3});
    QCOMPARE(checks[0].key, std::string("gzip_checksum"));
    QCOMPARE(checks[0].weight, QualityCheck::Weight::spoils);
    QCOMPARE(checks[0].finding,
             std::string("The checksum does not fit (at byte 1234 of the text)"));
    QVERIFY(!checks[0].consequence.empty() && !checks[0].remedy.empty());
    QCOMPARE(checks[1].key, std::string("of_a_new_kind"));
    QCOMPARE(checks[1].finding, std::string("Something was left out"));
    QCOMPARE(checks[2].weight, QualityCheck::Weight::limits);
    QVERIFY(checks[2].finding.find("2 times, first at byte 99") != std::string::npos);
  }

  void aDamagedFileIsToldBesideTheFigures() {
    const std::string text =
        R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1,)"
        R"( "dur": 2, "args": {"device": 0, "stream": 7}}]})";
    std::string packed = gzip(text);
    packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
    const Results damaged = steadyResults(load(packed));
    const QualityCheck* check = foundIn(damaged, "gzip_checksum");
    QVERIFY(check != nullptr);
    QVERIFY(!damaged->headline.quality.touching("devices").empty());
    QVERIFY(!foundIn(steadyResults(load(gzip(text))), "gzip_checksum"));
    const Results two = steadyResults(load(gzip(text) + gzip(text).substr(0, 60)));
    QVERIFY(foundIn(two, "gzip_cut_off") != nullptr);
    QVERIFY(foundIn(two, "second_document") != nullptr);
    QCOMPARE(two->workload->trace->importLog().problems.at("second_document").examples[0].offset,
             std::uint64_t{text.size()});
  }

  void theProfilersOwnEventsAreItsLeastCost() {
    const Results r = resultsOf(kGood +
                                "overhead 20us 30us main 'Buffer Flush'\n"
                                "overhead 25us 35us other 'Activity Buffer Request'\n"
                                "overhead 70us 75us main 'Lazy Function Loading'\n");
    const ProfilerCost& cost = r->profilerCost;
    QCOMPARE(cost.kinds.size(), std::size_t{2});  // loading code is the program's
    TimeNs recorded = 0;
    for (const RecordingCost& span : cost.spans) recorded += span.recorded;
    QVERIFY(recorded <= TimeNs{15'000});
    QCOMPARE(cost.flushes, TimeNs{10'000});
    QCOMPARE(cost.flushesInSteps, TimeNs{10'000});
    QVERIFY2(
        cost.sentence.find("took 10.0 µs, of which 10.0 µs within steps.") != std::string::npos,
        cost.sentence.c_str());
    QVERIFY(!cost.perSpan.atMost);  // four records tell nothing of what one costs
  }

  void withoutStepsNoFlushIsSaidToBeWithinThem() {
    const ProfilerCost cost =
        resultsOf("op 0 9us main aten::mm\noverhead 20us 30us main 'Buffer Flush'\n")->profilerCost;
    QVERIFY2(cost.sentence.ends_with("Writing out its buffers took 10.0 µs."),
             cost.sentence.c_str());
    QVERIFY(cost.sentence.find(" 0 ns") == std::string::npos);
  }

  void recordsBoundTheCostFromAbove() {
    std::string text = "step 0 1ms main ProfilerStep#1\n";
    for (int i = 0; i < 200; ++i)
      text += "python " + std::to_string(1000 + 4000 * i) + ' ' +
              std::to_string(1000 + 4000 * i + (i < 100 ? 500 : 3000)) + " main f.py\n";
    const ProfilerCost cost = resultsOf(text)->profilerCost;
    QCOMPARE(cost.perRecord, std::optional<TimeNs>(500));
    QCOMPARE(cost.perSpan.stackFrames, std::uint64_t{200});
    QCOMPARE(cost.perSpan.atMost, std::optional<TimeNs>(TimeNs{201} * 500));
    QVERIFY(cost.sentence.find("with_stack=False") != std::string::npos);
  }

  /// The device works on the steps long after the host handed them over: in their windows nothing
  /// of the host is recorded.
  void aStepsRecordsAreThoseOfItsAnnotation() {
    std::string text;
    for (int k = 0; k < 3; ++k) {
      const int at = 10'000 * k;
      const auto time = [](int ns) { return std::to_string(ns) + ' '; };
      const std::string number = std::to_string(k + 1);
      text += "step " + time(at) + time(at + 9'900) + "main ProfilerStep#" + number + "\n";
      for (int i = 0; i < 40; ++i)
        text += "op " + time(at + 200 * i + 10) + time(at + 200 * i + 110) + "main aten::mm\n";
      text += "call " + time(at + 9'000) + time(at + 9'100) +
              "main cudaLaunchKernel corr=" + number + "\n";
      text += "kernel " + time(100'000 * (k + 1)) + time(100'000 * (k + 1) + 90'000) +
              "7 gemm corr=" + number + "\n";
    }
    const Results r = resultsOf(text);
    QCOMPARE(r->workload->steps.extent, StepExtent::device);
    const ProfilerCost& cost = r->profilerCost;
    QCOMPARE(cost.perRecord, std::optional<TimeNs>(100));
    for (const RecordingCost& span : cost.spans) QCOMPARE(span.records, std::uint64_t{42});
    QCOMPARE(cost.perSpan.atMost, std::optional<TimeNs>(4'200));
    QCOMPARE(cost.silent, std::size_t{0});
  }

  void stepsWithoutHostRecordsAreLeftOutOfTheMeanAndTold() {
    std::string text = "step 0 1ms main ProfilerStep#1\n";
    for (int i = 0; i < 200; ++i)
      text += "op " + std::to_string(2'000 * i) + ' ' + std::to_string(2'000 * i + 500) +
              " main aten::mm\n";
    const auto w = makeWorkload(traceFromText(text)).value();
    AnalysisWindow window;
    window.kind = AnalysisWindow::Kind::steps;
    window.spans = {{0, 400'000}, {500'000, 600'000}, {600'000, 700'000}};
    const ProfilerCost cost = profilerCost(*w, window);
    QCOMPARE(cost.silent, std::size_t{2});
    QCOMPARE(cost.perSpan.atMost, std::optional<TimeNs>(TimeNs{201} * 500));
    QVERIFY2(cost.sentence.find("That is the mean of 1 of 3 steps: no host events are recorded "
                                "within the others.") != std::string::npos,
             cost.sentence.c_str());
  }

  void versionsAreReadable() {
    QCOMPARE(cudaVersionText(12090), std::string("12.9"));
    QCOMPARE(cudaVersionText(13000), std::string("13.0"));
    QCOMPARE(hipVersionText(60443483), std::string("6.4.43483"));
  }

  void theRunIsDescribedAsRecorded() {
    const auto trace = load(R"({"cuda_runtime_version": 12040, "record_shapes": 1, "with_stack": 0,
      "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "nccl_version": "2.20.5",
        "pg_count": 1, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg",
        "backend_config": "cuda:nccl", "pg_size": 8, "ranks": [0, 1, 2, 3, 4, 5, 6, 7]}]},
      "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::embedding", "pid": 1, "tid": 1, "ts": 1,
         "dur": 2, "args": {"Input Dims": [[50257, 768], [16, 512], [], [], []]}}]})");
    const RunInfo run = runInfo(*trace);
    QCOMPARE(factOf(run, "cuda_runtime"), std::string("12.4"));
    QCOMPARE(factOf(run, "record_shapes"), std::string("on"));
    QCOMPARE(factOf(run, "with_stack"), std::string("off"));
    QCOMPARE(factOf(run, "with_flops"), std::string(""));
    QCOMPARE(factOf(run, "world_size"), std::string("8"));
    QCOMPARE(factOf(run, "nccl_version"), std::string("2.20.5"));
    QCOMPARE(factOf(run, "shapes_of_aten::embedding"), std::string("batch 16, length 512"));
    QCOMPARE(run.groups.size(), std::size_t{1});
    QCOMPARE(run.groups[0].size, std::optional<std::int64_t>(8));
    QCOMPARE(run.groups[0].ranks, std::string("[0,1,2,3,4,5,6,7]"));
  }

  void aRealRecordingSaysItsDriver() {
    const std::string file =
        sharedFile("traces/kineto/AMD-AGI__TraceLens/b200/eager_trace.json.gz");
    if (file.empty()) QSKIP("needs a real trace beside the checkout (../shared/traces/kineto)");
    const Results r = steadyResults(loadFile(file));
    QVERIFY(r->headline.quality.checks.size() > 10);
    QCOMPARE(factOf(*r->run, "cuda_driver"), std::string("13.0"));
  }
};

QTEST_GUILESS_MAIN(TestDataQuality)
#include "tst_data_quality.moc"
