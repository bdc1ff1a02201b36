#include <QTest>

#include "core/documents/picture_recipe.h"

using namespace ridgeline;

class TestPictureRecipe : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theShortestRecipeIsOnePath() {
    const auto recipe = pictureRecipeFromJson(R"({"trace":"a.json"})", "/data", "r");
    QVERIFY(recipe.ok());
    QCOMPARE(recipe.value().traces, std::vector<std::string>{"/data/a.json"});
    QVERIFY(!recipe.value().span && recipe.value().step.empty() && !recipe.value().overlays);
    QVERIFY(recipe.value().warnings.empty());
  }

  void whatIsWrittenIsReadAgain() {
    const auto first = pictureRecipeFromJson(
        R"({"version":1,"traces":["/x/a.json","../b.json"],"panel":"roofline","theme":"dark",
            "window":{"from_ns":5,"to_ns":9},"rows":["stream*"],"overlays":[],
            "notes":["from trace",{"kind":"band","from_ns":1,"to_ns":2,"text":"t"}],
            "size":{"width":800,"height":400,"scale":1},"title":"T","legend":false})",
        "/data", "r");
    QVERIFY2(first.ok(), first.failed() ? first.error().text().c_str() : "");
    const PictureRecipe& a = first.value();
    QCOMPARE(a.traces[1], std::string("/b.json"));
    QVERIFY(a.span == (TimeSpan{5, 9}) && a.overlays && a.overlays->empty() && a.notesOfTrace);
    const auto second = pictureRecipeFromJson(pictureRecipeToJson(a), "/data", "r");
    QVERIFY(second.ok());
    QCOMPARE(pictureRecipeToJson(second.value()), pictureRecipeToJson(a));
    QVERIFY(second.value().notes == a.notes && a.panel == PicturePanel::roofline);
  }

  void aStepMayBeANumber() {
    QCOMPARE(pictureRecipeFromJson(R"({"trace":"a","window":{"step":103}})", "", "r").value().step,
             std::string("103"));
  }

  void wrongRecipesSayWhatIsWrong_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* text, const char* words) {
      QTest::newRow(words) << QByteArray(text) << QByteArray(words);
    };
    row(R"({})", "\"trace\"");
    row(R"({"trace":"a","version":9})", "\"version\"");
    row(R"({"trace":"a","theme":"pink"})", "\"light\" or \"dark\"");
    row(R"({"trace":"a","window":{"from_ns":4}})", "\"to_ns\"");
    row(R"({"trace":"a","window":{"from_ns":4,"to_ns":4}})", "larger");
    row(R"({"trace":"a","size":{"width":1e9}})", "\"width\"");
    row(R"({"trace":"a","size":{"width":100}})", "from 200 to 20000");
    row(R"({"trace":"a","notes":[{"kind":"x"}]})", "note 1");
    row(R"({"trace":"a","rows":"all"})", "\"rows\"");
  }

  void wrongRecipesSayWhatIsWrong() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, words);
    const auto recipe = pictureRecipeFromJson(text.toStdString(), "", "r");
    QVERIFY(recipe.failed());
    QVERIFY2(recipe.error().what.find(words.toStdString()) != std::string::npos,
             recipe.error().what.c_str());
  }

  void unknownFieldsAreNamed() {
    const auto recipe = pictureRecipeFromJson(R"({"trace":"a","colour":"x"})", "", "r");
    QCOMPARE(recipe.value().warnings.size(), std::size_t{1});
  }

  void patternsIgnoreCaseAndKnowStars() {
    QVERIFY(fitsPattern("GPU 0 · stream 7", "Stream 7"));
    QVERIFY(fitsPattern("GPU 0 · stream 7", "gpu*7"));
    QVERIFY(fitsPattern("anything", ""));
    QVERIFY(fitsPattern("anything", "*"));
    QVERIFY(!fitsPattern("GPU 0 · stream 7", "7*gpu"));
    QVERIFY(!fitsPattern("GPU 0", "stream"));
  }
};

QTEST_GUILESS_MAIN(TestPictureRecipe)
#include "tst_picture_recipe.moc"
