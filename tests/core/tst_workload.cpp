#include <algorithm>

#include <QtTest>

#include "core/io/load_trace.h"
#include "core/trace/trace_builder.h"
#include "core/workload/workload.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::shared_ptr<const Workload> workloadFromText(const std::string& text) {
  return makeWorkload(traceFromText(text)).value();
}

std::string_view ownerOf(const Workload& w, std::string_view kernel) {
  const SliceId op = w.opOf[sliceNamed(*w.trace, kernel).index()];
  return op.valid() ? w.trace->name(op) : std::string_view();
}

const OpCost& costOfKernel(const Workload& w, std::string_view kernel) {
  return *w.costOfSlice(sliceNamed(*w.trace, kernel));
}

/// An old convolution (no Concrete Inputs): 2×3×8×8 with 4 filters of 3×3, then `consumer`.
std::string oldConvolution(const std::string& consumer) {
  return "old_op 0 10us main aten::cudnn_convolution dims=[[2,3,8,8],[4,3,3,3],[],[],[]] "
         "types=[\"float\",\"float\",\"\",\"\",\"\"]\n"
         "call 2us 3us main cudaLaunchKernel corr=1\n"
         "kernel 5us 9us 7 implicit_convolve_sgemm corr=1\n" +
         consumer;
}

}  // namespace

class TestWorkload : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theLeafMostOpAroundTheLaunchOwnsTheKernel() {
    const auto w = workloadFromText(
        "old_op 0 50us main ProfilerStep#1\n"
        "op 1us 20us main aten::linear\nop 2us 18us main aten::addmm\n"
        "python 3us 17us main 'x.py(1): f'\ncall 4us 6us main cudaLaunchKernel corr=1\n"
        "driver 5us 6us main cuLaunchKernel corr=1\nkernel 10us 30us 7 gemm corr=1\n"
        "call 30us 32us main cudaLaunchKernel corr=2\nkernel 40us 45us 7 alone corr=2\n");
    QCOMPARE(ownerOf(*w, "gemm"), std::string_view("aten::addmm"));
    QCOMPARE(ownerOf(*w, "alone"), std::string_view());
    QVERIFY(costOfKernel(*w, "alone").missing.front().find("operator") != std::string::npos);
  }

  void externalIdsNameTheOpWhereTheCallStandsInNone() {
    const auto w = workloadFromText(
        "op 0 10us main aten::mm ext=5\nop 20us 30us main aten::add ext=6\n"
        "call 2us 3us x cudaLaunchKernel corr=1 ext=5\nkernel 5us 8us 7 right corr=1 ext=5\n"
        "call 12us 13us x cudaLaunchKernel corr=2 ext=6\nkernel 15us 16us 7 elsewhen corr=2 ext=6\n"
        "kernel 25us 26us 7 unlaunched corr=9 ext=6\nkernel 27us 28us 7 number corr=5 ext=5\n");
    QCOMPARE(ownerOf(*w, "right"), std::string_view("aten::mm"));
    // An id that names an op of another time is not believed.
    QCOMPARE(ownerOf(*w, "elsewhen"), std::string_view());
    QCOMPARE(ownerOf(*w, "unlaunched"), std::string_view("aten::add"));
    // Where the id is the correlation it names no op.
    QCOMPARE(ownerOf(*w, "number"), std::string_view());
  }

  void theOpRefinesWhatTheNameSays() {
    const auto w = workloadFromText(
        "op 0 10us main aten::cudnn_convolution\ncall 1us 2us main cudaLaunchKernel corr=1\n"
        "kernel 3us 5us 7 ampere_sgemm_128x64_nn corr=1\n");
    const SliceId kernel = sliceNamed(*w->trace, "ampere_sgemm_128x64_nn");
    QCOMPARE(w->classOf(kernel), KernelClass::convolution);
    QCOMPARE(w->labels[w->labelByNameIndex[kernel.index()]].kernelClass, KernelClass::matmul);
    QVERIFY(w->label(kernel).byParentOp);
  }

  void kernelsOfOneOpAreOneCall() {
    const auto w = workloadFromText(
        "op 0 10us main aten::mm\ncall 1us 2us main cudaLaunchKernel corr=1\n"
        "call 3us 4us main cudaLaunchKernel corr=2\nop 11us 20us main aten::mm\n"
        "call 12us 13us main cudaLaunchKernel corr=3\n"
        "kernel 5us 6us 7 a corr=1\nkernel 6us 7us 8 b corr=2\nkernel 15us 16us 7 a corr=3\n");
    QCOMPARE(w->opCalls.size(), std::size_t{2});
    QCOMPARE(w->opCalls[0].deviceWork.size(), std::size_t{2});
    QCOMPARE(w->opCalls[1].deviceWork.size(), std::size_t{1});
    QCOMPARE(w->deviceWork.size(), std::size_t{3});
    QVERIFY(w->opCallOf[w->opCalls[0].op.index()] == Workload::kNone);
  }

  void deviceWorkIsInStartOrderPerDevice() {
    const auto w = workloadFromText(
        "kernel 30 40 0/7 c\nkernel 10 20 0/8 a\nkernel 5 6 1/7 x\nmemcpy 15 50 0/9 b\n");
    QCOMPARE(w->deviceWorkOf.size(), std::size_t{2});
    std::string order;
    for (const SliceId s : w->deviceWorkOf[0]) order += w->trace->name(s);
    QCOMPARE(order, std::string("abc"));
  }

  void aConvolutionTakesItsOutputFromTheOpThatConsumesIt() {
    const auto w =
        workloadFromText(oldConvolution("old_op 11us 12us main aten::empty dims=[[]] types=[\"\"]\n"
                                        "old_op 12us 20us main aten::batch_norm "
                                        "dims=[[2,4,6,6],[4]] types=[\"float\",\"float\"]\n"));
    const OpCost& cost = costOfKernel(*w, "implicit_convolve_sgemm");
    QVERIFY(cost.inferred);
    QVERIFY(cost.flops.has_value());
    // 2 · N·Cout·Ho·Wo · Cin·kh·kw
    QCOMPARE(*cost.flops, 2.0 * (2 * 4 * 6 * 6) * (3 * 3 * 3));
  }

  void anOpOfAnotherSizeIsNoConsumer() {
    const auto w = workloadFromText(
        oldConvolution("old_op 12us 20us main aten::relu dims=[[2,5,6,6]] types=[\"float\"]\n"));
    QVERIFY(!costOfKernel(*w, "implicit_convolve_sgemm").flops.has_value());
    // Larger than a convolution's result can be: not its result.
    const auto larger = workloadFromText(
        oldConvolution("old_op 12us 20us main aten::relu dims=[[2,4,60,60]] types=[\"float\"]\n"));
    QVERIFY(!costOfKernel(*larger, "implicit_convolve_sgemm").flops.has_value());
  }

  void aDeviceWithoutNumbersHasNoPeaksAndSaysWhy() {
    const auto w = workloadFromText("kernel 0 10 7 a\n");
    QCOMPARE(w->peaks.size(), std::size_t{1});
    QVERIFY(w->specOf(DeviceId(0)) == nullptr);
    QVERIFY(!w->peaks[0].match.whyNot.empty());
  }

  void theOnlyKindOfDeviceRecordedIsMeantWhateverItsNumber() {
    TraceBuilder builder;
    Device device;
    device.ordinal = 0;
    device.name = "AMD Instinct MI300X";
    builder.addDevice(device);
    Event event;
    event.name = "kernel";
    event.category = "kernel";
    event.pid = "2";
    event.tid = "0";
    event.dur = 10;
    event.args.device = 2;
    event.args.stream = 0;
    builder.add(event);
    const auto trace = builder.finish().front();
    QCOMPARE(trace->devices().front().ordinal, std::int64_t{2});
    QCOMPARE(trace->devices().front().name, device.name);
  }

  void rangesBelongToTheDeviceOfTheirProcess() {
    TraceBuilder builder;
    Event event;
    event.name = "kernel";
    event.category = "kernel";
    event.pid = "300000002";  // as merged files number them
    event.tid = "7";
    event.dur = 10;
    event.args.device = 2;
    event.args.stream = 7;
    builder.add(event);
    event.category = "gpu_user_annotation";
    event.args = {};
    builder.add(event);
    const auto trace = builder.finish().front();
    QCOMPARE(trace->devices().size(), std::size_t{1});
  }

  void cancellingIsAThirdOutcome() {
    std::stop_source source;
    source.request_stop();
    const auto result =
        makeWorkload(traceFromText("kernel 0 10 7 a\n"), {}, Task(source.get_token()));
    QVERIFY(result.cancelled());
  }

  void mostOfResnet50HasACost() {
    const char* file =
        "traces/kineto/pytorch__kineto/resnet50_num_workers_0/"
        "worker0.1623143089861.pt.trace.json.gz";
    if (sharedFile(file).empty())
      QSKIP("needs the real traces beside the checkout (../shared/traces)");
    auto loaded = loadTrace(sharedFile(file));
    const auto w = makeWorkload(loaded.value().front().trace).value();
    std::size_t known = 0;
    for (const OpCall& call : w->opCalls)
      if (w->costOf(call)->flops && w->costOf(call)->bytes) ++known;
    QVERIFY(known * 100 >= w->opCalls.size() * 99);
    QVERIFY(w->specOf(DeviceId(0)) != nullptr);
    QVERIFY(std::none_of(w->deviceWork.begin(), w->deviceWork.end(),
                         [&](SliceId s) { return !w->opOf[s.index()].valid(); }));
  }
};

QTEST_GUILESS_MAIN(TestWorkload)
#include "tst_workload.moc"
