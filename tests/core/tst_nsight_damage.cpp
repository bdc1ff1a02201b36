#include <fstream>
#include <zlib.h>

#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/nsight_database.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;
using ridgeline::test::Database;
using ridgeline::test::globalId;

namespace {

std::uint64_t problem(const Trace& trace, std::string_view key) {
  const auto it = trace.importLog().problems.find(key);
  return it == trace.importLog().problems.end() ? 0 : it->second.count;
}

std::string kernelRow(const std::string& times, const std::string& correlation = "5") {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + times + ", 0, 1, 7, " + correlation +
         ", " + globalId(100) + ", 2, 3, 12, 2, 1, 256, 1, 1, 32, NULL)";
}

void fill(Database& db) {
  db.strings({"cudaLaunchKernel_v7000", "gemm", "gemm"}).kernels().calls();
  db.run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 2000, 0, " + globalId(100, 100) +
         ", 5, 1, 0)")
      .run(kernelRow("1500, 9000"));
}

std::string bytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

/// A database of many pages: 4,000 kernels.
std::string bigExport(Database& db) {
  fill(db);
  db.run("BEGIN");
  for (int i = 0; i < 4000; ++i)
    db.run(kernelRow(std::to_string(10'000 + i * 10) + ", " + std::to_string(10'008 + i * 10)));
  db.run("COMMIT");
  return db.path();
}

}  // namespace

class TestNsightDamage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void oneBadRowCostsNoOtherRow_data();
  void oneBadRowCostsNoOtherRow();
  void missingColumnsAreTolerated();
  void textsWithoutAnIndexAreFound();
  void aCutOffDatabaseIsReadAsFarAsItGoes();
  void flippedBytesNeverCrash();
  void whatLiesBesideTheDatabaseIsNamed();
  void viewsAndVirtualTablesAreNotRead();
  void otherDatabasesAreAnswered_data();
  void otherDatabasesAreAnswered();
  void aCompressedExportIsUnpacked();
  void aCancelledLoadReturnsCancelled();
};

void TestNsightDamage::oneBadRowCostsNoOtherRow_data() {
  QTest::addColumn<QByteArray>("row");
  QTest::addColumn<QByteArray>("key");
  QTest::addColumn<bool>("kept");
  const auto row = [](const char* name, const std::string& sql, const char* key, bool kept) {
    QTest::newRow(name) << QByteArray::fromStdString(sql) << QByteArray(key) << kept;
  };
  row("no start", kernelRow("NULL, 9000"), "row_without_start", false);
  row("no end", kernelRow("9000, NULL"), "row_without_end", false);
  row("no times", kernelRow("0, 0"), "no_times", false);
  row("text as a start", kernelRow("'soon', 9000"), "not_a_number", false);
  row("blob as a start", kernelRow("x'00ff', 9000"), "not_a_number", false);
  row("half a nanosecond", kernelRow("9000.5, 9100"), "not_a_number", false);
  row("whole real", kernelRow("9000, 1e300"), "not_a_number", false);
  row("negative duration", kernelRow("9500, 9100"), "negative_duration", true);
  row("too late", kernelRow("9000, 9223372036854775807"), "time_out_of_range", false);
  row("too early", kernelRow("-9223372036854775808, 9000"), "time_out_of_range", false);
  row("text as a correlation", kernelRow("9000, 9100", "'five'"), "not_a_number", true);
  row("zero duration", kernelRow("9000, 9000"), "", true);
  row("enormous correlation", kernelRow("9000, 9100", "9223372036854775807"), "", true);
}

void TestNsightDamage::oneBadRowCostsNoOtherRow() {
  QFETCH(QByteArray, row);
  QFETCH(QByteArray, key);
  QFETCH(bool, kept);
  Database db;
  fill(db);
  db.run(row.toStdString()).run(kernelRow("20000, 21000", "6"));
  const auto loaded = loadTrace(db.path());
  QVERIFY(loaded.ok());
  const Trace& t = *loaded.value()[0].trace;
  QVERIFY(t.importLog().balanced());
  QCOMPARE(t.importLog().read, std::uint64_t{4});
  QCOMPARE(t.slices().size(), std::size_t{kept ? 4u : 3u});
  QCOMPARE(t.importLog().dropped, std::uint64_t{kept ? 0u : 1u});
  if (!key.isEmpty()) QCOMPARE(problem(t, key.toStdString()), std::uint64_t{1});
}

void TestNsightDamage::missingColumnsAreTolerated() {
  Database db;
  db.run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20)")
      .run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, nameId INTEGER)")
      .run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 1)")
      .run("CREATE TABLE OSRT_API (start INTEGER, end INTEGER, PRIMARY KEY (start)) WITHOUT ROWID")
      .run("INSERT INTO OSRT_API VALUES (10, 20)")
      .run("CREATE TABLE NVTX_EVENTS (text TEXT)")
      .run("INSERT INTO NVTX_EVENTS VALUES ('lost')")
      .run("CREATE TABLE TARGET_INFO_GPU (name TEXT)")
      .run("INSERT INTO TARGET_INFO_GPU VALUES ('NVIDIA L4')");
  const auto loaded = loadTrace(db.path());
  QVERIFY(loaded.ok());
  const Trace& t = *loaded.value()[0].trace;
  QVERIFY(t.importLog().balanced());
  QCOMPARE(t.slices().size(), std::size_t{1});
  QCOMPARE(t.name(SliceId(0)), std::string_view("(kernel without a name)"));
  QCOMPARE(t.importLog().dropped, std::uint64_t{3});
  QCOMPARE(problem(t, "row_without_thread"), std::uint64_t{2});
}

void TestNsightDamage::textsWithoutAnIndexAreFound() {
  Database db;
  db.run("CREATE TABLE StringIds (id INTEGER, value TEXT)")
      .run("INSERT INTO StringIds VALUES (2, 'gemm'), (2, 'again'), (NULL, 'no'), ('x', 'no')")
      .kernels()
      .run(kernelRow("1500, 9000"));
  const auto loaded = loadTrace(db.path());
  QVERIFY(loaded.ok());
  QCOMPARE(loaded.value()[0].trace->name(SliceId(0)), std::string_view("gemm"));
}

void TestNsightDamage::aCutOffDatabaseIsReadAsFarAsItGoes() {
  Database db;
  const std::string path = bigExport(db);
  const std::string whole = bytesOf(path);
  std::size_t most = 0;
  for (std::size_t part = 1; part < 20; ++part) {
    write(path, std::string_view(whole).substr(0, whole.size() * part / 20));
    const auto loaded = loadTrace(path);
    if (!loaded.ok()) {
      QVERIFY(loaded.failed() && !loaded.error().todo.empty());
      continue;
    }
    const Trace& t = *loaded.value()[0].trace;
    QVERIFY(t.importLog().balanced());
    QVERIFY(problem(t, "database_cut_off") + problem(t, "damaged_table") > 0);
    most = std::max(most, t.slices().size());
  }
  QVERIFY(most > 2000 && most < 4002);
}

void TestNsightDamage::flippedBytesNeverCrash() {
  Database db;
  const std::string path = bigExport(db);
  const std::string whole = bytesOf(path);
  std::uint64_t seed = 20261129;
  const auto random = [&seed](std::size_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(seed >> 33) % below;
  };
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    // The first page holds the schema, where damage does most.
    for (int i = 0; i < 12; ++i)
      bytes[random(i % 2 == 0 ? 4096 : bytes.size())] = static_cast<char>(random(256));
    if (round % 4 == 0) bytes.resize(random(bytes.size()) + 1);
    write(path, bytes);
    const auto loaded = loadTrace(path);
    if (loaded.ok())
      for (const LoadedTrace& one : loaded.value()) QVERIFY(one.trace->importLog().balanced());
    else
      QVERIFY(loaded.failed() && !loaded.error().what.empty());
  }
}

void TestNsightDamage::whatLiesBesideTheDatabaseIsNamed() {
  Database db;
  fill(db);
  const std::string path = db.path();
  write(path + "-wal", "something");
  write(path + "-journal", "something");
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.ok());
  QCOMPARE(problem(*loaded.value()[0].trace, "write_ahead_log"), std::uint64_t{1});
  QCOMPARE(problem(*loaded.value()[0].trace, "rollback_journal"), std::uint64_t{1});
}

void TestNsightDamage::viewsAndVirtualTablesAreNotRead() {
  Database db;
  fill(db);
  db.run(
        "CREATE VIEW OSRT_API AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 "
        "FROM n) SELECT start, start AS end FROM n")
      .run("CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN DELETE FROM StringIds; END");
  const auto loaded = loadTrace(db.path());
  QVERIFY(loaded.ok());
  QCOMPARE(loaded.value()[0].trace->slices().size(), std::size_t{2});
}

void TestNsightDamage::otherDatabasesAreAnswered_data() {
  QTest::addColumn<QByteArray>("table");
  QTest::addColumn<QByteArray>("word");
  QTest::newRow("rocpd") << QByteArray("CREATE TABLE rocpd_api (id)") << QByteArray("ROCm");
  QTest::newRow("nvprof") << QByteArray(
                                 "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start); "
                                 "CREATE TABLE StringTable (_id_)")
                          << QByteArray("nvprof");
  QTest::newRow("other") << QByteArray("CREATE TABLE cookies (id)") << QByteArray("no known");
  QTest::newRow("empty") << QByteArray("CREATE TABLE t (id); DROP TABLE t")
                         << QByteArray("without tables");
}

void TestNsightDamage::otherDatabasesAreAnswered() {
  QFETCH(QByteArray, table);
  QFETCH(QByteArray, word);
  Database db;
  db.run(table.toStdString());
  const std::string path = db.path();
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.failed());
  QCOMPARE(loaded.error().where, path);
  QVERIFY2(loaded.error().what.find(word.toStdString()) != std::string::npos,
           loaded.error().what.c_str());
  QVERIFY(!loaded.error().todo.empty());
}

void TestNsightDamage::aCompressedExportIsUnpacked() {
  Database db;
  fill(db);
  const std::string bytes = bytesOf(db.path());
  const std::string packed = db.path() + ".gz";
  const gzFile file = gzopen(packed.c_str(), "wb");
  QVERIFY(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) > 0);
  gzclose(file);
  const auto loaded = loadTrace(packed);
  QVERIFY(loaded.ok());
  const Trace& t = *loaded.value()[0].trace;
  QCOMPARE(t.info().compression, std::string("gzip"));
  QCOMPARE(t.slices().size(), std::size_t{2});
  const auto args = t.readArgs(SliceId(0));
  QVERIFY(args.ok());
  QVERIFY(args.value().find("correlationId") != std::string::npos);
}

void TestNsightDamage::aCancelledLoadReturnsCancelled() {
  Database db;
  const std::string path = bigExport(db);
  std::stop_source stop;
  stop.request_stop();
  QVERIFY(loadTrace(path, Task(stop.get_token())).cancelled());
}

QTEST_GUILESS_MAIN(TestNsightDamage)
#include "tst_nsight_damage.moc"
