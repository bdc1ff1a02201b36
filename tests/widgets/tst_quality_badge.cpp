#include <QSignalSpy>
#include <QtTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/trace_text.h"
#include "widgets/models/badge_delegate.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/headline_bar.h"
#include "widgets/panels/idle_gaps_panel.h"
#include "widgets/panels/problems_panel.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// The launches of the kernels are not recorded: the causes of gaps cannot be told.
constexpr const char* kNoLaunch = R"(
op     0     9us   main aten::mm
kernel 10us  20us  7 gemm
kernel 30us  40us  7 relu
kernel 51us  62us  7 gemm
)";

struct Shown {
  Session session;
  Analyses analyses{session};
  IdleGapsPanel panel{session, analyses};
  ProblemsPanel problems{session, analyses};
  HeadlineBar headline{session, analyses};
  bool ok = false;

  Shown() {
    const auto trace = traceFromText(kNoLaunch);
    session.open({{trace, std::make_shared<const TraceIndex>(trace)}}, QStringLiteral("made"));
    panel.resize(900, 400);
    panel.show();
    headline.resize(900, 100);
    headline.show();
    ok = QTest::qWaitForWindowExposed(&panel) && QTest::qWaitForWindowExposed(&headline) &&
         QTest::qWaitFor([this] { return analyses.current() != nullptr; });
  }
  [[nodiscard]] ResultTableView& table() const { return *panel.findChild<ResultTableView*>(); }
  [[nodiscard]] QModelIndex cell(bool number) const {
    const QAbstractItemModel* model = table().model();
    for (int c = 0; c < model->columnCount(); ++c) {
      const auto alignment = model->index(0, c).data(Qt::TextAlignmentRole).toInt();
      if (((alignment & Qt::AlignRight) != 0) == number) return model->index(0, c);
    }
    return {};
  }
};

}  // namespace

class TestQualityBadge : public QObject {
  Q_OBJECT

  QtWarningGuard guard_;

 private Q_SLOTS:
  void cleanup() { QCOMPARE(QtWarningGuard::take(), QStringList()); }

  void aTouchedPanelSaysSoAndLeadsToTheFinding() {
    const Shown s;
    QVERIFY(s.ok);
    QualityBadge& badge = s.panel.badge();
    QVERIFY(badge.isVisible());
    QVERIFY(!badge.worst().isEmpty());
    QVERIFY2(badge.toolTip().contains(QStringLiteral("▲")), qPrintable(badge.toolTip()));
    QSignalSpy asked(&s.panel, &Panel::findingRequested);
    QTest::mouseClick(&badge, Qt::LeftButton, {},
                      QPoint(badge.width() / 2, badge.fontMetrics().height() / 2 + 6));
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.first().first().toString(), badge.worst());
  }

  void detailsMarkWhatAFindingTouchesAndLeadToIt() {
    Shown s;
    QVERIFY(s.ok);
    DetailsPanel details(s.session, s.analyses);
    details.resize(400, 400);
    details.show();
    QVERIFY(QTest::qWaitForWindowExposed(&details));
    const IdleGap& gap = s.analyses.current()->idleGaps.gaps.front();
    s.session.setActiveItem({QStringLiteral("idle_gaps"), 0, 0, gap.span});
    QVERIFY2(details.text().startsWith(QStringLiteral("Idle gap")), qPrintable(details.text()));
    auto* view = details.findChild<QTextBrowser*>();
    QPoint mark(-1, -1);
    for (int y = 0; y < 60 && mark.x() < 0; ++y)
      for (int x = 0; x < view->viewport()->width() && mark.x() < 0; ++x)
        if (view->anchorAt({x, y}).startsWith(QStringLiteral("finding:"))) mark = {x + 2, y + 2};
    QVERIFY2(mark.x() > 0, "the heading bears no mark");
    QSignalSpy asked(&details, &Panel::findingRequested);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, mark);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.first().first().toString(), s.panel.badge().worst());
  }

  void numbersBearAMarkAndTextsDoNot() {
    const Shown s;
    QVERIFY(s.ok);
    const QModelIndex number = s.cell(true), word = s.cell(false);
    QVERIFY(number.isValid() && word.isValid());
    QVERIFY(number.data(ResultTableModel::kBadgeRole).toBool());
    QVERIFY(!word.data(ResultTableModel::kBadgeRole).toBool());
    QVERIFY(number.data(Qt::ToolTipRole).toString().contains(QStringLiteral("▲")));
    QSignalSpy asked(&s.panel, &Panel::findingRequested);
    QSignalSpy selected(&s.table(), &ResultTableView::rowSelected);
    const QRect mark = BadgeDelegate::markRect(s.table().visualRect(number));
    QTest::mouseClick(s.table().viewport(), Qt::LeftButton, {}, mark.center());
    QCOMPARE(asked.size(), 1);
    QCOMPARE(selected.size(), 0);
    QTest::mouseClick(s.table().viewport(), Qt::LeftButton, {},
                      s.table().visualRect(number).center());
    QCOMPARE(asked.size(), 1);
    QCOMPARE(selected.size(), 1);
  }

  void theMarkIsPaintedInTheCorner() {
    const Shown s;
    QVERIFY(s.ok);
    const QImage image = s.table().viewport()->grab().toImage();
    const QRect mark = BadgeDelegate::markRect(s.table().visualRect(s.cell(true)));
    const double scale = image.devicePixelRatio();
    const QColor painted =
        image.pixelColor(QPointF(mark.right() * scale, (mark.top() + 2) * scale).toPoint());
    const QColor wanted = Palette::of(s.panel.palette()).warning;
    QVERIFY2(std::abs(painted.red() - wanted.red()) < 40, qPrintable(painted.name()));
    QVERIFY2(std::abs(painted.blue() - wanted.blue()) < 60, qPrintable(painted.name()));
  }

  void theHeadlineBearsItToo() {
    Shown s;
    QVERIFY(s.ok);
    bool found = false;
    for (const QLabel* label : s.headline.findChildren<QLabel*>())
      found = found || label->text().contains(QStringLiteral("finding:"));
    QVERIFY(found);
  }

  void theRowOfTheFindingIsSelected() {
    Shown s;
    QVERIFY(s.ok);
    s.problems.showFinding(s.panel.badge().worst());  // before it was ever shown
    s.problems.resize(700, 300);
    s.problems.show();
    QVERIFY(QTest::qWaitForWindowExposed(&s.problems));
    auto* table = s.problems.findChild<ResultTableView*>();
    QTRY_COMPARE(table->selectionModel()->selectedRows().size(), 1);
    const int row = table->selectionModel()->selectedRows().first().row();
    const auto& checks = s.analyses.current()->headline.quality.checks;
    QCOMPARE(QString::fromStdString(checks[static_cast<std::size_t>(row)].key),
             s.panel.badge().worst());
  }

  void aPartOfTheStepLeadsToItsEvidence() {
    Shown s;
    QVERIFY(s.ok);
    ShareBar& bar = s.headline.shares();
    QVERIFY(bar.isVisible());
    QVERIFY(!bar.parts().empty());
    double sum = 0;
    for (const ShareBar::Part& part : bar.parts()) sum += part.share;
    QVERIFY(std::abs(sum - 1) < 1e-9);
    QSignalSpy asked(&s.headline, &HeadlineBar::panelRequested);
    const int last = static_cast<int>(bar.parts().size()) - 1;
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.middleOf(last));
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.first().first().toString(), QStringLiteral("idle_gaps"));
    QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.middleOf(0));
    QCOMPARE(asked.size(), 2);
    QVERIFY(s.session.active().valid());
  }
};

QTEST_MAIN(TestQualityBadge)
#include "tst_quality_badge.moc"
