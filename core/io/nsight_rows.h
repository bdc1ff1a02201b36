#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/seeded_hash.h"
#include "core/io/sqlite_file.h"
#include "core/trace/event.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// The columns that are read of any table of an Nsight Systems export; absent ones are empty.
enum class NsightColumn : std::uint8_t {
  start,
  end,
  timestamp,
  deviceId,
  contextId,
  streamId,
  correlationId,
  globalPid,
  globalTid,
  endGlobalTid,
  pid,
  id,
  name,
  nameId,
  shortName,
  demangledName,
  mangledName,
  graphNodeId,
  graphId,
  bytes,
  copyKind,
  srcKind,
  dstKind,
  memKind,
  syncType,
  eventId,
  eventClass,
  eventType,
  text,
  textId,
  rangeId,
  domainId,
  typeId,
  metricId,
  metricName,
  value,
  address,
  memoryOperationType,
  count,
};

/// Nsight's StringIds, each looked up once.
class NsightStrings {
 public:
  explicit NsightStrings(SqliteFile& file);
  /// Empty for an id that is not there; the view lives as long as this.
  [[nodiscard]] std::string_view text(std::optional<std::int64_t> id);

 private:
  SqliteRows lookup_;
  std::unordered_map<std::int64_t, std::string, SeededHash> known_;
};

/// The rows of one table, front to back. A number that is none is counted in the log and empty.
class NsightRows {
 public:
  /// `place`: number of the table, for the args of its rows; `where`: in SQL, for some of them
  /// only.
  NsightRows(SqliteFile& file, std::string table, std::size_t place, ImportLog& log,
             const std::string& where = {});

  bool next();
  [[nodiscard]] SqliteRows::End end() const { return rows_.end(); }
  [[nodiscard]] bool has(NsightColumn column) const;
  [[nodiscard]] std::optional<std::int64_t> number(NsightColumn column);
  [[nodiscard]] std::optional<double> real(NsightColumn column);
  [[nodiscard]] std::string_view text(NsightColumn column) const;
  /// Where the row's other columns can be read later, see NsightArgs.
  [[nodiscard]] ArgsSpan args() const;
  /// "TABLE row 12", for the log.
  [[nodiscard]] std::string where() const;

 private:
  std::string table_;
  std::uint64_t place_;
  ImportLog& log_;
  SqliteRows rows_;
  bool hasRowid_ = false;
  std::array<int, static_cast<std::size_t>(NsightColumn::count)> at_{};  ///< in the SELECT, or -1
};

}  // namespace ridgeline
