#include <QtTest>

#include "core/report/quality_marks.h"
#include "tests/support/analysed.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// No shapes, no steps, and nothing else amiss.
constexpr const char* kWithoutShapes =
    "op 0 9us main aten::mm\n"
    "call 1001 2us main cudaLaunchKernel corr=1\n"
    "kernel 10us 20us 7 gemm corr=1\n";

std::vector<ReportRank> ranksOf(const char* text) {
  return {{0, steadyResults(traceFromText(text))}};
}

const Table& titled(const std::vector<Table>& tables, const std::string& title) {
  for (const Table& table : tables)
    if (table.title == title) return table;
  qFatal("no such table");
}

}  // namespace

class TestQualityMarks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersOfATouchedSectionBearTheMarkOfTheFinding() {
    const auto ranks = ranksOf(kWithoutShapes);
    const QualityMarks marks(ranks);
    std::string mark;
    for (const QualityCheck& check : ranks[0].results->headline.quality.checks)
      if (check.key == "no_shapes") mark = marks.markOf(check);
    QVERIFY(!mark.empty());
    for (const ReportSection& section : reportSections()) {
      if (section.key != "roofline") continue;
      std::vector<Table> tables = section.tables(ranks);
      Table table = titled(tables, "Roofline points");
      marks.mark(table, section.key);
      for (const Column& column : table.columns) {
        const bool number = !column.isText() && column.key != "rank" && column.key != "device";
        QCOMPARE(column.title.find(mark) != std::string::npos, number);
      }
      QVERIFY(marks.footnotes(section.key).find(mark + " ") != std::string::npos);
      QVERIFY(marks.footnotes(section.key).find("record_shapes=True") != std::string::npos);
    }
  }

  void everyMarkIsToldInTheReport() {
    const auto ranks = ranksOf(kWithoutShapes);
    const std::string report = reportToMarkdown(ranks);
    const QualityMarks marks(ranks);
    for (const QualityCheck& check : ranks[0].results->headline.quality.checks)
      if (const std::string mark = marks.markOf(check); !mark.empty())
        QVERIFY(report.find(mark + " " + check.sentence()) != std::string::npos);
    QVERIFY(report.find("**Verdict: ") != std::string::npos);
    QVERIFY(report.find("Where a step's time goes") != std::string::npos);
  }

  void jsonNamesTheChecksOfEachSection() {
    const auto ranks = ranksOf(kWithoutShapes);
    const ReportJson json = reportToJson(ranks, "test");
    for (const auto& [section, touched] : json["touched_by"].items())
      for (const auto& one : touched) {
        bool known = false;
        for (const auto& check : json["data_quality"][0]["checks"])
          known = known || (check["key"] == one["check"] && check["found"] == true);
        QVERIFY2(known, section.c_str());
      }
    QVERIFY(json["touched_by"]["roofline"].dump().find("no_shapes") != std::string::npos);
    const ReportJson& shares = json["headline"][0]["shares"];
    std::int64_t sum = 0;
    for (const auto& part : shares["parts"]) sum += part["time_ns"].get<std::int64_t>();
    QCOMPARE(sum, shares["window_ns"].get<std::int64_t>());
  }

  void whatRestsOnTouchedFiguresIsTouchedToo() {
    DataQuality quality;
    QualityCheck check;
    check.key = "made";
    check.found = true;
    check.weight = QualityCheck::Weight::limits;
    check.touches = {"critical_path"};
    quality.checks.push_back(check);
    QCOMPARE(quality.touching("what_if").size(), std::size_t{1});
    QCOMPARE(quality.touching("memory").size(), std::size_t{0});
    quality.checks.front().weight = QualityCheck::Weight::note;
    QCOMPARE(quality.touching("critical_path").size(), std::size_t{0});
  }

  void csvKeepsItsHeaders() {
    const std::string csv = reportToCsv(ranksOf(kWithoutShapes));
    QVERIFY(csv.find("[1]") == std::string::npos);
    QVERIFY(csv.find("rank,device,part,step_ns,share,time_ns,meaning") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestQualityMarks)
#include "tst_quality_marks.moc"
