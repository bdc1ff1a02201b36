#include "widgets/common/format.h"

#include <algorithm>
#include <cmath>

#include <QLocale>
#include <QStringList>

#include "core/base/share_text.h"

namespace ridgeline {

namespace {

QString threeDigits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return QLocale::c().toString(value, 'f', decimals);
}

QString scaled(double value, const QStringList& units, double step) {
  qsizetype i = 0;
  while (i + 1 < units.size() && std::abs(value) >= step * 0.9995) {
    value /= step;
    ++i;
  }
  return threeDigits(value) + u' ' + units[i];
}

}  // namespace

QString formatDuration(TimeNs duration) {
  if (std::abs(duration) < 1000) return QString::number(duration) + QStringLiteral(" ns");
  static const QStringList kUnits = {QStringLiteral("µs"), QStringLiteral("ms"),
                                     QStringLiteral("s")};
  return scaled(static_cast<double>(duration) / 1e3, kUnits, 1000);
}

QString formatExact(TimeNs duration) {
  return formatCount(duration) + QStringLiteral(" ns");
}

QString formatShare(double share) {
  if (!std::isfinite(share)) return QStringLiteral("—");
  return QString::fromStdString(percentText(share, true));
}

QString formatBytes(double bytes) {
  static const QStringList kUnits = {QStringLiteral("B"), QStringLiteral("kB"),
                                     QStringLiteral("MB"), QStringLiteral("GB"),
                                     QStringLiteral("TB")};
  if (std::abs(bytes) < 1000) return QString::number(bytes, 'f', 0) + QStringLiteral(" B");
  return scaled(bytes, kUnits, 1000);
}

QString formatRate(double perSecond, const QString& unit) {
  static const QStringList kPrefixes = {QString(),           QStringLiteral("k"),
                                        QStringLiteral("M"), QStringLiteral("G"),
                                        QStringLiteral("T"), QStringLiteral("P")};
  QStringList units;
  for (const QString& prefix : kPrefixes) units << prefix + unit;
  return scaled(perSecond, units, 1000);
}

QString formatCount(qint64 count) {
  // Not the C locale: that one leaves the separators out.
  static const QLocale locale(QLocale::English, QLocale::UnitedStates);
  return locale.toString(count);
}

QString shortKernelName(const QString& name) {
  QString out;
  int angle = 0;
  int round = 0;
  for (qsizetype i = 0; i < name.size(); ++i) {
    const QChar c = name[i];
    // "operator<" and "->" are no brackets; "(anonymous namespace)" is part of the name.
    if (round == 0 && angle == 0 && name.mid(i, 21) == QStringLiteral("(anonymous namespace)")) {
      out += QStringLiteral("(anon)");
      i += 20;
      continue;
    }
    if (c == u'<' && round == 0) {
      if (angle++ == 0) out += QStringLiteral("<…>");
    } else if (c == u'>' && round == 0 && angle > 0) {
      --angle;
    } else if (angle == 0) {
      if (c == u'(') {
        if (out.isEmpty()) return name;
        break;
      }
      out += c;
    } else if (c == u'(') {
      ++round;
    } else if (c == u')' && round > 0) {
      --round;
    }
  }
  if (out.startsWith(QStringLiteral("void "))) out.remove(0, 5);
  return out.isEmpty() ? name : out;
}

QString elidedWords(const QString& text) {
  constexpr qsizetype kLongWord = 48, kKept = 22;
  QString out;
  qsizetype begin = 0;
  for (qsizetype i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !text[i].isSpace()) continue;
    const QStringView word = QStringView(text).sliced(begin, i - begin);
    // A setting is what the reader is to type: it may be broken behind its sign, never cut.
    const qsizetype sign = word.indexOf(u'=');
    if (word.size() > kLongWord && sign > 0 && word.size() - sign <= kLongWord)
      out += word.first(sign + 1) + QChar(0x200B) + word.sliced(sign + 1);
    else if (word.size() > kLongWord)
      out += word.first(kKept) + QChar(0x2026) + word.last(kKept);
    else
      out += word;
    if (i < text.size()) out += text[i];
    begin = i + 1;
  }
  return out;
}

QString wrappedHover(const QString& plain) {
  constexpr qsizetype kLongLine = 90;
  const QStringList lines = plain.split(u'\n');
  const bool fits = std::all_of(lines.begin(), lines.end(),
                                [](const QString& line) { return line.size() <= kLongLine; });
  if (fits) return plain;
  const QChar mayBreak(0x200B);
  QString text;
  for (qsizetype i = 0; i < plain.size(); ++i) {
    const QChar c = plain[i];
    text += c;
    if (c == u'<' || c == u',' || c == u'(' || (c == u':' && i > 0 && plain[i - 1] == u':'))
      text += mayBreak;
  }
  return QStringLiteral("<qt>") + text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
         QStringLiteral("</qt>");
}

}  // namespace ridgeline
