#include "core/io/sqlite_file.h"

#include <algorithm>
#include <utility>

#include <sqlite3.h>

namespace ridgeline {

namespace {

/// Virtual-machine steps between two looks at the task: about a millisecond.
constexpr int kStepsBetweenLooks = 20'000;
/// No text or blob of an export is as long; a hostile schema could ask for gigabytes.
constexpr int kMostBytesOfAValue = 64 << 20;

int isCancelled(void* task) {
  return static_cast<const Task*>(task)->cancelled() ? 1 : 0;
}

/// As a URI, in which '?' and '#' would end the path.
std::string uriOf(const std::string& path) {
  std::string uri = "file:";
  for (const char ch : path) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(ch);
    if (ch == '?' || ch == '#' || ch == '%' || byte < 0x21) {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    } else {
      uri += ch;
    }
  }
  return uri + "?mode=ro&immutable=1";
}

void restrict(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kMostBytesOfAValue);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 64);
  sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 4);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON;",
               nullptr, nullptr, nullptr);
}

}  // namespace

SqliteRows::~SqliteRows() {
  sqlite3_finalize(statement_);
}
SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), end_(other.end_) {}
SqliteRows& SqliteRows::operator=(SqliteRows&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(end_, other.end_);
  return *this;
}

bool SqliteRows::next() {
  if (statement_ == nullptr || end_ != End::none) return false;
  const int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  end_ = rc == SQLITE_DONE ? End::done : rc == SQLITE_INTERRUPT ? End::cancelled : End::damaged;
  return false;
}

void SqliteRows::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_, parameter, value);
}
void SqliteRows::reset() {
  sqlite3_reset(statement_);
  end_ = End::none;
}
int SqliteRows::columns() const {
  return sqlite3_column_count(statement_);
}
std::string_view SqliteRows::columnName(int column) const {
  const char* name = sqlite3_column_name(statement_, column);
  return name == nullptr ? std::string_view() : name;
}

SqliteRows::Kind SqliteRows::kind(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Kind::integer;
    case SQLITE_FLOAT:
      return Kind::real;
    case SQLITE_NULL:
      return Kind::null;
    default:
      return Kind::text;
  }
}

std::int64_t SqliteRows::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double SqliteRows::real(int column) const {
  return sqlite3_column_double(statement_, column);
}
std::string_view SqliteRows::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(bytes, static_cast<std::size_t>(size));
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(const std::string& path,
                                                     const std::string& name, const Task* task) {
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(
      uriOf(path).c_str(), &raw,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
      nullptr);
  std::unique_ptr<SqliteFile> file(new SqliteFile(raw));
  if (rc != SQLITE_OK)
    return Error{"the database cannot be opened: " + file->lastError(), name,
                 "Check the permissions, or export it again."};
  restrict(raw);
  if (task != nullptr)
    sqlite3_progress_handler(raw, kStepsBetweenLooks, isCancelled, const_cast<Task*>(task));
  Status read = file->readSchema(name);
  if (read.failed()) {
    // SQLite refuses a file that is shorter than it says, unless somebody means to repair it.
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
    read = file->readSchema(name);
  }
  if (read.failed()) return read.error();
  if (read.cancelled()) return Cancelled{};
  return file;
}

SqliteFile::~SqliteFile() {
  sqlite3_close_v2(database_);
}

Status SqliteFile::readSchema(const std::string& name) {
  tables_.clear();
  SqliteRows rows = query("SELECT name, sql FROM sqlite_master WHERE type = 'table'");
  while (rows.next()) {
    const std::string_view sql = rows.text(1);
    // "CREATE VIRTUAL TABLE": SQLite writes the words like this itself.
    if (!sql.starts_with("CREATE VIRTUAL") && !rows.text(0).starts_with("sqlite_"))
      tables_.emplace_back(rows.text(0));
  }
  if (rows.end() == SqliteRows::End::cancelled) return Cancelled{};
  if (rows.end() != SqliteRows::End::done)
    return Error{"the database is damaged: " + lastError(), name, "Export it again."};
  return Done{};
}

bool SqliteFile::has(std::string_view table) const {
  return std::find(tables_.begin(), tables_.end(), table) != tables_.end();
}

std::vector<std::string> SqliteFile::columnsOf(std::string_view table) {
  std::vector<std::string> columns;
  SqliteRows rows = query("PRAGMA table_info(" + quoted(table) + ")");
  while (rows.next()) columns.emplace_back(rows.text(1));
  return columns;
}

SqliteRows SqliteFile::query(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &statement,
                         nullptr) != SQLITE_OK) {
    sqlite3_finalize(statement);
    return {};
  }
  return SqliteRows(statement);
}

std::optional<std::uint64_t> SqliteFile::count(std::string_view table) {
  SqliteRows rows = query("SELECT count(*) FROM " + quoted(table));
  if (!rows.next()) return std::nullopt;
  return static_cast<std::uint64_t>(rows.integer(0));
}

std::uint64_t SqliteFile::bytesRead() const {
  int pages = 0;
  int highest = 0;
  sqlite3_db_status(database_, SQLITE_DBSTATUS_CACHE_MISS, &pages, &highest, 0);
  sqlite3_stmt* statement = nullptr;
  std::int64_t pageBytes = 4096;
  if (sqlite3_prepare_v2(database_, "PRAGMA page_size", -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    pageBytes = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageBytes);
}

std::string SqliteFile::lastError() const {
  return database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_);
}

std::string SqliteFile::quoted(std::string_view name) {
  std::string text = "\"";
  for (const char ch : name) {
    text += ch;
    if (ch == '"') text += '"';
  }
  return text + '"';
}

}  // namespace ridgeline
