#include "app/desktop/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>

#include "widgets/common/palette.h"

namespace ridgeline {

Theme themeNamed(const QString& name) {
  if (name == QStringLiteral("light")) return Theme::light;
  if (name == QStringLiteral("dark")) return Theme::dark;
  return Theme::system;
}

QString nameOf(Theme theme) {
  switch (theme) {
    case Theme::light:
      return QStringLiteral("light");
    case Theme::dark:
      return QStringLiteral("dark");
    case Theme::system:
      break;
  }
  return QStringLiteral("system");
}

void applyTheme(QApplication& app, Theme theme) {
  static const bool systemIsDark =
      QApplication::palette().color(QPalette::Window).lightnessF() < 0.5F;
  const bool dark = theme == Theme::dark || (theme == Theme::system && systemIsDark);
  const Palette& p = dark ? Palette::darkTheme() : Palette::light();
  const QColor highlight = mix(p.mark, p.background, dark ? 0.6 : 0.9);
  const QColor faint = mix(p.text, p.chrome, 0.4);
  QPalette q;
  q.setColor(QPalette::Window, p.chrome);
  q.setColor(QPalette::WindowText, p.text);
  q.setColor(QPalette::Base, p.background);
  q.setColor(QPalette::AlternateBase, p.alternate);
  q.setColor(QPalette::Text, p.text);
  q.setColor(QPalette::PlaceholderText, p.mutedText);
  q.setColor(QPalette::Button, dark ? p.chrome.lighter(125) : p.chrome);
  q.setColor(QPalette::ButtonText, p.text);
  q.setColor(QPalette::BrightText, p.error);
  q.setColor(QPalette::ToolTipBase, dark ? p.chrome.lighter(130) : p.background);
  q.setColor(QPalette::ToolTipText, p.text);
  q.setColor(QPalette::Highlight, highlight);
  q.setColor(QPalette::HighlightedText, textOn(highlight));
  q.setColor(QPalette::Link, p.mark);
  q.setColor(QPalette::LinkVisited, p.mark);
  q.setColor(QPalette::Light, dark ? p.line : QColor(Qt::white));
  q.setColor(QPalette::Midlight, dark ? p.line.darker(115) : p.line.lighter(110));
  q.setColor(QPalette::Mid, p.line);
  q.setColor(QPalette::Dark, dark ? p.background.darker(130) : p.line.darker(115));
  q.setColor(QPalette::Shadow, Qt::black);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    q.setColor(QPalette::Disabled, role, faint);
  if (QApplication::style()->objectName() != QStringLiteral("fusion"))
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(q);
  Q_UNUSED(app)
}

}  // namespace ridgeline
