#include <QTemporaryFile>
#include <QtTest>

#include "core/analysis/given_quality.h"
#include "core/analysis/roofline.h"
#include "core/hardware/kernel_counters.h"
#include "core/io/load_trace.h"
#include "core/io/plain_text.h"
#include "core/workload/measured_kernels.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// 1 TFLOP/s in fp32, 10 in bf16 and 2 in tf32 on matrix units, 100 GB/s.
constexpr const char* kPeaks = R"({"version": 1, "devices": [{"match": {"names": ["*"]},
  "tflops": {"fp32": 1, "tf32": 2, "bf16": 10}, "memory_gb_per_s": 100,
  "source": "made for a test"}]})";

std::string quoted(std::initializer_list<std::string> values) {
  std::string line;
  for (const std::string& value : values) line += (line.empty() ? "\"" : ",\"") + value + '"';
  return line + '\n';
}

const std::string kHeader = quoted({"ID", "Process ID", "Process Name", "Host Name", "Kernel Name",
                                    "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
                                    "Section Name", "Metric Name", "Metric Unit", "Metric Value"});

/// A line of the details page.
std::string row(int id, const std::string& kernel, const std::string& metric,
                const std::string& unit, const std::string& value,
                const std::string& grid = "(10, 1, 1)") {
  return quoted({std::to_string(id), "7", "python", "host", kernel, "1", "7", "(128, 1, 1)", grid,
                 "0", "8.0", "Command line profiler metrics", metric, unit, value});
}

std::string op(const char* name) {
  return std::string("sm__sass_thread_inst_executed_op_") + name + "_pred_on.sum";
}

/// All three operations of fp32, on one launch.
std::string fp32Rows(int id, const std::string& kernel, const char* add, const char* mul,
                     const char* fma) {
  return row(id, kernel, op("fadd"), "inst", add) + row(id, kernel, op("fmul"), "inst", mul) +
         row(id, kernel, op("ffma"), "inst", fma);
}

KernelCounters countersOf(const std::string& text) {
  auto read = KernelCounters::fromText(text, "ncu.csv");
  if (!read.ok()) qFatal("%s", read.error().text().c_str());
  return read.value();
}

std::string errorOf(const std::string& text) {
  const auto read = KernelCounters::fromText(text, "ncu.csv");
  return read.failed() ? read.error().text() : std::string();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::shared_ptr<const Workload> workloadOf(std::string_view trace, const std::string& counters) {
  WorkloadSettings settings;
  settings.catalog = std::make_shared<const DeviceCatalog>(
      std::move(DeviceCatalog::builtin().withUserFile(kPeaks).value()));
  settings.counters = std::make_shared<const KernelCounters>(countersOf(counters));
  return makeWorkload(traceFromText(trace), settings).value();
}

/// Two products of one shape: 2e6 FLOP and 120 kB each, as computed.
constexpr std::string_view kProducts = R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  14us  7 volta_sgemm_64x64_nn corr=1
op     20us  29us  main aten::mm dims=[[100,100],[100,100]] types=["float","float"]
call   21us  22us  main cudaLaunchKernel corr=2
kernel 30us  36us  7 volta_sgemm_64x64_nn corr=2
)";

}  // namespace

class TestKernelCounters : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDetailsPageIsReadWithItsToolsLinesAndThousands() {
    const KernelCounters counters = countersOf(
        "==PROF== Connected to process 7 (/usr/bin/python)\n"
        "loss 0.3, step 4\n"
        "==PROF== Profiling \"gemm\": 0%....100% - 9 passes\n" +
        kHeader + fp32Rows(0, "void gemm<float, 4>(int, T2)", "1,000", "2,000", "1,500,000") +
        row(0, "void gemm<float, 4>(int, T2)", "dram__bytes.sum", "Kbyte", "120.50") +
        row(0, "void gemm<float, 4>(int, T2)", "gpu__time_duration.sum", "usecond", "4.25") +
        "==PROF== Disconnected from process 7\n");
    QCOMPARE(counters.kernels().size(), std::size_t{1});
    const CountedKernel& k = counters.kernels().front();
    QCOMPARE(k.name, std::string("void gemm<float, 4>(int, T2)"));
    QCOMPARE(k.vectorFlops.at("fp32"), 1000 + 2000 + 2 * 1'500'000.0);
    QCOMPARE(*k.flops(false), 3'003'000.0);
    QCOMPARE(*k.bytes, 120'500.0);
    QCOMPARE(*k.seconds, 4.25e-6);
    QCOMPARE(k.size->grid[0], 10LL);
    QCOMPARE(k.size->block[0], 128LL);
  }

  void theRawPageIsReadWithItsRowOfUnits() {
    const std::string grid = "(4, 2, 1)", block = "(32, 1, 1)", name = "a, b<\"\"x\"\">";
    const KernelCounters counters =
        countersOf(quoted({"ID", "Kernel Name", "Block Size", "Grid Size", "dram__bytes_read.sum",
                           "dram__bytes_write.sum", "gpu__time_duration.sum", op("dadd"),
                           op("dfma"), op("dmul")}) +
                   quoted({"", "", "", "", "Mbyte", "Kbyte", "ms", "inst", "inst", "inst"}) +
                   quoted({"0", name, block, grid, "1.5", "500", "2", "1", "10", "100"}) +
                   quoted({"1", name, block, grid, "2.5", "500", "4", "3", "10", "100"}));
    QCOMPARE(counters.kernels().size(), std::size_t{1});
    const CountedKernel& k = counters.kernels().front();
    QCOMPARE(k.name, std::string("a, b<\"x\">"));
    QCOMPARE(k.launches, std::size_t{2});
    QCOMPARE(*k.bytes, 2.5e6);  // mean of 2 and 3 MB
    QCOMPARE(*k.seconds, 3e-3);
    QCOMPARE(k.vectorFlops.at("fp64"), 2 + 20 + 100.0);
    QVERIFY(k.vectorFlops.count("fp32") == 0);
  }

  void ratesOfTheRooflineSectionsGiveTheSameSums() {
    // 2 adds, 3 muls, 4 fma a cycle (all sub-partitions), 1 GHz, 10 µs = 10,000 cycles.
    const std::string k = "k";
    const KernelCounters counters = countersOf(
        kHeader +
        row(0, k, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
            "inst/cycle", "2") +
        row(0, k, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
            "inst/cycle", "3") +
        row(0, k, "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "inst", "8") +
        row(0, k, "smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1") +
        row(0, k, "dram__bytes.sum.per_second", "Gbyte/second", "50") +
        row(0, k, "gpu__time_duration.sum", "us", "10"));
    QCOMPARE(*counters.kernels().front().flops(false), 130'000.0);
    QCOMPARE(*counters.kernels().front().bytes, 500'000.0);
  }

  void packedHalfInstructionsCountTwice() {
    const CountedKernel sums =
        countersOf(kHeader + row(0, "g", op("hadd"), "inst", "1") +
                   row(0, "g", op("hmul"), "inst", "10") + row(0, "g", op("hfma"), "inst", "100"))
            .kernels()
            .front();
    QCOMPARE(*sums.flops(false), 2 * 1 + 2 * 10 + 4 * 100.0);
    // Nsight Compute's own multiples say the same: here, of one cycle.
    const std::string derived = "derived__smsp__sass_thread_inst_executed_op_";
    const CountedKernel rates =
        countersOf(kHeader + row(0, "g", derived + "hadd_pred_on_x2", "inst", "2") +
                   row(0, "g", derived + "hmul_pred_on_x2", "inst", "20") +
                   row(0, "g", derived + "hfma_pred_on_x4", "inst", "400") +
                   row(0, "g", "smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1") +
                   row(0, "g", "gpu__time_duration.sum", "ns", "1"))
            .kernels()
            .front();
    QCOMPARE(*rates.flops(false), *sums.flops(false));
  }

  void matrixOperationsCountOnceWhateverTheirSplit() {
    const KernelCounters counters = countersOf(
        kHeader + row(0, "g", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", "4,096") +
        row(0, "g", "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum", "", "4,000") +
        row(0, "g", "sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_on.sum", "", "96") +
        row(0, "g", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "", "4"));
    const CountedKernel& k = counters.kernels().front();
    QCOMPARE(k.matrixFlops.at("bf16"), 4096.0);
    QCOMPARE(*k.flops(true), 4100.0);
    QCOMPARE(k.mostUsedType().first, std::string("bf16"));
    QVERIFY(k.mostUsedType().second);
  }

  void matrixInstructionsWithoutOperationsLeaveFlopsUnknown() {
    const std::string rows = fp32Rows(0, "g", "1", "2", "3");
    const CountedKernel plain = countersOf(kHeader + rows).kernels().front();
    QCOMPARE(*plain.flops(false), 9.0);
    QVERIFY(!plain.flops(true));  // its name says that it computes on matrix units
    const CountedKernel tensor =
        countersOf(kHeader + rows + row(0, "g", "sm__inst_executed_pipe_tensor.sum", "inst", "64"))
            .kernels()
            .front();
    QVERIFY(!tensor.flops(false));
  }

  void aTypeCountsOnlyWithAllOfItsOperations() {
    const CountedKernel k = countersOf(kHeader + row(0, "g", op("fadd"), "inst", "1") +
                                       row(0, "g", op("ffma"), "inst", "5") +
                                       row(0, "g", "dram__bytes.sum", "byte", "7"))
                                .kernels()
                                .front();
    QVERIFY(!k.flops(false));  // fmul was not collected
    QCOMPARE(*k.bytes, 7.0);
  }

  void badFilesGetOneErrorWithAPlace() {
    QVERIFY(contains(errorOf("hello,world\n"), "no line has a column \"Kernel Name\""));
    QVERIFY(contains(errorOf(""), "ncu.csv"));
    const std::string cut = kHeader + "\"0\",\"7\",\"python\",\"host\",\"gem";
    QVERIFY2(contains(errorOf(cut), "line 2"), errorOf(cut).c_str());
    const std::string few = kHeader + row(0, "g", "x", "", "1") + "\"0\",\"7\"\n";
    QVERIFY2(contains(errorOf(few), "line 3"), errorOf(few).c_str());
    const std::string unit = errorOf(kHeader + row(0, "g", "dram__bytes.sum", "sector", "1"));
    QVERIFY2(contains(unit, "\"sector\""), unit.c_str());
    const std::string comma = errorOf(kHeader + row(0, "g", "dram__bytes.sum", "byte", "1,5"));
    QVERIFY2(contains(comma, "LC_ALL=C"), comma.c_str());
    const std::string nothing = errorOf(kHeader + row(0, "g", "Registers Per Thread", "", "32"));
    QVERIFY2(contains(nothing, "neither FLOPs nor bytes"), nothing.c_str());
    QVERIFY2(contains(nothing, "ncu --csv"), nothing.c_str());
    QVERIFY(contains(errorOf("\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"0\",\"g\",\"5\"\n"),
                     "unit of dram__bytes.sum is missing"));
  }

  void theErrorOfAUnitNamesWhatTheFileHas() {
    const std::string details = errorOf(kHeader + row(0, "g", "dram__bytes.sum", "sector", "1"));
    QVERIFY2(contains(details, "column Metric Unit") && !contains(details, "raw"), details.c_str());
    const std::string raw = errorOf(
        "\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"\",\"\",\"sector\"\n\"0\",\"g\",\"5\"\n");
    QVERIFY2(contains(raw, "row of units") && contains(raw, "line 3"), raw.c_str());
  }

  void theSameHeaderOnceMoreBeginsAnotherRun() {
    const std::string first = kHeader + row(0, "g", "dram__bytes.sum", "byte", "1");
    const std::string second = kHeader + row(0, "g", "dram__bytes.sum", "byte", "5");
    const KernelCounters both = countersOf(first + "==PROF== done\n" + second);
    QCOMPARE(both.launches(), std::size_t{2});
    QCOMPARE(*both.kernels().front().bytes, 3.0);
    QVERIFY(both.tellsSizes());
    // The same launches on another page: what both pages tell of a launch belongs together.
    const KernelCounters pages =
        countersOf(first +
                   quoted({"ID", "Process ID", "Host Name", "Kernel Name", "Block Size",
                           "Grid Size", "gpu__time_duration.sum"}) +
                   quoted({"", "", "", "", "", "", "ns"}) +
                   quoted({"0", "7", "host", "g", "(128, 1, 1)", "(10, 1, 1)", "8"}));
    QCOMPARE(pages.launches(), std::size_t{1});
    QCOMPARE(*pages.kernels().front().bytes, 1.0);
    QCOMPARE(*pages.kernels().front().seconds, 8e-9);
  }

  void withoutSizesTheMeanStandsForAllAndThatIsSaid() {
    const std::string file =
        quoted({"ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"}) +
        quoted({"0", "volta_sgemm_64x64_nn", "dram__bytes.sum", "byte", "100"});
    QVERIFY(!countersOf(file).tellsSizes());
    const auto w = workloadOf(kProducts, file);
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    QVERIFY2(contains(r.measured->sentence, "no grid and block sizes"),
             r.measured->sentence.c_str());
    QVERIFY(contains(r.points.front().measured->how, "mean over all launch sizes"));
    const auto checks = givenChecks(*w, r, {});
    QCOMPARE(checks.size(), std::size_t{1});
    QVERIFY(checks[0].found && checks[0].key == "counters_without_sizes");
    const std::string other = kHeader + row(0, "another", "dram__bytes.sum", "byte", "1");
    const auto none = workloadOf(kProducts, other);
    const auto unused = givenChecks(*none, roofline(*none, wholeDeviceWindow(*none)), {});
    QVERIFY(unused[0].found && unused[0].key == "unused_counters");
    const std::string sized =
        kHeader + row(0, "volta_sgemm_64x64_nn", "dram__bytes.sum", "byte", "100");
    const auto good = workloadOf(kProducts, sized);
    QVERIFY(!givenChecks(*good, roofline(*good, wholeDeviceWindow(*good)), {})[0].found);
  }

  void utf16IsReadAndDamageIsRefused() {
    const std::string text = "\"ID\",\"Kernel Name\"\r\n";
    std::string little = "\xff\xfe", big = "\xfe\xff";
    for (const char c : text) {
      little.append({c, '\0'});
      big.append({'\0', c});
    }
    for (const std::string& bytes : {text, "\xef\xbb\xbf" + text, little, big, little.substr(2)})
      QCOMPARE(plainText(bytes, "ncu.csv").value(), text);
    QCOMPARE(plainText("", "ncu.csv").value(), std::string());
    const auto cut = plainText("\x1f\x8b\x08", "ncu.csv");
    QVERIFY(cut.failed() && cut.error().where == "ncu.csv");
    QVERIFY(plainText(text, "ncu.csv", 5).failed());
  }

  void whatWasNotMeasuredIsNotZero() {
    const CountedKernel k = countersOf(kHeader + row(0, "g", "dram__bytes.sum", "byte", "n/a") +
                                       fp32Rows(0, "g", "1", "1", "1"))
                                .kernels()
                                .front();
    QVERIFY(!k.bytes);
    QCOMPARE(*k.flops(false), 4.0);
  }

  void namesOfBothDemanglersCompareEqual_data() {
    QTest::addColumn<QString>("ncu");
    QTest::addColumn<QString>("trace");
    QTest::newRow("casts and literals")
        << QStringLiteral(
               "void at::native::vectorized_elementwise_kernel<(int)4, "
               "at::native::CUDAFunctor_add<float>, std::array<char *, (unsigned "
               "long)3>>(int, T2, T3)")
        << QStringLiteral(
               "void at::native::vectorized_elementwise_kernel<4, "
               "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
               "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)");
    QTest::newRow("truth and no name")
        << QStringLiteral("void <unnamed>::softmax<float, (bool)1>(T1 *, const bool *)")
        << QStringLiteral("void (anonymous namespace)::softmax<float, true>(float*, bool const*)");
    QTest::newRow("closures")
        << QStringLiteral("void k<f(at::T &)::[lambda(float) (instance 2)]>(int, T1)")
        << QStringLiteral(
               "void k<f(at::T&)::{lambda(float)#2}>(int, f(at::T&)::{lambda(float)#2})");
    QTest::newRow("plain") << QStringLiteral("volta_sgemm_64x64_nn")
                           << QStringLiteral("volta_sgemm_64x64_nn");
    QTest::newRow("mangled") << QStringLiteral("foo(float *)") << QStringLiteral("_Z3fooPf");
  }
  void namesOfBothDemanglersCompareEqual() {
    QFETCH(QString, ncu);
    QFETCH(QString, trace);
    QCOMPARE(comparableKernelName(ncu.toStdString()), comparableKernelName(trace.toStdString()));
  }
  void otherInstancesCompareDifferent() {
    QVERIFY(comparableKernelName("void k<(int)4>(int)") != comparableKernelName("void k<8>(int)"));
    QVERIFY(comparableKernelName("void k<true>(int)") !=
            comparableKernelName("void k<false>(int)"));
  }

  void measuredWorkMovesThePointAndTheComputedStaysBesideIt() {
    // Counted: 3 MFLOP and 300 kB a launch; the trace took 10 µs for two.
    const std::string name = "volta_sgemm_64x64_nn";
    const auto w =
        workloadOf(kProducts, kHeader + fp32Rows(0, name, "0", "0", "1,500,000") +
                                  row(0, name, "dram__bytes.sum", "Kbyte", "300") +
                                  row(0, name, "gpu__time_duration.sum", "usecond", "6"));
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    QCOMPARE(r.points.size(), std::size_t{1});
    const RooflinePoint& p = r.points.front();
    QCOMPARE(*p.flops, 3e6);
    QCOMPARE(*p.bytes, 300e3);
    QCOMPARE(*p.computedFlops, 2e6);
    QCOMPARE(*p.computedBytes, 120e3);
    QCOMPARE(*p.intensity, 10.0);
    QCOMPARE(*p.performance, 6e6 / 10e-6);
    QCOMPARE(*p.bandwidth, 600e3 / 10e-6);
    QCOMPARE(*p.ofRoof, 0.6);  // 3 µs of 1 TFLOP/s (and of 100 GB/s) in 5 µs
    QCOMPARE(*p.measured->seconds, 6e-6);
    QVERIFY(contains(p.measured->how, "measured by Nsight Compute: 1 launch"));
    QVERIFY(r.measured.has_value());
    QCOMPARE(r.measured->names.whole, std::size_t{1});
    QCOMPARE(r.measured->flopsTime, TimeNs{10'000});
  }

  void countersPlaceWhatHasNoShapes() {
    const auto w = workloadOf(R"(
op     0     9us   main my::op
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  20us  7 my_kernel corr=1
)",
                              kHeader + fp32Rows(0, "my_kernel", "1,000,000", "0", "0") +
                                  row(0, "my_kernel", "dram__bytes.sum", "Kbyte", "500"));
    const RooflinePoint p = roofline(*w, wholeDeviceWindow(*w)).points.front();
    QVERIFY(!p.computedFlops && !p.computedBytes);
    QCOMPARE(p.peakKey, std::string("fp32"));
    QCOMPARE(*p.ofRoof, 0.5);  // 5 µs of memory in 10
    QCOMPARE(p.bound, RooflineBound::memory);
    QVERIFY(p.missing.empty());
  }

  void bytesAloneAreTakenAndTheOperationsOfTensorCoresNamed() {
    const std::string name = "ampere_bf16_s16816gemm_bf16_128x128_nn";
    const auto w = workloadOf(R"(
op     0     9us   main aten::mm dims=[[100,100],[100,100]] types=["c10::BFloat16","c10::BFloat16"]
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  20us  7 ampere_bf16_s16816gemm_bf16_128x128_nn corr=1
)",
                              kHeader + fp32Rows(0, name, "10", "0", "0") +
                                  row(0, name, "dram__bytes.sum", "Kbyte", "100"));
    const RooflinePoint p = roofline(*w, wholeDeviceWindow(*w)).points.front();
    QCOMPARE(*p.flops, 2e6);  // computed
    QCOMPARE(*p.bytes, 100e3);
    QVERIFY(!p.measured->flops);
    QVERIFY2(contains(p.measured->how, "tensor cores were not counted"), p.measured->how.c_str());
  }

  void aBaseNameAloneCountsWhereNothingElseIsCalledSo() {
    const char* trace = R"(
op     0     9us   main my::op
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  20us  7 'void ns::scale<float, 4>(float*)' corr=1
)";
    const std::string counted = kHeader + row(0, "scale", "dram__bytes.sum", "byte", "100");
    const auto one = workloadOf(trace, counted);
    const Roofline r = roofline(*one, wholeDeviceWindow(*one));
    QCOMPARE(*r.points.front().bytes, 100.0);
    QCOMPARE(r.measured->names.baseName, std::size_t{1});
    QVERIFY(contains(r.points.front().measured->how, "base name alone"));
    QVERIFY(contains(r.measured->sentence, "1 of 1 kernel name"));
  }

  void aBaseNameThatTwoKernelsShareIsLeftOut() {
    const auto w = workloadOf(R"(
op     0     9us   main my::op
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  20us  7 'void ns::scale<float, 4>(float*)' corr=1
op     30us  39us  main my::other
call   31us  32us  main cudaLaunchKernel corr=2
kernel 40us  50us  7 'void ns::scale<double, 2>(double*)' corr=2
)",
                              kHeader + row(0, "scale", "dram__bytes.sum", "byte", "100"));
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    for (const RooflinePoint& p : r.points) QVERIFY(!p.measured && !p.bytes);
    QCOMPARE(r.measured->names.ambiguous, std::size_t{2});
    QCOMPARE(r.measured->names.notInTrace, std::size_t{1});
    QVERIFY(contains(r.measured->sentence, "2 left out"));
  }

  void anotherInstanceOfATemplateIsAnotherKernel() {
    const auto w = workloadOf(
        "op 0 9us main my::op\n call 1us 2us main cudaLaunchKernel corr=1\n"
        "kernel 10us 20us 7 'void scale<float, 4>(float*)' corr=1\n",
        kHeader + row(0, "void scale<float, (int)8>(float *)", "dram__bytes.sum", "byte", "100"));
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    QVERIFY(!r.points.front().measured);
    QCOMPARE(r.measured->names.none, std::size_t{1});
  }

  void launchesOfAnotherSizeAreNotTakenForMeasuredOnes() {
    // One kernel name, three sizes; two of them were counted.
    QTemporaryFile file;
    QVERIFY(file.open());
    QByteArray json = "{'traceEvents':[";
    for (int i = 0; i < 3; ++i) {
      const QByteArray n = QByteArray::number(i), at = QByteArray::number(100 * i);
      json += "{'ph':'X','cat':'cpu_op','name':'my::op" + n + "','pid':1,'tid':1,'ts':" + at +
              ",'dur':9,'args':{}},{'ph':'X','cat':'cuda_runtime','name':'cudaLaunchKernel',"
              "'pid':1,'tid':1,'ts':" +
              at + ",'dur':1,'args':{'correlation':" + n +
              "}},{'ph':'X','cat':'kernel','name':'gemm','pid':0,'tid':7,'ts':" + at +
              ".5,'dur':20,'args':{'device':0,'stream':7,'correlation':" + n + ",'grid':[" +
              QByteArray::number(i + 1) + ",1,1],'block':[128,1,1]}},";
    }
    json.chop(1);
    file.write(json.replace('\'', '"') + "]}");
    file.close();
    auto loaded = loadTrace(file.fileName().toStdString());
    QVERIFY(loaded.ok());
    WorkloadSettings settings;
    settings.counters = std::make_shared<const KernelCounters>(
        countersOf(kHeader + row(0, "gemm", "dram__bytes.sum", "byte", "100", "(1, 1, 1)") +
                   row(1, "gemm", "dram__bytes.sum", "byte", "300", "(2, 1, 1)")));
    const auto w = makeWorkload(loaded.value().front().trace, settings).value();
    const Roofline r = roofline(*w, wholeDeviceWindow(*w));
    QCOMPARE(r.points.size(), std::size_t{3});
    for (const RooflinePoint& p : r.points) {
      QVERIFY(p.measured.has_value());
      if (p.op == "my::op0") QCOMPARE(*p.bytes, 100.0);
      if (p.op == "my::op1") QCOMPARE(*p.bytes, 300.0);
      if (p.op == "my::op2") {
        QVERIFY(!p.bytes);
        QVERIFY2(contains(p.measured->how, "this size were not measured"), p.measured->how.c_str());
      }
    }
  }

  void theMeanOfAllSizesIsTakenWhereTheTraceTellsNone() {
    const auto w = workloadOf(
        kProducts,
        kHeader + row(0, "volta_sgemm_64x64_nn", "dram__bytes.sum", "byte", "100", "(1, 1, 1)") +
            row(1, "volta_sgemm_64x64_nn", "dram__bytes.sum", "byte", "300", "(2, 1, 1)"));
    const RooflinePoint p = roofline(*w, wholeDeviceWindow(*w)).points.front();
    QCOMPARE(*p.bytes, 200.0);
    QVERIFY(contains(p.measured->how, "mean over all launch sizes"));
  }

  void aCallIsMeasuredOnlyWithAllOfItsKernels() {
    const auto w = workloadOf(R"(
op     0     9us   main my::op
call   1us   2us   main cudaLaunchKernel corr=1
kernel 10us  20us  7 first corr=1
call   3us   4us   main cudaLaunchKernel corr=2
kernel 20us  30us  7 second corr=2
)",
                              kHeader + row(0, "first", "dram__bytes.sum", "byte", "100"));
    const RooflinePoint p = roofline(*w, wholeDeviceWindow(*w)).points.front();
    QVERIFY(!p.bytes && !p.measured->bytes);
    QVERIFY(contains(p.measured->how, "some of its kernels are not in the file"));
  }
};

QTEST_GUILESS_MAIN(TestKernelCounters)
#include "tst_kernel_counters.moc"
