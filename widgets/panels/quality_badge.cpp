#include "widgets/panels/quality_badge.h"

#include <QEvent>

#include "widgets/common/format.h"
#include "widgets/common/palette.h"

namespace ridgeline {

namespace {

/// Panels are called as their sections of the report, but for these.
std::vector<std::string> sectionsOf(const QString& panelId) {
  if (panelId == QStringLiteral("device_time")) return {"devices"};
  if (panelId == QStringLiteral("kernels")) return {"kernel_groups"};
  if (panelId == QStringLiteral("roofline")) return {"roofline", "bounds", "utilisation"};
  return {panelId.toStdString()};
}

}  // namespace

std::vector<const QualityCheck*> findingsOf(const AnalysisResults& results,
                                            const QString& panelId) {
  return results.headline.quality.touchingAny(sectionsOf(panelId));
}

QString findingsText(const std::vector<const QualityCheck*>& findings) {
  QStringList lines;
  for (const QualityCheck* check : findings)
    lines << QStringLiteral("▲ ") + QString::fromStdString(check->sentence());
  return lines.join(u'\n');
}

QualityBadge::QualityBadge(QWidget* parent) : QLabel(parent) {
  setObjectName(QStringLiteral("quality_badge"));
  setTextFormat(Qt::RichText);
  setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setContentsMargins(4, 6, 8, 2);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  setAlignment(Qt::AlignTop);
  connect(this, &QLabel::linkActivated, this, [this] { Q_EMIT findingRequested(worst_); });
  hide();
}

void QualityBadge::setFindings(const std::vector<const QualityCheck*>& findings) {
  worst_ = findings.empty() ? QString() : QString::fromStdString(findings.front()->key);
  const QString hover = findingsText(findings);
  setToolTip(wrappedHover(hover));
  setAccessibleName(hover);
  show(static_cast<int>(findings.size()));
}

void QualityBadge::show(int count) {
  count_ = count;
  const QString text = count == 1 ? tr("▲ 1 warning") : tr("▲ %1 warnings").arg(count);
  setText(QStringLiteral("<a href='problems' style='text-decoration:none;color:%1'>%2</a>")
              .arg(Palette::of(palette()).warning.name(), text));
  setVisible(count > 0);
}

void QualityBadge::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  // The theme's colour is in the text.
  if (event->type() == QEvent::PaletteChange && count_ > 0) show(count_);
}

}  // namespace ridgeline
