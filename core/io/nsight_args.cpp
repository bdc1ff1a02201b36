#include "core/io/nsight_args.h"

#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/io/nsight_rows.h"
#include "core/io/sqlite_file.h"

namespace ridgeline {

namespace {

using Json = nlohmann::ordered_json;

/// Columns that hold the id of a text, and what the text is.
constexpr std::array<std::pair<std::string_view, const char*>, 6> kTexts = {
    {{"nameId", "name"},
     {"textId", "text"},
     {"jsonTextId", "json"},
     {"shortName", "shortName"},
     {"demangledName", "demangledName"},
     {"mangledName", "mangledName"}}};

/// Columns that hold the id of a row of an enumeration; not all exports have these tables.
constexpr std::array<std::pair<std::string_view, const char*>, 11> kEnumerations = {
    {{"copyKind", "ENUM_CUDA_MEMCPY_OPER"},
     {"srcKind", "ENUM_CUDA_MEM_KIND"},
     {"dstKind", "ENUM_CUDA_MEM_KIND"},
     {"memKind", "ENUM_CUDA_MEM_KIND"},
     {"syncType", "ENUM_CUPTI_SYNC_TYPE"},
     {"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
     {"cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG"},
     {"sharedMemoryLimitConfig", "ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG"},
     {"memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER"},
     {"eventClass", "ENUM_NSYS_EVENT_CLASS"},
     {"eventType", "ENUM_NSYS_EVENT_TYPE"}}};

template <std::size_t N>
const char* find(const std::array<std::pair<std::string_view, const char*>, N>& list,
                 std::string_view key) {
  for (const auto& [name, value] : list)
    if (name == key) return value;
  return nullptr;
}

Json valueOf(const SqliteRows& rows, int column) {
  switch (rows.kind(column)) {
    case SqliteRows::Kind::integer:
      return rows.integer(column);
    case SqliteRows::Kind::real:
      return rows.real(column);
    case SqliteRows::Kind::text:
      return std::string(rows.text(column));
    case SqliteRows::Kind::null:
      break;
  }
  return nullptr;
}

std::string labelOf(SqliteFile& file, const char* table, std::int64_t id) {
  SqliteRows rows = file.query("SELECT label FROM " + SqliteFile::quoted(table) + " WHERE id = ?1");
  if (!rows.valid()) return {};
  rows.bind(1, id);
  return rows.next() ? std::string(rows.text(0)) : std::string();
}

/// gridX, gridY and gridZ are one thing.
bool addDimension(Json& object, std::string_view name, const Json& value) {
  for (const char* what : {"grid", "block"})
    if (name.size() == std::string_view(what).size() + 1 && name.starts_with(what)) {
      object[what].push_back(value);
      return true;
    }
  return false;
}

void addColumn(Json& object, SqliteFile& file, NsightStrings& strings, const SqliteRows& rows,
               int column) {
  const std::string_view name = rows.columnName(column);
  const Json value = valueOf(rows, column);
  if (value.is_null() || addDimension(object, name, value)) return;
  if (!value.is_number_integer()) {
    object[std::string(name)] = value;
    return;
  }
  const auto number = value.get<std::int64_t>();
  if (const char* what = find(kTexts, name)) {
    object[what] = strings.text(number);
    return;
  }
  if (const char* table = find(kEnumerations, name)) {
    const std::string label = labelOf(file, table, number);
    object[std::string(name)] = label.empty() ? value : Json(label);
    return;
  }
  if (name == "globalPid" || name == "globalTid" || name == "endGlobalTid") {
    object[name == "endGlobalTid" ? "endPid" : "pid"] = number >> 24 & 0xFFFFFF;
    if (name != "globalPid") object[name == "endGlobalTid" ? "endTid" : "tid"] = number & 0xFFFFFF;
    return;
  }
  object[std::string(name)] = value;
}

}  // namespace

Result<std::string> NsightArgs::read(ArgsSpan span) const {
  if (span.length == 0) return std::string();
  if (!file_->unchanged())
    return Error{"the file has changed since it was loaded", file_->path(), "Open it again."};
  const std::size_t table = span.offset >> 48;
  if (table >= tables_.size()) return std::string();
  auto opened = SqliteFile::open(file_->path(), file_->path());
  if (!opened.ok()) return opened.failed() ? Result<std::string>(opened.error()) : Cancelled{};
  SqliteFile& file = *opened.value();
  SqliteRows rows =
      file.query("SELECT * FROM " + SqliteFile::quoted(tables_[table]) + " WHERE rowid = ?1");
  if (!rows.valid()) return std::string();
  rows.bind(1, static_cast<std::int64_t>(span.offset & ((std::uint64_t{1} << 48) - 1)));
  if (!rows.next()) return std::string();
  NsightStrings strings(file);
  Json object = Json::object();
  std::int64_t process = -1;
  std::int64_t domain = -1;
  for (int i = 0; i < rows.columns(); ++i) {
    addColumn(object, file, strings, rows, i);
    if (rows.columnName(i) == "globalTid") process = rows.integer(i) >> 24;
    if (rows.columnName(i) == "domainId" && rows.kind(i) == SqliteRows::Kind::integer)
      domain = rows.integer(i);
  }
  if (const auto known = domains_.find({process, domain}); known != domains_.end())
    object["domain"] = known->second;
  object["table"] = tables_[table];
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ridgeline
