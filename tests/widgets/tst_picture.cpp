#include <random>

#include <QApplication>
#include <QImage>
#include <QTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/row_trace.h"
#include "widgets/picture/legend_painter.h"
#include "widgets/picture/recipe_renderer.h"
#include "widgets/picture/timeline_picture.h"
#include "widgets/timeline/timeline_renderer.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr const char* kMatmul = "volta_sgemm_64x64_nt";
constexpr const char* kCopy = "Memcpy HtoD (Pageable -> Device)";

/// One thread with two ops that launch a matmul (1 … 2 ms) and a copy (6 … 7 ms) on one stream.
std::vector<LoadedTrace> smallJob() {
  const std::vector<MadeSlice> slices = {
      {0, 3'000'000, "aten::mm"},
      {100'000, 50'000, "cudaLaunchKernel", "cuda_runtime", "1", "1", EventArgs::kAbsent,
       EventArgs::kAbsent, 1},
      {1'000'000, 1'000'000, kMatmul, "kernel", "0", "7", 0, 7, 1},
      {5'000'000, 3'000'000, "aten::copy_"},
      {5'100'000, 50'000, "cudaMemcpyAsync", "cuda_runtime", "1", "1", EventArgs::kAbsent,
       EventArgs::kAbsent, 2},
      {6'000'000, 1'000'000, kCopy, "gpu_memcpy", "0", "7", 0, 7, 2}};
  auto trace = makeTrace(slices);
  return {{trace, std::make_shared<const TraceIndex>(trace)}};
}

PictureRecipe recipeOf(int width = 800) {
  PictureRecipe recipe;
  recipe.traces = {"made.json"};
  recipe.width = width;
  return recipe;
}

QStringList textsOf(const std::vector<LegendEntry>& legend) {
  QStringList texts;
  for (const LegendEntry& entry : legend) texts << entry.text;
  return texts;
}

Note bracket(TimeSpan span, const char* text) {
  Note note;
  note.kind = NoteKind::bracket;
  note.span = span;
  note.text = text;
  return note;
}

}  // namespace

class TestPicture : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { QCOMPARE(QtWarningGuard::take(), QStringList()); }

  void aPngHasTheSizeTimesTheScale_data();
  void aPngHasTheSizeTimesTheScale();
  void aGivenHeightIsKept();
  void tooLargeAPngIsRefusedWithAReason();
  void anSvgHasTextsAndNoBitmap();
  void aPdfIsWritten();
  void theLegendHasOnlyWhatOccurs();
  void switchesLeaveLegendAndCaptionOut();
  void theCaptionSaysTheWindow();
  void rowsAreChosenByPattern();
  void whatIsNotThereIsAnError_data();
  void whatIsNotThereIsAnError();
  void theSamePictureTwiceIsTheSame();
  void themesDiffer();
  void aBracketShowsItsMeasuredLength();
  void aCalloutNeverCoversItsSlice();
  void aCalloutWithoutItsEventIsSaid();

 private:
  QtWarningGuard guard_;
};

void TestPicture::aPngHasTheSizeTimesTheScale_data() {
  QTest::addColumn<double>("scale");
  for (const double scale : {1.0, 1.5, 2.0}) QTest::addRow("%.1f", scale) << scale;
}

void TestPicture::aPngHasTheSizeTimesTheScale() {
  QFETCH(double, scale);
  RecipeRenderer renderer(smallJob());
  const auto picture = renderer.picture(recipeOf(), {});
  QVERIFY(picture.ok());
  QCOMPARE(picture.value().size().width(), 800.0);
  const auto png = picture.value().toPng(scale);
  QVERIFY(png.ok());
  QCOMPARE(QImage::fromData(png.value()).size(), (picture.value().size() * scale).toSize());
}

void TestPicture::aGivenHeightIsKept() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  recipe.height = 400;
  const auto picture = renderer.picture(recipe, {});
  QVERIFY(picture.ok());
  QCOMPARE(picture.value().size().height(), 400.0);
}

void TestPicture::tooLargeAPngIsRefusedWithAReason() {
  RecipeRenderer renderer(smallJob());
  const auto picture = renderer.picture(recipeOf(20000), {});
  QVERIFY(picture.ok());
  const auto png = picture.value().toPng(8);
  QVERIFY(png.failed());
  QVERIFY(!png.error().todo.empty());
}

void TestPicture::anSvgHasTextsAndNoBitmap() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf(1600);
  recipe.title = "Where the time goes";
  recipe.notes = {bracket({2'000'000, 6'000'000}, "waits")};
  const auto picture = renderer.picture(recipe, {});
  QVERIFY(picture.ok());
  const QString svg = QString::fromUtf8(picture.value().toSvg());
  QVERIFY(svg.contains(QStringLiteral("<text")));
  QVERIFY(svg.contains(QLatin1String(kMatmul)));
  QVERIFY(svg.contains(QStringLiteral("Where the time goes")));
  QVERIFY(svg.contains(QStringLiteral("waits · 4 ms")) ||
          svg.contains(QStringLiteral("waits · 4.00 ms")));
  QVERIFY(!svg.contains(QStringLiteral("<image")));
  QVERIFY(!svg.contains(QStringLiteral("base64")));
}

void TestPicture::aPdfIsWritten() {
  RecipeRenderer renderer(smallJob());
  const auto picture = renderer.picture(recipeOf(), {});
  QVERIFY(picture.ok());
  QVERIFY(picture.value().toPdf().startsWith("%PDF"));
}

void TestPicture::theLegendHasOnlyWhatOccurs() {
  RecipeRenderer renderer(smallJob());
  const QString matmul = colourKeyName(colourKeyOf(KernelClass::matmul));
  const QString copy = colourKeyName(colourKeyOf(KernelClass::memcpy));
  PictureRecipe recipe = recipeOf();
  recipe.span = TimeSpan{500'000, 2'500'000};
  auto picture = renderer.picture(recipe, {});
  QVERIFY(picture.ok());
  QStringList texts = textsOf(picture.value().legend());
  QVERIFY(texts.contains(matmul));
  QVERIFY(!texts.contains(copy));
  recipe.span = TimeSpan{5'500'000, 7'500'000};
  picture = renderer.picture(recipe, {});
  texts = textsOf(picture.value().legend());
  QVERIFY(!texts.contains(matmul));
  QVERIFY(texts.contains(copy));
  QCOMPARE(texts.removeDuplicates(), 0);
}

void TestPicture::switchesLeaveLegendAndCaptionOut() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  const double with = renderer.picture(recipe, {}).value().size().height();
  recipe.legend = recipe.caption = false;
  const auto without = renderer.picture(recipe, {});
  QVERIFY(without.value().legend().empty());
  QVERIFY(without.value().size().height() < with);
}

void TestPicture::theCaptionSaysTheWindow() {
  QCoreApplication::setApplicationVersion(QStringLiteral("9.8.7"));
  Session session;
  session.open(smallJob(), QStringLiteral("made.json"));
  const QStringList caption = pictureCaption(session, nullptr, TimeSpan{1'000'000, 2'234'567});
  QVERIFY(caption.contains(QStringLiteral("made.json")));
  QVERIFY(caption.contains(QStringLiteral("1.000 ms … 2.234 ms (1.23 ms)")));
  QVERIFY(caption.contains(QStringLiteral("Ridgeline 9.8.7")));
  const QStringList fine = pictureCaption(session, nullptr, TimeSpan{1'000'001, 1'002'001});
  QVERIFY(fine.contains(QStringLiteral("1000.001 µs … 1002.001 µs (2.00 µs)")));
}

void TestPicture::rowsAreChosenByPattern() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  const double all = renderer.picture(recipe, {}).value().size().height();
  recipe.rows = {"stream 7"};
  recipe.width = 1600;  // room for the kernel's whole name
  const auto some = renderer.picture(recipe, {});
  QVERIFY(some.ok());
  QVERIFY(some.value().size().height() < all);
  const QString svg = QString::fromUtf8(some.value().toSvg());
  QVERIFY(svg.contains(QLatin1String(kMatmul)));
  QVERIFY(!svg.contains(QStringLiteral("aten::mm")));
}

void TestPicture::whatIsNotThereIsAnError_data() {
  QTest::addColumn<QString>("what");
  for (const char* what : {"step", "rows", "overlays", "select", "window"})
    QTest::addRow("%s", what) << QString::fromLatin1(what);
}

void TestPicture::whatIsNotThereIsAnError() {
  QFETCH(QString, what);
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  const std::string missing = "no such thing";
  if (what == QStringLiteral("step")) recipe.step = missing;
  if (what == QStringLiteral("rows")) recipe.rows = {missing};
  if (what == QStringLiteral("overlays")) recipe.overlays = std::vector<std::string>{missing};
  if (what == QStringLiteral("select")) recipe.select = {missing};
  if (what == QStringLiteral("window")) recipe.span = TimeSpan{1'000'000'000, 2'000'000'000};
  const auto picture = renderer.picture(recipe, {});
  QVERIFY(picture.failed());
  QVERIFY(!picture.error().what.empty());
  QVERIFY(!picture.error().where.empty());
  QVERIFY(!picture.error().todo.empty());
}

void TestPicture::theSamePictureTwiceIsTheSame() {
  PictureRecipe recipe = recipeOf();
  recipe.select = {"sgemm"};
  RecipeRenderer one(smallJob());
  RecipeRenderer other(smallJob());
  const QByteArray first = one.picture(recipe, {}).value().toPng(2).value();
  QCOMPARE(first, other.picture(recipe, {}).value().toPng(2).value());
  // Another picture in between leaves no trace.
  PictureRecipe different = recipeOf(900);
  different.span = TimeSpan{0, 1'000'000};
  QVERIFY(one.picture(different, {}).ok());
  QCOMPARE(one.picture(recipe, {}).value().toPng(2).value(), first);
}

void TestPicture::themesDiffer() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  const QImage light = renderer.picture(recipe, {}).value().toImage(1).value();
  recipe.theme = PictureTheme::dark;
  const QImage dark = renderer.picture(recipe, {}).value().toImage(1).value();
  QCOMPARE(light.pixelColor(2, 2), Palette::light().background);
  QCOMPARE(dark.pixelColor(2, 2), Palette::darkTheme().background);
}

void TestPicture::aBracketShowsItsMeasuredLength() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  recipe.notes = {bracket({2'000'000, 2'041'400}, "")};
  const QString svg = QString::fromUtf8(renderer.picture(recipe, {}).value().toSvg());
  QVERIFY(svg.contains(QStringLiteral("41.4 µs")));
}

void TestPicture::aCalloutNeverCoversItsSlice() {
  std::mt19937 engine(7);
  const auto random = [&engine](int below) {
    return static_cast<int>(engine() % static_cast<unsigned>(below));
  };
  Session session;
  session.open(smallJob(), QStringLiteral("made"));
  NotesModel notes(session);
  NotesOverlay overlay(session, notes);
  const auto layout =
      TimelineRenderer::layoutOf(session, QApplication::font(), {&overlay}, {}, session.span());
  for (int round = 0; round < 3000; ++round) {
    const SliceRef slice{0, SliceId(static_cast<std::size_t>(random(6)))};
    const TimeNs begin = random(7'000'000);
    const TimeSpan span{begin, begin + 1'000 + random(8'000'000)};
    const QRectF area(100, 20, 200 + random(1200), 40 + random(400));
    const TimelineGeometry geometry(session, *layout, TimeAxis(span, area.left(), area.width()),
                                    area, 0, Palette::light());
    notes.setDocument({});
    const auto id = notes.addCallout(slice, QString(random(40), QLatin1Char('x')));
    notes.setOffset(id, random(400) - 200, random(300) - 150);
    const auto label = overlay.labelRect(notes.document().notes.front(), geometry);
    const auto rect = geometry.sliceRect(slice);
    if (!label || !rect) continue;
    // Where the slice leaves no room above and below, there is none.
    const double room = std::max(rect->top() - area.top(), area.bottom() - rect->bottom());
    if (room < label->height() + 4) continue;
    const QRectF seen = rect->intersected(area);
    QVERIFY2(!label->intersects(seen), qPrintable(QStringLiteral("round %1").arg(round)));
    QVERIFY2(area.adjusted(0, -1, 0, 1).contains(*label) || label->width() > area.width() - 4,
             qPrintable(QStringLiteral("round %1 is out of sight").arg(round)));
  }
}

void TestPicture::aCalloutWithoutItsEventIsSaid() {
  RecipeRenderer renderer(smallJob());
  PictureRecipe recipe = recipeOf();
  Note note;
  note.text = "look here";
  note.event = {"1/1", "no such event", 0};
  recipe.notes = {note};
  QVERIFY(renderer.picture(recipe, {}).ok());
  QCOMPARE(renderer.warnings().size(), 1);
  QVERIFY(renderer.warnings().front().contains(QStringLiteral("no such event")));
}

QTEST_MAIN(TestPicture)
#include "tst_picture.moc"
