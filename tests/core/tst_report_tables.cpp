#include <QTest>

#include "core/report/people.h"
#include "core/report/report.h"
#include "core/report/table.h"
#include "tests/support/analysed.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

using Kind = Column::Kind;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Table tableOf(std::vector<std::string> names, Kind kind = Kind::text) {
  Table table{.title = "Kernels", .note = {}, .columns = {{"name", "kernel", kind}}, .rows = {}};
  for (std::string& name : names) table.rows.push_back({std::move(name)});
  return table;
}

}  // namespace

class TestReportTables : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void longNamesKeepBothEnds() {
    const std::string name = "cutlass" + std::string(200, 'x') + "128x64_nn";
    const std::string text = tableToMarkdown(tableOf({name}));
    QVERIFY(!contains(text, name));
    QVERIFY(contains(text, "| cutlassx") && contains(text, "…") &&
            contains(text, "x128x64\\_nn |"));
  }

  void namesThatWouldLookTheSameStayWhole() {
    const std::string front(80, 'a'), back(60, 'z');
    const std::string one = front + "1" + back, two = front + "2" + back;
    const std::string text = tableToMarkdown(tableOf({one, two, one, front + back + "!"}));
    QVERIFY(contains(text, one) && contains(text, two));
    QVERIFY(!contains(text, front + back + "!"));  // its end tells it from the others
  }

  void sentencesAndDataAreNeverCut() {
    const std::string sentence = "It is so because " + std::string(300, 'b') + ", as was said";
    QVERIFY(contains(tableToMarkdown(tableOf({sentence}, Kind::sentence)), sentence));
    QVERIFY(contains(tableToMarkdown(tableOf({sentence}, Kind::sentence)), "|---|"));
    QVERIFY(contains(tableToCsv(tableOf({sentence})), sentence));
  }

  /// An empty cell leaves open whether nothing is known or nothing is the case.
  void noCellIsEmptyForPeople() {
    Table table = tableOf({"", "gemm"});
    QVERIFY(contains(tableToMarkdown(table), "| – |\n| gemm |"));
    table.columns[0].none = "not recorded";
    QVERIFY(contains(tableToMarkdown(table), "| not recorded |\n| gemm |"));
    QCOMPARE(tableToCsv(table), std::string("name\n\ngemm\n"));
  }

  void noTwoColumnsOfATableHaveTheSameTitle() {
    const auto results = steadyResults(traceFromText(
        "step 0 90us main ProfilerStep#1\n op 0 80us main aten::mm\n"
        "call 5us 6us main cudaLaunchKernel corr=1\n kernel 7us 60us 7 gemm corr=1\n"));
    const ReportRank ranks[] = {{0, results, {}}};
    std::string text = reportToMarkdown(ranks);
    QStringList heads;
    QString before;
    for (const QString& line : QString::fromStdString(text).split(u'\n')) {
      if (line.startsWith(QStringLiteral("|---"))) heads << before;
      before = line;
      QVERIFY2(!line.contains(QStringLiteral("|  |")), qPrintable(line));
    }
    QVERIFY(heads.size() > 5);
    for (const QString& head : heads) {
      QStringList titles = head.split(u'|', Qt::SkipEmptyParts);
      const qsizetype all = titles.size();
      titles.removeDuplicates();
      QVERIFY2(titles.size() == all, qPrintable(head));
    }
  }

  void theMiddleIsTakenOutBetweenCharacters() {
    QCOMPARE(people::elided("abcdefghij", 10), std::string("abcdefghij"));
    QCOMPARE(people::elided("abcdefghijk", 10), std::string("abcdef…ijk"));
    std::string umlauts;
    for (int i = 0; i < 40; ++i) umlauts += "ä";
    const std::string cut = people::elided(umlauts, 9);
    QCOMPARE(QString::fromStdString(cut).size(), 9);
    QVERIFY(!QString::fromStdString(cut).contains(QChar(0xFFFD)));
  }
};

QTEST_GUILESS_MAIN(TestReportTables)
#include "tst_report_tables.moc"
