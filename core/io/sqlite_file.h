#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/task.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ridgeline {

/// The rows of one SELECT, front to back. Texts live until the next call of `next`.
class SqliteRows {
 public:
  enum class End { none, done, damaged, cancelled };
  enum class Kind { null, integer, real, text };

  SqliteRows() = default;
  explicit SqliteRows(sqlite3_stmt* statement) : statement_(statement) {}
  ~SqliteRows();
  SqliteRows(SqliteRows&& other) noexcept;
  SqliteRows& operator=(SqliteRows&& other) noexcept;

  [[nodiscard]] bool valid() const { return statement_ != nullptr; }
  /// False at the end, whatever ended it.
  bool next();
  [[nodiscard]] End end() const { return end_; }
  void bind(int parameter, std::int64_t value);
  /// To run the same statement again.
  void reset();

  [[nodiscard]] int columns() const;
  [[nodiscard]] std::string_view columnName(int column) const;
  [[nodiscard]] Kind kind(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;

 private:
  sqlite3_stmt* statement_ = nullptr;
  End end_ = End::none;
};

/// A database of somebody else, opened to be read only: without locks, without its triggers, views
/// and virtual tables, and with limits on what its schema can make SQLite do. For one thread.
class SqliteFile {
 public:
  /// `path` is opened, `name` is what errors call it. The task (if any) must outlive the file; once
  /// it is cancelled all reading ends.
  [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(const std::string& path,
                                                                const std::string& name,
                                                                const Task* task = nullptr);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Ordinary tables, in the order of the schema.
  [[nodiscard]] const std::vector<std::string>& tables() const { return tables_; }
  [[nodiscard]] bool has(std::string_view table) const;
  [[nodiscard]] std::vector<std::string> columnsOf(std::string_view table);
  /// Not valid when the statement makes no sense for this database.
  [[nodiscard]] SqliteRows query(const std::string& sql);
  /// Rows of a table; empty when they cannot be counted.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view table);
  /// About how many bytes of the file have been read.
  [[nodiscard]] std::uint64_t bytesRead() const;
  /// What SQLite says of the last failure.
  [[nodiscard]] std::string lastError() const;
  /// A name as SQL wants it: in double quotes.
  [[nodiscard]] static std::string quoted(std::string_view name);

 private:
  explicit SqliteFile(sqlite3* database) : database_(database) {}
  Status readSchema(const std::string& name);
  sqlite3* database_;
  std::vector<std::string> tables_;
};

}  // namespace ridgeline
