#include <QTest>

#include "core/base/decimal.h"

using namespace ridgeline;

class TestDecimal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void microsecondsBecomeExactNanoseconds_data();
  void microsecondsBecomeExactNanoseconds();
  void textThatIsNoTimeIsRefused_data();
  void textThatIsNoTimeIsRefused();
  void wholeNumbers();
};

void TestDecimal::microsecondsBecomeExactNanoseconds_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<qint64>("ns");
  QTest::addColumn<bool>("exact");
  QTest::newRow("integer") << QByteArray("1623142623460111") << Q_INT64_C(1623142623460111000)
                           << true;
  QTest::newRow("three decimals") << QByteArray("1420179703274.099") << Q_INT64_C(1420179703274099)
                                  << true;
  QTest::newRow("a double would miss it")
      << QByteArray("1711964646123456.789") << Q_INT64_C(1711964646123456789) << true;
  QTest::newRow("one decimal") << QByteArray("5.7") << Q_INT64_C(5700) << true;
  QTest::newRow("exponent") << QByteArray("1.5e3") << Q_INT64_C(1500000) << true;
  QTest::newRow("negative") << QByteArray("-0.25") << Q_INT64_C(-250) << true;
  QTest::newRow("below a nanosecond rounds half away")
      << QByteArray("0.0005") << Q_INT64_C(1) << false;
  QTest::newRow("below a nanosecond rounds down")
      << QByteArray("2.0004999") << Q_INT64_C(2000) << false;
  QTest::newRow("trailing zeros stay exact")
      << QByteArray("2.000000000") << Q_INT64_C(2000) << true;
  QTest::newRow("largest") << QByteArray("9223372036854775.807") << Q_INT64_C(9223372036854775807)
                           << true;
}

void TestDecimal::microsecondsBecomeExactNanoseconds() {
  QFETCH(QByteArray, text);
  QFETCH(qint64, ns);
  QFETCH(bool, exact);
  const auto time = parseMicroseconds(text.toStdString());
  QVERIFY(time.has_value());
  QCOMPARE(time->ns, ns);
  QCOMPARE(time->exact, exact);
}

void TestDecimal::textThatIsNoTimeIsRefused_data() {
  QTest::addColumn<QByteArray>("text");
  for (const char* text : {"", "-", ".", "abc", "1.2.3", "12x", "NaN", "1e", "9223372036854775.808",
                           "1e30", "99999999999999999999"})
    QTest::newRow(*text ? text : "empty") << QByteArray(text);
}

void TestDecimal::textThatIsNoTimeIsRefused() {
  QFETCH(QByteArray, text);
  QVERIFY(!parseMicroseconds(text.toStdString()).has_value());
}

void TestDecimal::wholeNumbers() {
  QCOMPARE(parseInteger("42").value(), 42);
  QCOMPARE(parseInteger("-7").value(), -7);
  QCOMPARE(parseInteger("12.0").value(), 12);
  QCOMPARE(parseInteger("1e3").value(), 1000);
  QVERIFY(!parseInteger("1.5").has_value());
  QCOMPARE(parseUnsigned("18446744073709551615").value(), ~std::uint64_t{0});
  QVERIFY(!parseUnsigned("-1").has_value());
}

QTEST_GUILESS_MAIN(TestDecimal)
#include "tst_decimal.moc"
