#include "widgets/picture/timeline_picture.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFileInfo>
#include <QPainter>

#include "widgets/common/format.h"
#include "widgets/picture/legend_painter.h"
#include "widgets/timeline/keys_in_view.h"
#include "widgets/timeline/timeline_renderer.h"

namespace ridgeline {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("TimelinePicture", text);
}

std::vector<LegendEntry> legendOf(const TimelineScene& scene) {
  const TimelineGeometry geometry = scene.geometry();
  std::vector<LegendEntry> entries = sliceLegend(geometry);
  // On the screen the legend of classes stays the same while one zooms; here only what occurs
  // counts.
  QStringList keyNames;
  for (std::size_t k = 0; k < kColourKeyCount; ++k)
    keyNames << colourKeyName(static_cast<ColourKey>(k));
  for (const Overlay* overlay : scene.overlays)
    for (LegendEntry& entry : overlay->legend(geometry))
      if (!keyNames.contains(entry.text)) entries.push_back(std::move(entry));
  return withoutRepetitions(std::move(entries));
}

/// Trace time for people who look for it in the window: ms to the µs, or µs to the ns where the
/// picture shows less than a millisecond.
QString exactTime(TimeNs time, TimeNs windowLength) {
  const bool fine = windowLength < 1'000'000;
  const TimeNs unit = fine ? 1'000 : 1'000'000;
  const TimeNs whole = time / unit;
  const TimeNs rest = std::abs(time % unit) / (fine ? 1 : 1'000);
  const QString sign = time < 0 && whole == 0 ? QStringLiteral("-") : QString();
  return sign + QString::number(whole) + QLatin1Char('.') +
         QString::number(rest).rightJustified(3, QLatin1Char('0')) +
         (fine ? QStringLiteral(" µs") : QStringLiteral(" ms"));
}

QString rankText(const Session& session) {
  const auto number = [&session](std::size_t i) {
    return QString::number(session.job()->rankNumber(i));
  };
  const std::size_t count = session.ranks().size();
  if (count == 1)
    return session.trace(0).info().rank ? QString(tr("rank ") + number(0)) : QString();
  return tr("ranks ") + number(0) + QStringLiteral("…") + number(count - 1);
}

/// The steps that are mostly in the span, or the one that the span lies in.
QString stepText(const Workload* workload, TimeSpan span) {
  if (workload == nullptr || workload->steps.extent == StepExtent::trace) return {};
  std::vector<const Step*> mostly;
  const Step* around = nullptr;
  for (const Step& step : workload->steps.steps) {
    const TimeNs common =
        std::min(step.window.end, span.end) - std::max(step.window.begin, span.begin);
    if (common * 2 > step.window.length()) mostly.push_back(&step);
    if (step.window.contains(span)) around = &step;
  }
  if (mostly.size() == 1) return QString::fromStdString(mostly.front()->name);
  if (mostly.size() > 1)
    return tr("%1 steps, %2 … %3")
        .arg(mostly.size())
        .arg(QString::fromStdString(mostly.front()->name),
             QString::fromStdString(mostly.back()->name));
  return around != nullptr ? tr("in %1").arg(QString::fromStdString(around->name)) : QString();
}

QString deviceText(const Session& session) {
  QStringList names;
  std::vector<int> counts;
  for (const LoadedTrace& rank : session.ranks()) {
    for (const Device& device : rank.trace->devices()) {
      const QString name =
          device.name.empty() ? tr("unnamed device") : QString::fromStdString(device.name);
      const auto at = names.indexOf(name);
      if (at < 0) {
        names << name;
        counts.push_back(1);
      } else {
        ++counts[static_cast<std::size_t>(at)];
      }
    }
  }
  for (qsizetype i = 0; i < names.size(); ++i)
    if (const int n = counts[static_cast<std::size_t>(i)]; n > 1)
      names[i] = QString::number(n) + QStringLiteral(" × ") + names[i];
  return names.join(QStringLiteral(", "));
}

}  // namespace

QString pictureTitle(const Session& session) {
  if (!session.hasDocument()) return {};
  const QString path = QString::fromStdString(session.trace(0).info().path);
  const QString name = path.isEmpty() ? session.title() : QFileInfo(path).fileName();
  QString stem = name;
  for (const char* ending : {".zst", ".gz", ".json", ".trace", ".pt"})
    if (const QString e = QString::fromLatin1(ending); stem.endsWith(e) && stem.size() > e.size())
      stem.chop(e.size());
  const auto more = session.ranks().size() - 1;
  return more == 0 ? stem : QString(stem + tr(" and %1 more").arg(more));
}

QStringList pictureCaption(const Session& session, const Analyses* analyses,
                           std::optional<TimeSpan> span) {
  if (!session.hasDocument()) return {};
  QStringList parts;
  const QString path = QString::fromStdString(session.trace(0).info().path);
  parts << (path.isEmpty() ? session.title() : QFileInfo(path).fileName());
  parts << rankText(session);
  if (span) {
    const auto workload = analyses != nullptr ? analyses->workload(0) : nullptr;
    parts << stepText(workload.get(), session.toTrace(0, *span));
    parts << exactTime(span->begin, span->length()) + QStringLiteral(" … ") +
                 exactTime(span->end, span->length()) + QStringLiteral(" (") +
                 formatDuration(span->length()) + QLatin1Char(')');
  }
  parts << deviceText(session);
  const QString version = QCoreApplication::applicationVersion();
  parts << QString(QStringLiteral("Ridgeline ") + version).trimmed();
  parts.removeAll(QString());
  return parts;
}

Picture timelinePicture(TimelineScene scene, const TimelinePictureOptions& options,
                        const Analyses* analyses) {
  Picture::Frame frame;
  frame.title = options.title;
  frame.palette = scene.palette;
  frame.font = scene.font;
  if (options.caption) frame.caption = pictureCaption(*scene.session, analyses, scene.span);

  if (options.width > 0) scene.size.setWidth(std::max(200.0, options.width - 2 * Picture::kMargin));
  const double rows = scene.rulerHeight + std::max(scene.layout->height(), 40.0) + 4;
  if (options.fitRows && options.height <= 0) scene.scrollY = 0;
  if (options.fitRows || options.height > 0) scene.size.setHeight(std::ceil(rows));
  std::vector<LegendEntry> legend;
  if (options.legend) legend = legendOf(scene);
  if (options.height > 0) {
    const double around =
        Picture::frameHeight(legend, frame, scene.size.width() + 2 * Picture::kMargin);
    scene.size.setHeight(std::max(60.0, options.height - around));
    // Fewer rows may be in sight now.
    if (options.legend) legend = legendOf(scene);
    const double spare =
        around - Picture::frameHeight(legend, frame, scene.size.width() + 2 * Picture::kMargin);
    scene.size.setHeight(scene.size.height() + spare);
  }
  Picture::Content content;
  content.size = scene.size;
  content.legend = std::move(legend);
  content.paint = [scene](QPainter& painter, Picture::Output output, double ratio) {
    TimelineRenderer::render(painter, scene,
                             output == Picture::Output::pixels ? TimelineRenderer::Output::pixels
                                                               : TimelineRenderer::Output::vector,
                             ratio);
  };
  return {std::move(content), std::move(frame)};
}

}  // namespace ridgeline
