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
  switch (role) {
    case Qt::DisplayRole:
      return column.text(row);
    case Qt::ToolTipRole:
      return wrappedHover(column.hover ? column.hover(row) : column.text(row));
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
    default:
      return {};
  }
}

QVariant ResultTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= static_cast<int>(columns_.size()))
    return {};
  const ResultColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return wrappedHover(column.tooltip);
  if (role == Qt::TextAlignmentRole)
    return QVariant(column.align == ResultColumn::Align::right ? Qt::AlignRight | Qt::AlignVCenter
                                                               : Qt::AlignLeft | Qt::AlignVCenter);
  return {};
}

}  // namespace ridgeline
