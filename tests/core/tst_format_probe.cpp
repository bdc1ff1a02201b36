#include <QTest>

#include "core/io/byte_source.h"
#include "core/io/format_probe.h"
#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"

using namespace ridgeline;
using ridgeline::test::TemporaryFile;

Q_DECLARE_METATYPE(ridgeline::FileFormat)

namespace {

template <std::size_t N>
QByteArray bytes(const char (&text)[N]) {
  return {text, static_cast<qsizetype>(N - 1)};
}

/// A header block of tar with a right checksum; `magic` as at its place 257.
QByteArray tarHeader(const QByteArray& magic) {
  QByteArray block(512, '\0');
  block.replace(0, 9, "rank0.txt");
  block.replace(100, 7, "0000644");
  block.replace(124, 11, "00000000005");
  block.replace(156, 1, "0");
  block.replace(257, magic.size(), magic);
  int sum = 8 * ' ';
  for (const char ch : block) sum += static_cast<unsigned char>(ch);
  block.replace(148, 8,
                QByteArray(QByteArray::number(sum, 8).rightJustified(6, '0') + bytes("\0 ")));
  return block;
}

FormatProbe probe(const QByteArray& head, const char* name = "file") {
  return probeFormat({head.data(), static_cast<std::size_t>(head.size())}, name);
}

}  // namespace

class TestFormatProbe : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void contentTellsTheFormat_data();
  void contentTellsTheFormat();
  void whatIsNotReadIsAnsweredWithACommand_data();
  void whatIsNotReadIsAnsweredWithACommand();
  void aNameAloneDecidesNothingForText();
  void peekedBytesAreReadAgain();
  void realFilesOfOtherFormatsAreAnswered();
};

void TestFormatProbe::contentTellsTheFormat_data() {
  QTest::addColumn<QByteArray>("head");
  QTest::addColumn<FileFormat>("format");
  const auto row = [](const char* name, const QByteArray& head, FileFormat format) {
    QTest::newRow(name) << head << format;
  };
  row("object", "{\"traceEvents\": []}", FileFormat::traceEvents);
  row("array", " \n[\n{\"ph\":\"X\"}", FileFormat::traceEvents);
  row("newline first", "\n{\n  \"schemaVersion\": 1,\x01", FileFormat::traceEvents);
  row("byte-order mark", "\xEF\xBB\xBF{\"a\": 1}", FileFormat::traceEvents);
  row("utf-16", bytes("\xFF\xFE{\0\"\0"), FileFormat::traceEvents);
  row("utf-16 without mark", bytes("{\0\"\0t\0"), FileFormat::traceEvents);
  row("text", "hello", FileFormat::traceEvents);
  row("nothing", "", FileFormat::traceEvents);
  row("sqlite", bytes("SQLite format 3\0\x10\0"), FileFormat::sqlite);
  row("posix tar", tarHeader(bytes("ustar\000")), FileFormat::tar);
  row("gnu tar", tarHeader("ustar  "), FileFormat::tar);
  row("old tar", tarHeader(""), FileFormat::tar);
  row("zeros", QByteArray(1024, '\0'), FileFormat::traceEvents);
}

void TestFormatProbe::contentTellsTheFormat() {
  QFETCH(QByteArray, head);
  QFETCH(FileFormat, format);
  QCOMPARE(probe(head).format, format);
  QVERIFY(!probe(head).name.empty());
}

void TestFormatProbe::whatIsNotReadIsAnsweredWithACommand_data() {
  QTest::addColumn<QByteArray>("head");
  QTest::addColumn<QByteArray>("fileName");
  QTest::addColumn<QByteArray>("command");
  const auto row = [](const char* name, const QByteArray& head, const char* fileName,
                      const char* command) {
    QTest::newRow(name) << head << QByteArray(fileName) << QByteArray(command);
  };
  row("zip", bytes("PK\x03\x04\x14\0"), "/tmp/it's.zip", "unzip '/tmp/it'\\''s.zip'");
  row("git lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a.json",
      "git lfs pull --include 'a.json'");
  row("7z", bytes("7z\xBC\xAF\x27\x1C\0"), "a.7z", "7z x 'a.7z'");
  row("xz",
      bytes("\xFD"
            "7zXZ\0\0"),
      "a.json.xz", "xz -dk 'a.json.xz'");
  row("bzip2", "BZh91AY", "a.bz2", "bunzip2");
  row("lz4", bytes("\x04\x22\x4D\x18"), "a.lz4", "lz4 -dk");
  row("nsys report", bytes("\x01\x02\0\0\0\0binary"), "run.nsys-rep",
      "nsys export --type sqlite 'run.nsys-rep'");
  row("nsys report that begins like protobuf", bytes("\x0a\x05\x08\x01\x12\x01x"), "run.qdrep",
      "nsys export --type sqlite 'run.qdrep'");
  row("perfetto", bytes("\x0a\x18\x50\x01\xc8\x02\x01\xe2\x03\x10"), "a.pftrace",
      "traceconv json 'a.pftrace' trace.json");
  row("xplane", bytes("\x0a\x20\x08\x01\x12\x09/host:CPU\x1a\x02"), "/x/a.xplane.pb",
      "xspace_to_tool_data");
  row("xplane without id", bytes("\x0a\xC0\x01\x12\x0d/device:GPU:0\x1a\x02"), "a", "trace_viewer");
  row("page", "<!DOCTYPE HTML>\n<html>", "a.html", "browser");
  row("ftrace", "# tracer: nop\n#\n", "a.txt", "traceconv json 'a.txt'");
  row("ncu", bytes("NVR\0\x04"), "a.ncu-rep", "Nsight Systems");
  row("hdf5", bytes("\x89HDF\r\n\x1a\n"), "a.h5", "nsys export --type sqlite");
}

void TestFormatProbe::whatIsNotReadIsAnsweredWithACommand() {
  QFETCH(QByteArray, head);
  QFETCH(QByteArray, fileName);
  QFETCH(QByteArray, command);
  const FormatProbe found = probe(head, fileName.constData());
  QCOMPARE(found.format, FileFormat::unread);
  QVERIFY2(QByteArray(found.todo.c_str()).contains(command), found.todo.c_str());
}

void TestFormatProbe::aNameAloneDecidesNothingForText() {
  QCOMPARE(probe("{\"traceEvents\":[", "run.nsys-rep").format, FileFormat::traceEvents);
  QCOMPARE(probe(bytes("SQLite format 3\0"), "trace.json").format, FileFormat::sqlite);
}

void TestFormatProbe::peekedBytesAreReadAgain() {
  std::string text = "{\"traceEvents\":[" + std::string(200'000, ' ') + "]}";
  const TemporaryFile file(text);
  auto source = ByteSource::open(file.path());
  QVERIFY(source.ok());
  QCOMPARE(source.value()->peek(10), std::string_view(text).substr(0, 10));
  QCOMPARE(source.value()->peek(1 << 20).size(), ByteSource::kPeekBytes);
  std::string read(text.size() + 10, '\0');
  read.resize(source.value()->read(read.data(), read.size()));
  QVERIFY(read == text);
}

void TestFormatProbe::realFilesOfOtherFormatsAreAnswered() {
  const struct {
    const char* path;
    const char* command;
  } kFiles[] = {{"traces/perfetto/google__perfetto/nested_tracks.perfetto-trace", "traceconv json"},
                {"traces/chrome/catapult-project__catapult/simple_trace_zip.zip", "unzip"},
                {"traces/chrome/catapult-project__catapult/trivial_systrace.html", "browser"}};
  for (const auto& [path, command] : kFiles) {
    const std::string file = test::sharedFile(path);
    if (file.empty()) QSKIP("the real traces are not beside this checkout");
    const auto loaded = loadTrace(file);
    QVERIFY(loaded.failed());
    QCOMPARE(loaded.error().where, file);
    QVERIFY2(loaded.error().todo.find(command) != std::string::npos, loaded.error().text().c_str());
  }
}

QTEST_GUILESS_MAIN(TestFormatProbe)
#include "tst_format_probe.moc"
