#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

#include "widgets/common/format.h"
#include "widgets/models/result_table_view.h"

using namespace ridgeline;

namespace {

std::vector<ResultColumn> columns() {
  static const std::vector<QString> kNames = {QStringLiteral("gemm"), QStringLiteral("copy"),
                                              QStringLiteral("relu")};
  static const std::vector<int> kTimes = {9, 100, 20};
  ResultColumn name{QStringLiteral("Name"),
                    QStringLiteral("Kernel name"),
                    ResultColumn::Align::left,
                    [](int row) { return kNames[static_cast<std::size_t>(row)]; },
                    {},
                    {},
                    {}};
  ResultColumn time{QStringLiteral("Time"),
                    QStringLiteral("Total"),
                    ResultColumn::Align::right,
                    [](int row) { return QString::number(kTimes[static_cast<std::size_t>(row)]); },
                    [](int row) { return QVariant(kTimes[static_cast<std::size_t>(row)]); },
                    {},
                    {}};
  return {name, time};
}

QString cell(const QTableView& view, int row, int column) {
  return view.model()->index(row, column).data().toString();
}

}  // namespace

class TestResultTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theModelKeepsItsContract();
  void aClickOnAHeaderSortsByTheNumberNotTheText();
  void aFilterKeepsTheRowsThatHoldTheText();
  void aSelectedRowNamesTheRowOfTheResult();
  void theSameRowMayBeClickedAgain();
  void longHoverTextsBreakIntoLines();
  void theSelectionIsCopiedAsTabSeparatedText();
  void theLastColumnEndsWhereTheViewDoes();
  void widthsStayWithTheColumnsTheyWereGivenFor();
};

void TestResultTable::theModelKeepsItsContract() {
  ResultTableModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setContent(columns(), 3);
  QCOMPARE(model.rowCount(), 3);
  QCOMPARE(model.index(1, 1).data().toString(), QStringLiteral("100"));
  QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("Time"));
  model.setContent({}, 0);
  QCOMPARE(model.rowCount(), 0);
}

void TestResultTable::aClickOnAHeaderSortsByTheNumberNotTheText() {
  ResultTableView view(QStringLiteral("t"));
  view.setContent(columns(), 3);
  view.resize(400, 200);
  view.show();
  QHeaderView* header = view.horizontalHeader();
  const QPoint at(header->sectionViewportPosition(1) + 5, header->height() / 2);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
  const bool ascending = header->sortIndicatorOrder() == Qt::AscendingOrder;
  QCOMPARE(cell(view, ascending ? 0 : 2, 1), QStringLiteral("9"));
  QCOMPARE(cell(view, 1, 1), QStringLiteral("20"));
  QCOMPARE(cell(view, ascending ? 2 : 0, 1), QStringLiteral("100"));
}

void TestResultTable::aFilterKeepsTheRowsThatHoldTheText() {
  ResultTableView view(QStringLiteral("t"));
  view.setContent(columns(), 3);
  view.setFilter(QStringLiteral("REL"));
  QCOMPARE(view.model()->rowCount(), 1);
  QCOMPARE(cell(view, 0, 0), QStringLiteral("relu"));
}

void TestResultTable::aSelectedRowNamesTheRowOfTheResult() {
  ResultTableView view(QStringLiteral("t"));
  view.setContent(columns(), 3);
  view.sortByColumn(1, Qt::DescendingOrder);
  QSignalSpy selected(&view, &ResultTableView::rowSelected);
  view.selectRow(0);
  view.setCurrentIndex(view.model()->index(0, 0));
  QCOMPARE(selected.count(), 1);
  QCOMPARE(selected.first().first().toInt(), 1);
  view.showRow(2);
  QCOMPARE(selected.count(), 1);
}

void TestResultTable::theSameRowMayBeClickedAgain() {
  ResultTableView view(QStringLiteral("t"));
  view.setContent(columns(), 3);
  view.resize(400, 200);
  view.show();
  QSignalSpy selected(&view, &ResultTableView::rowSelected);
  const QPoint at = view.visualRect(view.model()->index(1, 0)).center();
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at);
  QCOMPARE(selected.count(), 1);
  view.showNoRow();
  QVERIFY(!view.selectionModel()->hasSelection());
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at);
  QCOMPARE(selected.count(), 2);
  QCOMPARE(selected.last().first().toInt(), 1);
}

void TestResultTable::longHoverTextsBreakIntoLines() {
  QCOMPARE(wrappedHover(QStringLiteral("short <a>\nlines")), QStringLiteral("short <a>\nlines"));
  const QString name = QStringLiteral("gemm<") + QString(100, u'x') + QStringLiteral(">\nend");
  const QString hover = wrappedHover(name);
  QVERIFY(Qt::mightBeRichText(hover));
  QVERIFY(hover.contains(QStringLiteral("gemm&lt;")));
  QVERIFY(hover.contains(QStringLiteral("&gt;<br>end")));
}

void TestResultTable::theSelectionIsCopiedAsTabSeparatedText() {
  ResultTableView view(QStringLiteral("t"));
  view.setContent(columns(), 3);
  view.selectRow(0);
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Name\tTime\ngemm\t9"));
}

void TestResultTable::theLastColumnEndsWhereTheViewDoes() {
  ResultTableView view(QStringLiteral("t"));
  view.resize(800, 200);
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  const auto ends = [&] { return view.horizontalHeader()->length(); };
  view.setContent(columns(), 3);
  QTRY_COMPARE(ends(), view.viewport()->width());
  view.resize(400, 200);
  view.setContent(columns(), 2);  // as when results come while the window changes its size
  QTRY_COMPARE(ends(), view.viewport()->width());
}

void TestResultTable::widthsStayWithTheColumnsTheyWereGivenFor() {
  ResultTableView view(QStringLiteral("t"));
  view.resize(800, 200);
  view.setContent(columns(), 3);
  view.setColumnWidth(0, 211);
  view.setContent(columns(), 2);
  QCOMPARE(view.columnWidth(0), 211);
  std::vector<ResultColumn> others = columns();
  others[0].title = QStringLiteral("Op");
  view.setContent(others, 3);
  QVERIFY(view.columnWidth(0) < 211);
}

QTEST_MAIN(TestResultTable)
#include "tst_result_table.moc"
