#include "widgets/panels/tables_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "widgets/common/format.h"

namespace ridgeline {

TablesPanel::TablesPanel(const QString& id, const QString& title, Session& session,
                         Analyses& analyses, QWidget* parent)
    : Panel(id, title, session, analyses, parent),
      choice_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      table_(new ResultTableView(id, this)) {
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 2, 6, 0);
  bar->addWidget(choice_);
  bar->addWidget(filter_, 1);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(bar);
  layout->addWidget(table_, 1);
  setContent(content);
  connect(choice_, &QComboBox::currentIndexChanged, this, &TablesPanel::showTable);
  connect(filter_, &QLineEdit::textChanged, table_, &ResultTableView::setFilter);
  connect(table_, &ResultTableView::rowSelected, this, [this](int row) { choose(row, false); });
  connect(table_, &ResultTableView::rowActivated, this, [this](int row) { choose(row, true); });
}

QStringList TablesPanel::tableTitles() const {
  QStringList titles;
  for (const View& view : views_) titles << view.title;
  return titles;
}

void TablesPanel::setTop(QWidget* top) {
  auto* layout = static_cast<QVBoxLayout*>(choice_->parentWidget()->layout());
  layout->insertWidget(0, top, 1);
}

void TablesPanel::setViews(std::vector<View> views) {
  const int chosen = std::max(0, choice_->currentIndex());
  views_ = std::move(views);
  const QSignalBlocker blocker(choice_);
  choice_->clear();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    choice_->addItem(views_[i].title);
    choice_->setItemData(static_cast<int>(i), views_[i].tooltip, Qt::ToolTipRole);
  }
  choice_->setVisible(views_.size() > 1);
  const int index = std::min(chosen, static_cast<int>(views_.size()) - 1);
  choice_->setCurrentIndex(index);
  showTable(index);
}

void TablesPanel::showTable(int index) {
  if (index < 0 || index >= static_cast<int>(views_.size())) return;
  const View& view = views_[static_cast<std::size_t>(index)];
  choice_->setToolTip(view.tooltip);
  table_->setContent(view.columns, view.rows);
}

void TablesPanel::choose(int row, bool zoom) {
  const int index = choice_->currentIndex();
  if (index < 0 || index >= static_cast<int>(views_.size())) return;
  const View& view = views_[static_cast<std::size_t>(index)];
  if (view.slices) {
    select(view.slices(row), zoom);
    return;
  }
  if (const SliceId slice = view.slice ? view.slice(row) : SliceId(); slice.valid()) {
    const SliceRef ref{rank(), slice};
    session().setActive(ref);
    zoom ? session().requestZoomTo(ref) : session().requestReveal(ref);
    return;
  }
  const TimeSpan span = view.evidence ? view.evidence(row) : TimeSpan();
  if (span.empty()) return;
  const TimeSpan shown = session().toSession(rank(), span);
  zoom ? session().requestZoomTo(shown) : session().requestReveal(shown);
}

void TablesPanel::select(const std::vector<SliceId>& slices, bool zoom) {
  if (slices.empty()) return;
  std::vector<SliceRef> all;
  all.reserve(slices.size());
  for (const SliceId slice : slices) all.push_back({rank(), slice});
  const SliceRef first = all.front();
  session().setSelected(
      std::move(all),
      tr("%1 · %2 calls").arg(title(), formatCount(static_cast<qint64>(slices.size()))));
  if (!zoom) return;
  session().setActive(first);
  session().requestZoomTo(first);
}

}  // namespace ridgeline
