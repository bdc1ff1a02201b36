#include "widgets/timeline/time_ticks.h"

#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

TimeNs floorTo(TimeNs t, TimeNs step) {
  TimeNs q = t / step;
  if (t % step != 0 && t < 0) --q;
  return q * step;
}

TimeNs niceStep(double atLeast) {
  TimeNs decade = 1;
  while (static_cast<double>(decade) * 10 <= atLeast && decade < 1'000'000'000'000'000'000 / 10)
    decade *= 10;
  for (const TimeNs factor : {1, 2, 5, 10})
    if (static_cast<double>(decade * factor) >= atLeast) return decade * factor;
  return decade * 10;
}

struct Unit {
  TimeNs ns;
  const char16_t* name;
};
constexpr Unit kUnits[] = {{1'000'000'000, u"s"}, {1'000'000, u"ms"}, {1'000, u"µs"}, {1, u"ns"}};

}  // namespace

QString formatTick(TimeNs time, TimeNs resolution) {
  if (time == 0) return QStringLiteral("0");
  const TimeNs magnitude = std::abs(time);
  const Unit* unit = &kUnits[0];
  // The largest unit that leaves a digit before the point.
  while (unit->ns > magnitude) ++unit;
  int decimals = 0;
  for (TimeNs r = resolution; r < unit->ns; r *= 10) ++decimals;
  QString text = QString::number(magnitude / unit->ns);
  if (decimals > 0) {
    QString fraction =
        QString::number(magnitude % unit->ns)
            .rightJustified(
                static_cast<int>(std::lround(std::log10(static_cast<double>(unit->ns)))),
                QLatin1Char('0'))
            .left(decimals);
    while (fraction.endsWith(QLatin1Char('0'))) fraction.chop(1);
    if (!fraction.isEmpty()) text += QLatin1Char('.') + fraction;
  }
  return (time < 0 ? QStringLiteral("-") : QString()) + text + QLatin1Char(' ') +
         QString::fromUtf16(unit->name);
}

TimeTicks timeTicks(TimeSpan span, double width, double minPixels, TimeNs zero) {
  TimeTicks out;
  if (span.empty() || width <= 0) return out;
  const double nsPerPixel = static_cast<double>(span.length()) / width;
  out.step = niceStep(std::max(minPixels * nsPerPixel, 1.0));
  // Deep in a long recording all labels would differ only in their last digits: then they are
  // relative to a round time at the left.
  TimeNs decade = 1;
  while (decade < span.length()) decade *= 10;
  const TimeNs begin = span.begin - zero;
  if (std::abs(begin) >= 10 * decade) {
    out.base = floorTo(begin, decade) + zero;
    out.baseLabel = formatTick(out.base - zero, decade);
  } else {
    out.base = zero;
  }
  const bool relative = !out.baseLabel.isEmpty();
  TimeNs leading = out.step;
  while (leading % 10 == 0) leading /= 10;
  const TimeNs parts = leading == 2 ? 4 : 5;
  const TimeNs minor = out.step % parts == 0 ? out.step / parts : out.step;
  for (TimeNs t = floorTo(span.begin - out.base, minor); t + out.base < span.end; t += minor) {
    if (t + out.base < span.begin) continue;
    TimeTicks::Tick tick;
    tick.time = t + out.base;
    tick.labelled = t % out.step == 0;
    if (tick.labelled) {
      tick.label = formatTick(t, out.step);
      if (relative && t >= 0) tick.label.prepend(QLatin1Char('+'));
    }
    out.ticks.push_back(tick);
  }
  return out;
}

}  // namespace ridgeline
