#include "widgets/picture/recipe_renderer.h"

#include <algorithm>

#include <QApplication>
#include <QEventLoop>
#include <QPainter>

#include "widgets/overlays/critical_path_overlay.h"
#include "widgets/overlays/idle_gaps_overlay.h"
#include "widgets/overlays/kernel_groups_overlay.h"
#include "widgets/overlays/links_overlay.h"
#include "widgets/overlays/selection_overlay.h"
#include "widgets/overlays/steps_overlay.h"
#include "widgets/picture/timeline_picture.h"
#include "widgets/timeline/timeline_renderer.h"

namespace ridgeline {

namespace {

constexpr int kFontPixels = 12;  // 9 pt at 96 dpi: independent of the display

QFont pictureFont() {
  QFont font = QApplication::font();
  font.setPixelSize(kFontPixels);
  return font;
}

bool fitsAny(std::string_view name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string& p) { return fitsPattern(name, p); });
}

std::string quoted(const std::vector<std::string>& texts, std::size_t most = 12) {
  std::string all;
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    all += (i == 0 ? "\"" : ", \"") + texts[i] + '"';
  return texts.size() > most ? all + ", …" : all;
}

const Palette& paletteOf(const PictureRecipe& recipe) {
  return recipe.theme == PictureTheme::dark ? Palette::darkTheme() : Palette::light();
}

QString titleOf(const PictureRecipe& recipe, const QString& otherwise) {
  return recipe.title.empty() ? otherwise : QString::fromStdString(recipe.title);
}

TimeSpan withNeighbours(TimeSpan step) {
  const TimeNs margin = step.length() / 7;
  return {step.begin - margin, step.end + margin};
}

}  // namespace

RecipeRenderer::RecipeRenderer(std::vector<LoadedTrace> ranks, QObject* parent)
    : QObject(parent), analyses_(session_), notes_(session_) {
  overlays_.push_back(std::make_unique<KernelGroupsOverlay>(session_, analyses_));
  overlays_.push_back(std::make_unique<StepsOverlay>(session_, analyses_));
  overlays_.push_back(std::make_unique<IdleGapsOverlay>(session_, analyses_));
  overlays_.push_back(std::make_unique<CriticalPathOverlay>(session_, analyses_));
  overlays_.push_back(std::make_unique<LinksOverlay>());
  overlays_.push_back(std::make_unique<SelectionOverlay>());
  auto notes = std::make_unique<NotesOverlay>(session_, notes_);
  notesOverlay_ = notes.get();
  overlays_.push_back(std::move(notes));
  session_.open(std::move(ranks), QString());
  session_.setWindow({});  // the steady steps
  wait();
}

RecipeRenderer::~RecipeRenderer() = default;

void RecipeRenderer::wait() {
  // Results are asked for when a workload has arrived, so it may be idle for an instant.
  while (analyses_.busy()) {
    QEventLoop loop;
    connect(&analyses_, &Analyses::busyChanged, &loop, [&loop](bool busy) {
      if (!busy) loop.quit();
    });
    loop.exec();
  }
}

bool RecipeRenderer::isAnalysed(TimeSpan span) const {
  const auto results = analyses_.results(0);
  if (!results) return false;
  const TimeSpan inTrace = session_.toTrace(0, span);
  const auto& spans = results->window.spans;
  return !spans.empty() && spans.front().begin <= inTrace.begin && spans.back().end >= inTrace.end;
}

Result<TimeSpan> RecipeRenderer::chooseSpan(const PictureRecipe& recipe, DefaultView defaultView) {
  const auto workload = analyses_.workload(0);
  session_.setWindow({});
  wait();
  if (recipe.span) {
    const TimeSpan span = session_.toSession(0, *recipe.span);
    if (!span.intersects(session_.span()))
      return Error{"the window lies outside the recording, which is 0 … " +
                       std::to_string(session_.toTrace(0, session_.span().end)) + " ns",
                   "\"window\"", "choose from_ns and to_ns within it"};
    if (!isAnalysed(span)) session_.setWindow({span, tr("chosen span")});
    return span;
  }
  const auto stepSpan = [&](const Step& step) { return session_.toSession(0, step.window); };
  if (!recipe.step.empty()) {
    std::vector<std::string> names;
    if (workload)
      for (const Step& step : workload->steps.steps) {
        names.push_back(step.name);
        if (step.name != recipe.step && std::to_string(step.number) != recipe.step) continue;
        if (!isAnalysed(stepSpan(step)))
          session_.setWindow({stepSpan(step), QString::fromStdString(step.name)});
        return withNeighbours(stepSpan(step));
      }
    return Error{"there is no step \"" + recipe.step + "\" in the first trace", "\"window\"",
                 "its steps are " + quoted(names)};
  }
  if (defaultView == DefaultView::firstStep && workload &&
      workload->steps.extent != StepExtent::trace) {
    const Steps& steps = workload->steps;
    const auto steady = steps.steadyIndices();
    return withNeighbours(
        stepSpan(steps.steps[steady.empty() ? steps.representative : steady.front()]));
  }
  return session_.span();
}

Status RecipeRenderer::chooseOverlays(const PictureRecipe& recipe) {
  std::vector<std::string> known;
  for (const auto& overlay : overlays_)
    if (overlay->switchable()) known.push_back(overlay->id().toStdString());
  const auto isOn = [&](const std::string& id) {
    if (id == "notes" && (recipe.notesOfTrace || !recipe.notes.empty())) return true;
    return !recipe.overlays || std::find(recipe.overlays->begin(), recipe.overlays->end(), id) !=
                                   recipe.overlays->end();
  };
  if (recipe.overlays)
    for (const std::string& id : *recipe.overlays)
      if (std::find(known.begin(), known.end(), id) == known.end())
        return Error{"there is no overlay \"" + id + "\"", "\"overlays\"",
                     "there are " + quoted(known)};
  shown_.clear();
  for (const auto& overlay : overlays_) {
    const bool on = !overlay->switchable() || isOn(overlay->id().toStdString());
    session_.setOverlayOn(overlay->id(), on);
    if (on) shown_.push_back(overlay.get());
  }
  return Done{};
}

Status RecipeRenderer::chooseSelection(const PictureRecipe& recipe, TimeSpan span) {
  session_.clearSelection();
  if (recipe.select.empty()) return Done{};
  std::vector<SliceRef> selected;
  SliceRef first;
  for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) {
    const Trace& trace = session_.trace(rank);
    std::vector<signed char> fits(trace.strings().size(), -1);
    for (std::size_t i = 0; i < trace.slices().size(); ++i) {
      signed char& fit = fits[trace.slices().name[i].index()];
      if (fit < 0) fit = fitsAny(trace.name(SliceId(i)), recipe.select) ? 1 : 0;
      if (fit == 0) continue;
      const SliceRef slice{rank, SliceId(i)};
      selected.push_back(slice);
      if (!span.contains(session_.spanOf(slice))) continue;
      if (!first.valid() || session_.spanOf(slice).begin < session_.spanOf(first).begin)
        first = slice;
    }
  }
  if (selected.empty())
    return Error{"no slice is named like " + quoted(recipe.select), "\"select\"",
                 "use a part of a kernel's or op's name, with * for anything"};
  session_.setSelected(std::move(selected), QString());
  session_.setActive(first);  // with its launch arrow
  return Done{};
}

Result<std::shared_ptr<const RowLayout>> RecipeRenderer::chooseRows(const PictureRecipe& recipe,
                                                                    const QFont& font,
                                                                    TimeSpan span) {
  RowLayout::TrackPredicate wanted;
  if (!recipe.rows.empty())
    wanted = [this, &recipe](std::uint32_t rank, TrackId track) {
      return fitsAny(session_.trace(rank).track(track).displayName, recipe.rows);
    };
  FoldState folds;
  auto layout = TimelineRenderer::layoutOf(session_, font, shown_, folds, span, wanted);
  const bool any =
      std::any_of(layout->lines().begin(), layout->lines().end(), [](const LayoutLine& line) {
        return line.kind != LayoutLine::Kind::lane && line.kind != LayoutLine::Kind::rank;
      });
  if (!any && session_.trace(0).tracks().empty())
    return Error{"there is nothing to draw: the trace holds no events",
                 session_.trace(0).info().path, "record again, or open another file"};
  if (!any && recipe.rows.empty())
    return Error{"there is nothing to draw in this span: no row has an event in it",
                 session_.trace(0).info().path, "choose another step or window"};
  if (!any) {
    std::vector<std::string> names;
    for (const Track& track : session_.trace(0).tracks()) names.emplace_back(track.displayName);
    return Error{"no row is named like " + quoted(recipe.rows), "\"rows\"",
                 "the first trace has " + quoted(names)};
  }
  if (recipe.height == 0) return layout;
  // Stacks of Python frames would push the device out of the picture: show fewer depths of each
  // host thread until all of them fit.
  constexpr double kAround = 150;  // title, ruler, legend, caption
  for (const std::uint32_t limit : {12u, 8u, 6u, 4u, 3u, 2u}) {
    if (layout->height() + kAround <= recipe.height) break;
    folds.hostDepthLimit = limit;
    layout = TimelineRenderer::layoutOf(session_, font, shown_, folds, span, wanted);
  }
  return layout;
}

void RecipeRenderer::chooseNotes(const PictureRecipe& recipe, const NotesDocument& ofTrace) {
  NotesDocument document;
  if (recipe.notesOfTrace) document = ofTrace;
  for (const Note& note : recipe.notes) document.add(note);
  notes_.setDocument(std::move(document));
  for (const Note& note : notes_.document().notes) {
    const QString text = QString::fromStdString(note.text);
    if (!notes_.rankOf(note))
      warnings_ << tr("note \"%1\": rank %2 is not among the traces").arg(text).arg(note.rank);
    else if (note.kind == NoteKind::callout && !notes_.eventOf(note).valid())
      warnings_ << tr("note \"%1\": its event \"%2\" is not in the trace")
                       .arg(text, QString::fromStdString(note.event.name));
  }
}

Result<Picture> RecipeRenderer::picture(const PictureRecipe& recipe, const NotesDocument& ofTrace,
                                        DefaultView defaultView) {
  warnings_.clear();
  if (!analyses_.problem().isEmpty()) warnings_ << analyses_.problem();
  const auto span = chooseSpan(recipe, defaultView);
  if (!span.ok()) return span.error();
  wait();
  if (const Status status = chooseOverlays(recipe); !status.ok()) return status.error();
  if (const Status status = chooseSelection(recipe, span.value()); !status.ok())
    return status.error();
  return recipe.panel == PicturePanel::roofline ? roofline(recipe)
                                                : timeline(recipe, ofTrace, span.value());
}

Result<Picture> RecipeRenderer::timeline(const PictureRecipe& recipe, const NotesDocument& ofTrace,
                                         TimeSpan span) {
  chooseNotes(recipe, ofTrace);
  const QFont font = pictureFont();
  notesOverlay_->setFont(font);
  auto layout = chooseRows(recipe, font, span);
  if (!layout.ok()) return layout.error();

  TimelineScene scene;
  scene.session = &session_;
  scene.span = span;
  scene.layout = layout.value();
  scene.size = QSizeF(recipe.width - 2 * Picture::kMargin, 0);
  scene.headerWidth = TimelineRenderer::headerWidthFor(*scene.layout, font);
  scene.rulerHeight = TimelineRenderer::rulerHeightFor(font);
  scene.palette = &paletteOf(recipe);
  scene.font = font;
  scene.overlays = shown_;
  TimelinePictureOptions options;
  options.title = titleOf(recipe, pictureTitle(session_));
  options.legend = recipe.legend;
  options.caption = recipe.caption;
  options.height = recipe.height;
  options.fitRows = true;
  return timelinePicture(std::move(scene), options, &analyses_);
}

Result<Picture> RecipeRenderer::roofline(const PictureRecipe& recipe) {
  // The panel that the window shows, off the screen.
  const Palette& palette = paletteOf(recipe);
  rooflinePanel_ = std::make_unique<RooflinePanel>(session_, analyses_);
  QPalette colours;
  for (const auto role : {QPalette::Window, QPalette::Base, QPalette::Button})
    colours.setColor(role, palette.background);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    colours.setColor(role, palette.text);
  rooflinePanel_->setPalette(colours);
  rooflinePanel_->setFont(pictureFont());
  rooflinePanel_->setAttribute(Qt::WA_DontShowOnScreen);
  rooflinePanel_->resize(recipe.width, std::max(recipe.height, 400));
  rooflinePanel_->show();
  if (rooflinePanel_->isEmptyState())
    return Error{rooflinePanel_->emptyText().toStdString(), "\"panel\"", ""};

  Picture::Frame frame;
  frame.title = titleOf(recipe, pictureTitle(session_) + tr(" · roofline"));
  frame.palette = &palette;
  frame.font = pictureFont();
  if (recipe.caption) {
    frame.caption << rooflinePanel_->sentence();
    QStringList facts = pictureCaption(session_, nullptr, std::nullopt);
    if (const auto results = analyses_.current())
      facts.insert(1, QString::fromStdString(results->window.label));
    frame.caption << facts;
    frame.caption.removeAll(QString());
  }
  const double width = recipe.width;
  const double height =
      recipe.height > 0 ? recipe.height - Picture::frameHeight({}, frame, width) : width * 0.6;
  Picture::Content content;
  content.size = QSizeF(width - 2 * Picture::kMargin, std::max(height, 60.0));
  content.paint = [chart = &rooflinePanel_->chart(), size = content.size](QPainter& painter,
                                                                          Picture::Output, double) {
    painter.setRenderHint(QPainter::Antialiasing);
    chart->renderTo(painter, QRectF(QPointF(), size));
  };
  return Picture(std::move(content), std::move(frame));
}

}  // namespace ridgeline
