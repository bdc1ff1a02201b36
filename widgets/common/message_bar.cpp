#include "widgets/common/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "widgets/common/palette.h"

namespace ridgeline {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), label_(new QLabel(this)), close_(new QToolButton(this)) {
  setAutoFillBackground(true);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  close_->setText(QStringLiteral("✕"));
  close_->setAutoRaise(true);
  close_->setToolTip(tr("Close this message"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 5, 6, 5);
  layout->addWidget(label_, 1);
  layout->addWidget(close_, 0, Qt::AlignTop);
  connect(close_, &QToolButton::clicked, this, &QWidget::hide);
  hide();
}

void MessageBar::showMessage(Kind kind, const QString& text, const QString& todo) {
  kind_ = kind;
  QString html = text.toHtmlEscaped();
  if (!todo.isEmpty()) html += QStringLiteral("<br>") + todo.toHtmlEscaped();
  label_->setTextFormat(Qt::RichText);
  label_->setText(html);
  colour();
  show();
}

QString MessageBar::text() const {
  return label_->text();
}

void MessageBar::colour() {
  const Palette& colours = Palette::of(parentWidget() ? parentWidget()->palette() : palette());
  const QColor base = kind_ == Kind::error     ? colours.error
                      : kind_ == Kind::warning ? colours.warning
                                               : colours.mark;
  QPalette own = palette();
  own.setColor(QPalette::Window, mix(base, colours.background, colours.dark ? 0.22 : 0.14));
  own.setColor(QPalette::WindowText, colours.text);
  if (own != palette()) setPalette(own);
}

void MessageBar::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) colour();
}

}  // namespace ridgeline
