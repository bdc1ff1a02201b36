#pragma once

#include <functional>
#include <vector>

#include <QAbstractTableModel>
#include <QColor>
#include <QString>

namespace ridgeline {

/// One column of a ResultTableModel: how to show row i, how to sort by it, what it means.
struct ResultColumn {
  enum class Align { left, right };
  QString title;
  QString tooltip;  ///< what the number means and where it comes from
  Align align = Align::left;
  std::function<QString(int)> text;
  std::function<QVariant(int)> sortKey;  ///< null: sort by text
  std::function<QString(int)> hover;     ///< exact value; null: the whole text
  std::function<QColor(int)> swatch;     ///< a coloured square before the text; null: none
};

/// A read-only table over rows 0…n-1 of some immutable result of core. The columns hold what they
/// need (shared pointers), so the model stays valid when a newer result replaces the old one.
class ResultTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kSortRole = Qt::UserRole + 1, kRowRole, kBadgeRole };

  explicit ResultTableModel(QObject* parent = nullptr);

  /// Replaces the content. Columns may change with it.
  void setContent(std::vector<ResultColumn> columns, int rowCount);

  /// What findings on the data say of all numbers here: their cells bear a mark and tell it on
  /// hover. Empty: none. Stays when the content is replaced.
  void setBadge(const QString& findings);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  std::vector<ResultColumn> columns_;
  int rows_ = 0;
  QString badge_;
};

}  // namespace ridgeline
