#include "widgets/models/result_table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>

#include "widgets/models/badge_delegate.h"

namespace ridgeline {

ResultTableView::ResultTableView(const QString& name, QWidget* parent)
    : QTableView(parent),
      model_(new ResultTableModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
  setObjectName(name);
  setItemDelegate(new BadgeDelegate(this));
  proxy_->setSourceModel(model_);
  proxy_->setSortRole(ResultTableModel::kSortRole);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  proxy_->setFilterKeyColumn(-1);
  setModel(proxy_);
  setSortingEnabled(true);
  proxy_->sort(-1);
  horizontalHeader()->setSortIndicator(-1, Qt::DescendingOrder);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideMiddle);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  // What is left for the last one where the others take everything.
  horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 8);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            told_ = true;
            if (!quiet_ && current.isValid()) Q_EMIT rowSelected(resultRow(current));
          });
  // The row that is current already may be clicked again, after Esc for one.
  connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (!told_ && index.isValid()) Q_EMIT rowSelected(resultRow(index));
  });
  connect(this, &QTableView::activated, this, [this](const QModelIndex& index) {
    if (index.isValid()) Q_EMIT rowActivated(resultRow(index));
  });
}

int ResultTableView::resultRow(const QModelIndex& index) const {
  return proxy_->mapToSource(index).row();
}

void ResultTableView::setContent(std::vector<ResultColumn> columns, int rowCount) {
  const QScopedValueRollback<bool> quiet(quiet_, true);
  // The last column takes what the others leave: its width is never ours to set.
  const auto titles = [this] {
    QStringList all;
    for (int i = 0; i < model_->columnCount(); ++i)
      all << model_->headerData(i, Qt::Horizontal).toString();
    return all;
  };
  const QStringList before = titles();
  QList<int> widths;
  for (int i = 0; i + 1 < before.size(); ++i) widths << columnWidth(i);
  model_->setContent(std::move(columns), rowCount);
  const bool same = sized_ && titles() == before;
  if (same) {
    for (int i = 0; i < widths.size(); ++i) setColumnWidth(i, widths[i]);
  } else if (rowCount > 0) {
    resizeColumnsToContents();
    for (int i = 0; i + 1 < model_->columnCount(); ++i)
      setColumnWidth(i, std::min(columnWidth(i) + 8, 360));
  }
  sized_ = rowCount > 0 || same;
}

void ResultTableView::setFilter(const QString& text) {
  proxy_->setFilterFixedString(text);
}

void ResultTableView::showRow(int row) {
  const QScopedValueRollback<bool> quiet(quiet_, true);
  const QModelIndex index = proxy_->mapFromSource(model_->index(row, 0));
  if (!index.isValid()) return;
  selectRow(index.row());
  scrollTo(index);
}

void ResultTableView::showNoRow() {
  const QScopedValueRollback<bool> quiet(quiet_, true);
  clearSelection();
}

void ResultTableView::mousePressEvent(QMouseEvent* event) {
  const QModelIndex pressed = indexAt(event->position().toPoint());
  // A little more than the mark is drawn: it is small.
  if (event->button() == Qt::LeftButton && pressed.data(ResultTableModel::kBadgeRole).toBool() &&
      BadgeDelegate::markRect(visualRect(pressed))
          .adjusted(-2, 0, 0, 2)
          .contains(event->position().toPoint())) {
    Q_EMIT badgeClicked();
    return;
  }
  told_ = false;
  QTableView::mousePressEvent(event);
}

void ResultTableView::resizeEvent(QResizeEvent* event) {
  const QRect row = visualRect(currentIndex());
  const bool seen = row.isValid() && row.top() >= 0 && row.top() < event->oldSize().height();
  QTableView::resizeEvent(event);
  if (seen) scrollTo(currentIndex());
}

QString ResultTableView::selectionAsText() const {
  QStringList lines;
  QStringList header;
  for (int column = 0; column < proxy_->columnCount(); ++column)
    header << proxy_->headerData(column, Qt::Horizontal).toString();
  lines << header.join(u'\t');
  QModelIndexList rows = selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end(),
            [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
  for (const QModelIndex& row : std::as_const(rows)) {
    QStringList cells;
    for (int column = 0; column < proxy_->columnCount(); ++column)
      cells << proxy_->index(row.row(), column).data().toString();
    lines << cells.join(u'\t');
  }
  return lines.join(u'\n');
}

void ResultTableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QGuiApplication::clipboard()->setText(selectionAsText());
    event->accept();
    return;
  }
  QTableView::keyPressEvent(event);
}

}  // namespace ridgeline
