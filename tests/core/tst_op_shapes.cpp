#include <random>

#include <QTest>

#include "core/workload/op_shapes.h"

using namespace ridgeline;
using Kind = ArgShape::Kind;
using Dims = std::vector<std::int64_t>;

class TestOpShapes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRecentRecordIsReadWhole();
  void listsOfTensorsKeepEverySize();
  void aListWhoseSizesWereLeftOutHasNone();
  void aFileOf2021HasNumbersByTypeName();
  void dimsWithoutTypesStillGiveTensors();
  void nothingRecordedIsNotTheSameAsNothingGiven();
  void strangeTextIsRefusedAndNeverThrows_data();
  void strangeTextIsRefusedAndNeverThrows();
  void cutRecordsNeverCrash();
  void typeNamesOfAllAges();
  void recordedValues();
  void elementsAreCounted();
};

void TestOpShapes::aRecentRecordIsReadWhole() {
  const auto shapes =
      parseOpShapes("[[10, 64, 56, 56], [64,64,3,3], [], []]",
                    R"(["c10::BFloat16", "c10::BFloat16", "", "ScalarList"])",
                    R"(["", "", "", "[1, 1]"])", "[[200704, 3136, 56, 1], [576, 9, 3, 1], [], []]");
  QVERIFY(shapes.has_value());
  QVERIFY(shapes->hasDims && shapes->hasTypes && shapes->hasConcrete);
  QCOMPARE(shapes->args.size(), std::size_t{4});
  QCOMPARE(shapes->arg(0).kind, Kind::Tensor);
  QCOMPARE(shapes->arg(0).dtype, DType::BFloat16);
  QCOMPARE(shapes->arg(0).dims, (Dims{10, 64, 56, 56}));
  QCOMPARE(shapes->arg(1).strides, (Dims{576, 9, 3, 1}));
  QCOMPARE(shapes->arg(2).kind, Kind::None);
  QCOMPARE(shapes->arg(3).kind, Kind::Scalar);
  QCOMPARE(shapes->arg(3).concrete, std::string("[1, 1]"));
  QCOMPARE(shapes->arg(99).kind, Kind::None);
}

void TestOpShapes::listsOfTensorsKeepEverySize() {
  const auto shapes = parseOpShapes("[[[128, 128], [128], []], []]", R"(["TensorList", "Scalar"])",
                                    R"(["", "0"])", "[[[128, 1], [1], []], []]");
  QVERIFY(shapes.has_value());
  QCOMPARE(shapes->arg(0).kind, Kind::TensorList);
  QCOMPARE(shapes->arg(0).list, (std::vector<Dims>{{128, 128}, {128}, {}}));
  QCOMPARE(shapes->arg(0).elements(), 128.0 * 128 + 128 + 1);
}

void TestOpShapes::aListWhoseSizesWereLeftOutHasNone() {
  const auto shapes = parseOpShapes("[[], []]", R"(["TensorList", "Scalar"])");
  QVERIFY(shapes.has_value());
  QCOMPARE(shapes->arg(0).kind, Kind::TensorList);
  QVERIFY(shapes->arg(0).list.empty());
}

void TestOpShapes::aFileOf2021HasNumbersByTypeName() {
  const auto shapes =
      parseOpShapes("[[32, 64], [], [], []]", R"(["float", "Int", "GenericList", ""])");
  QVERIFY(shapes.has_value());
  QCOMPARE(shapes->arg(0).dtype, DType::Float32);
  QCOMPARE(shapes->arg(1).kind, Kind::Scalar);
  QCOMPARE(shapes->arg(2).kind, Kind::Scalar);
  QCOMPARE(shapes->arg(3).kind, Kind::None);
  QVERIFY(!shapes->hasConcrete);
}

void TestOpShapes::dimsWithoutTypesStillGiveTensors() {
  const auto shapes = parseOpShapes("[[64, 3, 7, 7], []]", "[]");
  QVERIFY(shapes.has_value());
  QVERIFY(shapes->hasDims && !shapes->hasTypes);
  QCOMPARE(shapes->arg(0).kind, Kind::Tensor);
  QCOMPARE(shapes->arg(0).dtype, DType::Unknown);
  QCOMPARE(shapes->arg(1).kind, Kind::None);
}

void TestOpShapes::nothingRecordedIsNotTheSameAsNothingGiven() {
  const auto none = parseOpShapes("", "");
  QVERIFY(none.has_value() && !none->hasDims && none->args.empty());
  const auto given = parseOpShapes("[]", "[]");
  QVERIFY(given.has_value() && given->hasDims && given->args.empty());
  // A tensor of rank 0 is no number.
  const auto zeroRank = parseOpShapes("[[], []]", R"(["float", "Scalar"])");
  QCOMPARE(zeroRank->arg(0).kind, Kind::Tensor);
  QCOMPARE(zeroRank->arg(0).elements(), 1.0);
  QCOMPARE(zeroRank->arg(1).kind, Kind::Scalar);
}

void TestOpShapes::strangeTextIsRefusedAndNeverThrows_data() {
  QTest::addColumn<QByteArray>("dims");
  for (const char* text :
       {"[", "]", "{}", "[[1,2]", "[[1,]]", "[[1 2]]", "[[a]]", "[[1,2],3]", "[[1.5]]", "12",
        "\"x\"", "[[1]]x", "[[[[[1]]]]]", "[[99999999999999999999]]", "[[1,[2]]]", "[nul]"})
    QTest::newRow(text) << QByteArray(text);
}

void TestOpShapes::strangeTextIsRefusedAndNeverThrows() {
  QFETCH(QByteArray, dims);
  QVERIFY(!parseOpShapes(dims.toStdString(), "").has_value());
}

void TestOpShapes::cutRecordsNeverCrash() {
  const std::string dims = "[[[128, 128], [128]], [3,4], null, []]";
  const std::string concrete = R"(["a\"b", "[1, 2]", "\u0041", 5, true, null])";
  for (std::size_t i = 0; i <= dims.size(); ++i)
    (void)parseOpShapes(std::string_view(dims).substr(0, i), "");
  for (std::size_t i = 0; i <= concrete.size(); ++i)
    (void)parseOpShapes("[]", "", std::string_view(concrete).substr(0, i));
  QVERIFY(parseOpShapes(dims, "", concrete).has_value());
  QCOMPARE(parseOpShapes("", "", concrete)->arg(0).concrete, std::string("a\"b"));
  std::mt19937 random(7);
  const std::string alphabet = "[],\"\\ 019-x";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) text += alphabet[random() % alphabet.size()];
    (void)parseOpShapes(text, text, text, text);
  }
}

void TestOpShapes::typeNamesOfAllAges() {
  QCOMPARE(dtypeFromText("c10::BFloat16"), DType::BFloat16);
  QCOMPARE(dtypeFromText("BFloat16"), DType::BFloat16);
  QCOMPARE(dtypeFromText("long int"), DType::Int64);
  QCOMPARE(dtypeFromText("long"), DType::Int64);
  QCOMPARE(dtypeFromText("c10::Float8_e4m3fnuz"), DType::Float8E4M3);
  QCOMPARE(dtypeFromText("c10::complex<float>"), DType::ComplexFloat);
  QCOMPARE(dtypeFromText("c10::complex<c10::Half>"), DType::ComplexHalf);
  QCOMPARE(dtypeFromText("torch.float16"), DType::Float16);
  QCOMPARE(dtypeFromText("unsigned char"), DType::UInt8);
  for (const char* text : {"Scalar", "Int", "Double", "Bool", "", "GenericList", "TensorList"})
    QCOMPARE(dtypeFromText(text), DType::Unknown);
  QCOMPARE(scalarTypeFromText("Int"), DType::Int32);
  QCOMPARE(scalarTypeFromText("Byte"), DType::UInt8);
  QCOMPARE(scalarTypeFromText("BFloat16"), DType::BFloat16);
  QCOMPARE(byteSize(DType::ComplexDouble), 16);
  QCOMPARE(byteSize(DType::Float4x2), 1);
  QCOMPARE(byteSize(DType::Unknown), 0);
  QCOMPARE(std::string(name(DType::Float32)), std::string("fp32"));
}

void TestOpShapes::recordedValues() {
  QCOMPARE(concreteIntegers("[1, -2]").value(), (Dims{1, -2}));
  QCOMPARE(concreteIntegers("3").value(), (Dims{3}));
  QCOMPARE(concreteIntegers("[]").value(), Dims{});
  for (const char* text : {"", "1.5", "[1.5]", "True", "[1", "x"})
    QVERIFY(!concreteIntegers(text).has_value());
  QCOMPARE(concreteBool("True").value(), true);
  QCOMPARE(concreteBool("false").value(), false);
  QVERIFY(!concreteBool("").has_value());
  QCOMPARE(concreteBools("[True, False, True]").value(), (std::vector<bool>{true, false, true}));
  QVERIFY(!concreteBools("[True, x]").has_value());
}

void TestOpShapes::elementsAreCounted() {
  ArgShape tensor;
  tensor.kind = Kind::Tensor;
  tensor.dims = {100000, 100000, 100};
  QCOMPARE(tensor.elements(), 1e12);  // beyond 32 bits
  tensor.dims = {3, 0, 5};
  QCOMPARE(tensor.elements(), 0.0);
  QCOMPARE(ArgShape{}.elements(), 0.0);
}

QTEST_GUILESS_MAIN(TestOpShapes)
#include "tst_op_shapes.moc"
