#include <cmath>
#include <numbers>

#include <QPalette>
#include <QTest>

#include "widgets/common/palette.h"

using namespace ridgeline;

namespace {

const std::vector<std::vector<KernelClass>>& families() {
  using K = KernelClass;
  static const std::vector<std::vector<KernelClass>> all = {
      {K::matmul, K::attention, K::convolution, K::moe, K::triton},
      {K::normalization, K::softmax, K::elementwise, K::reduction, K::indexing, K::copy, K::rng},
      {K::memcpy, K::memset}};
  return all;
}

double hueOf(const Lab& lab) {
  return std::atan2(lab.b, lab.a) * 180 / std::numbers::pi;
}
double chromaOf(const Lab& lab) {
  return std::hypot(lab.a, lab.b);
}

}  // namespace

class TestPalette : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void labOfKnownColours();
  void kernelColoursKeepTheThemesLightness_data() { themes(); }
  void kernelColoursKeepTheThemesLightness();
  void membersOfAFamilyCanBeToldApart_data() { themes(); }
  void membersOfAFamilyCanBeToldApart();
  void textOnASliceCanBeRead_data() { themes(); }
  void textOnASliceCanBeRead();
  void aPaletteChoosesItsTheme();

 private:
  static void themes() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  static const Palette& theme(bool dark) { return dark ? Palette::darkTheme() : Palette::light(); }
};

void TestPalette::labOfKnownColours() {
  // The lightness of the Okabe-Ito colours that the families are built on.
  QVERIFY(std::abs(toLab(QColor(Qt::white)).l - 100) < 0.1);
  QVERIFY(std::abs(toLab(QColor(Qt::black)).l) < 0.1);
  QVERIFY(std::abs(toLab(QColor(0x00, 0x72, 0xB2)).l - 45.8) < 0.5);
  QVERIFY(std::abs(toLab(fromLch(60, 20, 250)).l - 60) < 0.6);
}

void TestPalette::kernelColoursKeepTheThemesLightness() {
  QFETCH(bool, dark);
  for (int k = 0; k < kKernelClassCount; ++k) {
    const double l = toLab(theme(dark).of(static_cast<KernelClass>(k))).l;
    QVERIFY2(l >= (dark ? 61.5 : 44.5) && l <= (dark ? 74.5 : 62.5),
             qPrintable(QString::number(l)));
  }
}

void TestPalette::membersOfAFamilyCanBeToldApart() {
  QFETCH(bool, dark);
  for (const auto& family : families())
    for (std::size_t a = 0; a < family.size(); ++a)
      for (std::size_t b = a + 1; b < family.size(); ++b) {
        const Lab x = toLab(theme(dark).of(family[a])), y = toLab(theme(dark).of(family[b]));
        double turn = std::abs(hueOf(x) - hueOf(y));
        turn = std::min(turn, 360 - turn);
        const bool apart =
            std::abs(x.l - y.l) >= 11 || turn >= 16 || std::abs(chromaOf(x) - chromaOf(y)) >= 14;
        QVERIFY2(apart, qPrintable(colourKeyName(colourKeyOf(family[a])) + QStringLiteral(" / ") +
                                   colourKeyName(colourKeyOf(family[b]))));
      }
}

void TestPalette::textOnASliceCanBeRead() {
  QFETCH(bool, dark);
  for (const QColor& fill : theme(dark).keys) {
    const double l = toLab(fill).l;
    // Black from L* 50 up, or white below: a contrast of 4.5 and more.
    QCOMPARE(textOn(fill), l > 49.5 ? QColor(Qt::black) : QColor(Qt::white));
  }
}

void TestPalette::aPaletteChoosesItsTheme() {
  QVERIFY(Palette::of(QPalette(Qt::black)).dark);
  QVERIFY(!Palette::of(QPalette(Qt::white)).dark);
}

QTEST_GUILESS_MAIN(TestPalette)
#include "tst_palette.moc"
