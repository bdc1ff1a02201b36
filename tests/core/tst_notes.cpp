#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/documents/atomic_file.h"
#include "core/documents/notes.h"

namespace fs = std::filesystem;
using namespace ridgeline;

namespace {

Note note(NoteKind kind, const std::string& text) {
  Note n;
  n.kind = kind;
  n.text = text;
  n.rank = 3;
  n.span = {1'000, 5'000};
  n.offsetX = 12.5;
  n.offsetY = -40;
  if (kind == NoteKind::callout) n.event = {"0/7", "void gemm<float>()", 1'000};
  if (kind == NoteKind::bracket) n.track = "4711/4720";
  if (kind == NoteKind::band) n.colour = "#1f77b4";
  return n;
}

NotesDocument threeNotes() {
  NotesDocument document;
  document.add(note(NoteKind::callout, "why so slow? \"ü\"\n2nd line"));
  document.add(note(NoteKind::bracket, "input"));
  document.add(note(NoteKind::band, ""));
  return document;
}

void write(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Saves documents with one note more each time, for ever; says after each how many are saved.
[[noreturn]] void saveForEver(const std::string& path, int pipe) {
  NotesDocument document;
  const std::string padding(20'000, 'x');  // long enough to be killed in the middle of a write
  for (std::uint32_t saved = 1;; ++saved) {
    document.add(note(NoteKind::callout, std::to_string(saved) + (saved == 1 ? padding : "")));
    if (!NotesFile(path).save(document).ok()) _exit(9);
    if (::write(pipe, &saved, sizeof saved) != sizeof saved) _exit(8);
  }
}

}  // namespace

class TestNotes : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;
  std::string file(const char* name) const { return dir_.path().toStdString() + "/" + name; }

 private Q_SLOTS:
  void whatIsSavedIsLoadedAgain() {
    NotesFile file(NotesFile::pathBeside(this->file("a.json.gz")));
    QCOMPARE(file.path(), this->file("a.json.gz.ridgeline.json"));
    QVERIFY(file.load().value().notes.empty());  // nothing there yet
    QVERIFY(file.save(threeNotes()).ok());
    QVERIFY(NotesFile(file.path()).load().value() == threeNotes());
  }

  void idsAreNotUsedTwice() {
    NotesDocument document = threeNotes();
    QVERIFY(document.remove(3));
    QVERIFY(!document.remove(3));
    const auto again = notesFromJson(notesToJson(document), "x");
    document = again.value();
    QCOMPARE(document.add(note(NoteKind::band, "new")), std::uint64_t{4});
    QVERIFY(document.find(3) == nullptr);
    QCOMPARE(document.find(4)->text, std::string("new"));
  }

  void fieldsOfALaterVersionAreKept() {
    const std::string text =
        R"({"version":1,"next_id":2,"mood":"good","notes":[{"id":1,"kind":"band","text":"t",)"
        R"("from_ns":1,"to_ns":2,"arrow":{"style":"double"}}]})";
    const auto document = notesFromJson(text, "x");
    QVERIFY(document.ok());
    const std::string again = notesToJson(document.value());
    QVERIFY(again.find("\"mood\": \"good\"") != std::string::npos);
    QVERIFY(again.find("\"style\": \"double\"") != std::string::npos);
  }

  void whatCannotBeUnderstoodIsAnErrorThatSaysWhy_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* text, const char* words) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(words);
    };
    row("no JSON", "{\"version\":1,\"notes\":[", "byte 23");
    row("no object", "[]", "object");
    row("no notes", R"({"version":1})", "\"notes\" must be a list");
    row("no version", R"({"notes":[]})", "version");
    row("newer", R"({"version":2,"notes":[]})", "newer");
    row("kind", R"({"version":1,"notes":[{"id":1,"kind":"cloud"}]})", "note 1: \"kind\"");
    row("text", R"({"version":1,"notes":[{"id":1,"kind":"band","text":7}]})", "\"text\"");
    row("span", R"({"version":1,"notes":[{"kind":"band","from_ns":3,"to_ns":2}]})", "\"to_ns\"");
    row("large", R"({"version":1,"notes":[{"kind":"band","from_ns":18446744073709551615}]})",
        "\"from_ns\"");
    row("overflow", R"({"version":1,"notes":[{"kind":"band","from_ns":1e999}]})",
        "beyond all bounds");
    row("event", R"({"version":1,"notes":[{"kind":"callout","event":"e"}]})", "\"event\"");
    row("colour", R"({"version":1,"notes":[{"kind":"band","colour":"red"}]})", "\"colour\"");
  }

  void whatCannotBeUnderstoodIsAnErrorThatSaysWhy() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, words);
    const auto document = notesFromJson(text.toStdString(), "the file");
    QVERIFY(document.failed());
    QVERIFY2(document.error().what.find(words.toStdString()) != std::string::npos,
             document.error().what.c_str());
    QCOMPARE(document.error().where, std::string("the file"));
  }

  void aDamagedFileIsKeptAside() {
    const std::string path = file("damaged.ridgeline.json");
    for (const char* aside :
         {"damaged.ridgeline.json.damaged", "damaged.ridgeline.json.damaged-2"}) {
      write(path, "{\"version\":1,\"notes\":[{\"id\":1,");
      NotesFile notes(path);
      const auto loaded = notes.load();
      QVERIFY(loaded.failed());
      QVERIFY(loaded.error().todo.find(aside) != std::string::npos);
      QCOMPARE(readFile(file(aside)).value(), std::string("{\"version\":1,\"notes\":[{\"id\":1,"));
      QVERIFY(notes.save(threeNotes()).ok());
    }
  }

  void aFileOfANewerVersionIsNeverOverwritten() {
    const std::string path = file("newer.ridgeline.json");
    const std::string text = R"({"version":7,"notes":[]})";
    write(path, text);
    NotesFile notes(path);
    QVERIFY(notes.load().failed());
    QVERIFY(notes.save(threeNotes()).failed());
    QCOMPARE(readFile(path).value(), text);
  }

  void aFailedSaveLeavesTheOldFile() {
    if (::geteuid() != 0) {
      fs::create_directory(file("closed"));
      write(file("closed/n.json"), "old");
      fs::permissions(file("closed"), fs::perms::owner_read | fs::perms::owner_exec);
      QVERIFY(writeFileAtomically(file("closed/n.json"), "new").failed());
      fs::permissions(file("closed"), fs::perms::owner_all);
      QCOMPARE(readFile(file("closed/n.json")).value(), std::string("old"));
    }
    fs::create_directory(file("folder"));
    QVERIFY(writeFileAtomically(file("folder"), "new").failed());
    QVERIFY(writeFileAtomically(file("missing/n.json"), "new").failed());
    QVERIFY(readFile(file("folder")).failed());
    QVERIFY(readFile(file("not there")).failed());
  }

  void linksAreFollowedAndPermissionsKept() {
    write(file("real.json"), "old");
    fs::permissions(file("real.json"), fs::perms(0640));
    fs::create_symlink(file("real.json"), file("link.json"));
    QVERIFY(writeFileAtomically(file("link.json"), "new").ok());
    QVERIFY(fs::is_symlink(file("link.json")));
    QCOMPARE(readFile(file("real.json")).value(), std::string("new"));
    QVERIFY(fs::status(file("real.json")).permissions() == fs::perms(0640));
  }

  void beingKilledWhileSavingLosesNothingThatWasSaved() {
    const std::string path = file("killed.ridgeline.json");
    std::srand(20260719);
    for (int round = 0; round < 40; ++round) {
      fs::remove(path);
      int ends[2];
      QCOMPARE(::pipe(ends), 0);
      const pid_t child = ::fork();
      if (child == 0) saveForEver(path, ends[1]);
      QVERIFY(child > 0);
      ::close(ends[1]);
      ::usleep(static_cast<useconds_t>(1'000 + std::rand() % 25'000));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      QVERIFY(WIFSIGNALED(status));
      std::uint32_t saved = 0, one = 0;
      while (::read(ends[0], &one, sizeof one) == sizeof one) saved = one;
      ::close(ends[0]);

      const auto loaded = NotesFile(path).load();
      QVERIFY2(loaded.ok(), loaded.failed() ? loaded.error().text().c_str() : "");
      // One more may have been complete without the child having said so.
      const std::size_t found = loaded.value().notes.size();
      QVERIFY2(found == saved || found == saved + 1,
               qPrintable(QStringLiteral("saved %1, found %2").arg(saved).arg(found)));
      for (std::size_t i = 1; i < found; ++i)
        QCOMPARE(loaded.value().notes[i].text, std::to_string(i + 1));
    }
    // What the killed ones left is swept by the next save.
    QVERIFY(NotesFile(path).save(threeNotes()).ok());
    for (const auto& entry : fs::directory_iterator(dir_.path().toStdString()))
      QVERIFY(entry.path().filename().string().find("-tmp") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestNotes)
#include "tst_notes.moc"
