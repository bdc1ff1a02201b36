#include "app/desktop/render_command.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <QCommandLineParser>
#include <QDir>
#include <QFile>

#include "app/desktop/picture_file.h"
#include "core/documents/picture_recipe.h"
#include "core/io/load_trace.h"
#include "core/io/same_files.h"
#include "core/io/same_recordings.h"
#include "widgets/picture/recipe_renderer.h"

namespace ridgeline {

namespace {

constexpr int kFine = 0, kFailed = 1, kWrongUsage = 2;
constexpr int kOverviewWidth = 1600, kOverviewHeight = 1000;

struct Request {
  PictureRecipe recipe;
  QString output;
  RecipeRenderer::DefaultView defaultView = RecipeRenderer::DefaultView::everything;
};

void say(std::FILE* to, const QString& text) {
  std::fprintf(to, "%s\n", qPrintable(text));
}

int fail(const Error& error) {
  say(stderr, QStringLiteral("ridgeline: ") + QString::fromStdString(error.text()));
  return kFailed;
}

int misuse(const QString& what) {
  say(stderr, QStringLiteral("ridgeline: ") + what);
  say(stderr, QStringLiteral("usage: ridgeline --render RECIPE.json -o OUT.png|.svg|.pdf\n"
                             "       ridgeline --overview OUT.png|.svg|.pdf [--theme light|dark] "
                             "[--all] TRACE…"));
  return kWrongUsage;
}

Result<std::vector<LoadedTrace>> loadAll(const std::vector<std::string>& paths) {
  std::vector<LoadedTrace> ranks;
  const NamedOnce named = namedOnce(paths);
  for (const std::string& sentence : named.sentences())
    say(stderr, QStringLiteral("ridgeline: ") + QString::fromStdString(sentence));
  for (const std::string& path : named.paths) {
    auto loaded = loadTrace(path);
    if (loaded.failed()) return loaded.error();
    if (!loaded.ok()) return Cancelled{};
    for (LoadedTrace& rank : loaded.value()) ranks.push_back(std::move(rank));
  }
  for (const SameRecording& copy : takeOutCopies(ranks))
    say(stderr, QStringLiteral("ridgeline: %1 and is left out")
                    .arg(QString::fromStdString(copy.sentence())));
  // As the window orders them.
  std::stable_sort(ranks.begin(), ranks.end(), [](const LoadedTrace& a, const LoadedTrace& b) {
    constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
    return a.trace->info().rank.value_or(kLast) < b.trace->info().rank.value_or(kLast);
  });
  return ranks;
}

int render(const Request& request) {
  for (const std::string& warning : request.recipe.warnings)
    say(stderr, QStringLiteral("ridgeline: ") + QString::fromStdString(warning));
  auto ranks = loadAll(request.recipe.traces);
  if (ranks.failed()) return fail(ranks.error());
  if (!ranks.ok()) return kFailed;
  NotesDocument ofTrace;
  if (request.recipe.notesOfTrace) {
    auto notes = NotesFile(NotesFile::pathBeside(request.recipe.traces.front())).load();
    if (!notes.ok()) return fail(notes.error());
    ofTrace = std::move(notes.value());
  }
  RecipeRenderer renderer(std::move(ranks.value()));
  const auto picture = renderer.picture(request.recipe, ofTrace, request.defaultView);
  for (const QString& warning : renderer.warnings())
    say(stderr, QStringLiteral("ridgeline: ") + warning);
  if (!picture.ok()) return fail(picture.error());
  const Status written = writePicture(picture.value(), request.output, request.recipe.scale);
  if (!written.ok()) return fail(written.error());
  say(stdout, QStringLiteral("wrote ") + QDir::toNativeSeparators(request.output));
  return kFine;
}

}  // namespace

bool wantsPicture(int argc, char** argv) {
  return std::any_of(argv + 1, argv + std::max(argc, 1), [](const char* argument) {
    for (const char* option : {"--render", "--overview"}) {
      const std::size_t length = std::strlen(option);
      if (std::strncmp(argument, option, length) == 0 &&
          (argument[length] == '\0' || argument[length] == '='))
        return true;
    }
    return false;
  });
}

int renderCommand(const QStringList& arguments) {
  QCommandLineParser parser;
  const QCommandLineOption recipe(QStringLiteral("render"), QString(), QStringLiteral("recipe"));
  const QCommandLineOption overview(QStringLiteral("overview"), QString(), QStringLiteral("file"));
  const QCommandLineOption output({QStringLiteral("o"), QStringLiteral("output")}, QString(),
                                  QStringLiteral("file"));
  const QCommandLineOption theme(QStringLiteral("theme"), QString(), QStringLiteral("name"));
  const QCommandLineOption all(QStringLiteral("all"));
  parser.addOptions({recipe, overview, output, theme, all});
  if (!parser.parse(arguments)) return misuse(parser.errorText());
  const QStringList traces = parser.positionalArguments();
  if (parser.isSet(recipe) && parser.isSet(overview))
    return misuse(QStringLiteral("--render and --overview can't be used together"));
  const QString themeName = parser.value(theme);
  if (!themeName.isEmpty() && themeName != QStringLiteral("light") &&
      themeName != QStringLiteral("dark"))
    return misuse(QStringLiteral("--theme is light or dark, not \"%1\"").arg(themeName));

  Request request;
  if (parser.isSet(recipe)) {
    if (!parser.isSet(output)) return misuse(QStringLiteral("--render needs -o OUT"));
    if (!traces.isEmpty())
      return misuse(
          QStringLiteral("the recipe names the traces; \"%1\" is too much").arg(traces.front()));
    request.output = parser.value(output);
    if (!isPictureName(request.output))
      return misuse(
          QStringLiteral("\"%1\" does not end in .png, .svg or .pdf").arg(request.output));
    auto read = readPictureRecipe(QFile::encodeName(parser.value(recipe)).toStdString());
    if (!read.ok()) return fail(read.error());
    request.recipe = std::move(read.value());
  } else {
    if (traces.isEmpty()) return misuse(QStringLiteral("--overview needs a trace"));
    request.output = parser.value(overview);
    if (!isPictureName(request.output))
      return misuse(
          QStringLiteral("\"%1\" does not end in .png, .svg or .pdf").arg(request.output));
    for (const QString& trace : traces)
      request.recipe.traces.push_back(QFile::encodeName(trace).toStdString());
    request.recipe.width = kOverviewWidth;
    request.recipe.height = kOverviewHeight;
    request.recipe.scale = 1;
    request.recipe.notesOfTrace = true;
    if (!parser.isSet(all)) request.defaultView = RecipeRenderer::DefaultView::firstStep;
  }
  if (themeName == QStringLiteral("dark")) request.recipe.theme = PictureTheme::dark;
  if (themeName == QStringLiteral("light")) request.recipe.theme = PictureTheme::light;
  return render(request);
}

}  // namespace ridgeline
