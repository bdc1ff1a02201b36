#include "core/io/nsight_rows.h"

#include <algorithm>
#include <cmath>

#include "core/base/decimal.h"

namespace ridgeline {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(NsightColumn::count)> kNames = {
    "start",         "end",
    "timestamp",     "deviceId",
    "contextId",     "streamId",
    "correlationId", "globalPid",
    "globalTid",     "endGlobalTid",
    "pid",           "id",
    "name",          "nameId",
    "shortName",     "demangledName",
    "mangledName",   "graphNodeId",
    "graphId",       "bytes",
    "copyKind",      "srcKind",
    "dstKind",       "memKind",
    "syncType",      "eventId",
    "eventClass",    "eventType",
    "text",          "textId",
    "rangeId",       "domainId",
    "typeId",        "metricId",
    "metricName",    "value",
    "address",       "memoryOperationType"};

constexpr std::uint64_t kRowBits = 48;

}  // namespace

NsightStrings::NsightStrings(SqliteFile& file) {
  if (!file.has("StringIds")) return;
  bool isKey = false;
  SqliteRows columns = file.query("PRAGMA table_info(StringIds)");
  while (columns.next()) isKey |= columns.text(1) == "id" && columns.integer(5) == 1;
  if (isKey) {
    lookup_ = file.query("SELECT value FROM StringIds WHERE id = ?1");
    return;
  }
  // Without an index every look-up would go through the whole table.
  SqliteRows rows = file.query("SELECT id, value FROM StringIds");
  while (rows.next())
    if (rows.kind(0) == SqliteRows::Kind::integer)
      known_.try_emplace(rows.integer(0), rows.text(1));
}

std::string_view NsightStrings::text(std::optional<std::int64_t> id) {
  if (!id) return {};
  if (!lookup_.valid()) {
    const auto known = known_.find(*id);
    return known == known_.end() ? std::string_view() : std::string_view(known->second);
  }
  const auto [it, isNew] = known_.try_emplace(*id);
  if (isNew) {
    lookup_.bind(1, *id);
    if (lookup_.next()) it->second = lookup_.text(0);
    lookup_.reset();
  }
  return it->second;
}

NsightRows::NsightRows(SqliteFile& file, std::string table, std::size_t place, ImportLog& log,
                       const std::string& where)
    : table_(std::move(table)), place_(place), log_(log) {
  at_.fill(-1);
  const std::vector<std::string> columns = file.columnsOf(table_);
  std::string list;
  int count = 1;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (std::find(columns.begin(), columns.end(), kNames[i]) == columns.end()) continue;
    list += ", " + SqliteFile::quoted(kNames[i]);
    at_[i] = count++;
  }
  const std::string from =
      list + " FROM " + SqliteFile::quoted(table_) + (where.empty() ? "" : " WHERE " + where);
  rows_ = file.query("SELECT rowid" + from);
  hasRowid_ = rows_.valid();
  if (!hasRowid_) rows_ = file.query("SELECT 0" + from);
}

bool NsightRows::next() {
  return rows_.next();
}

bool NsightRows::has(NsightColumn column) const {
  return at_[static_cast<std::size_t>(column)] >= 0;
}

std::optional<std::int64_t> NsightRows::number(NsightColumn column) {
  const int at = at_[static_cast<std::size_t>(column)];
  if (at < 0) return std::nullopt;
  switch (rows_.kind(at)) {
    case SqliteRows::Kind::integer:
      return rows_.integer(at);
    case SqliteRows::Kind::null:
      return std::nullopt;
    case SqliteRows::Kind::real:
      if (const double value = rows_.real(at);
          std::abs(value) < 9.0e18 && value == std::floor(value)) {
        ++log_.repaired;
        log_.note("number_as_real",
                  "whole numbers that were stored as real ones were taken as they are", false,
                  ImportLog::kNoOffset, where());
        return static_cast<std::int64_t>(value);
      }
      break;
    case SqliteRows::Kind::text:
      if (const auto value = parseInteger(rows_.text(at))) {
        ++log_.repaired;
        log_.note("number_as_text", "numbers that were stored as text were read", false,
                  ImportLog::kNoOffset, where());
        return value;
      }
      break;
  }
  log_.note("not_a_number",
            "columns that should hold a number hold something else and were left out", true,
            ImportLog::kNoOffset,
            where() + ", " + std::string(kNames[static_cast<std::size_t>(column)]) + " = " +
                std::string(rows_.text(at).substr(0, 40)));
  return std::nullopt;
}

std::optional<double> NsightRows::real(NsightColumn column) {
  const int at = at_[static_cast<std::size_t>(column)];
  if (at < 0) return std::nullopt;
  if (rows_.kind(at) == SqliteRows::Kind::real) return rows_.real(at);
  const auto whole = number(column);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::string_view NsightRows::text(NsightColumn column) const {
  const int at = at_[static_cast<std::size_t>(column)];
  return at < 0 || rows_.kind(at) != SqliteRows::Kind::text ? std::string_view() : rows_.text(at);
}

ArgsSpan NsightRows::args() const {
  const std::int64_t row = hasRowid_ ? rows_.integer(0) : -1;
  if (row < 0 || row >= std::int64_t{1} << kRowBits) return {};
  return {place_ << kRowBits | static_cast<std::uint64_t>(row), 1};
}

std::string NsightRows::where() const {
  return table_ + (hasRowid_ ? " row " + std::to_string(rows_.integer(0)) : "");
}

}  // namespace ridgeline
