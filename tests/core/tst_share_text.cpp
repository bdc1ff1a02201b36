// Shares and counts in sentences.
#include <QTest>

#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/report/people.h"

using namespace ridgeline;

class TestShareText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyAllIsAHundredPercentAndOnlyNothingIsNone_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<QString>("coarse");
    QTest::addColumn<QString>("fine");
    const auto row = [](double share, const char* coarse, const char* fine) {
      QTest::addRow("%.6f", share) << share << coarse << fine;
    };
    row(0, "0 %", "0 %");
    row(0.0003, "<0.1 %", "<0.1 %");
    row(0.032, "3.2 %", "3.2 %");
    row(0.0996, "10 %", "10.0 %");
    row(0.44, "44 %", "44.0 %");
    row(0.994, "99 %", "99.4 %");
    row(0.996, "99.6 %", "99.6 %");
    row(0.9997, ">99.9 %", ">99.9 %");
    row(1 - 1e-15, "100 %", "100 %");
    row(1, "100 %", "100 %");
    row(1.001, ">100 %", ">100 %");
    row(1.24, "124 %", "124 %");
    row(1e30, ">99999 %", ">99999 %");
  }
  void onlyAllIsAHundredPercentAndOnlyNothingIsNone() {
    QFETCH(double, share);
    QFETCH(QString, coarse);
    QFETCH(QString, fine);
    QCOMPARE(QString::fromStdString(percentText(share)), coarse);
    QCOMPARE(QString::fromStdString(percentText(share, true)), fine);
    QCOMPARE(people::share(share), percentText(share, true));
  }

  void timesOfTimesFollowTheSameRule() {
    QCOMPARE(shareText(0, 7), std::string("0 %"));
    QCOMPARE(shareText(1, 1'000'000'000), std::string("<0.1 %"));
    QCOMPARE(shareText(999'999'999, 1'000'000'000), std::string(">99.9 %"));
    QCOMPARE(shareText(7, 7), std::string("100 %"));
    QCOMPARE(shareText(7, 0), std::string("0 %"));
  }

  void oneIsSingular() {
    QCOMPARE(counted(1, "gap"), std::string("1 gap"));
    QCOMPARE(counted(0, "gap"), std::string("0 gaps"));
    QCOMPARE(counted(2, "gap"), std::string("2 gaps"));
  }
};

QTEST_GUILESS_MAIN(TestShareText)
#include "tst_share_text.moc"
