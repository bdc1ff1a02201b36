#pragma once

// Short forms for the columns that several panels share.

#include "widgets/common/format.h"
#include "widgets/models/result_table_model.h"

namespace ridgeline::cells {

inline ResultColumn text(const QString& title, const QString& tooltip,
                         std::function<QString(int)> value) {
  return {title, tooltip, ResultColumn::Align::left, std::move(value), {}, {}, {}};
}

/// A time in ns: shown short, sorted exactly, exact on hover.
inline ResultColumn duration(const QString& title, const QString& tooltip,
                             const std::function<TimeNs(int)>& value) {
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [value](int row) { return formatDuration(value(row)); },
          [value](int row) { return QVariant(static_cast<qlonglong>(value(row))); },
          [value](int row) { return formatExact(value(row)); },
          {}};
}

inline ResultColumn share(const QString& title, const QString& tooltip,
                          const std::function<double(int)>& value) {
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [value](int row) { return formatShare(value(row)); },
          [value](int row) { return QVariant(value(row)); },
          {},
          {}};
}

inline ResultColumn count(const QString& title, const QString& tooltip,
                          const std::function<qint64(int)>& value) {
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [value](int row) { return formatCount(value(row)); },
          [value](int row) { return QVariant(static_cast<qlonglong>(value(row))); },
          {},
          {}};
}

inline QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace ridgeline::cells
