#include "widgets/models/result_table_model.h"

#include "widgets/common/format.h"

namespace ridgeline {

ResultTableModel::ResultTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void ResultTableModel::setContent(std::vector<ResultColumn> columns, int rowCount) {
  beginResetModel();
  columns_ = std::move(columns);
  rows_ = rowCount;
  endResetModel();
}

void ResultTableModel::setBadge(const QString& findings) {
  if (badge_ == findings) return;
  badge_ = findings;
  if (rows_ == 0 || columns_.empty()) return;
  Q_EMIT dataChanged(index(0, 0), index(rows_ - 1, static_cast<int>(columns_.size()) - 1),
                     {Qt::ToolTipRole, kBadgeRole});
}

int ResultTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int ResultTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ResultTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const ResultColumn& column = columns_[static_cast<std::size_t>(index.column())];
  const int row = index.row();
  const bool marked = !badge_.isEmpty() && column.align == ResultColumn::Align::right;
  switch (role) {
    case Qt::DisplayRole:
      return column.text(row);
    case Qt::ToolTipRole:
      return wrappedHover((column.hover ? column.hover(row) : column.text(row)) +
                          (marked ? u'\n' + badge_ : QString()));
    case Qt::TextAlignmentRole:
      return QVariant(column.align == ResultColumn::Align::right
                          ? Qt::AlignRight | Qt::AlignVCenter
                          : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::DecorationRole:
      return column.swatch ? QVariant(column.swatch(row)) : QVariant();
    case kSortRole:
      return column.sortKey ? column.sortKey(row) : QVariant(column.text(row));
    case kRowRole:
      return row;
    case kBadgeRole:
      return marked;
    default:
      return {};
  }
}

QVariant ResultTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(columns_.size()))
    return {};
  const ResultColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  const bool marked = !badge_.isEmpty() && column.align == ResultColumn::Align::right;
  if (role == Qt::ToolTipRole)
    return wrappedHover(column.tooltip + (marked ? u'\n' + badge_ : QString()));
  if (role == Qt::TextAlignmentRole)
    return QVariant(column.align == ResultColumn::Align::right ? Qt::AlignRight | Qt::AlignVCenter
                                                               : Qt::AlignLeft | Qt::AlignVCenter);
  return {};
}

}  // namespace ridgeline
