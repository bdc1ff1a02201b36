#include <fstream>
#include <string>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "core/simulator/simulator.h"
#include "tests/support/simulated.h"

using namespace ridgeline;
using namespace ridgeline::test;
using nlohmann::json;

/// The files that a simulated job is written to.
class TestSimulatorFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void compressedFilesHoldTheSameText();
  void aFailedWriteLeavesNothing();
  void theTruthFileIsJson();
  void fileNamesOfRanks();

 private:
  std::string path(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name)).toStdString();
  }

  QTemporaryDir folder_;
};

void TestSimulatorFiles::compressedFilesHoldTheSameText() {
  const Simulation simulation = simulated("healthy", 2, 1, 8000);
  QVERIFY(writeKineto(simulation, 0, path("t.json")).ok());
  QVERIFY(writeKineto(simulation, 0, path("t.json.gz")).ok());
  QVERIFY(writeKineto(simulation, 0, path("t.json.zst")).ok());
  const std::string plain = readAll(path("t.json"));
  std::string unpacked = readAll(path("t.json.gz"));
  const std::string suffix = "\"t.json.gz\"";
  unpacked.replace(unpacked.find(suffix), suffix.size(), "\"t.json\"");
  QVERIFY(unpacked == plain);
  std::ifstream zst(path("t.json.zst"), std::ios::binary);
  char magic[4] = {};
  zst.read(magic, 4);
  QCOMPARE(QByteArray(magic, 4), QByteArray("\x28\xb5\x2f\xfd", 4));
}

void TestSimulatorFiles::aFailedWriteLeavesNothing() {
  const Simulation simulation = simulated("healthy", 2, 1, 2000, 1);
  const Result<std::uint64_t> written = writeKineto(simulation, 0, path("no/such/folder.json"));
  QVERIFY(written.failed());
  QVERIFY(!written.error().todo.empty());
  QVERIFY(writeTruth(simulation, folder_.path().toStdString()).failed());
  QDir folder(folder_.path());
  QVERIFY(folder.entryList({QStringLiteral("*.part*")}).isEmpty());
}

void TestSimulatorFiles::theTruthFileIsJson() {
  const Simulation simulation = simulated("exposed-tail", 5, 2, 9000, 3);
  QVERIFY(writeTruth(simulation, path("truth.json")).ok());
  const json truth = json::parse(readAll(path("truth.json")));
  QCOMPARE(truth["bottleneck"].get<std::string>(), std::string("communication"));
  QCOMPARE(truth["ranks"].size(), std::size_t{2});
  for (std::size_t r = 0; r < 2; ++r) {
    const json& rank = truth["ranks"][r];
    const TruthRank& expected = simulation.truth.ranks[r];
    QCOMPARE(rank["steps"].size(), std::size_t{3});
    QCOMPARE(rank["gaps"].size(), expected.gaps.size());
    QCOMPARE(rank["dropped"].size(), expected.dropped.size());
    for (std::size_t s = 0; s < 3; ++s) {
      const json& step = rank["steps"][s];
      QCOMPARE(step["busy_ns"].get<TimeNs>(), expected.steps[s].busy);
      TimeNs idle = 0;
      for (const auto& [cause, ns] : step["idle_by_cause"].items()) idle += ns.get<TimeNs>();
      QCOMPARE(idle, step["idle_ns"].get<TimeNs>());
    }
  }
}

void TestSimulatorFiles::fileNamesOfRanks() {
  QCOMPARE(rankPath("a/b.json.gz", 3), std::string("a/b.rank3.json.gz"));
  QCOMPARE(rankPath("b.json", 0), std::string("b.rank0.json"));
  QCOMPARE(rankPath("b.zst", 1), std::string("b.rank1.zst"));
  QCOMPARE(rankPath("plain", 2), std::string("plain.rank2"));
}

QTEST_GUILESS_MAIN(TestSimulatorFiles)
#include "tst_simulator_files.moc"
