// Products and convolutions: the rows of TraceLens' reference reports (GFLOP and MiB a call) and
// sizes calculated by hand.

#include <QTest>

#include "core/workload/op_cost.h"
#include "tests/support/op_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

const std::string kBf16 = "c10::BFloat16";

std::string convTypes(int count) {
  std::string out = "[\"c10::BFloat16\", \"c10::BFloat16\", \"\"";
  for (int i = 3; i < count; ++i) out += ", \"ScalarList\"";
  return out + "]";
}

}  // namespace

class TestOpCost : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void productsAgreeWithTraceLens_data();
  void productsAgreeWithTraceLens();
  void productsByHand_data();
  void productsByHand();
  void aBiasThatIsMultipliedByZeroIsNotRead();
  void broadcastOperandsCountOnce();
  void scaledProductsTakeTheTypeOfTheirResult();
  void groupsOfRowsAreOneProduct();
  void einsumNeedsItsEquation();
  void convolutionsAgreeWithTraceLens();
  void convolutionsByHand_data();
  void convolutionsByHand();
  void aConvolutionOf2021NeedsItsResultFromElsewhere();
  void gradientsOfAConvolutionOf2021();
  void theMaskSaysWhichGradientsAreMade();
  void whatIsNotRecordedIsNamed_data();
  void whatIsNotRecordedIsNamed();
  void sizesThatDoNotFitGiveNoCost();
};

void TestOpCost::productsAgreeWithTraceLens_data() {
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<QByteArray>("dims");
  QTest::addColumn<double>("gigaFlops");
  QTest::addColumn<double>("mebibytes");
  const auto row = [](const char* op, const char* dims, double gigaFlops, double mebibytes) {
    QTest::newRow(qPrintable(
        QString::fromLatin1("%1 %2").arg(QString::fromLatin1(op), QString::fromLatin1(dims))))
        << QByteArray(op) << QByteArray(dims) << gigaFlops << mebibytes;
  };
  row("aten::mm", "[[8944,1024],[1024,2816]]", 51.5815506, 71.0078125);
  row("aten::mm", "[[8944,2816],[2816,1024]]", 51.5815506, 71.0078125);
  row("aten::mm", "[[8944,1024],[1024,1024]]", 18.7569275, 36.9375);
  row("aten::addmm", "[[1024],[8944,1024],[1024,1024]]", 18.7660861, 36.9394531);
  row("aten::addmm", "[[512],[141,512],[512,512]]", 0.0739968, 0.776367188);
  row("aten::addmm", "[[30522],[141,512],[512,30522]]", 4.41119205, 38.2110214);
  row("aten::addmm", "[[512],[141,2048],[2048,512]]", 0.295770624, 2.68945312);
  row("aten::addmm", "[[2048],[141,512],[512,2048]]", 0.2959872, 2.69238281);
  row("aten::mm", "[[10,1000],[1000,512]]", 0.01024, 1.00540161);
  row("aten::mm", "[[1000,10],[10,512]]", 0.01024, 1.00540161);
  row("aten::addmm", "[[1000],[10,512],[512,1000]]", 0.01025, 1.00730896);
  row("aten::mm", "[[32768,2048],[2048,8192]]", 1099.51163, 672);
  row("aten::mm", "[[32768,2048],[2048,2048]]", 274.877907, 264);
  row("aten::mm", "[[32768,8192],[8192,2048]]", 1099.51163, 672);
}

void TestOpCost::productsAgreeWithTraceLens() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(double, gigaFlops);
  QFETCH(double, mebibytes);
  const OpCost cost = costOfText(op.toStdString(), dims.toStdString(), types(kBf16, 3));
  QVERIFY2(agrees(flops(cost) / 1e9, gigaFlops), qPrintable(QString::number(flops(cost), 'g', 12)));
  QVERIFY2(agrees(bytes(cost) / kMiB, mebibytes),
           qPrintable(QString::number(bytes(cost), 'g', 12)));
  QCOMPARE(cost.computeType, DType::BFloat16);
  QVERIFY(cost.matrixOp && cost.missing.empty() && !cost.inferred && !cost.upperBound);
  QCOMPARE(cost.family, OpFamily::MatrixProduct);
}

void TestOpCost::productsByHand_data() {
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<QByteArray>("dims");
  QTest::addColumn<double>("wantedFlops");
  QTest::addColumn<double>("elements");
  const auto row = [](const char* op, const char* dims, double wantedFlops, double elements) {
    QTest::newRow(qPrintable(
        QString::fromLatin1("%1 %2").arg(QString::fromLatin1(op), QString::fromLatin1(dims))))
        << QByteArray(op) << QByteArray(dims) << wantedFlops << elements;
  };
  row("aten::bmm", "[[3,4,5],[3,5,7]]", 2 * 3 * 4 * 5 * 7, 3 * (20 + 35 + 28));
  row("aten::baddbmm", "[[3,4,7],[3,4,5],[3,5,7]]", 2 * 3 * 4 * 5 * 7 + 84, 3 * (20 + 35 + 56));
  row("aten::addbmm", "[[4,7],[3,4,5],[3,5,7]]", 2 * 3 * 4 * 5 * 7 + 28, 3 * (20 + 35) + 56);
  row("aten::linear", "[[2,3,5],[7,5],[7]]", 2 * 6 * 7 * 5 + 42, 30 + 35 + 42 + 7);
  row("aten::linear", "[[2,3,5],[7,5]]", 2 * 6 * 7 * 5, 30 + 35 + 42);
  row("aten::linear", "[[5],[7,5]]", 2 * 7 * 5, 5 + 35 + 7);
  row("aten::matmul", "[[5],[5]]", 10, 5 + 5 + 1);
  row("aten::matmul", "[[4,5],[5]]", 40, 20 + 5 + 4);
  row("aten::matmul", "[[5],[5,7]]", 70, 5 + 35 + 7);
  row("aten::matmul", "[[2,1,4,5],[3,5,7]]", 2 * 6 * 4 * 5 * 7, 40 + 105 + 168);
  row("aten::mv", "[[4,5],[5]]", 40, 20 + 5 + 4);
  row("aten::addmv", "[[4],[4,5],[5]]", 44, 20 + 5 + 4 + 4);
  row("aten::dot", "[[9],[9]]", 18, 9 + 9 + 1);
  row("aten::outer", "[[4],[5]]", 20, 4 + 5 + 20);
  row("aten::addr", "[[4,5],[4],[5]]", 40, 20 + 4 + 5 + 20);
  row("aten::_addmm_activation", "[[7],[4,5],[5,7]]", 280 + 28, 20 + 35 + 28 + 7);
  row("aten::addmm_", "[[4,7],[4,5],[5,7]]", 280 + 28, 20 + 35 + 28 + 28);
  row("aten::mm.out", "[[4,5],[5,7],[4,7]]", 280, 20 + 35 + 28);
  row("vllm::rocm_unquantized_gemm_impl", "[[3,5],[7,5]]", 210, 15 + 35 + 21);
}

void TestOpCost::productsByHand() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(double, wantedFlops);
  QFETCH(double, elements);
  const OpCost cost = costOfText(op.toStdString(), dims.toStdString(), types("float", 3));
  QCOMPARE(flops(cost), wantedFlops);
  QCOMPARE(bytes(cost), 4 * elements);
}

void TestOpCost::aBiasThatIsMultipliedByZeroIsNotRead() {
  const OpCost cost =
      costOfText("aten::addmm", "[[7],[4,5],[5,7],[],[]]",
                 R"(["float","float","float","Scalar","Scalar"])", R"(["","","","0","1"])");
  QCOMPARE(flops(cost), 280.0);
  QCOMPARE(bytes(cost), 4.0 * (20 + 35 + 28));
}

void TestOpCost::broadcastOperandsCountOnce() {
  // A batch expanded over the first dim is one matrix in memory.
  const OpCost cost =
      costOfText("aten::bmm", "[[3,4,5],[3,5,7]]", types("float", 2), "", {}, "[[20,5,1],[0,7,1]]");
  QCOMPARE(bytes(cost), 4.0 * (60 + 35 + 84));
}

void TestOpCost::scaledProductsTakeTheTypeOfTheirResult() {
  const std::string recorded =
      R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float","","","Scalar","Scalar"])";
  const OpCost cost = costOfText("aten::_scaled_mm", "[[16,32],[32,64],[],[],[],[],[],[]]",
                                 recorded, R"(["","","","","","","15","True"])");
  QCOMPARE(flops(cost), 2.0 * 16 * 32 * 64);
  QCOMPARE(bytes(cost), 16.0 * 32 + 32 * 64 + 2 * 16 * 64 + 8);
  QCOMPARE(cost.computeType, DType::Float8E4M3);
  // Without values the result's type is unknown, the work is not.
  const OpCost old =
      costOfText("aten::_scaled_mm", "[[16,32],[32,64],[],[],[],[],[],[]]", recorded);
  QCOMPARE(flops(old), 2.0 * 16 * 32 * 64);
  QVERIFY(!old.bytes && !old.missing.empty());
  // Two fp4 values a byte.
  const OpCost packed = costOfText(
      "aten::_scaled_mm", "[[16,32],[32,64],[],[],[],[],[],[]]",
      R"(["c10::Float4_e2m1fn_x2","c10::Float4_e2m1fn_x2","float","float","","","Scalar","Scalar"])",
      R"(["","","","","","","15","True"])");
  QCOMPARE(flops(packed), 4.0 * 16 * 32 * 64);
}

void TestOpCost::groupsOfRowsAreOneProduct() {
  const std::string dims = "[[100,32],[4,32,64],[4],[],[]]";
  const std::string recorded = R"(["c10::BFloat16","c10::BFloat16","int","",""])";
  const OpCost cost = costOfText("aten::_grouped_mm", dims, recorded, R"(["","","","",""])");
  QCOMPARE(flops(cost), 2.0 * 100 * 32 * 64);
  QCOMPARE(bytes(cost), 2.0 * (100 * 32 + 4 * 32 * 64 + 100 * 64) + 16);
  QVERIFY(!cost.upperBound);
  // Fewer rows than experts: not every weight can be read.
  QVERIFY(costOfText("aten::_grouped_mm", "[[2,32],[4,32,64],[4],[],[]]", recorded,
                     R"(["","","","",""])")
              .upperBound);
}

void TestOpCost::einsumNeedsItsEquation() {
  const OpCost cost = costOfText("aten::einsum", "[[],[[2,3,4],[2,4,5]],[]]",
                                 R"(["","TensorList",""])", R"(["bij,bjk->bik","",""])");
  QCOMPARE(flops(cost), 2.0 * 2 * 3 * 4 * 5);
  const OpCost old = costOfText("aten::einsum", "[[],[]]", R"(["String","TensorList"])");
  QVERIFY(!old.flops && !old.missing.empty());
}

void TestOpCost::convolutionsAgreeWithTraceLens() {
  const std::string forward = R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1"])";
  const OpCost early =
      costOfText("aten::convolution", "[[10,64,56,56],[64,64,3,3],[],[],[],[],[],[],[]]",
                 convTypes(9), forward);
  QVERIFY(agrees(flops(early) / 1e9, 2.31211008));
  QVERIFY(agrees(bytes(early) / kMiB, 7.7265625));
  QVERIFY(early.matrixOp);
  const OpCost late =
      costOfText("aten::convolution", "[[10,512,7,7],[512,512,3,3],[],[],[],[],[],[],[]]",
                 convTypes(9), forward);
  QVERIFY(agrees(flops(late) / 1e9, 2.31211008));
  QVERIFY(agrees(bytes(late) / kMiB, 5.45703125));
  const std::string backward =
      R"(["","","","[0]","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1","[True, True, False]"])";
  const OpCost both =
      costOfText("aten::convolution_backward",
                 "[[10,64,56,56],[10,64,56,56],[64,64,3,3],[],[],[],[],[],[],[],[]]",
                 types(kBf16, 3), backward);
  QVERIFY(agrees(flops(both) / 1e9, 4.62422016));
  QVERIFY(agrees(bytes(both) / kMiB, 15.453125));
  const OpCost last =
      costOfText("aten::convolution_backward",
                 "[[10,512,7,7],[10,512,7,7],[512,512,3,3],[],[],[],[],[],[],[],[]]",
                 types(kBf16, 3), backward);
  QVERIFY(agrees(bytes(last) / kMiB, 10.9140625));
  // Its unit test says 60 bytes forward; backward 126, where it adds the bias in elements.
  const OpCost small =
      costOfText("aten::convolution", "[[1,1,4,4],[1,1,3,3],[1],[],[],[],[],[],[]]",
                 types(kBf16, 3), R"(["","","","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1"])");
  QCOMPARE(bytes(small), 60.0);
  const OpCost smallBack = costOfText(
      "aten::convolution_backward", "[[1,1,2,2],[1,1,4,4],[1,1,3,3],[],[],[],[],[],[],[],[]]",
      types(kBf16, 3),
      R"(["","","","[1]","[1, 1]","[0, 0]","[1, 1]","False","[0, 0]","1","[True, True, True]"])");
  QCOMPARE(bytes(smallBack), 126.0);
}

void TestOpCost::convolutionsByHand_data() {
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
  row("stride 2 and padding 3", "aten::convolution", "[[2,3,224,224],[64,3,7,7]]",
      R"(["","","","[2]","[3]","[1]","False","[0]","1"])", 2.0 * 147 * 2 * 64 * 112 * 112,
      2.0 * 3 * 224 * 224 + 64 * 147 + 2.0 * 64 * 112 * 112);
  row("depthwise", "aten::_convolution", "[[1,8,10,10],[8,1,3,3]]",
      R"(["","","","[1,1]","[1,1]","[1,1]","False","[0,0]","8"])", 2.0 * 9 * 800, 800 + 72 + 800);
  row("dilation", "aten::conv1d", "[[1,4,10],[6,4,3]]", R"(["","","","[1]","[0]","[2]","1"])",
      2.0 * 12 * 6 * 6, 40 + 72 + 36);
  row("padding by name", "aten::conv2d", "[[1,4,9,9],[6,4,3,3]]",
      R"(["","","","[1, 1]","same","[1, 1]","1"])", 2.0 * 36 * 6 * 81, 324 + 216 + 486);
  row("padding before stride", "aten::cudnn_convolution", "[[1,4,8,8],[6,4,3,3]]",
      R"(["","","[1, 1]","[2, 2]","[1, 1]","1"])", 2.0 * 36 * 6 * 16, 256 + 216 + 96);
  row("miopen", "aten::miopen_convolution", "[[1,4,8,8],[6,4,3,3],[]]",
      R"(["","","","[1, 1]","[2, 2]","[1, 1]","1"])", 2.0 * 36 * 6 * 16, 256 + 216 + 96);
  row("transposed", "aten::convolution", "[[1,4,8,8],[4,6,2,2]]",
      R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1"])", 2.0 * 24 * 256,
      256 + 96 + 6 * 256);
  row("transposed, two groups", "aten::conv_transpose2d", "[[1,4,8,8],[4,3,2,2]]",
      R"(["","","","[2, 2]","[0, 0]","[0, 0]","2","[1, 1]"])", 2.0 * 12 * 256, 256 + 48 + 6 * 256);
  row("three dims", "aten::conv3d", "[[1,2,4,4,4],[5,2,1,1,1]]",
      R"(["","","","[1, 1, 1]","[0, 0, 0]","[1, 1, 1]","1"])", 2.0 * 2 * 5 * 64, 128 + 10 + 320);
  row("no batch", "aten::conv2d", "[[4,8,8],[6,4,3,3]]",
      R"(["","","","[1, 1]","[0, 0]","[1, 1]","1"])", 2.0 * 36 * 6 * 36, 256 + 216 + 216);
  row("a kernel larger than its input", "aten::conv2d", "[[1,4,2,2],[6,4,3,3]]",
      R"(["","","","[1, 1]","[0, 0]","[1, 1]","1"])", 0, 16 + 216);
}

void TestOpCost::convolutionsByHand() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(QByteArray, concrete);
  QFETCH(double, wantedFlops);
  QFETCH(double, elements);
  const OpCost cost =
      costOfText(op.toStdString(), dims.toStdString(), types("float", 2), concrete.toStdString());
  QVERIFY2(cost.missing.empty(), qPrintable(QString::fromStdString(all(cost.missing))));
  QCOMPARE(flops(cost), wantedFlops);
  QCOMPARE(bytes(cost), 4 * elements);
}

void TestOpCost::aConvolutionOf2021NeedsItsResultFromElsewhere() {
  const char* dims = "[[32,3,224,224],[64,3,7,7],[],[],[],[],[],[],[]]";
  const char* recorded =
      R"(["float","float","GenericList","GenericList","GenericList","Int","Bool","Bool","Bool"])";
  const OpCost alone = costOfText("aten::cudnn_convolution", dims, recorded);
  QVERIFY(!alone.flops && !alone.bytes);
  QVERIFY(all(alone.missing).find("Concrete Inputs: stride") != std::string::npos);
  CostContext context;
  context.inferredOutput = {{32, 64, 112, 112}};
  const OpCost inferred = costOfText("aten::cudnn_convolution", dims, recorded, "", context);
  QVERIFY(inferred.inferred);
  QCOMPARE(flops(inferred), 2.0 * 147 * 32 * 64 * 112 * 112);
  // A size that cannot be its result is not taken.
  context.inferredOutput = {{32, 128, 112, 112}};
  QVERIFY(!costOfText("aten::cudnn_convolution", dims, recorded, "", context).flops);
}

void TestOpCost::gradientsOfAConvolutionOf2021() {
  const std::string recorded = R"(["GenericList","float","float","GenericList"])";
  const double work = 2.0 * 512 * 32 * 2048 * 49;
  const OpCost input = costOfText("aten::cudnn_convolution_backward_input",
                                  "[[],[32,2048,7,7],[2048,512,1,1],[]]", recorded);
  QCOMPARE(flops(input), work);
  QVERIFY(!input.bytes && !input.missing.empty());
  const OpCost alone = costOfText("aten::cudnn_convolution_backward_weight",
                                  "[[],[32,2048,7,7],[32,512,7,7],[]]", recorded);
  QVERIFY(!alone.flops);
  // The op around them has all three sizes.
  const auto parent =
      parseOpShapes("[[32,512,7,7],[32,2048,7,7],[2048,512,1,1]]", types("float", 3));
  CostContext context;
  context.parentName = "aten::cudnn_convolution_backward";
  context.parentShapes = &*parent;
  const OpCost weight = costOfText("aten::cudnn_convolution_backward_weight",
                                   "[[],[32,2048,7,7],[32,512,7,7],[]]", recorded, "", context);
  QCOMPARE(flops(weight), work);
  QCOMPARE(bytes(weight), 4.0 * (32.0 * 2048 * 49 + 32.0 * 512 * 49 + 2048 * 512));
  QVERIFY(weight.inferred);
  const OpCost known = costOfText("aten::cudnn_convolution_backward_input",
                                  "[[],[32,2048,7,7],[2048,512,1,1],[]]", recorded, "", context);
  QCOMPARE(bytes(known), 4.0 * (32.0 * 2048 * 49 + 32.0 * 512 * 49 + 2048 * 512));
}

void TestOpCost::theMaskSaysWhichGradientsAreMade() {
  const auto withMask = [](const char* mask) {
    const std::string concrete =
        R"(["","","","[4]","[1]","[0]","[1]","False","[0]","1",")" + std::string(mask) + "\"]";
    return costOfText("aten::convolution_backward", "[[1,4,6,6],[1,3,8,8],[4,3,3,3]]",
                      types("float", 3), concrete);
  };
  const double once = 2.0 * 27 * 4 * 36;
  QCOMPARE(flops(withMask("[True, True, False]")), 2 * once);
  QCOMPARE(flops(withMask("[False, True, False]")), once);
  QCOMPARE(flops(withMask("[False, True, True]")), once + 144);
  QCOMPARE(bytes(withMask("[False, True, True]")), 4.0 * (144 + 192 + 108 + 144 + 4));
  const OpCost old = costOfText("aten::convolution_backward", "[[1,4,6,6],[1,3,8,8],[4,3,3,3]]",
                                types("float", 3));
  QVERIFY(old.upperBound && !old.missing.empty());
  QCOMPARE(flops(old), 2 * once);
}

void TestOpCost::whatIsNotRecordedIsNamed_data() {
  QTest::addColumn<QByteArray>("op");
  QTest::addColumn<QByteArray>("dims");
  QTest::addColumn<QByteArray>("recorded");
  QTest::addColumn<QByteArray>("named");
  QTest::newRow("no shapes") << QByteArray("aten::mm") << QByteArray() << QByteArray()
                             << QByteArray("Input Dims (record_shapes=True)");
  QTest::newRow("no types") << QByteArray("aten::mm") << QByteArray("[[2,3],[3,4]]")
                            << QByteArray("[]") << QByteArray("Input type");
  QTest::newRow("unknown op") << QByteArray("mylib::op") << QByteArray("[[2,3]]")
                              << QByteArray("[\"float\"]")
                              << QByteArray("no formula for mylib::op");
  QTest::newRow("paged attention")
      << QByteArray("vllm::unified_attention_with_output")
      << QByteArray("[[888,8,64],[888,1,64],[888,1,64]]")
      << QByteArray("[\"float\",\"float\",\"float\"]") << QByteArray("context lengths");
  QTest::newRow("experts") << QByteArray("vllm::moe_forward")
                           << QByteArray("[[888,3072],[888,128]]")
                           << QByteArray("[\"float\",\"float\"]") << QByteArray("weights");
  QTest::newRow("causal") << QByteArray("aten::_scaled_dot_product_flash_attention")
                          << QByteArray("[[1,1,4,2],[1,1,4,2],[1,1,4,2]]")
                          << QByteArray("[\"float\",\"float\",\"float\"]")
                          << QByteArray("is_causal");
}

void TestOpCost::whatIsNotRecordedIsNamed() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(QByteArray, recorded);
  QFETCH(QByteArray, named);
  const OpCost cost = costOfText(op.toStdString(), dims.toStdString(), recorded.toStdString());
  QVERIFY2(all(cost.missing).find(named.toStdString()) != std::string::npos,
           qPrintable(QString::fromStdString(all(cost.missing))));
  QVERIFY(!cost.flops || !cost.bytes || cost.upperBound);
}

void TestOpCost::sizesThatDoNotFitGiveNoCost() {
  QVERIFY(!costOfText("aten::mm", "[[2,3],[4,5]]", types("float", 2)).flops);
  QVERIFY(!costOfText("aten::mm", "[[2,3,4],[4,5]]", types("float", 2)).flops);
  QVERIFY(!costOfText("aten::bmm", "[[2,3,4],[3,4,5]]", types("float", 2)).flops);
  QVERIFY(!costOfText("aten::matmul", "[[],[4]]", types("float", 2)).flops);
  QVERIFY(!costOfText("aten::convolution", "[[4],[4]]", types("float", 2)).flops);
  QVERIFY(!costOfText("aten::mm", "[]", "[]").flops);
}

QTEST_GUILESS_MAIN(TestOpCost)
#include "tst_op_cost.moc"
