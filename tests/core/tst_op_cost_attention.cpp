// Attention: the rows of TraceLens' reference reports (GFLOP and MiB a call) and sizes calculated
// by hand.

#include <QTest>

#include "core/workload/op_cost.h"
#include "tests/support/op_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

const std::string kBf16 = "c10::BFloat16";

}  // namespace

class TestOpCostAttention : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void attentionAgreesWithTraceLens();
  void causalPairsAgreeWithCounting();
  void attentionByHand_data();
  void attentionByHand();
  void raggedAttentionIsABound();
};

void TestOpCostAttention::attentionAgreesWithTraceLens() {
  CostContext half;
  half.causal = CausalCount::HalfSquare;
  const auto flash = [&](const char* dims, const char* causal, const CostContext& context) {
    const std::string concrete = R"(["","","","0.",")" + std::string(causal) + R"(","False"])";
    return costOfText(
        "aten::_scaled_dot_product_flash_attention", dims,
        R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","Scalar","Scalar","Scalar"])", concrete,
        context);
  };
  const char* qwen = "[[16,16,559,64],[16,16,559,64],[16,16,559,64],[],[],[]]";
  const OpCost causal = flash(qwen, "True", half);
  QVERIFY(agrees(flops(causal) / 1e9, 10.2393774));
  QVERIFY(agrees(bytes(causal) / kMiB, 69.875));
  const OpCost bert = flash("[[1,8,141,64],[1,8,141,64],[1,8,141,64],[],[],[]]", "False", half);
  QVERIFY(agrees(flops(bert) / 1e9, 0.040716288));
  QVERIFY(agrees(bytes(bert) / kMiB, 0.55078125));
  const OpCost large =
      flash("[[8,16,4096,128],[8,16,4096,128],[8,16,4096,128],[],[],[]]", "False", half);
  QVERIFY(agrees(flops(large) / 1e9, 1099.51163));
  QVERIFY(agrees(bytes(large) / kMiB, 512));
  // Exact: the diagonal counts whole, so N(N+1)/2 pairs; dense as PyTorch counts it.
  QCOMPARE(flops(flash(qwen, "True", {})), 2.0 * 16 * 16 * (559.0 * 560 / 2) * 128);
  CostContext dense;
  dense.causal = CausalCount::Dense;
  QCOMPARE(flops(flash(qwen, "True", dense)), 2.0 * 16 * 16 * 559.0 * 559 * 128);
  // Backward: 2.5 × forward where the head sizes agree.
  const OpCost backward =
      costOfText("aten::_flash_attention_backward",
                 "[[512,176,16,64],[512,176,16,64],[512,176,16,64],[512,176,16,64],[512,176,16,64],"
                 "[],[],[],[],[],[],[]]",
                 types(kBf16, 5), R"(["","","","","","","","","176","176","0.","False"])");
  QVERIFY(agrees(flops(backward) / 1e9, 162.40345088));
}

void TestOpCostAttention::causalPairsAgreeWithCounting() {
  // Heads of size 1 with B = H = 1: FLOPs = 4 · pairs.
  for (int n = 1; n <= 9; ++n) {
    for (int m = 1; m <= 9; ++m) {
      for (int left = -1; left <= 4; ++left) {
        for (const bool causal : {false, true}) {
          const std::string dims = "[[1," + std::to_string(n) + ",1,1],[1," + std::to_string(m) +
                                   ",1,1],[1," + std::to_string(m) + ",1,1]]";
          const std::string concrete = R"(["","","","0.","1.",")" +
                                       std::string(causal ? "True" : "False") + "\",\"" +
                                       std::to_string(left) + R"(","-1"])";
          const OpCost cost =
              costOfText("flash_attn::_flash_attn_forward", dims, types(kBf16, 3), concrete);
          int pairs = 0;
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j) {
              const int diagonal = i + m - n;  // bottom right
              if (causal && j > diagonal) continue;
              if (left >= 0 && j < diagonal - left) continue;
              ++pairs;
            }
          QCOMPARE(flops(cost), 4.0 * pairs);
        }
      }
      const std::string dims = "[[1,1," + std::to_string(n) + ",1],[1,1," + std::to_string(m) +
                               ",1],[1,1," + std::to_string(m) + ",1]]";
      int pairs = 0;
      for (int i = 0; i < n; ++i) pairs += std::min(i + 1, m);  // top left
      QCOMPARE(flops(costOfText("aten::scaled_dot_product_attention", dims, types(kBf16, 3),
                                R"(["","","","","0.","True"])")),
               4.0 * pairs);
    }
  }
}

void TestOpCostAttention::attentionByHand_data() {
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<QByteArray>("dims");
  QTest::addColumn<QByteArray>("concrete");
  QTest::addColumn<double>("wantedFlops");
  QTest::addColumn<double>("elements");
  const auto row = [](const char* name, const char* op, const char* dims, const char* concrete,
                      double wantedFlops, double elements) {
    QTest::newRow(name) << QByteArray(op) << QByteArray(dims) << QByteArray(concrete) << wantedFlops
                        << elements;
  };
  row("fewer key heads", "aten::_scaled_dot_product_flash_attention",
      "[[2,8,5,16],[2,2,7,16],[2,2,7,16]]", R"(["","","","0.","False"])", 2.0 * 2 * 8 * 35 * 32,
      1280 + 448 + 448 + 1280);
  row("other value size", "aten::_scaled_dot_product_cudnn_attention",
      "[[2,8,5,16],[2,8,7,16],[2,8,7,24]]", R"(["","","","","True","0.","False"])",
      2.0 * 2 * 8 * 35 * 40, 1280 + 1792 + 2688 + 1920);
  row("efficient backward", "aten::_scaled_dot_product_efficient_attention_backward",
      "[[2,8,5,16],[2,8,5,16],[2,8,5,16],[2,8,5,16]]",
      R"(["","","","","","","","","","0.","[True]","False"])", 2.0 * 2 * 8 * 25 * 80, 8 * 1280);
  row("mask type 1", "aten::_efficient_attention_forward", "[[2,5,8,16],[2,5,8,16],[2,5,8,16]]",
      R"(["","","","","","","","","0.","1"])", 2.0 * 2 * 8 * 15 * 32, 4 * 1280);
  row("AMD", "aiter::mha_fwd", "[[2,5,8,16],[2,5,8,16],[2,5,8,16]]",
      R"(["","","","0.","1.","True","-1","-1"])", 2.0 * 2 * 8 * 15 * 32, 4 * 1280);
}

void TestOpCostAttention::attentionByHand() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(QByteArray, concrete);
  QFETCH(double, wantedFlops);
  QFETCH(double, elements);
  const OpCost cost =
      costOfText(op.toStdString(), dims.toStdString(), types(kBf16, 4), concrete.toStdString());
  QVERIFY2(cost.missing.empty(), qPrintable(QString::fromStdString(all(cost.missing))));
  QCOMPARE(flops(cost), wantedFlops);
  QCOMPARE(bytes(cost), 2 * elements);
}

void TestOpCostAttention::raggedAttentionIsABound() {
  const OpCost cost = costOfText(
      "aten::_flash_attention_forward", "[[100,8,16],[100,8,16],[100,8,16],[5],[5],[],[]]",
      R"(["c10::BFloat16","c10::BFloat16","c10::BFloat16","int","int","Scalar","Scalar"])",
      R"(["","","","","","40","40","0.","True"])");
  QVERIFY(cost.upperBound && !cost.missing.empty());
  QCOMPARE(flops(cost), 2.0 * 8 * 100 * 40 * 32);
  const OpCost masked =
      costOfText("aten::scaled_dot_product_attention", "[[1,1,4,2],[1,1,4,2],[1,1,4,2],[4,4]]",
                 types(kBf16, 4), R"(["","","","","0.","False"])");
  QVERIFY(masked.upperBound);
  QCOMPARE(flops(masked), 2.0 * 16 * 4);
}

QTEST_GUILESS_MAIN(TestOpCostAttention)
#include "tst_op_cost_attention.moc"
