// Normalizations, pointwise work, reductions, copies, pooling, indexing, serving: TraceLens' rows
// where there are any, else sizes calculated by hand.

#include <cmath>

#include <QTest>

#include "core/workload/op_cost.h"
#include "tests/support/op_text.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

struct Table {
  Table() {
    QTest::addColumn<QByteArray>("op");
    QTest::addColumn<QByteArray>("dims");
    QTest::addColumn<QByteArray>("types");
    QTest::addColumn<QByteArray>("concrete");
    QTest::addColumn<double>("wantedFlops");
    QTest::addColumn<double>("wantedBytes");
  }
  void row(const char* name, const char* op, const char* dims, const std::string& typeNames,
           const char* concrete, double wantedFlops, double wantedBytes) const {
    QTest::newRow(name) << QByteArray(op) << QByteArray(dims)
                        << QByteArray::fromStdString(typeNames) << QByteArray(concrete)
                        << wantedFlops << wantedBytes;
  }
};

void check() {
  QFETCH(QByteArray, op);
  QFETCH(QByteArray, dims);
  QFETCH(QByteArray, types);
  QFETCH(QByteArray, concrete);
  QFETCH(double, wantedFlops);
  QFETCH(double, wantedBytes);
  const OpCost cost =
      costOfText(op.toStdString(), dims.toStdString(), types.toStdString(), concrete.toStdString());
  QVERIFY2(flops(cost) == wantedFlops,
           qPrintable(QStringLiteral("FLOPs %1; %2")
                          .arg(flops(cost))
                          .arg(QString::fromStdString(all(cost.missing)))));
  QVERIFY2(bytes(cost) == wantedBytes,
           qPrintable(QStringLiteral("bytes %1; %2")
                          .arg(bytes(cost))
                          .arg(QString::fromStdString(all(cost.missing)))));
  QVERIFY(!cost.formula.empty());
}

}  // namespace

class TestOpCostFamilies : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void normsAgreeWithTraceLensInItsConvention();
  void normalizations_data();
  void normalizations() { check(); }
  void softmaxAndLosses_data();
  void softmaxAndLosses() { check(); }
  void pointwise_data();
  void pointwise() { check(); }
  void typesPromoteAsInPyTorch_data();
  void typesPromoteAsInPyTorch();
  void reductionsAndScans_data();
  void reductionsAndScans() { check(); }
  void copies_data();
  void copies() { check(); }
  void pooling_data();
  void pooling() { check(); }
  void indexing_data();
  void indexing() { check(); }
  void servingOps_data();
  void servingOps() { check(); }
};

void TestOpCostFamilies::normsAgreeWithTraceLensInItsConvention() {
  CostContext theirs;
  theirs.norm = NormCount::TraceLens;
  const auto bf16 = [](int count) { return types("c10::BFloat16", count); };
  const OpCost layer =
      costOfText("aten::native_layer_norm", "[[1,141,512],[],[512],[512],[]]",
                 R"(["c10::BFloat16","ScalarList","c10::BFloat16","c10::BFloat16","Scalar"])",
                 R"(["","[512]","","","1e-12"])", theirs);
  QVERIFY(agrees(flops(layer) / 1e9, 0.000364032));
  QVERIFY(agrees(bytes(layer) / kMiB, 0.28125));
  const char* training = R"(["","","","","","True","0.1","1e-05","True"])";
  const OpCost batch = costOfText("aten::batch_norm", "[[10,64,56,56],[64],[64],[64],[64]]",
                                  bf16(5), training, theirs);
  QVERIFY(agrees(flops(batch) / 1e9, 0.010035584));
  QVERIFY(agrees(bytes(batch) / kMiB, 7.65698242));
  const OpCost small = costOfText("aten::batch_norm", "[[8,16,32,32],[16],[16],[16],[16]]",
                                  types("float", 5), training, theirs);
  QVERIFY(agrees(flops(small) / 1e9, 0.000655456));
  QVERIFY(agrees(bytes(small) / kMiB, 1.00036621));
  const OpCost instance = costOfText("aten::instance_norm", "[[8,16,32,32],[16],[16]]",
                                     types("float", 3), R"(["","","","","","True"])", theirs);
  QVERIFY(agrees(flops(instance) / 1e9, 0.000655456));
  QVERIFY(agrees(bytes(instance) / kMiB, 1.00036621));
  const OpCost batchBack =
      costOfText("aten::native_batch_norm_backward",
                 "[[10,64,112,112],[10,64,112,112],[64],[64],[64],[64],[64],[],[],[]]", bf16(7),
                 R"(["","","","","","","","True","1e-05","[True, True, True]"])", theirs);
  QVERIFY(agrees(flops(batchBack) / 1e9, 0.07225344));
  QVERIFY(agrees(bytes(batchBack) / kMiB, 45.9379883));
  const OpCost layerBack =
      costOfText("aten::native_layer_norm_backward",
                 "[[8,16,32,32],[8,16,32,32],[],[8,1,1,1],[8,1,1,1],[16,32,32],[16,32,32],[]]",
                 R"(["float","float","ScalarList","float","float","float","float","ScalarList"])",
                 R"(["","","[16, 32, 32]","","","","","[True, True, True]"])", theirs);
  QVERIFY(agrees(flops(layerBack) / 1e9, 0.001179648));
  QVERIFY(agrees(bytes(layerBack) / kMiB, 1.75));
}

void TestOpCostFamilies::normalizations_data() {
  const Table table;
  table.row("layer norm", "aten::native_layer_norm", "[[4,8],[],[8],[8],[]]",
            R"(["c10::Half","ScalarList","c10::Half","c10::Half","Scalar"])",
            R"(["","[8]","","","1e-5"])", 5 * 32 + 6 * 8, 2 * 64 + 2 * 16 + 2 * 4 * 4);
  table.row("layer norm without weights", "aten::layer_norm", "[[4,8],[],[],[],[],[]]",
            R"(["float","ScalarList","","","Scalar","Scalar"])", R"(["","[8]","","","",""])",
            5 * 32 + 6 * 8, 2 * 128 + 2 * 4 * 4);
  table.row("batch norm", "aten::native_batch_norm", "[[2,3,4,4],[3],[3],[3],[3],[],[],[]]",
            types("float", 5), R"(["","","","","","True","0.1","1e-5"])", 5 * 96 + 18,
            2 * 384 + 24 + 4 * 3 * 4);
  table.row("batch norm of an evaluation", "aten::native_batch_norm",
            "[[2,3,4,4],[3],[3],[3],[3],[],[],[]]", types("float", 5),
            R"(["","","","","","False","0.1","1e-5"])", 3 * 96, 2 * 384 + 24 + 4 * 3 * 4);
  table.row("group norm", "aten::native_group_norm", "[[2,4,5,5],[4],[4],[],[],[],[],[]]",
            types("float", 3), R"(["","","","2","4","25","2","1e-5"])", 5 * 200,
            2 * 800 + 32 + 2 * 2 * 2 * 4);
  table.row("rms norm", "aten::_fused_rms_norm", "[[4,8],[],[8],[]]",
            R"(["float","ScalarList","float",""])", R"(["","[8]","",""])", 4 * 32,
            2 * 128 + 32 + 4 * 4);
  table.row("batch norm backward", "aten::native_batch_norm_backward",
            "[[2,3,4,4],[2,3,4,4],[3],[3],[3],[3],[3],[],[],[]]", types("float", 7),
            R"(["","","","","","","","True","1e-5","[True, True, True]"])", 9 * 96,
            3 * 384 + 12 + 24 + 2 * 3 * 4);
  table.row("layer norm backward", "aten::native_layer_norm_backward",
            "[[4,8],[4,8],[],[4,1],[4,1],[8],[8],[]]",
            R"(["float","float","ScalarList","float","float","float","float","ScalarList"])",
            R"(["","","[8]","","","","","[True, True, False]"])", 9 * 32,
            3 * 128 + 32 + 32 + 2 * 4 * 4);
  table.row("cudnn batch norm backward", "aten::cudnn_batch_norm_backward",
            "[[2,3,4,4],[2,3,4,4],[3],[3],[3],[3],[3],[],[0]]", types("float", 7), "", 9 * 96,
            3 * 384 + 12 + 24 + 2 * 3 * 4);
  table.row("into a result", "_C::rms_norm", "[[4,8],[4,8],[8],[]]", types("c10::BFloat16", 3), "",
            4 * 32, 2 * 64 + 16);
  table.row("with a residual", "_C::fused_add_rms_norm", "[[4,8],[4,8],[8],[]]",
            types("c10::BFloat16", 3), "", 5 * 32, 4 * 64 + 16);
}

void TestOpCostFamilies::softmaxAndLosses_data() {
  const Table table;
  const std::string half = R"(["c10::Half","Scalar","Scalar"])";
  table.row("softmax", "aten::_softmax", "[[4,8],[],[]]", half, R"(["","-1","False"])", 96, 128);
  table.row("softmax to fp32", "aten::_softmax", "[[4,8],[],[]]", half, R"(["","-1","True"])", 96,
            64 + 128);
  table.row("log softmax with a dtype", "aten::log_softmax", "[[4,8],[],[]]", half,
            R"(["","1","6"])", 96, 64 + 128);
  table.row("softmax backward", "aten::_softmax_backward_data", "[[4,8],[4,8],[],[]]",
            R"(["float","float","Scalar","Scalar"])", R"(["","","-1","6"])", 128, 3 * 128);
  table.row("softmax backward to fp16", "aten::_log_softmax_backward_data", "[[4,8],[4,8],[],[]]",
            R"(["float","float","Scalar","Scalar"])", R"(["","","-1","5"])", 128, 2 * 128 + 64);
  table.row("cross entropy", "aten::cross_entropy_loss", "[[4,10],[4],[],[],[]]",
            R"(["float","long int","","Scalar","Scalar"])", "", 200, 160 + 32 + 16);
  table.row("nll", "aten::nll_loss_forward", "[[4,10],[4],[],[],[]]",
            R"(["float","long int","","Scalar","Scalar"])", R"(["","","","1","-100"])", 4,
            16 + 32 + 8);
  table.row("nll backward", "aten::nll_loss_backward", "[[],[4,10],[4],[],[],[],[]]",
            R"(["float","float","long int","","Scalar","Scalar","float"])", "", 4, 4 + 32 + 160);
  table.row("mse", "aten::mse_loss", "[[4,10],[4,10],[]]", R"(["float","float","Scalar"])",
            R"(["","","1"])", 120, 324);
  table.row("mse per element", "aten::mse_loss", "[[4,10],[4,10],[]]",
            R"(["float","float","Scalar"])", R"(["","","0"])", 120, 480);
  table.row("mse backward", "aten::mse_loss_backward", "[[],[4,10],[4,10],[]]",
            R"(["float","float","float","Scalar"])", R"(["","","","1"])", 120, 484);
}

void TestOpCostFamilies::pointwise_data() {
  const Table table;
  table.row("TraceLens add", "aten::add", "[[16,16,559,64],[16,16,559,64],[]]",
            R"(["c10::BFloat16","c10::BFloat16","Scalar"])", R"(["","","1"])", 9158656,
            52.40625 * kMiB);
  table.row("TraceLens mul", "aten::mul", "[[16,559,1024],[16,559,1]]", types("float", 2), "",
            9158656, 73305024);
  table.row("TraceLens add_ of numbers", "aten::add_", "[[],[],[]]",
            R"(["long int","long int","Scalar"])", R"(["","","1"])", 1, 24);
  table.row("TraceLens add_", "aten::add_", "[[16],[16],[]]", R"(["float","float","Scalar"])",
            R"(["","","1"])", 16, 192);
  table.row("relu", "aten::relu", "[[4,5]]", types("float", 1), "", 20, 160);
  table.row("relu in place", "aten::relu_", "[[4,5]]", types("float", 1), "", 20, 160);
  table.row("out variant of 2021", "aten::clamp_min", "[[4,5],[],[4,5]]",
            R"(["float","Int","float"])", "", 20, 160);
  table.row("clamp by numbers", "aten::clamp", "[[4,5],[],[]]", R"(["float","Scalar","Scalar"])",
            R"(["","0.5","1"])", 20, 160);
  table.row("broadcast of both", "aten::sub", "[[4,1],[1,5]]", types("float", 2), "", 20,
            16 + 20 + 80);
  table.row("comparison", "aten::eq", "[[4,5],[]]", R"(["long int","Scalar"])", R"(["","1"])", 20,
            160 + 20);
  table.row("gelu backward", "aten::gelu_backward", "[[4,5],[4,5],[]]", types("c10::Half", 2), "",
            20, 120);
  table.row("threshold backward", "aten::threshold_backward", "[[4,5],[4,5],[]]",
            R"(["c10::BFloat16","c10::BFloat16","Scalar"])", R"(["","","0"])", 20, 120);
  table.row("elu backward", "aten::elu_backward", "[[4,5],[],[],[],[],[4,5]]",
            R"(["float","Scalar","Scalar","Scalar","Scalar","float"])", "", 20, 240);
  table.row("where", "aten::where", "[[4,5],[4,5],[]]", R"(["bool","float","float"])", "", 20,
            20 + 80 + 4 + 80);
  table.row("masked_fill_", "aten::masked_fill_", "[[8,5],[8,1],[]]",
            R"(["c10::BFloat16","bool","Scalar"])", R"(["","","0"])", 40, 80 + 8 + 80);
  table.row("addcmul", "aten::addcmul", "[[4,5],[4,5],[4,5],[]]", types("float", 3), "", 60, 320);
  table.row("exp of whole numbers", "aten::exp", "[[4,5]]", types("long int", 1), "", 20, 240);
  table.row("mean of a scale", "aten::div", "[[10],[]]", R"(["c10::BFloat16","long int"])", "", 10,
            20 + 8 + 20);
}

void TestOpCostFamilies::typesPromoteAsInPyTorch_data() {
  QTest::addColumn<QByteArray>("dims");
  QTest::addColumn<QByteArray>("types");
  QTest::addColumn<QByteArray>("concrete");
  QTest::addColumn<int>("type");
  const auto row = [](const char* name, const char* dims, const char* typeNames,
                      const char* concrete, DType type) {
    QTest::newRow(name) << QByteArray(dims) << QByteArray(typeNames) << QByteArray(concrete)
                        << static_cast<int>(type);
  };
  row("same", "[[2],[2]]", R"(["float","float"])", "", DType::Float32);
  row("halves of both kinds", "[[2],[2]]", R"(["c10::Half","c10::BFloat16"])", "", DType::Float32);
  row("wide and narrow", "[[2],[2]]", R"(["double","c10::Half"])", "", DType::Float64);
  row("whole and fraction", "[[2],[2]]", R"(["long int","c10::Half"])", "", DType::Float16);
  row("flag and whole", "[[2],[2]]", R"(["bool","int"])", "", DType::Int32);
  row("signs", "[[2],[2]]", R"(["unsigned char","signed char"])", "", DType::Int16);
  row("rank 0 does not promote within its kind", "[[2],[]]", R"(["float","double"])", "",
      DType::Float32);
  row("rank 0 of a higher kind does", "[[2],[]]", R"(["long int","double"])", "", DType::Float64);
  row("two of rank 0", "[[],[]]", R"(["float","double"])", "", DType::Float64);
  row("a whole number", "[[2],[]]", R"(["c10::BFloat16","Scalar"])", R"(["","2"])",
      DType::BFloat16);
  row("a fraction makes whole tensors fp32", "[[2],[]]", R"(["long int","Scalar"])",
      R"(["","0.5"])", DType::Float32);
  row("a whole number makes flags int64", "[[2],[]]", R"(["bool","Scalar"])", R"(["","1"])",
      DType::Int64);
  row("a fraction and fp16", "[[2],[]]", R"(["c10::Half","Scalar"])", R"(["","1e-05"])",
      DType::Float16);
  row("complex", "[[2],[2]]", R"(["c10::complex<float>","double"])", "", DType::ComplexDouble);
}

void TestOpCostFamilies::typesPromoteAsInPyTorch() {
  QFETCH(QByteArray, dims);
  QFETCH(QByteArray, types);
  QFETCH(QByteArray, concrete);
  QFETCH(int, type);
  const OpCost cost =
      costOfText("aten::mul", dims.toStdString(), types.toStdString(), concrete.toStdString());
  QCOMPARE(QString::fromStdString(std::string(name(cost.computeType))),
           QString::fromStdString(std::string(name(static_cast<DType>(type)))));
}

void TestOpCostFamilies::reductionsAndScans_data() {
  const Table table;
  table.row("sum of all", "aten::sum", "[[4,5],[]]", R"(["float",""])", R"(["",""])", 20, 84);
  table.row("sum of flags", "aten::sum", "[[4,5],[]]", R"(["bool",""])", R"(["",""])", 20, 28);
  table.row("sum over a dim", "aten::sum", "[[4,5],[],[],[]]",
            R"(["c10::Half","ScalarList","Scalar",""])", R"(["","[0]","False",""])", 20, 50);
  table.row("sum to fp32", "aten::sum", "[[4,5],[],[],[]]",
            R"(["c10::Half","ScalarList","Scalar","Scalar"])", R"(["","[-1]","False","6"])", 20,
            40 + 16);
  table.row("mean over two dims", "aten::mean", "[[4,5,6],[],[],[]]",
            R"(["float","ScalarList","Scalar",""])", R"(["","[-1, 0]","True",""])", 120, 480 + 20);
  table.row("argmax", "aten::argmax", "[[4,5],[],[]]", R"(["float","Scalar","Scalar"])",
            R"(["","-1","False"])", 20, 80 + 32);
  table.row("any", "aten::any", "[[4,5]]", R"(["bool"])", R"([""])", 20, 21);
  table.row("max with indices", "aten::max", "[[4,5],[],[]]", R"(["float","Scalar","Scalar"])",
            R"(["","1","False"])", 20, 80 + 16 + 32);
  table.row("max of two", "aten::max", "[[4,5],[4,5]]", types("float", 2), "", 20, 240);
  table.row("norm", "aten::linalg_vector_norm", "[[4,5],[],[],[],[]]",
            R"(["float","Scalar","","Scalar",""])", R"(["","2","","False",""])", 20, 84);
  table.row("var", "aten::var", "[[4,5],[],[],[]]", R"(["float","ScalarList","Scalar","Scalar"])",
            R"(["","[1]","1","False"])", 60, 96);
  table.row("cumsum of int32", "aten::cumsum", "[[16],[],[]]", R"(["int","Scalar",""])",
            R"(["","0",""])", 16, 64 + 128);
  table.row("cumsum that stays int32", "aten::cumsum", "[[16],[],[]]",
            R"(["int","Scalar","Scalar"])", R"(["","0","3"])", 16, 128);
  table.row("sort", "aten::sort", "[[4,8],[],[]]", R"(["float","Scalar","Scalar"])",
            R"(["","-1","False"])", 32 * 3, 128 + 128 + 256);
  table.row("topk", "aten::topk", "[[4,8],[],[],[],[]]",
            R"(["float","Scalar","Scalar","Scalar","Scalar"])", R"(["","2","-1","True","True"])",
            32, 128 + 8 * 12);
  table.row("bucketize", "aten::bucketize", "[[10],[16],[],[]]",
            R"(["float","float","Scalar","Scalar"])", R"(["","","False","False"])", 40,
            40 + 64 + 80);
  table.row("real Fourier transform", "aten::_fft_r2c", "[[3,16],[],[],[]]",
            R"(["float","ScalarList","Scalar","Scalar"])", R"(["","[1]","0","True"])", 2.5 * 48 * 4,
            192 + 3 * 9 * 8);
}

void TestOpCostFamilies::copies_data() {
  const Table table;
  table.row("TraceLens copy_", "aten::copy_", "[[16,16,559,64],[16,16,559,64],[]]",
            R"(["c10::BFloat16","c10::BFloat16","Scalar"])", "", 0, 34.9375 * kMiB);
  table.row("TraceLens copy_ of fp32", "aten::copy_", "[[8,16],[8,16],[]]",
            R"(["float","float","Scalar"])", "", 0, 1024);
  table.row("cast by copy_", "aten::copy_", "[[4,5],[4,5],[]]",
            R"(["c10::BFloat16","float","Scalar"])", "", 0, 120);
  table.row("cast", "aten::_to_copy", "[[4,5],[],[],[],[],[],[]]",
            R"(["float","Scalar","","","","Scalar",""])", R"(["","15","","","","False",""])", 0,
            120);
  table.row("clone", "aten::clone", "[[4,5],[]]", R"(["float","Scalar"])", R"(["","0"])", 0, 160);
  table.row("fill_", "aten::fill_", "[[4,5],[]]", R"(["float","Scalar"])", R"(["","0"])", 0, 80);
  table.row("zero_", "aten::zero_", "[[4,5]]", R"(["float"])", "", 0, 80);
  table.row("zeros", "aten::zeros", "[[],[],[],[],[]]", R"(["ScalarList","Scalar","","",""])",
            R"(["[4, 5]","6","","",""])", 0, 80);
  table.row("new_zeros", "aten::new_zeros", "[[9],[],[],[],[],[]]",
            R"(["c10::Half","ScalarList","","","",""])", R"(["","[4, 5]","","","",""])", 0, 40);
  table.row("arange", "aten::arange", "[[],[],[],[0]]",
            R"(["Scalar","Scalar","Scalar","long int"])", R"(["0","559","1",""])", 0, 4472);
  table.row("repeat", "aten::repeat", "[[1,1,768],[]]", R"(["c10::BFloat16","ScalarList"])",
            R"(["","[1, 8, 1]"])", 0, 1536 * 9);
  table.row("pad", "aten::constant_pad_nd", "[[888,2880],[],[]]",
            R"(["c10::BFloat16","ScalarList","Scalar"])", R"(["","[0, 192]","0."])", 0,
            2.0 * 888 * (2880 + 3072));
  table.row("dropout", "aten::native_dropout", "[[4,5],[],[]]", R"(["float","Scalar","Scalar"])",
            R"(["","0.1","True"])", 40, 180);
  table.row("dropout backward", "aten::native_dropout_backward", "[[4,5],[4,5],[]]",
            R"(["float","bool","Scalar"])", R"(["","","1.11"])", 40, 180);
  table.row("normal_", "aten::normal_", "[[4,5],[],[],[]]", R"(["float","Scalar","Scalar",""])",
            R"(["","0.","1.",""])", 20, 80);
}

void TestOpCostFamilies::pooling_data() {
  const Table table;
  const std::string pool =
      R"(["c10::BFloat16","ScalarList","ScalarList","ScalarList","ScalarList","Scalar"])";
  table.row("max pool", "aten::max_pool2d_with_indices", "[[10,64,112,112],[],[],[],[],[]]", pool,
            R"(["","[3, 3]","[2, 2]","[1, 1]","[1, 1]","False"])", 9.0 * 10 * 64 * 56 * 56,
            2.0 * 640 * (112 * 112 + 56 * 56) + 8.0 * 640 * 56 * 56);
  table.row("rounded up", "aten::max_pool2d", "[[1,1,6,6],[],[],[],[],[]]", pool,
            R"(["","[3]","[2]","[0]","[1]","True"])", 9 * 9, 2 * (36 + 9));
  table.row("average with the kernel as stride", "aten::avg_pool2d",
            "[[1,2,8,8],[],[],[],[],[],[]]",
            R"(["float","ScalarList","ScalarList","ScalarList","Scalar","Scalar",""])",
            R"(["","[2, 2]","[]","[0, 0]","False","True",""])", 4 * 32, 4 * (128 + 32));
  table.row("adaptive", "aten::_adaptive_avg_pool2d", "[[10,512,7,7],[]]",
            R"(["c10::BFloat16","ScalarList"])", R"(["","[1, 1]"])", 10.0 * 512 * 49,
            2.0 * 10 * 512 * 50);
  table.row(
      "max pool backward", "aten::max_pool2d_with_indices_backward",
      "[[1,1,4,4],[1,1,8,8],[],[],[],[],[],[1,1,4,4]]",
      R"(["float","float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","long int"])",
      "", 16, 64 + 256 + 128);
  table.row("nearest", "aten::upsample_nearest1d", "[[1,768,8],[],[]]",
            R"(["c10::BFloat16","ScalarList",""])", R"(["","[128]",""])", 768.0 * 128,
            2.0 * 768 * 136);
  table.row("bilinear", "aten::upsample_bilinear2d", "[[1,2,4,4],[],[],[],[]]",
            R"(["float","ScalarList","Scalar","",""])", R"(["","[8, 8]","False","",""])", 7 * 128,
            4 * (32 + 128));
  table.row("bilinear backward", "aten::upsample_bilinear2d_backward", "[[1,2,8,8],[],[],[],[],[]]",
            R"(["float","ScalarList","ScalarList","Scalar","",""])",
            R"(["","[8, 8]","[1, 2, 4, 4]","False","",""])", 7 * 128, 4 * (32 + 128));
}

void TestOpCostFamilies::indexing_data() {
  const Table table;
  table.row("embedding", "aten::embedding", "[[151936,1024],[16,559],[],[],[]]",
            R"(["c10::BFloat16","long int","Scalar","Scalar","Scalar"])", "", 0,
            8944.0 * (2 * 1024 * 2 + 8));
  table.row("embedding backward", "aten::embedding_dense_backward", "[[6,10],[6],[],[],[]]",
            R"(["float","long int","Scalar","Scalar","Scalar"])", "", 60, 3 * 240 + 48);
  table.row("bags", "aten::_embedding_bag", "[[100,10],[6],[2],[],[],[],[],[],[]]",
            R"(["float","long int","long int"])",
            R"(["","","","False","0","False","","False","-1"])", 60, 4 * (60 + 20) + 48 + 16);
  table.row("index_select", "aten::index_select", "[[100,10],[],[6]]",
            R"(["float","Scalar","long int"])", R"(["","0",""])", 0, 2 * 240 + 48);
  table.row("gather", "aten::gather", "[[100,10],[],[6,10],[],[6,10]]",
            R"(["float","Scalar","long int","Scalar","float"])", "", 0, 2 * 240 + 480);
  table.row("scatter_", "aten::scatter_", "[[100],[],[6],[6]]",
            R"(["float","Scalar","long int","float"])", "", 0, 48 + 48);
  table.row("scatter", "aten::scatter", "[[100],[],[6],[6]]",
            R"(["float","Scalar","long int","float"])", "", 0, 48 + 48 + 800);
  table.row("scatter_add_", "aten::scatter_add_", "[[50],[],[9],[9]]",
            R"(["float","Scalar","long","float"])", "", 9, 3 * 36 + 72);
  table.row("index_add_", "aten::index_add_", "[[50,4],[],[9],[9,4],[]]",
            R"(["float","Scalar","int","float","Scalar"])", R"(["","0","","","1"])", 36,
            3 * 144 + 36);
  table.row("index_put_ that adds", "aten::index_put_", "[[50],[],[9],[]]",
            R"(["float","","float","Scalar"])", R"(["","","","True"])", 9, 108);
}

void TestOpCostFamilies::servingOps_data() {
  const Table table;
  const std::string bf16 = types("c10::BFloat16", 2);
  table.row("silu and mul into a result", "sgl_kernel::silu_and_mul", "[[4,8],[4,16]]", bf16, "",
            160, 2 * (64 + 32));
  table.row("silu and mul", "aiter::silu_and_mul", "[[4,16]]", types("c10::BFloat16", 1), "", 160,
            2 * (64 + 32));
  table.row("rotary", "_C::rotary_embedding", "[[888],[888,512],[888,64],[],[131072,64],[]]",
            R"(["long int","c10::BFloat16","c10::BFloat16","Scalar","c10::BFloat16","Scalar"])", "",
            3.0 * 888 * 576, 2.0 * 2 * 888 * 576 + 8 * 888 + 2.0 * 888 * 64);
  table.row("fp8", "_C::static_scaled_fp8_quant", "[[4,8],[4,8],[]]",
            R"(["c10::Float8_e4m3fn","c10::BFloat16","float"])", "", 64, 64 + 32);
  table.row(
      "cache", "_C_cache_ops::reshape_and_cache_flash",
      "[[4,1,64],[4,1,64],[9,16,1,64],[9,16,1,64],[4],[],[],[]]",
      R"(["c10::BFloat16","c10::BFloat16","c10::Float8_e4m3fn","c10::Float8_e4m3fn","long int","","float","float"])",
      "", 0, 2 * 512 + 512 + 32);
  table.row("rows to fp8", "fbgemm::FloatToFP8RowwiseQuantized", "[[10,256],[]]",
            R"(["float","Scalar"])", "", 5120, 10240 + 10 * 264);
  table.row("rows from fp8", "fbgemm::FP8RowwiseQuantizedToFloat", "[[10,264],[]]",
            R"(["unsigned char","Scalar"])", "", 2560, 2640 + 10240);
  table.row("triton", "triton_poi_fused_add_3", "[[8,16],[8,16],[]]",
            R"(["c10::BFloat16","c10::BFloat16","Scalar"])", R"(["","","128"])", kUnknown, 512);
}

QTEST_GUILESS_MAIN(TestOpCostFamilies)
#include "tst_op_cost_families.moc"
