#include "widgets/models/badge_delegate.h"

#include <QPainter>

#include "widgets/common/palette.h"
#include "widgets/models/result_table_model.h"

namespace ridgeline {

namespace {
constexpr int kMark = 6;
}

QRect BadgeDelegate::markRect(const QRect& cell) {
  return {cell.right() - kMark + 1, cell.top(), kMark, kMark};
}

void BadgeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  if (!index.data(ResultTableModel::kBadgeRole).toBool()) return;
  const QRect mark = markRect(option.rect);
  const QPolygon corner(
      {mark.topLeft(), mark.topRight() + QPoint(1, 0), mark.bottomRight() + QPoint(1, 1)});
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(Palette::of(option.palette).warning);
  painter->drawPolygon(corner);
  painter->restore();
}

}  // namespace ridgeline
