#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <QtTest>

#include "core/workload/kernel_class.h"
#include "core/workload/kernel_name.h"
#include "core/workload/kernel_rules.h"
#include "core/workload/name_pattern.h"
#include "resources/embedded.h"
#include "tests/core/tst_kernel_class_libraries.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;

namespace {

struct Sample {
  const char* name;
  const char* category;
  const char* kernelClass;
  const char* subclass;  // nullptr = not asked
};

struct OracleRow {
  std::string category;
  std::string name;
  long count = 0;
  std::string eventCategory;
};

std::vector<OracleRow> readOracle(const std::string& path) {
  std::vector<OracleRow> rows;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    std::size_t start = 0;
    while (start <= line.size()) {
      const std::size_t stop = std::min(line.find('\t', start), line.size());
      fields.push_back(line.substr(start, stop - start));
      start = stop + 1;
    }
    if (fields.size() >= 4) rows.push_back({fields[0], fields[1], std::stol(fields[2]), fields[3]});
  }
  return rows;
}

QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

}  // namespace

class TstKernelClass : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theRulesOfTheProgramCanBeRead() {
    const Result<KernelRules> rules = readKernelRules(embeddedFile("rules/kernel_classes.json"));
    QVERIFY2(rules.ok(), rules.ok() ? "" : rules.error().text().c_str());
    std::set<std::string> ids;
    for (const NameRule& rule : rules.value().rules) QVERIFY(ids.insert(rule.id).second);
    for (const NameRule& rule : rules.value().payloadRules) QVERIFY(ids.insert(rule.id).second);
  }

  void namesOfRealTracesGetTheirCategory() {
    const std::string path = test::sharedFile("oracles/kernel_names.tsv");
    if (path.empty()) QSKIP("the list of real kernel names is not beside the checkout");
    const std::vector<OracleRow> rows = readOracle(path);
    QVERIFY(rows.size() > 500);
    long events = 0;
    long rightEvents = 0;
    std::size_t rightNames = 0;
    for (const OracleRow& row : rows) {
      const KernelLabel label = KernelClassifier::builtin().classify(row.name, row.eventCategory);
      events += row.count;
      if (label.oracleCategory != row.category) {
        qInfo("%s, not %s: %.120s", std::string(label.oracleCategory).c_str(), row.category.c_str(),
              row.name.c_str());
        continue;
      }
      ++rightNames;
      rightEvents += row.count;
    }
    qInfo("%zu of %zu names, %ld of %ld events right", rightNames, rows.size(), rightEvents,
          events);
    QVERIFY(static_cast<double>(rightNames) >= 0.97 * static_cast<double>(rows.size()));
    QVERIFY(static_cast<double>(rightEvents) >= 0.99 * static_cast<double>(events));
  }

  void theNameAloneIsEnoughForRealNames() {
    // ridgeline-cli classify has no event categories.
    const std::string path = test::sharedFile("oracles/kernel_names.tsv");
    if (path.empty()) QSKIP("the list of real kernel names is not beside the checkout");
    std::size_t right = 0;
    const std::vector<OracleRow> rows = readOracle(path);
    for (const OracleRow& row : rows) {
      if (classifyLine(row.name).starts_with(row.category + "\t")) ++right;
    }
    QVERIFY(static_cast<double>(right) >= 0.97 * static_cast<double>(rows.size()));
  }

  void kernelsGetTheirClass_data();
  void kernelsGetTheirClass() {
    QFETCH(QString, name);
    QFETCH(QString, category);
    QFETCH(QString, kernelClass);
    QFETCH(QString, subclass);
    const KernelLabel label = KernelClassifier::builtin().classify(name.toStdString());
    QCOMPARE(text(label.oracleCategory), category);
    QCOMPARE(text(ridgeline::name(label.kernelClass)), kernelClass);
    if (!subclass.isNull()) QCOMPARE(text(label.subclass), subclass);
    QVERIFY(!label.rule.empty());
  }

  void namesOfOtherLibrariesGetTheirCategory() {
    for (const LibraryNames& group : libraryNames()) {
      for (const char* name : group.names) {
        const KernelLabel label = KernelClassifier::builtin().classify(name);
        QVERIFY2(label.oracleCategory == group.category,
                 (std::string(name) + ": " + std::string(label.oracleCategory) + " by " +
                  std::string(label.rule))
                     .c_str());
      }
    }
  }

  void whatNoRuleFitsStaysUnknown() {
    for (const char* name : {"", "my_own_business", "saxpy(double*, double)", "Kernel", "_Z", "<",
                             "((((", "_ZN99999999999999999999x", "void <>()"}) {
      const KernelLabel label = KernelClassifier::builtin().classify(name);
      QVERIFY2(label.kernelClass == KernelClass::unknown, name);
      QCOMPARE(label.oracleCategory, std::string_view("other"));
      QVERIFY(label.rule.empty());
    }
  }

  void theEventsOwnCategoryDecidesCopies() {
    const KernelClassifier& classifier = KernelClassifier::builtin();
    QCOMPARE(classifier.classify("anything", "gpu_memcpy").kernelClass, KernelClass::memcpy);
    QCOMPARE(classifier.classify("anything", "Memset").kernelClass, KernelClass::memset);
    QCOMPARE(classifier.classify("Event Sync", "cuda_sync").kernelClass, KernelClass::sync);
  }

  void namesAreTakenApart_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("payload");
    const auto row = [](const char* name, const char* base, const char* payload) {
      QTest::addRow("%.40s", name)
          << QString::fromLatin1(name) << QString::fromLatin1(base) << QString::fromLatin1(payload);
    };
    row("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn", "");
    row("void at::native::(anonymous namespace)::foo<int, bar<float> >(int*)", "at::native::foo",
        "int, bar<float> ");
    row("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(int)",
        "internal::gemvx::kernel", "int, 7");
    row("std::enable_if<(((8)>(0)))&&x<int>::exists, void>::type vllm::norm<c10::BFloat16, 8>(c10)",
        "vllm::norm", "c10::BFloat16, 8");
    row("void foo<at::x::operator()(int)::{lambda(float)#1}>(int)", "foo",
        "at::x::operator()(int)::{closure(float)#1}");
    row("gemm_kernel[SIMD32 {64; 1; 1} {256; 1; 1}]", "gemm_kernel", "");
    row("loop_add_fusion.kd", "loop_add_fusion", "");
    row("void cut<int, at::nati", "cut", "int, at::nati");
    row("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bLi256EEEvPT0_PT_",
        "aiter::add_rmsnorm_quant_kernel", "half, 256");
    row("_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOneP", "ck_tile::kentry",
        "Rmsnorm2dFwd, Rmsnorm2dFwdPipelineOneP");
    row("_ZTSN2at6native3xpu7fooBarsIfEE", "at::native::xpu::fooBars", "float");
    row("_Z6kernelPfi", "kernel", "");
  }

  void namesAreTakenApart() {
    QFETCH(QString, name);
    QFETCH(QString, base);
    QFETCH(QString, payload);
    const KernelName parts = splitKernelName(name.toStdString());
    QCOMPARE(text(parts.base), base);
    QCOMPARE(text(parts.payload), payload);
  }

  void patternsFindWhatTheySay() {
    const auto matches = [](const char* pattern, const char* name) {
      const Result<NamePattern> parsed = NamePattern::parse(pattern);
      return parsed.ok() && parsed.value().matches(NameText(name));
    };
    QVERIFY(matches("gemm", "Volta_SGEMM_nn"));
    QVERIFY(matches("^a*c$", "abbbc"));
    QVERIFY(!matches("^a*c$", "abbbcd"));
    QVERIFY(!matches("^b", "ab"));
    QVERIFY(matches("~rope~", "_fused_qk_rope_reshape"));
    QVERIFY(matches("~rope~", "applyBiasRopeUpdate"));
    QVERIFY(matches("~norm", "QKNormKernel"));
    QVERIFY(!matches("~rope~", "europe"));
    QVERIFY(matches("triton__#d", "triton__0d1d2d"));
    QVERIFY(!matches("sm#_x", "sm_x"));
    QVERIFY(matches("all_?reduce", "AllReduce"));
    QVERIFY(matches("(one|two)_shot_?reduce", "two_shot_reduce"));
    QVERIFY(matches("a(b|c)?d", "ad"));
    QVERIFY(matches("x*y*z", "x1y2z"));
    QVERIFY(!matches("x*y*z", "xzy"));
    QVERIFY(NamePattern::parse("").failed());
    QVERIFY(NamePattern::parse("(a").failed());
    QVERIFY(NamePattern::parse("a|b").failed());
  }

  void aHugeNameIsNoProblem() {
    const std::string name = "void foo<" + std::string(2'000'000, '<') + ">(int)";
    QCOMPARE(KernelClassifier::builtin().classify(name).kernelClass, KernelClass::unknown);
    std::string nested = "_Z";
    for (int i = 0; i < 20'000; ++i) nested += "N3abcI";
    QVERIFY(!classifyLine(nested).empty());
  }

  void matrixUnitsAreKnownByName() {
    const auto unit = [](const char* name) {
      return KernelClassifier::builtin().classify(name).matrixUnit;
    };
    for (const char* name :
         {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4>(Params)",
          "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn",
          "nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT",
          "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_execute",
          "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x512_MI16x16x1_SN_LDSB1",
          "volta_fp16_h884gemm_64x64_ldg8_nn", "igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt128x128x32"}) {
      QVERIFY2(unit(name) == MatrixUnit::yes, name);
    }
    for (const char* name :
         {"volta_sgemm_128x64_nn", "ampere_sgemm_32x128_tn", "volta_scudnn_128x64_relu_small_nn_v1",
          "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)",
          "Cijk_Ailk_Bljk_SB_MT128x64x8_SE_1LDSB0",
          "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> "
          ">(int)"}) {
      QVERIFY2(unit(name) == MatrixUnit::no, name);
    }
    QVERIFY(unit("some_gemm_kernel") == MatrixUnit::unknown);
  }

  void theOperatorAroundRefines() {
    const auto refined = [](const char* name, const char* op) {
      return refine(KernelClassifier::builtin().classify(name), op);
    };
    const KernelLabel conv = refined("ampere_gcgemm_64x64_nt", "aten::cudnn_convolution");
    QCOMPARE(conv.kernelClass, KernelClass::convolution);
    QVERIFY(conv.byParentOp);
    QCOMPARE(refined("ampere_sgemm_64x64_nt", "aten::convolution_backward").subclass,
             std::string_view("bwd"));
    QCOMPARE(refined("volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1",
                     "aten::cudnn_convolution_backward_weight")
                 .subclass,
             std::string_view("wgrad"));
    QVERIFY(
        !refined("sm80_xmma_wgrad_implicit_gemm_tf32f32", "aten::convolution_backward").byParentOp);
    const KernelLabel gemm = refined("ampere_sgemm_64x64_nt", "aten::addmm");
    QCOMPARE(gemm.kernelClass, KernelClass::matmul);
    QVERIFY(!gemm.byParentOp);
    QCOMPARE(refined("ncclDevKernel_Generic(int)", "nccl:all_to_all").subclass,
             std::string_view("all-to-all"));
    QCOMPARE(refined("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(int)", "nccl:all_gather").subclass,
             std::string_view("all-reduce"));
    QCOMPARE(refined("mystery", "aten::native_layer_norm").kernelClass, KernelClass::normalization);
    QCOMPARE(refined("mystery", "").kernelClass, KernelClass::unknown);
  }

  void collectivesAreNamed() {
    QCOMPARE(collectiveKind("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"),
             std::string_view("reduce-scatter"));
    QCOMPARE(collectiveKind("c10d::_allgather_base_"), std::string_view("all-gather"));
    QCOMPARE(collectiveKind("c10d::alltoall_base_"), std::string_view("all-to-all"));
    QCOMPARE(collectiveKind("nccl:all_reduce"), std::string_view("all-reduce"));
    QCOMPARE(collectiveKind("_c10d_functional::reduce_scatter_tensor"),
             std::string_view("reduce-scatter"));
    QCOMPARE(collectiveKind("c10d::send"), std::string_view("send-recv"));
    QCOMPARE(collectiveKind("c10d::recv_"), std::string_view("send-recv"));
    QCOMPARE(collectiveKind("allreduce"), std::string_view("all-reduce"));
    QCOMPARE(collectiveKind("_reduce_scatter_base"), std::string_view("reduce-scatter"));
    QCOMPARE(collectiveKind("ncclDevKernel_Generic"), std::string_view("generic"));
  }

  void aUsersRulesComeFirst() {
    const Result<KernelClassifier> user = KernelClassifier::builtin().withUserRules(
        "{\"version\": 1, \"rules\": ["
        "{\"id\": \"mine\", \"regex\": \"^my_.*gemm\", \"class\": \"attention\","
        " \"subclass\": \"ours\"},"
        "{\"regex\": \"business\", \"class\": \"copy\"}]}");
    QVERIFY(user.ok());
    const KernelLabel label = user.value().classify("my_special_gemm");
    QCOMPARE(label.kernelClass, KernelClass::attention);
    QCOMPARE(label.subclass, std::string_view("ours"));
    QCOMPARE(label.rule, std::string_view("mine"));
    QCOMPARE(user.value().classify("my_own_BUSINESS").kernelClass, KernelClass::copy);
    QCOMPARE(user.value().classify("other_gemm").kernelClass, KernelClass::matmul);
    for (const char* wrong :
         {"{", "[]", "{\"version\": 1, \"rules\": [{\"regex\": \"a\", \"class\": \"nonsense\"}]}",
          "{\"version\": 1, \"rules\": [{\"regex\": \"(\", \"class\": \"copy\"}]}",
          "{\"version\": 1, \"rules\": [{\"class\": \"copy\"}]}", "{\"version\": \"x\"}"}) {
      QVERIFY2(KernelClassifier::builtin().withUserRules(wrong).failed(), wrong);
    }
  }

  void wrongRulesAreRefusedWithTheirPlace() {
    const std::string head = "{\"version\": 1, \"payload_rules\": [], \"parent_rules\": [], ";
    for (const std::string& wrong :
         {std::string("{}"), head + "\"rules\": [{\"id\": \"a\"}]}",
          head + "\"rules\": [{\"id\": \"a\", \"class\": \"matmul\", \"category\": \"gemm\", "
                 "\"patterns\": [\"(\"]}]}"}) {
      const Result<KernelClassifier> classifier = KernelClassifier::fromJson(wrong);
      QVERIFY2(classifier.failed(), wrong.c_str());
      QVERIFY(!classifier.error().where.empty());
    }
  }

  void classesHaveNames() {
    for (int i = 0; i < kKernelClassCount; ++i) {
      const KernelClass one = static_cast<KernelClass>(i);
      QVERIFY(kernelClassNamed(ridgeline::name(one)) == one);
    }
    QVERIFY(!kernelClassNamed("nonsense"));
  }
};

#include "tst_kernel_class_samples.h"

QTEST_GUILESS_MAIN(TstKernelClass)
#include "tst_kernel_class.moc"
