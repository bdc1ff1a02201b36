#pragma once

#include <string>

#include <QTemporaryDir>

struct sqlite3;

namespace ridgeline::test {

/// A tiny database in a folder of its own, written with SQL; removed with the object.
class Database {
 public:
  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements; aborts the test with a message when they fail.
  Database& run(const std::string& sql);
  /// StringIds with these texts, numbered from 1.
  Database& strings(std::initializer_list<const char*> texts);
  /// Tables as Nsight Systems makes them (schema 3.13.2, the columns that matter), empty.
  Database& kernels();
  Database& calls();
  Database& ranges();
  /// Closes the database and gives its path.
  [[nodiscard]] std::string path();

 private:
  QTemporaryDir folder_;
  std::string path_;
  sqlite3* database_ = nullptr;
};

/// As Nsight serialises a thread: virtual machine 1, process, thread.
[[nodiscard]] std::string globalId(int pid, int tid = 0);

}  // namespace ridgeline::test
