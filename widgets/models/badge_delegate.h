#pragma once

#include <QStyledItemDelegate>

namespace ridgeline {

/// Draws a cell as ever and, where ResultTableModel::kBadgeRole says so, a small mark in its upper
/// right corner: a finding on the data touches this number.
class BadgeDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

  /// Where the mark of a cell is.
  [[nodiscard]] static QRect markRect(const QRect& cell);
};

}  // namespace ridgeline
