#include "widgets/common/palette.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <QCoreApplication>
#include <QPalette>

namespace ridgeline {

namespace {

double toLinear(double c) {
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double fromLinear(double c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

constexpr double kWhiteX = 0.95047, kWhiteZ = 1.08883;  // D65
constexpr double kEpsilon = 216.0 / 24389.0, kKappa = 24389.0 / 27.0;

double labF(double t) {
  return t > kEpsilon ? std::cbrt(t) : (kKappa * t + 16) / 116;
}
double labInverse(double f) {
  const double cube = f * f * f;
  return cube > kEpsilon ? cube : (116 * f - 16) / kKappa;
}

struct LinearRgb {
  double r = 0, g = 0, b = 0;
  [[nodiscard]] bool inGamut() const {
    constexpr double kSlack = 1e-4;
    return std::min({r, g, b}) >= -kSlack && std::max({r, g, b}) <= 1 + kSlack;
  }
};

LinearRgb linearOf(Lab lab) {
  const double fy = (lab.l + 16) / 116;
  const double x = kWhiteX * labInverse(fy + lab.a / 500);
  const double y = labInverse(fy);
  const double z = kWhiteZ * labInverse(fy - lab.b / 200);
  return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
          -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
          0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

double luminance(const QColor& c) {
  return 0.2126 * toLinear(c.redF()) + 0.7152 * toLinear(c.greenF()) + 0.0722 * toLinear(c.blueF());
}

// Hues (degrees in CIE LCh) of the Okabe-Ito colours that the families are built on.
constexpr double kBlue = 262;    // #0072B2
constexpr double kSky = 240;     // #56B4E9
constexpr double kGreen = 165;   // #009E73
constexpr double kLime = 128;    // between #009E73 and #F0E442: members of the green family
constexpr double kTeal = 202;    // optimizer
constexpr double kOrange = 68;   // #E69F00 … #D55E00
constexpr double kOchre = 88;    // yellow-brown
constexpr double kIndigo = 288;  // dense math that is not one of the usual three

struct Shade {
  KernelClass kernelClass;
  bool bright;  ///< the lighter of the two levels of a family
  double chroma;
  double hue;
};

// Members of a family differ in lightness by the distance of the two levels or in hue by 20° or
// more (tests/widgets/tst_palette.cpp).
constexpr Shade kKernelShades[] = {
    {KernelClass::matmul, false, 44, kBlue},     {KernelClass::attention, true, 38, kSky},
    {KernelClass::convolution, true, 38, kBlue}, {KernelClass::moe, false, 44, kIndigo},
    {KernelClass::triton, true, 36, kIndigo},    {KernelClass::normalization, false, 40, kGreen},
    {KernelClass::softmax, true, 40, kGreen},    {KernelClass::elementwise, true, 40, kLime},
    {KernelClass::reduction, false, 40, kLime},  {KernelClass::indexing, false, 22, kGreen - 18},
    {KernelClass::copy, true, 20, kGreen - 18},  {KernelClass::rng, true, 16, kLime - 22},
    {KernelClass::optimizer, false, 34, kTeal},  {KernelClass::collective, true, 62, kOrange},
    {KernelClass::memcpy, true, 44, kOchre},     {KernelClass::memset, false, 38, kOchre},
    {KernelClass::sync, false, 6, kOchre},       {KernelClass::unknown, true, 4, kBlue},
};

void fillKeys(Palette& p, double deep, double bright) {
  for (const Shade& s : kKernelShades)
    p.keys[static_cast<std::size_t>(s.kernelClass)] =
        fromLch(s.bright ? bright : deep, s.chroma, s.hue);
  const auto set = [&p](ColourKey key, double l, double c, double h) {
    p.keys[static_cast<std::size_t>(key)] = fromLch(l, c, h);
  };
  // Host rows are background to the device's story: quieter than kernels.
  set(ColourKey::op, p.dark ? bright - 8 : bright + 8, 14, 255);
  set(ColourKey::python, p.dark ? bright - 12 : bright + 12, 7, 75);
  set(ColourKey::runtime, deep, 12, 250);
  set(ColourKey::annotation, deep, 10, 270);
  set(ColourKey::overhead, p.dark ? deep - 10 : bright + 6, 16, 40);
  set(ColourKey::otherHost, bright, 3, 250);
}

Palette makeLight() {
  Palette p;
  p.dark = false;
  p.background = QColor(0xFF, 0xFF, 0xFF);
  p.alternate = QColor(0xF7, 0xF8, 0xFA);
  p.chrome = QColor(0xF1, 0xF3, 0xF5);
  p.line = QColor(0xC9, 0xCE, 0xD6);
  p.grid = QColor(0xE9, 0xEC, 0xF0);
  p.text = QColor(0x1C, 0x20, 0x26);
  p.mutedText = QColor(0x5A, 0x63, 0x70);
  p.accent = QColor(0x1C, 0x20, 0x26);
  p.hover = QColor(0x1C, 0x20, 0x26);
  p.mark = QColor(0x00, 0x72, 0xB2);
  p.idleGap = QColor(0xC8, 0x3A, 0x2B);
  p.criticalPath = QColor(0xB8, 0x3A, 0x8E);
  p.warning = QColor(0x9A, 0x5B, 0x00);
  p.error = QColor(0xB3, 0x26, 0x1E);
  fillKeys(p, 46, 61);
  return p;
}

Palette makeDark() {
  Palette p;
  p.dark = true;
  p.background = QColor(0x16, 0x18, 0x1D);
  p.alternate = QColor(0x1A, 0x1D, 0x23);
  p.chrome = QColor(0x1E, 0x21, 0x28);
  p.line = QColor(0x3A, 0x40, 0x4B);
  p.grid = QColor(0x23, 0x27, 0x2F);
  p.text = QColor(0xE4, 0xE7, 0xEC);
  p.mutedText = QColor(0x97, 0xA0, 0xAE);
  p.accent = QColor(0xFF, 0xFF, 0xFF);
  p.hover = QColor(0xE4, 0xE7, 0xEC);
  p.mark = QColor(0x56, 0xB4, 0xE9);
  p.idleGap = QColor(0xE8, 0x6A, 0x5C);
  p.criticalPath = QColor(0xE0, 0x7F, 0xBE);
  p.warning = QColor(0xE6, 0xB4, 0x50);
  p.error = QColor(0xF2, 0x8B, 0x82);
  fillKeys(p, 62, 74);
  return p;
}

}  // namespace

ColourKey colourKeyOf(Category category) {
  switch (category) {
    case Category::cpuOp:
      return ColourKey::op;
    case Category::userAnnotation:
    case Category::deviceAnnotation:
    case Category::profilerSpan:
      return ColourKey::annotation;
    case Category::pythonFunction:
      return ColourKey::python;
    case Category::runtime:
      return ColourKey::runtime;
    case Category::kernel:
      return colourKeyOf(KernelClass::unknown);
    case Category::memcpy:
      return colourKeyOf(KernelClass::memcpy);
    case Category::memset:
      return colourKeyOf(KernelClass::memset);
    case Category::sync:
      return colourKeyOf(KernelClass::sync);
    case Category::overhead:
      return ColourKey::overhead;
    case Category::other:
      break;
  }
  return ColourKey::otherHost;
}

std::vector<ColourKey> colourKeysByCategory(std::span<const Category> categories) {
  std::vector<ColourKey> keys(categories.size());
  std::transform(categories.begin(), categories.end(), keys.begin(),
                 [](Category c) { return colourKeyOf(c); });
  return keys;
}

QString colourKeyName(ColourKey key) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("ColourKey", text); };
  if (key < ColourKey::firstHostKey) {
    switch (static_cast<KernelClass>(key)) {
      case KernelClass::matmul:
        return tr("matmul");
      case KernelClass::attention:
        return tr("attention");
      case KernelClass::convolution:
        return tr("convolution");
      case KernelClass::normalization:
        return tr("normalization");
      case KernelClass::softmax:
        return tr("softmax");
      case KernelClass::elementwise:
        return tr("elementwise");
      case KernelClass::reduction:
        return tr("reduction");
      case KernelClass::indexing:
        return tr("indexing");
      case KernelClass::copy:
        return tr("copy on device");
      case KernelClass::rng:
        return tr("random numbers");
      case KernelClass::optimizer:
        return tr("optimizer");
      case KernelClass::triton:
        return tr("fused (Triton)");
      case KernelClass::moe:
        return tr("mixture of experts");
      case KernelClass::collective:
        return tr("collective");
      case KernelClass::memcpy:
        return tr("memory copy");
      case KernelClass::memset:
        return tr("memory set");
      case KernelClass::sync:
        return tr("synchronisation");
      case KernelClass::unknown:
        return tr("other kernel");
    }
  }
  switch (key) {
    case ColourKey::op:
      return tr("operator");
    case ColourKey::python:
      return tr("Python");
    case ColourKey::runtime:
      return tr("runtime call");
    case ColourKey::annotation:
      return tr("annotation");
    case ColourKey::overhead:
      return tr("profiler overhead");
    default:
      return tr("other");
  }
}

Lab toLab(const QColor& colour) {
  const double r = toLinear(colour.redF()), g = toLinear(colour.greenF()),
               b = toLinear(colour.blueF());
  const double x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / kWhiteX;
  const double y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
  const double z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / kWhiteZ;
  return {116 * labF(y) - 16, 500 * (labF(x) - labF(y)), 200 * (labF(y) - labF(z))};
}

QColor fromLch(double lightness, double chroma, double hueDegrees) {
  const double h = hueDegrees * std::numbers::pi / 180;
  LinearRgb rgb;
  for (double c = chroma; c >= 0; c -= 0.5) {
    rgb = linearOf({lightness, c * std::cos(h), c * std::sin(h)});
    if (rgb.inGamut()) break;
  }
  const auto channel = [](double v) {
    return static_cast<int>(std::lround(255 * fromLinear(std::clamp(v, 0.0, 1.0))));
  };
  return QColor(channel(rgb.r), channel(rgb.g), channel(rgb.b));
}

QColor textOn(const QColor& fill) {
  const double y = luminance(fill);
  // WCAG contrast with white is 1.05 / (y + .05), with black (y + .05) / .05.
  return 1.05 / (y + 0.05) > (y + 0.05) / 0.05 ? QColor(Qt::white) : QColor(Qt::black);
}

const Palette& Palette::light() {
  static const Palette palette = makeLight();
  return palette;
}

const Palette& Palette::darkTheme() {
  static const Palette palette = makeDark();
  return palette;
}

const Palette& Palette::of(const QPalette& palette) {
  return palette.color(QPalette::Window).lightnessF() < 0.5F ? darkTheme() : light();
}

QColor mix(const QColor& a, const QColor& b, double shareOfA) {
  const auto channel = [shareOfA](int x, int y) {
    return static_cast<int>(std::lround(x * shareOfA + y * (1 - shareOfA)));
  };
  return QColor(channel(a.red(), b.red()), channel(a.green(), b.green()),
                channel(a.blue(), b.blue()));
}

}  // namespace ridgeline
