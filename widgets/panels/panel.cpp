#include "widgets/panels/panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/common/format.h"
#include "widgets/models/result_table_view.h"

namespace ridgeline {

Panel::Panel(const QString& id, const QString& title, Session& session, Analyses& analyses,
             QWidget* parent)
    : QWidget(parent),
      id_(id),
      title_(title),
      session_(session),
      analyses_(analyses),
      sentence_(new QLabel(this)),
      badge_(new QualityBadge(this)),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)) {
  setObjectName(id);
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  sentence_->setContentsMargins(8, 6, 8, 2);
  sentence_->hide();
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setContentsMargins(24, 12, 24, 12);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  stack_->addWidget(empty_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  auto* top = new QHBoxLayout;
  top->setSpacing(0);
  top->addWidget(sentence_, 1);
  top->addWidget(badge_);
  layout->addLayout(top);
  layout->addWidget(stack_, 1);
  showEmpty(tr("Open a trace to see this."));
  connect(badge_, &QualityBadge::findingRequested, this, &Panel::findingRequested);

  connect(&analyses_, &Analyses::currentChanged, this, [this] {
    stale_ = true;
    refresh();
  });
  const auto selection = [this] {
    if (isVisible() && shown_) selectionChanged();
  };
  connect(&session_, &Session::activeChanged, this, selection);
  connect(&session_, &Session::selectionChanged, this, selection);
  connect(&analyses_, &Analyses::busyChanged, this, [this](bool busy) {
    if (shown_ && content_ != nullptr) content_->setEnabled(!busy || !stale_);
    if (!shown_ && isVisible()) refresh();
  });
}

void Panel::setContent(QWidget* content) {
  content_ = content;
  stack_->addWidget(content);
  QList<ResultTableView*> tables = content->findChildren<ResultTableView*>();
  if (auto* table = qobject_cast<ResultTableView*>(content)) tables << table;
  for (ResultTableView* table : std::as_const(tables))
    connect(table, &ResultTableView::badgeClicked, badge_,
            [this] { Q_EMIT findingRequested(badge_->worst()); });
}

void Panel::setSentence(const QString& text) {
  const QString shown = elidedWords(text);
  sentence_->setText(shown);
  sentence_->setToolTip(shown == text ? QString() : wrappedHover(text));
  sentence_->setVisible(!text.isEmpty());
}

void Panel::showEmpty(const QString& whyAndHow) {
  empty_->setText(whyAndHow);
  sentence_->hide();
  stack_->setCurrentWidget(empty_);
}

void Panel::showContent() {
  if (content_ != nullptr) stack_->setCurrentWidget(content_);
}

void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void Panel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !shown_) return;
  stale_ = true;
  refresh();
}

void Panel::showFindings() {
  const auto findings =
      isEmptyState() ? std::vector<const QualityCheck*>() : findingsOf(*shown_, id_);
  badge_->setFindings(findings);
  const QString text = findingsText(findings);
  for (ResultTableView* table : findChildren<ResultTableView*>()) table->content().setBadge(text);
}

void Panel::refresh() {
  if (!isVisible()) return;
  const auto results = analyses_.current();
  if (!results) {
    shown_.reset();
    badge_->setFindings({});
    if (!session_.hasDocument()) {
      showEmpty(tr("Open a trace to see this."));
    } else if (!analyses_.problem().isEmpty()) {
      showEmpty(analyses_.problem());
    } else {
      showEmpty(tr("Being computed…"));
    }
    return;
  }
  if (!stale_ && results == shown_) return;
  stale_ = false;
  shown_ = results;
  showContent();
  fill(results);
  showFindings();
  selectionChanged();
}

}  // namespace ridgeline
