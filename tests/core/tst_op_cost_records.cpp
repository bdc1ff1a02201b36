// What has no table of sizes: lists of tensors, collectives, memory records, views; and records
// that no rule was written for.

#include <cmath>

#include <QTest>

#include "core/workload/op_cost.h"
#include "tests/support/op_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

class TestOpCostRecords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void listsTakeTheirTypeFromTheKernel();
  void collectivesCountTheirMessage();
  void memoryRecordsCountTheirBytes();
  void viewsCostNothing();
  void everyRuleStandsStrangeRecords();
  void familiesByNameAlone();
};

void TestOpCostRecords::listsTakeTheirTypeFromTheKernel() {
  const char* dims = "[[[128,128],[128]],[[128,128],[128]],[]]";
  const char* recorded = R"(["TensorList","TensorList","Scalar"])";
  const double n = 128 * 128 + 128;
  const OpCost untyped = costOfText("aten::_foreach_add_", dims, recorded);
  QCOMPARE(flops(untyped), n);
  QVERIFY(!untyped.bytes && !untyped.missing.empty());
  CostContext context;
  context.kernelName =
      "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, "
      "BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, std::plus<float>, float>";
  const OpCost typed = costOfText("aten::_foreach_add_", dims, recorded, "", context);
  QCOMPARE(bytes(typed), 2 * 3 * n);
  QVERIFY(typed.inferred && typed.computeType == DType::BFloat16);
  context.kernelName = "CatArrayBatchedCopy<OpaqueType<4u>, unsigned int, 4, 64, 64>";
  const OpCost cat = costOfText("aten::cat", "[[[2,3],[4,3]],[]]", R"(["TensorList","Scalar"])",
                                R"(["","0"])", context);
  QCOMPARE(bytes(cat), 4.0 * 2 * 18);
  context.kernelName = "FusedAdamMathFunctor<float, 4, ADAM_MODE::ADAMW, false>";
  const OpCost adam =
      costOfText("aten::_fused_adamw_", "[[[10],[5]],[[10],[5]],[[10],[5]],[[10],[5]],[],[[],[]]]",
                 types("TensorList", 6), "", context);
  QCOMPARE(flops(adam), 14.0 * 15);
  QCOMPARE(bytes(adam), 28.0 * 15);
  const OpCost sgd = costOfText("aten::_fused_sgd_", "[[[10],[5]],[[10],[5]],[[10],[5]]]",
                                types("TensorList", 3), "", context);
  QCOMPARE(flops(sgd), 4.0 * 15);
  QCOMPARE(bytes(sgd), 20.0 * 15);
  const OpCost zero =
      costOfText("aten::_foreach_zero_", "[[[10],[5]]]", types("TensorList", 1), "", context);
  QCOMPARE(bytes(zero), 60.0);
  // More than 30 tensors: the sizes were left out.
  const OpCost large = costOfText("aten::_foreach_add_", "[[],[],[]]", recorded);
  QVERIFY(!large.flops && !large.missing.empty());
}

void TestOpCostRecords::collectivesCountTheirMessage() {
  const OpCost reduce = costOfText("nccl:all_reduce", "[[1000]]", R"(["float"])");
  QCOMPARE(bytes(reduce), 4000.0);
  QCOMPARE(flops(reduce), 0.0);
  const OpCost gather = costOfText("c10d::_allgather_base_", "[[8,100],[1,100],[],[],[]]",
                                   R"(["c10::BFloat16","c10::BFloat16","","Scalar","Scalar"])");
  QCOMPARE(bytes(gather), 1600.0);
  const OpCost scatter = costOfText("c10d::_reduce_scatter_base_", "[[100],[800],[],[],[]]",
                                    R"(["float","float","","Scalar","Scalar"])");
  QCOMPARE(bytes(scatter), 3200.0);
  const OpCost alone = costOfText("nccl:_all_gather_base", "[[1,100]]", R"(["c10::BFloat16"])");
  QVERIFY(!alone.bytes && !alone.missing.empty());
  CostContext context;
  context.groupSize = 8;
  QCOMPARE(
      bytes(costOfText("nccl:_all_gather_base", "[[1,100]]", R"(["c10::BFloat16"])", "", context)),
      1600.0);
  QCOMPARE(bytes(costOfText("vllm::all_gather", "[[1,100],[],[],[]]",
                            R"(["c10::BFloat16","Scalar","Scalar",""])", R"(["","-1","8",""])")),
           1600.0);
  QCOMPARE(flops(costOfText("c10d::barrier", "[[]]", R"([""])")), 0.0);
}

void TestOpCostRecords::memoryRecordsCountTheirBytes() {
  CostContext context;
  context.transferBytes = 1000;
  QCOMPARE(bytes(costOfText("Memcpy HtoD (Pageable -> Device)", "", "", "", context)), 1000.0);
  QCOMPARE(bytes(costOfText("Memcpy DtoD (Device -> Device)", "", "", "", context)), 2000.0);
  QCOMPARE(bytes(costOfText("Memset (Device)", "", "", "", context)), 1000.0);
  QVERIFY(!costOfText("Memset (Device)", "", "").bytes);
  QCOMPARE(costOfText("Memcpy HtoD (Pageable -> Device)", "", "", "", context).family,
           OpFamily::Transfer);
}

void TestOpCostRecords::viewsCostNothing() {
  for (const char* op : {"aten::view", "aten::t", "aten::expand", "aten::as_strided_",
                         "aten::empty_strided", "aten::detach_", "_c10d_functional::wait_tensor"}) {
    const OpCost cost = costOfText(op, "", "");  // even without a record
    QCOMPARE(flops(cost), 0.0);
    QCOMPARE(bytes(cost), 0.0);
    QCOMPARE(cost.family, OpFamily::View);
    QVERIFY(cost.missing.empty());
  }
}

void TestOpCostRecords::everyRuleStandsStrangeRecords() {
  const std::vector<const char*> ops{"aten::mm",
                                     "aten::addmm",
                                     "aten::linear",
                                     "aten::matmul",
                                     "aten::_scaled_mm",
                                     "aten::_grouped_mm",
                                     "aten::einsum",
                                     "aten::tensordot",
                                     "aten::_weight_int4pack_mm",
                                     "aten::convolution",
                                     "aten::convolution_backward",
                                     "aten::cudnn_convolution_backward_weight",
                                     "aten::conv_transpose2d",
                                     "aten::cudnn_convolution_backward_bias",
                                     "aten::scaled_dot_product_attention",
                                     "aten::_flash_attention_forward",
                                     "aten::_efficient_attention_backward",
                                     "flex_attention",
                                     "aten::native_layer_norm",
                                     "aten::native_batch_norm_backward",
                                     "aten::native_group_norm",
                                     "_C::fused_add_rms_norm",
                                     "aten::_softmax",
                                     "aten::cross_entropy_loss",
                                     "aten::nll_loss_backward",
                                     "aten::mse_loss",
                                     "aten::add",
                                     "aten::where",
                                     "aten::sum",
                                     "aten::max",
                                     "aten::sort",
                                     "aten::topk",
                                     "aten::_fft_c2r",
                                     "aten::_fft_r2c",
                                     "aten::cat",
                                     "aten::arange",
                                     "aten::zeros",
                                     "aten::constant_pad_nd",
                                     "aten::repeat",
                                     "aten::max_pool2d_with_indices",
                                     "aten::adaptive_avg_pool2d",
                                     "aten::avg_pool2d_backward",
                                     "aten::upsample_bilinear2d",
                                     "aten::embedding",
                                     "aten::_embedding_bag",
                                     "aten::index_select",
                                     "aten::scatter_add_",
                                     "aten::index_fill_",
                                     "aten::_fused_adamw_",
                                     "aten::_foreach_norm",
                                     "c10d::allreduce_",
                                     "nccl:_all_gather_base",
                                     "_C::rotary_embedding",
                                     "sgl_kernel::silu_and_mul",
                                     "fbgemm::FP8RowwiseQuantizedToFloat",
                                     "triton_red_fused_x",
                                     "aten::bucketize"};
  const std::vector<const char*> dims{
      "[]",
      "[[]]",
      "[[0]]",
      "[[0,0],[0,0]]",
      "[[2,3]]",
      "[[2,3],[3,2],[2]]",
      "[[-1,5],[5,-1]]",
      "[[[1],[2]],[]]",
      "[[[]],[[]]]",
      "[[1,2,3,4],[4,3,2,1],[2,2,2,2],[1]]",
      "[[2,2,2,2],[2,2,2,2],[2,2,2,2],[2,2,2,2],[2],[2],[2],[2],[2],[2],[2],[2]]"};
  const std::vector<const char*> values{
      "", "[]", R"(["","[0]","[0, 0]","0","","[-9]","-1","True"])",
      R"(["x","-99","[99]","[1, 2, 3]","[0, 0]","[-1, -1]","[0]","","","","[True]"])"};
  for (const char* op : ops)
    for (const char* size : dims)
      for (const char* value : values)
        for (const char* type : {"float", "", "TensorList", "long int"}) {
          const OpCost cost = costOfText(op, size, types(type, 12), value);
          QVERIFY2(cost.flops || !cost.missing.empty(), op);
          QVERIFY2(cost.bytes || !cost.missing.empty(), op);
          if (cost.flops) QVERIFY2(*cost.flops >= 0 && std::isfinite(*cost.flops), op);
          if (cost.bytes) QVERIFY2(*cost.bytes >= 0 && std::isfinite(*cost.bytes), op);
        }
}

void TestOpCostRecords::familiesByNameAlone() {
  QCOMPARE(familyOf("aten::addmm"), OpFamily::MatrixProduct);
  QCOMPARE(familyOf("aten::add_"), OpFamily::Elementwise);
  QCOMPARE(familyOf("aten::_foreach_mul_"), OpFamily::Optimizer);
  QCOMPARE(familyOf("nccl:all_reduce"), OpFamily::Collective);
  QCOMPARE(familyOf("mylib::op"), OpFamily::Unknown);
  QCOMPARE(QString::fromStdString(std::string(name(OpFamily::Transfer))),
           QStringLiteral("transfer"));
}

QTEST_GUILESS_MAIN(TestOpCostRecords)
#include "tst_op_cost_records.moc"
