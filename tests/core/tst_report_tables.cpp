#include <QTest>

#include "core/report/people.h"
#include "core/report/table.h"

using namespace ridgeline;

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
