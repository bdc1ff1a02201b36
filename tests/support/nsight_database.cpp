#include "tests/support/nsight_database.h"

#include <cstdint>

#include <sqlite3.h>

namespace ridgeline::test {

Database::Database() : path_(folder_.filePath(QStringLiteral("export.sqlite")).toStdString()) {
  if (sqlite3_open(path_.c_str(), &database_) != SQLITE_OK) qFatal("no database can be made");
}

Database::~Database() {
  sqlite3_close(database_);
}

Database& Database::run(const std::string& sql) {
  char* message = nullptr;
  if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
    qFatal("%s: %s", sql.c_str(), message);
  return *this;
}

Database& Database::strings(std::initializer_list<const char*> texts) {
  run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
  int id = 0;
  for (const char* text : texts)
    run("INSERT INTO StringIds VALUES (" + std::to_string(++id) + ", '" + text + "')");
  return *this;
}

Database& Database::kernels() {
  return run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
      "demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
      "blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, "
      "graphNodeId INTEGER)");
}

Database& Database::calls() {
  return run(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
      "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER)");
}

Database& Database::ranges() {
  return run(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, "
      "text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER)");
}

std::string Database::path() {
  sqlite3_close(database_);
  database_ = nullptr;
  return path_;
}

std::string globalId(int pid, int tid) {
  return std::to_string((std::int64_t{1} << 48) + (std::int64_t{pid} << 24) + tid);
}

}  // namespace ridgeline::test
