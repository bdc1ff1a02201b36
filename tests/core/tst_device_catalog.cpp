#include <cmath>

#include <QtTest>

#include "core/hardware/device_catalog.h"

using namespace ridgeline;

namespace {

QString text(const std::string& value) {
  return QString::fromStdString(value);
}

}  // namespace

class TstDeviceCatalog : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void devicesOfRealTracesAreFound_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("memory");
    QTest::addColumn<int>("sms");
    QTest::addColumn<QString>("capability");
    QTest::addColumn<QString>("id");
    const auto row = [](const char* name, double memory, int sms, const char* capability,
                        const char* id) {
      QTest::addRow("%s %d %s", name, sms, capability)
          << QString::fromLatin1(name) << memory << sms << QString::fromLatin1(capability)
          << QString::fromLatin1(id);
    };
    row("Tesla V100-SXM2-16GB", 16.9e9, 80, "7.0", "nvidia-v100-sxm2-16");
    row("Tesla V100-SXM2-32GB", 34.08e9, 80, "7.0", "nvidia-v100-sxm2-32");
    row("Tesla V100-DGXS-32GB", 34.09e9, 80, "7.0", "nvidia-v100-dgxs-32");
    row("Quadro GP100", 17.07e9, 56, "6.0", "nvidia-quadro-gp100");
    row("NVIDIA GeForce RTX 2080 Ti", 11.55e9, 68, "7.5", "nvidia-rtx-2080-ti");
    row("NVIDIA A100-PG509-200", 42.3e9, 108, "8.0", "nvidia-a100-40");
    row("NVIDIA A100 80GB PCIe", 84.99e9, 108, "8.0", "nvidia-a100-pcie-80");
    row("NVIDIA A100-SXM4-80GB", 84.99e9, 108, "8.0", "nvidia-a100-sxm-80");
    row("NVIDIA H100", 102.1e9, 132, "9.0", "nvidia-h100-96");
    row("NVIDIA H800", 84.94e9, 132, "9.0", "nvidia-h800");
    row("NVIDIA B200", 191.5e9, 148, "10.0", "nvidia-b200");
    row("NVIDIA B300 SXM6 AC", 287.4e9, 148, "10.3", "nvidia-b300");
    row("AMD Instinct MI210", 68.7e9, 104, "9.0", "amd-mi210");
    row("AMD Radeon Graphics", 68.7e9, 104, "9.0", "amd-mi250x-gcd");
    row("AMD Instinct MI300X", 206.1e9, 304, "9.4", "amd-mi300x");
    row("", 206.1e9, 304, "9.4", "amd-mi300x");
    // Names to expect, with the numbers such devices report or with none at all.
    row("AMD Radeon Graphics", 206.1e9, 304, "9.4", "amd-mi300x");
    row("AMD Instinct MI300X VF", 206.1e9, 304, "9.4", "amd-mi300x");
    row("NVIDIA H100", 85.0e9, 132, "9.0", "nvidia-h100-sxm");
    row("NVIDIA H100", 85.0e9, 114, "9.0", "nvidia-h100-pcie");
    row("Tesla T4", 0, 0, "0.0", "nvidia-t4");
    row("NVIDIA A100-SXM4-40GB", 0, 0, "0.0", "nvidia-a100-40");
    row("A100-SXM4-40GB", 0, 0, "0.0", "nvidia-a100-40");
    row("NVIDIA A100-PCIE-40GB", 0, 0, "0.0", "nvidia-a100-pcie-40");
    row("NVIDIA A10", 0, 0, "0.0", "nvidia-a10");
    row("NVIDIA A10G", 0, 0, "0.0", "nvidia-a10g");
    row("NVIDIA A30", 0, 0, "0.0", "nvidia-a30");
    row("NVIDIA A40", 0, 0, "0.0", "nvidia-a40");
    row("NVIDIA L4", 0, 0, "0.0", "nvidia-l4");
    row("NVIDIA L40S", 0, 0, "0.0", "nvidia-l40s");
    row("NVIDIA H100 80GB HBM3", 0, 0, "0.0", "nvidia-h100-sxm");
    row("NVIDIA H100 PCIe", 0, 114, "9.0", "nvidia-h100-pcie");
    row("NVIDIA H100 NVL", 0, 0, "0.0", "nvidia-h100-nvl");
    row("NVIDIA H200", 0, 0, "0.0", "nvidia-h200");
    row("NVIDIA H20", 0, 0, "0.0", "nvidia-h20");
    row("NVIDIA GH200 480GB", 0, 0, "0.0", "nvidia-gh200-96");
    row("NVIDIA GB200", 0, 0, "0.0", "nvidia-gb200");
    row("NVIDIA GeForce RTX 3090", 0, 0, "0.0", "nvidia-rtx-3090");
    row("NVIDIA GeForce RTX 4090", 0, 0, "0.0", "nvidia-rtx-4090");
    row("NVIDIA GeForce RTX 5090", 0, 0, "0.0", "nvidia-rtx-5090");
    row("AMD Instinct MI250X", 0, 0, "0.0", "amd-mi250x-gcd");
    row("AMD Instinct MI250", 0, 0, "0.0", "amd-mi250-gcd");
    row("AMD Instinct MI250X / MI250", 68.7e9, 110, "9.0", "amd-mi250x-gcd");
    row("AMD Instinct MI325X", 0, 0, "0.0", "amd-mi325x");
    row("AMD Instinct MI355X", 0, 0, "0.0", "amd-mi355x");
    row("gfx90a:sramecc+:xnack-", 68.7e9, 110, "9.0", "amd-mi250x-gcd");
    row("gfx942:sramecc+:xnack-", 274.8e9, 304, "9.4", "amd-mi325x");
    row("Intel(R) Data Center GPU Max 1550", 68.7e9, 512, "0.0", "intel-max-1550-tile");
    row("Intel(R) Data Center GPU Max 1550", 65.5e9, 448, "0.0", "intel-max-1550-tile");
    row("Intel(R) Data Center GPU Max 1550", 0, 0, "0.0", "intel-max-1550-tile");
    row("Intel(R) Data Center GPU Max 1550", 137.4e9, 1024, "0.0", "intel-max-1550-card");
  }

  void devicesOfRealTracesAreFound() {
    QFETCH(QString, name);
    QFETCH(double, memory);
    QFETCH(int, sms);
    QFETCH(QString, capability);
    QFETCH(QString, id);
    DeviceQuery query;
    query.name = name.toStdString();
    query.totalMemory = static_cast<std::int64_t>(memory);
    query.smCount = sms;
    query.computeMajor = capability.section(QLatin1Char('.'), 0, 0).toInt();
    query.computeMinor = capability.section(QLatin1Char('.'), 1, 1).toInt();
    const DeviceMatch match = DeviceCatalog::builtin().match(query);
    QVERIFY2(match.spec.has_value(), match.whyNot.c_str());
    QCOMPARE(text(match.spec->id), id);
    QVERIFY(!match.how.empty());
    QVERIFY(!match.spec->source.empty());
  }

  /// 2200 tokens a second and device of 42 GFLOP each.
  void sharesOfThePeakOfTheReferenceAreReproduced() {
    DeviceQuery query;
    query.name = "NVIDIA A100-SXM4-40GB";
    const DeviceSpec a100 = DeviceCatalog::builtin().match(query).spec.value();
    const double achieved = 2200 * 42e9;
    QCOMPARE(achieved, 92.4e12);
    QCOMPARE(peakFor(a100, "bf16", true).value(), 312e12);
    QCOMPARE(std::lround(1000 * achieved / peakFor(a100, "bf16", true).value()), 296L);
    QVERIFY(std::abs(ridgePoint(a100, "bf16", true).value() - 200) < 2);
  }

  void ridgePointsOfTheReferenceAreReproduced_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("ridge");
    const auto row = [](const char* name, const char* dtype, int ridge) {
      QTest::addRow("%s", name) << QString::fromLatin1(name) << QString::fromLatin1(dtype) << ridge;
    };
    row("NVIDIA A100-SXM4-80GB", "bf16", 153);
    row("NVIDIA A100-SXM4-40GB", "bf16", 201);
    row("NVIDIA H100 80GB HBM3", "bf16", 295);
    row("NVIDIA H200", "bf16", 206);
    row("NVIDIA B200", "bf16", 281);
    row("AMD Instinct MI300X", "bf16", 247);
    row("AMD Instinct MI325X", "bf16", 218);
    row("AMD Instinct MI355X", "bf16", 315);
    row("NVIDIA L4", "bf16", 403);
    row("NVIDIA GeForce RTX 4090", "bf16", 164);
    row("TPU v5e", "bf16", 241);
    row("TPU v5p", "bf16", 166);
    row("TPU v6e", "bf16", 560);
    row("Intel(R) Data Center GPU Max 1550", "bf16", 256);
    row("Tesla V100-SXM2-16GB", "fp16", 139);
  }

  void ridgePointsOfTheReferenceAreReproduced() {
    QFETCH(QString, name);
    QFETCH(QString, dtype);
    QFETCH(int, ridge);
    DeviceQuery query;
    query.name = name.toStdString();
    const DeviceMatch match = DeviceCatalog::builtin().match(query);
    QVERIFY2(match.spec.has_value(), match.whyNot.c_str());
    const std::optional<double> value = ridgePoint(*match.spec, dtype.toStdString(), true);
    QVERIFY(value.has_value());
    QCOMPARE(static_cast<int>(std::lround(*value)), ridge);
  }

  void anUnknownDeviceGetsNoneAndAReason() {
    for (const char* name : {"ARTEMIS", "NVIDIA Frobnicator 9000", "NVIDIA H1000", ""}) {
      DeviceQuery query;
      query.name = name;
      const DeviceMatch match = DeviceCatalog::builtin().match(query);
      QVERIFY2(!match.spec, name);
      QVERIFY(!match.whyNot.empty());
      QVERIFY(!match.todo.empty());
    }
  }

  void theSameNumbersMeanAnotherDeviceOfAnotherVendor() {
    // 9.0 is Hopper for NVIDIA and gfx90a for AMD.
    DeviceQuery query;
    query.computeMajor = 9;
    query.smCount = 104;
    query.totalMemory = 68'700'000'000;
    query.warpSize = 64;
    const DeviceMatch amd = DeviceCatalog::builtin().match(query);
    QVERIFY(amd.spec.has_value());
    QCOMPARE(text(amd.spec->vendor), QStringLiteral("amd"));
    query.warpSize = 32;
    query.vendor = VendorHint::cuda;
    QVERIFY(!DeviceCatalog::builtin().match(query).spec);
  }

  void severalPossibleDevicesGiveOnlyWhatTheyShare() {
    DeviceQuery query;  // MI350X and MI355X have the same memory and unit count
    query.vendor = VendorHint::hip;
    query.computeMajor = 9;
    query.computeMinor = 5;
    query.smCount = 256;
    query.totalMemory = 309'200'000'000;
    const DeviceMatch match = DeviceCatalog::builtin().match(query);
    QVERIFY(match.spec.has_value());
    QCOMPARE(match.spec->memoryBandwidth.value(), 8e12);
    QVERIFY(!peakFor(*match.spec, "bf16", true));
    QVERIFY(match.how.find("share") != std::string::npos);
  }

  void aPeakIsTakenForTheUnitThatComputes() {
    DeviceQuery query;
    query.name = "NVIDIA A100-SXM4-80GB";
    const DeviceSpec a100 = DeviceCatalog::builtin().match(query).spec.value();
    QCOMPARE(peakFor(a100, "fp32", false).value(), 19.5e12);
    QCOMPARE(peakFor(a100, "fp32", true).value(), 156e12);
    QCOMPARE(peakFor(a100, "bf16", false).value(), 39e12);
    QCOMPARE(peakFor(a100, "fp64", true).value(), 19.5e12);
    QVERIFY(!peakFor(a100, "fp8", true));
    QVERIFY(!peakFor(a100, "complex64", true));
    query.name = "Tesla V100-SXM2-16GB";
    const DeviceSpec v100 = DeviceCatalog::builtin().match(query).spec.value();
    QVERIFY(!peakFor(v100, "bf16", true));
    QCOMPARE(peakFor(v100, "fp64", true).value(), 7.8e12);
  }

  void aUsersFileWinsAndSaysSo() {
    const char* file = R"({"version": 1, "devices": [
      {"match": {"names": ["nvidia h200"]}, "tflops": {"bf16": 700}, "source": "measured"},
      {"match": {"names": ["*"]}, "memory_gb_per_s": 1000, "tflops": {"bf16": 1}}]})";
    const Result<DeviceCatalog> catalog = DeviceCatalog::builtin().withUserFile(file);
    QVERIFY(catalog.ok());
    DeviceQuery query;
    query.name = "NVIDIA H200";
    const DeviceMatch match = catalog.value().match(query);
    QCOMPARE(match.spec->peak("bf16").value(), 700e12);  // the name beats "*"
    QCOMPARE(match.spec->memoryBandwidth.value(), 1e12);
    QCOMPARE(match.spec->peak("fp32").value(), 67e12);
    QCOMPARE(match.spec->provenance("bf16"), std::string_view("user"));
    QCOMPARE(match.spec->provenance("fp32"), std::string_view("assumed (catalogue)"));
    query.name = "Some new card";
    const DeviceMatch unknown = catalog.value().match(query);
    QCOMPARE(unknown.spec->memoryBandwidth.value(), 1e12);
    QCOMPARE(text(unknown.how), QStringLiteral("user file"));
  }

  void aWrongUsersFileIsRefusedWithItsPlace() {
    const std::string device = "{\"version\": 1, \"devices\": [{\"match\": {\"names\": [\"*\"]}";
    const std::vector<std::string> files = {
        "{",
        "[]",
        "{\"version\": 2, \"devices\": []}",
        "{\"version\": 1, \"devices\": [{\"memory_gb_per_s\": 100}]}",
        "{\"version\": 1, \"devices\": [{\"match\": {\"patterns\": [\"[\"]}, \"memory_gb\": 1}]}",
        device + "}]}",
        device + ", \"tflops\": {\"bf61\": 1}}]}",
        device + ", \"memory_gb_per_s\": -1}]}",
    };
    for (const std::string& file : files) {
      const Result<DeviceCatalog> catalog = DeviceCatalog::builtin().withUserFile(file);
      QVERIFY2(catalog.failed(), file.c_str());
      QVERIFY(!catalog.error().what.empty());
      QVERIFY(!catalog.error().where.empty());
    }
  }

  void everyRowOfTheCatalogueIsSound() {
    const std::vector<DeviceEntry>& entries = DeviceCatalog::builtin().entries();
    QVERIFY(entries.size() >= 60);
    for (const DeviceEntry& entry : entries) {
      QVERIFY2(entry.spec.memoryBandwidth || entry.spec.id == "nvidia-h100-64",
               entry.spec.id.c_str());
      for (const std::string& name : entry.names) {
        DeviceQuery query;
        query.name = name;
        const DeviceMatch match = DeviceCatalog::builtin().match(query);
        QVERIFY2(match.spec.has_value() && match.spec->id == entry.spec.id, name.c_str());
      }
    }
  }
};

QTEST_GUILESS_MAIN(TstDeviceCatalog)
#include "tst_device_catalog.moc"
