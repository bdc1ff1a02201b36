#include <QtTest>

#include "core/analysis/compiled_programs.h"
#include "core/workload/host_activity.h"
#include "core/workload/workload.h"
#include "tests/support/loaded_trace.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_dump.h"
#include "tests/support/trace_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// Why a test is skipped: real recordings are never part of the project.
constexpr const char* kNoTraces = "needs the real traces beside the checkout (../shared/traces)";

using Words = std::vector<std::string>;

struct Analysed {
  std::shared_ptr<const Workload> workload;
  CompiledPrograms programs;

  explicit Analysed(const std::shared_ptr<const Trace>& trace)
      : workload(makeWorkload(trace).value()),
        programs(compiledPrograms(*workload, wholeDeviceWindow(*workload))) {}

  [[nodiscard]] const CompiledKernel& kernel(std::string_view wanted) const {
    for (const CompiledProgram& program : programs.programs)
      for (const CompiledKernel& k : program.kernels)
        if (workload->trace->text(k.name) == wanted) return k;
    qFatal("no such kernel");
  }
};

Words opsOf(std::string_view kernel) {
  const auto name = inductorName(kernel);
  return name ? name->ops : Words{"no name of Inductor"};
}

constexpr const char* kRegion = R"(
op     0    50us main 'Torch-Compiled Region: 0/1'
range  1us  49us main '## Call CompiledFxGraph fabc ##'
op     2us  9us  main triton_poi_fused_add_mul_0
call   3us  4us  main cudaLaunchKernel corr=1
op     10us 19us main aten::mm
call   11us 12us main cudaLaunchKernel corr=2
kernel 20us 30us 7    triton_poi_fused_add_mul_0 corr=1
kernel 30us 60us 7    ampere_sgemm_128x64 corr=2
op     60us 70us main aten::relu
call   61us 62us main cudaLaunchKernel corr=3
kernel 70us 80us 7    relu_kernel corr=3
)";

}  // namespace

class CompiledProgramsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesOfInductorPartIntoTheOpsThatTheyFuse() {
    QCOMPARE(opsOf("triton_poi_fused_add_cos_sin_0"), (Words{"add", "cos", "sin"}));
    QCOMPARE(opsOf("triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1"),
             (Words{"_unsafe_view", "add", "mean", "mul", "pow", "rsqrt"}));
    QCOMPARE(opsOf("triton_per_fused__softmax_native_layer_norm_native_layer_norm_backward_7"),
             (Words{"_softmax", "native_layer_norm", "native_layer_norm_backward"}));
    QCOMPARE(opsOf("triton_poi_fused_add_bitwise_and_bitwise_not_ge_sub_0"),
             (Words{"add", "bitwise_and", "bitwise_not", "ge", "sub"}));
    QCOMPARE(inductorName("triton_tem_fused_mm_3")->kind, std::string("tem"));
    QCOMPARE(opsOf("triton_for_fused_3"), Words{});
  }

  void whatTritonAndRocmAppendIsNoOp() {
    QCOMPARE(opsOf("triton_poi_fused_add_1_0d1d2de"), Words{"add"});
    QCOMPARE(opsOf("triton_poi_fused_add_1.kd"), Words{"add"});
  }

  void kernelsWrittenByHandHaveNoNameOfInductor() {
    for (const char* name :
         {"triton_softmax_kernel", "_layer_norm_fwd_fused", "triton_poi", "triton__0d1d2d3d",
          "triton_poi_fused_add", "my_triton_poi_fused_add_0", "triton_mm_fused_kernel_3"})
      QVERIFY2(!inductorName(name), name);
  }

  void aRegionHoldsItsKernelsAndNotTheOneBehindIt() {
    const Analysed a(traceFromText(kRegion));
    QCOMPARE(a.programs.programs.size(), std::size_t{1});
    const CompiledProgram& program = a.programs.programs[0];
    QCOMPARE(program.kind, ProgramKind::fxGraph);
    QCOMPARE(program.name, std::string("fabc"));
    QCOMPARE(program.region, std::string("Torch-Compiled Region: 0/1"));
    QCOMPARE(program.runs.size(), std::size_t{1});
    QCOMPARE(program.runs[0].pieces, std::uint64_t{2});
    QCOMPARE(program.total, TimeNs{40'000});
    QCOMPARE(a.programs.deviceTotal, TimeNs{50'000});
    QCOMPARE(program.share, 0.8);
    QCOMPARE(a.kernel("triton_poi_fused_add_mul_0").sourceOps, (Words{"add", "mul"}));
    QCOMPARE(a.kernel("triton_poi_fused_add_mul_0").kind, std::string("poi"));
    QVERIFY(a.kernel("ampere_sgemm_128x64").sourceOps.empty());
  }

  void recordingsOfOlderVersionsMarkARegionByCompiledFunction() {
    const Analysed a(traceFromText(R"(
op     0    50us main CompiledFunction
call   3us  4us  main cudaLaunchKernel corr=1
kernel 20us 30us 7    triton_red_fused_sum_0 corr=1
)"));
    QCOMPARE(a.programs.programs[0].kind, ProgramKind::region);
    QCOMPARE(a.programs.programs[0].name, std::string("CompiledFunction"));
  }

  void aNameOfInductorWithoutARegionIsListedApart() {
    const Analysed a(traceFromText(R"(
op     0    5us  main aten::add
call   3us  4us  main cudaLaunchKernel corr=1
kernel 20us 30us 7    triton_poi_fused_add_0 corr=1
)"));
    QCOMPARE(a.programs.programs.size(), std::size_t{1});
    QCOMPARE(a.programs.programs[0].kind, ProgramKind::unmarked);
    QVERIFY(a.programs.programs[0].runs.empty());
  }

  void aTritonKernelWrittenByHandIsNoCompiledProgram() {
    const Analysed a(traceFromText(R"(
op     0    5us  main my_softmax
call   3us  4us  main cudaLaunchKernel corr=1
kernel 20us 30us 7    triton_softmax_kernel corr=1
)"));
    QVERIFY(a.programs.programs.empty());
    QVERIFY(a.programs.sentence.empty());
    QVERIFY(a.programs.missing.find("torch.compile") != std::string::npos);
  }

  void replaysOfEqualKernelsAreOneGraph() {
    const Analysed a(traceFromText(R"(
call   0    2us  main cudaGraphLaunch corr=1
kernel 3us  4us  7    a corr=1
kernel 4us  6us  7    b corr=1
call   10us 12us main cudaGraphLaunch corr=2
kernel 13us 14us 7    a corr=2
kernel 14us 16us 7    b corr=2
call   20us 22us main cudaGraphLaunch corr=3
kernel 23us 24us 7    a corr=3
call   30us 32us main cudaLaunchKernel corr=4
kernel 33us 34us 7    a corr=4
)"));
    QCOMPARE(a.programs.programs.size(), std::size_t{2});
    const CompiledProgram& twice = a.programs.programs[0];
    QCOMPARE(twice.kind, ProgramKind::deviceGraph);
    QCOMPARE(twice.runs.size(), std::size_t{2});
    QCOMPARE(twice.runs[0].pieces, std::uint64_t{2});
    QCOMPARE(twice.total, TimeNs{6'000});
    QCOMPARE(a.programs.programs[1].calls, std::uint64_t{1});
    QCOMPARE(a.programs.total, TimeNs{7'000});
  }

  void aRecordedNumberTellsGraphsApart() {
    const Analysed a(traceFromText(R"(
call   0    2us  main cudaGraphLaunch corr=1
kernel 3us  4us  7    a corr=1 graph=5 node=1
call   10us 12us main cudaGraphLaunch corr=2
kernel 13us 14us 7    a corr=2 graph=6 node=1
)"));
    QCOMPARE(a.programs.programs.size(), std::size_t{2});
    QCOMPARE(a.programs.programs[0].name, std::string("graph 5"));
  }

  void modulesOfXlaHoldTheirInstructionsAndSourceLines() {
    // The file must outlive the analysis, which reads args from it.
    const TemporaryFile file(R"json({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
{"ph":"M","pid":3,"tid":2,"name":"thread_name","args":{"name":"XLA Modules"}},
{"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"X","pid":3,"tid":2,"ts":0,"dur":90,"name":"jit_step(1)"},
{"ph":"X","pid":3,"tid":3,"ts":0,"dur":40,"name":"fusion.1","args":{
 "hlo_category":"convolution fusion","tf_op":"jit(f)/dot_general:","source":"model.py:12"}},
{"ph":"X","pid":3,"tid":2,"ts":100,"dur":90,"name":"jit_step(1)"},
{"ph":"X","pid":3,"tid":3,"ts":100,"dur":50,"name":"fusion.1","args":{
 "hlo_category":"convolution fusion","tf_op":"jit(f)/dot_general:","source":"model.py:12"}}]})json");
    const auto trace = loadFile(file.path());
    QVERIFY(trace);
    const Analysed a(trace);
    QCOMPARE(a.programs.programs.size(), std::size_t{1});
    const CompiledProgram& module = a.programs.programs[0];
    QCOMPARE(module.kind, ProgramKind::xlaModule);
    QCOMPARE(module.name, std::string("jit_step"));
    QCOMPARE(module.runs.size(), std::size_t{2});
    QCOMPARE(module.total, TimeNs{90'000});
    QCOMPARE(a.kernel("fusion.1").calls, std::uint64_t{2});
    QCOMPARE(a.kernel("fusion.1").sourceLine, std::string("model.py:12"));
    QVERIFY(a.kernel("fusion.1").sourceOps.front().find("dot_general") != std::string::npos);
  }

  /// Lazy loading: the first launch of a kernel holds the load of its module.
  void aLoadWithinALaunchCountsOnce() {
    const Analysed a(traceFromText(R"(
step   0     100ms main ProfilerStep#0
call   1ms   51ms  main cudaLaunchKernel corr=1
call   2ms   50ms  main cuModuleLoadData
kernel 51ms  52ms  7    a corr=1
step   100ms 200ms main ProfilerStep#1
call   101ms 102ms main cudaLaunchKernel corr=2
kernel 103ms 104ms 7    a corr=2
)"));
    QCOMPARE(a.programs.compiling.size(), std::size_t{1});
    QCOMPARE(a.programs.compileTotal, TimeNs{50'000'000});
  }

  void compileTimeIsNamedAndItsStepLeftOut() {
    const Analysed a(traceFromText(R"(
step   0     100us main ProfilerStep#0
op     1us   60us  main 'OutputGraph.compile_inner (dynamo_timed)'
op     5us   50us  main 'compile_fx_inner (dynamo_timed)'
call   70us  71us  main cudaLaunchKernel corr=1
kernel 72us  80us  7    a corr=1
step   100us 200us main ProfilerStep#1
op     110us 120us main 'TorchDynamo Cache Lookup'
call   170us 171us main cudaLaunchKernel corr=2
kernel 172us 180us 7    a corr=2
step   200us 300us main ProfilerStep#2
call   270us 271us main cudaLaunchKernel corr=3
kernel 272us 280us 7    a corr=3
)"));
    QCOMPARE(a.programs.compiling.size(), std::size_t{1});
    QCOMPARE(a.programs.compileTotal, TimeNs{59'000});
    QCOMPARE(a.programs.compileSteps.size(), std::size_t{1});
    QCOMPARE(a.programs.compileSteps[0].step, std::size_t{0});
    const Steps& steps = a.workload->steps;
    QVERIFY(!steps.steps[0].steady);
    QVERIFY(steps.steps[0].why.find("compile") != std::string::npos);
    QVERIFY(steps.steps[1].steady && steps.steps[2].steady);
    QVERIFY(a.programs.sentence.find("left out of the steady steps") != std::string::npos);
  }

  void whatTritonRunsOnEveryLaunchIsNoCompilation() {
    const auto of = [](const char* name) { return hostActivityOf(Category::pythonFunction, name); };
    QCOMPARE(of("triton/compiler/compiler.py(482): launch_metadata"), HostActivity::python);
    QCOMPARE(of("triton/compiler/compiler.py(476): run"), HostActivity::python);
    QCOMPARE(of("triton/compiler/compiler.py(226): compile"), HostActivity::compileLoad);
  }

  void aCallOfAGraphThatOverlapsWithoutNestingIsFound() {
    const Analysed a(traceFromText(R"(
op     0    50us main 'Torch-Compiled Region: 0/1'
range  1us  60us main '## Call CompiledFxGraph fabc ##'
call   3us  4us  main cudaLaunchKernel corr=1
kernel 20us 30us 7    triton_poi_fused_add_0 corr=1
)"));
    QCOMPARE(a.programs.programs[0].kind, ProgramKind::fxGraph);
    QCOMPARE(a.programs.programs[0].region, std::string("Torch-Compiled Region: 0/1"));
  }

  void realRecordingsOfTorchCompileTellFileAndHash() {
    const std::string path = sharedFile(
        "traces/kineto/facebookresearch__HolisticTraceAnalysis/triton_example/"
        "triton_example.json.gz");
    if (path.empty()) QSKIP(kNoTraces);
    const Analysed a(loadFile(path));
    const CompiledKernel& kernel = a.kernel("triton_poi_fused_add_cos_sin_0");
    QCOMPARE(kernel.sourceOps, (Words{"add", "cos", "sin"}));
    QCOMPARE(kernel.backend, std::string("triton"));
    QCOMPARE(kernel.hash, std::string("cqaokwf2bph4egogzevc22vluasiyuui4i54zpemp6knbsggfbuu"));
    QCOMPARE(a.programs.programs[0].name, std::string("Torch-Compiled Region: 0/0"));
  }

  void realRecordingsOfInductorGraphsHoldLibraryKernelsToo() {
    const std::string path =
        sharedFile("traces/kineto/AMD-AGI__TraceLens/torch_compile_triton/trace.json.gz");
    if (path.empty()) QSKIP(kNoTraces);
    const Analysed a(loadFile(path));
    QCOMPARE(a.programs.programs.size(), std::size_t{1});
    const CompiledProgram& program = a.programs.programs[0];
    QCOMPARE(program.kind, ProgramKind::fxGraph);
    QCOMPARE(program.name, std::string("fal4xpiah2v6blbfmwwonu52dvevbsmlh743q5tkclrt4gcqpzea"));
    std::size_t inductor = 0;
    for (const CompiledKernel& kernel : program.kernels) inductor += kernel.kind.empty() ? 0 : 1;
    QVERIFY(inductor >= 3);
    QVERIFY(program.kernels.size() > inductor);
  }

  void realGraphReplaysAreOneProgram() {
    const std::string path = sharedFile(
        "traces/kineto/AMD-AGI__TraceLens/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz");
    if (path.empty()) QSKIP(kNoTraces);
    const Analysed a(loadFile(path));
    QVERIFY(!a.programs.programs.empty());
    QCOMPARE(a.programs.programs[0].kind, ProgramKind::deviceGraph);
    QVERIFY(a.programs.programs[0].runs[0].pieces > 100);
  }

  void realXlaModulesOnGpusHaveNoMarkedRuns() {
    const std::string path = sharedFile(
        "traces/jax/AMD-AGI__TraceLens/test_data_jax_te_fused_attn_categorization/"
        "934987a2fc2f.converted.trace.json.gz");
    if (path.empty()) QSKIP(kNoTraces);
    const Analysed a(loadFile(path));
    QCOMPARE(a.programs.programs[0].kind, ProgramKind::xlaModule);
    QVERIFY(a.programs.programs[0].name.substr(0, 4) == "jit_");
    QVERIFY(a.programs.programs[0].runs.empty());
  }
};

QTEST_GUILESS_MAIN(CompiledProgramsTest)
#include "tst_compiled_programs.moc"
