#include <archive.h>
#include <archive_entry.h>
#include <fstream>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "core/io/load_trace.h"
#include "tests/support/gzip.h"
#include "tests/support/nsight_database.h"

using namespace ridgeline;

namespace {

std::string traceText(int rank, int events) {
  std::string text = "{\"distributedInfo\":{\"rank\":" + std::to_string(rank) +
                     ",\"world_size\":4},\"traceEvents\":[";
  for (int i = 0; i < events; ++i)
    text += std::string(i > 0 ? "," : "") + "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op" +
            std::to_string(i) + "\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(i * 10) +
            ",\"dur\":5,\"args\":{\"place\":" + std::to_string(rank * 1000 + i) + "}}";
  return text + "]}";
}

using Files = std::vector<std::pair<std::string, std::string>>;

void writeFile(const QString& path, std::string_view bytes) {
  std::ofstream(path.toStdString(), std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

/// A tar with these members: `format` as libarchive names it ("ustar", "pax", "gnutar"), `filter`
/// "", "gzip" or "zstd".
std::string writeTar(const QString& path, const Files& files, const char* format = "ustar",
                     const char* filter = "") {
  archive* out = archive_write_new();
  if (*filter != '\0') archive_write_add_filter_by_name(out, filter);
  archive_write_set_format_by_name(out, format);
  const std::string name = path.toStdString();
  if (archive_write_open_filename(out, name.c_str()) != ARCHIVE_OK)
    qFatal("%s", archive_error_string(out));
  for (const auto& [member, bytes] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.c_str());
    archive_entry_set_size(entry, std::ssize(bytes));
    archive_entry_set_filetype(entry, member.ends_with('/') ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(out, entry);
    archive_write_data(out, bytes.data(), bytes.size());
    archive_entry_free(entry);
  }
  archive_write_close(out);
  archive_write_free(out);
  return name;
}

std::uint64_t problems(const std::vector<LoadedTrace>& traces, std::string_view key) {
  std::uint64_t count = 0;
  for (const LoadedTrace& one : traces) {
    const auto it = one.trace->importLog().problems.find(key);
    if (it != one.trace->importLog().problems.end()) count += it->second.count;
  }
  return count;
}

}  // namespace

class TestArchive : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTarOfRanksIsOneOpen_data();
  void aTarOfRanksIsOneOpen();
  void argsOfAMemberAreReadOnDemand();
  void whatIsNoTraceIsNamedAndSkipped();
  void longNamesAndFoldersInATarDoNotMatter();
  void aDatabaseInATarIsRead();
  void aCutOffArchiveGivesWhatCameBefore();
  void anArchiveWithoutATraceIsRefused();
  void aFolderIsOneOpen();
  void aFolderWithoutATraceIsRefused();
  void aCancelledArchiveReturnsCancelled();

 private:
  QTemporaryDir folder_;
  [[nodiscard]] QString at(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name));
  }
};

void TestArchive::aTarOfRanksIsOneOpen_data() {
  QTest::addColumn<QByteArray>("format");
  QTest::addColumn<QByteArray>("filter");
  for (const char* format : {"ustar", "pax", "gnutar", "v7tar"})
    for (const char* filter : {"", "gzip", "zstd"})
      QTest::addRow("%s %s", format, filter) << QByteArray(format) << QByteArray(filter);
}

void TestArchive::aTarOfRanksIsOneOpen() {
  QFETCH(QByteArray, format);
  QFETCH(QByteArray, filter);
  const std::string path = writeTar(at("ranks"),
                                    {{"rank0.json", traceText(0, 3)},
                                     {"rank1.json.gz", test::gzip(traceText(1, 4))},
                                     {"rank2.json", traceText(2, 20'000)}},
                                    format.constData(), filter.constData());
  const auto loaded = loadTrace(path);
  QVERIFY2(loaded.ok(), loaded.failed() ? loaded.error().text().c_str() : "");
  const auto& traces = loaded.value();
  QCOMPARE(traces.size(), std::size_t{3});
  const std::size_t events[] = {3, 4, 20'000};
  for (std::size_t i = 0; i < 3; ++i) {
    const Trace& t = *traces[i].trace;
    QCOMPARE(t.info().rank, std::optional(static_cast<std::int64_t>(i)));
    QCOMPARE(t.slices().size(), events[i]);
    QVERIFY(t.importLog().balanced());
    QVERIFY(t.importLog().problems.empty());
  }
  QCOMPARE(traces[1].trace->info().path, path + "!rank1.json.gz");
  QCOMPARE(traces[1].trace->info().compression, std::string("gzip"));
}

void TestArchive::argsOfAMemberAreReadOnDemand() {
  const std::string path =
      writeTar(at("args.tar.gz"), {{"a.json", traceText(1, 50)}, {"b.json", traceText(2, 50)}},
               "pax", "gzip");
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.ok());
  for (std::size_t rank : {0u, 1u}) {
    const auto args = loaded.value()[rank].trace->readArgs(SliceId(7));
    QVERIFY(args.ok());
    QCOMPARE(args.value(), "{\"place\":" + std::to_string((rank + 1) * 1000 + 7) + "}");
  }
}

void TestArchive::whatIsNoTraceIsNamedAndSkipped() {
  const std::string path = writeTar(at("mixed.tar"), {{"README.md", "# hello"},
                                                      {"empty.json", ""},
                                                      {"rank0.json", traceText(0, 3)},
                                                      {"config.json", "{\"lr\": 1}"},
                                                      {"._rank0.json", "attributes"},
                                                      {"more.zip", "PK\x03\x04 and so on"},
                                                      {"rank1.json", traceText(1, 3)},
                                                      {"end.txt", "bye"}});
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.ok());
  QCOMPARE(loaded.value().size(), std::size_t{2});
  QCOMPARE(problems(loaded.value(), "skipped_file"), std::uint64_t{5});
  const auto& first = loaded.value()[0].trace->importLog().problems.at("skipped_file").examples;
  QVERIFY(first[0].text.starts_with("README.md: "));
}

void TestArchive::longNamesAndFoldersInATarDoNotMatter() {
  const std::string longName = "logs/" + std::string(180, 'x') + "/" + std::string(90, 'y');
  for (const char* format : {"pax", "gnutar"}) {
    const std::string path =
        writeTar(at("long.tar"), {{"logs/", ""}, {longName, traceText(3, 2)}}, format);
    const auto loaded = loadTrace(path);
    QVERIFY(loaded.ok());
    QCOMPARE(loaded.value().size(), std::size_t{1});
    const std::string& name = loaded.value()[0].trace->info().path;
    QVERIFY(name.starts_with(path + "!logs!xxx") && name.ends_with("!" + std::string(90, 'y')));
  }
}

void TestArchive::aDatabaseInATarIsRead() {
  test::Database db;
  db.strings({"cudaLaunchKernel_v7000", "gemm", "gemm"}).kernels();
  db.run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 5, " +
         test::globalId(100) + ", 2, 3, 12, 2, 1, 256, 1, 1, 32, NULL)");
  std::ifstream in(db.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string path = writeTar(at("nsys.tar"), {{"rank0.sqlite", bytes}});
  const auto loaded = loadTrace(path);
  QVERIFY2(loaded.ok(), loaded.failed() ? loaded.error().text().c_str() : "");
  const Trace& t = *loaded.value()[0].trace;
  QCOMPARE(t.name(SliceId(0)), std::string_view("gemm"));
  QVERIFY(t.readArgs(SliceId(0)).value().find("\"grid\":[12,2,1]") != std::string::npos);
}

void TestArchive::aCutOffArchiveGivesWhatCameBefore() {
  const std::string path =
      writeTar(at("cut.tar"), {{"a.json", traceText(0, 500)}, {"b.json", traceText(1, 500)}});
  std::ifstream in(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::size_t both = 0;
  for (std::size_t size = 1; size < whole.size(); size += whole.size() / 40) {
    writeFile(QString::fromStdString(path), std::string_view(whole).substr(0, size));
    const auto loaded = loadTrace(path);
    if (!loaded.ok()) {
      QVERIFY(loaded.failed() && !loaded.error().what.empty());
      continue;
    }
    both += loaded.value().size() == 2;
    for (const LoadedTrace& one : loaded.value()) QVERIFY(one.trace->importLog().balanced());
    if (size < whole.size() - 12'000) QVERIFY(problems(loaded.value(), "damaged_archive") > 0);
  }
  QVERIFY(both > 5);
}

void TestArchive::anArchiveWithoutATraceIsRefused() {
  const std::string path = writeTar(at("none.tar"), {{"README.md", "# hello"}});
  const auto loaded = loadTrace(path);
  QVERIFY(loaded.failed());
  QCOMPARE(loaded.error().where, path);
  QVERIFY(loaded.error().what.find("README.md") != std::string::npos);
}

void TestArchive::aFolderIsOneOpen() {
  const QDir folder(folder_.filePath(QStringLiteral("job")));
  QVERIFY(folder.mkpath(QStringLiteral("more/deeper")));
  writeFile(folder.filePath(QStringLiteral("rank10.json")), traceText(10, 1));
  writeFile(folder.filePath(QStringLiteral("rank2.json.gz")), test::gzip(traceText(2, 2)));
  writeFile(folder.filePath(QStringLiteral("rank2.json.gz.ridgeline.json")), "{}");
  writeFile(folder.filePath(QStringLiteral("notes.txt")), "hello");
  writeFile(folder.filePath(QStringLiteral(".hidden.json")), traceText(9, 1));
  writeFile(folder.filePath(QStringLiteral("more/rank3.json")), traceText(3, 1));
  writeFile(folder.filePath(QStringLiteral("more/deeper/rank4.json")), traceText(4, 1));
  writeTar(folder.filePath(QStringLiteral("more/rest.tar")), {{"rank5.json", traceText(5, 1)}});
  // No rank of its own.
  QVERIFY(QFile::link(folder.filePath(QStringLiteral("rank2.json.gz")),
                      folder.filePath(QStringLiteral("zz_latest.json.gz"))));
  const auto loaded = loadTrace(folder.path().toStdString());
  QVERIFY(loaded.ok());
  std::vector<std::int64_t> ranks;
  for (const LoadedTrace& one : loaded.value()) ranks.push_back(*one.trace->info().rank);
  QCOMPARE(ranks, (std::vector<std::int64_t>{3, 5, 2, 10}));
  QCOMPARE(problems(loaded.value(), "skipped_file"), std::uint64_t{1});
}

void TestArchive::aFolderWithoutATraceIsRefused() {
  const QString empty = folder_.filePath(QStringLiteral("empty"));
  QVERIFY(QDir().mkpath(empty));
  const auto loaded = loadTrace(empty.toStdString());
  QVERIFY(loaded.failed());
  QCOMPARE(loaded.error().where, empty.toStdString());
  QVERIFY(!loaded.error().todo.empty());
}

void TestArchive::aCancelledArchiveReturnsCancelled() {
  const std::string path = writeTar(at("stop.tar"), {{"a.json", traceText(0, 5)}});
  std::stop_source stop;
  stop.request_stop();
  QVERIFY(loadTrace(path, Task(stop.get_token())).cancelled());
}

QTEST_GUILESS_MAIN(TestArchive)
#include "tst_archive.moc"
