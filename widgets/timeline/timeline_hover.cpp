#include "widgets/timeline/timeline_hover.h"

#include <algorithm>

#include <QCoreApplication>

#include "widgets/common/format.h"

namespace ridgeline {

namespace {

constexpr double kTolerancePixels = 2;

QString tr(const char* text) {
  return QCoreApplication::translate("TimelineHover", text);
}

QString fullName(const Trace& trace, SliceId slice) {
  const std::string_view name = trace.name(slice);
  QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  constexpr qsizetype kLongest = 240;  // C++ kernel names can fill a screen; Details has it all
  if (text.size() > kLongest) text = text.left(kLongest) + QStringLiteral("…");
  return text;
}

QString asHtml(const QStringList& lines) {
  QStringList html;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QString text = lines[i].toHtmlEscaped();
    html << (i == 0 ? QString(QStringLiteral("<b>") + text + QStringLiteral("</b>")) : text);
  }
  return QStringLiteral("<qt><p style='white-space:pre-wrap'>") +
         html.join(QStringLiteral("<br>")) + QStringLiteral("</p></qt>");
}

void addSliceLines(QStringList& lines, const TimelineGeometry& geometry, SliceRef ref) {
  const Trace& trace = geometry.session().trace(ref.rank);
  const TimeNs duration = trace.slices().duration(ref.id);
  lines << fullName(trace, ref.id);
  lines << formatDuration(duration) + QStringLiteral("  (") + formatExact(duration) +
               QStringLiteral(")");
  QString kind = colourKeyName(geometry.session().colourKeys(ref.rank)[ref.id.index()]);
  if ((trace.slices().flags[ref.id.index()] & SliceTable::kUnfinished) != 0)
    kind += tr(" · no end was recorded: drawn to the end of the recording");
  lines << kind + QStringLiteral(" · ") +
               QString::fromStdString(trace.track(trace.trackOf(ref.id)).displayName);
}

}  // namespace

HoverTarget hoverTargetAt(const TimelineGeometry& geometry,
                          const std::vector<const Overlay*>& overlays, const QPointF& pos) {
  HoverTarget target;
  if (!geometry.area().contains(pos)) return target;
  target.line =
      geometry.layout().lineExactlyAt(pos.y() - geometry.area().top() + geometry.scrollY());
  const LayoutLine* line =
      target.line < 0 ? nullptr : &geometry.layout().lines()[static_cast<std::size_t>(target.line)];
  if (line != nullptr && line->kind == LayoutLine::Kind::row) {
    const Session& session = geometry.session();
    const SliceTable& slices = session.trace(line->rank).slices();
    const Row& row = session.trace(line->rank).rows()[line->row.index()];
    const TimeNs t = session.toTrace(line->rank, geometry.timeAt(pos.x()));
    const double nsPerPixel = geometry.axis().nsPerPixel();
    const auto pixels = [nsPerPixel](double n) { return static_cast<TimeNs>(n * nsPerPixel) + 1; };
    const SliceId near = sliceNear(slices, row, t, pixels(kTolerancePixels));
    if (near.valid()) {
      target.slice = {line->rank, near};
      // Narrower than two pixels: it shares its pixel with others, and says so.
      if (static_cast<double>(slices.duration(near)) < 2 * nsPerPixel) {
        const TimeNs begin = session.toTrace(line->rank, geometry.timeAt(std::floor(pos.x())));
        const SliceRange range = slicesTouching(slices, row, {begin, begin + pixels(1)});
        if (range.count() > 1) {
          target.folded = range;
          target.slice.id = longestOf(slices, range);
        }
      }
    }
  }
  for (auto it = overlays.rbegin(); it != overlays.rend(); ++it) {
    if (target.slice.valid() && !(*it)->aboveSlices()) continue;
    target.hit = (*it)->hitTest(pos, geometry);
    if (target.hit) {
      target.overlay = *it;
      break;
    }
  }
  return target;
}

QString hoverText(const TimelineGeometry& geometry, const std::vector<const Overlay*>& overlays,
                  const HoverTarget& target) {
  QStringList lines;
  if (target.hit) {
    lines = target.hit->text.split(QLatin1Char('\n'));
    return target.hit->text.isEmpty() ? QString() : asHtml(lines);
  }
  if (target.line >= 0) {
    const LayoutLine& line = geometry.layout().lines()[static_cast<std::size_t>(target.line)];
    if (line.kind == LayoutLine::Kind::quiet)
      return asHtml({line.title, tr("They did nothing in this view. Click to show them.")});
    if (line.kind == LayoutLine::Kind::deeper)
      return asHtml({line.title, tr("Click to show them.")});
  }
  if (!target.slice.valid()) return {};
  if (target.isFolded()) {
    lines
        << tr("%1 slices share this pixel, the longest is").arg(formatCount(target.folded.count()));
    addSliceLines(lines, geometry, target.slice);
    lines << tr("Double-click zooms to them.");
    return asHtml(lines);
  }
  addSliceLines(lines, geometry, target.slice);
  for (const Overlay* overlay : overlays) {
    const QString more = overlay->sliceText(target.slice);
    if (!more.isEmpty()) lines << more;
  }
  return asHtml(lines);
}

TimeSpan foldedSpan(const Session& session, const HoverTarget& target) {
  const SliceTable& slices = session.trace(target.slice.rank).slices();
  return session.toSession(target.slice.rank, TimeSpan{slices.start[target.folded.first],
                                                       slices.end[target.folded.last - 1]});
}

void chooseUnder(Session& session, const TimelineGeometry& geometry, const HoverTarget& target,
                 const QPointF& pos) {
  if (session.marked() && session.marked()->contains(geometry.timeAt(pos.x()))) return;
  if (target.hit) return session.setActiveItem(target.hit->item);
  if (!target.slice.valid() || session.active() == target.slice) return;
  const auto& selected = session.selection().slices;
  if (std::find(selected.begin(), selected.end(), target.slice) != selected.end()) return;
  session.setActive(target.slice);
}

}  // namespace ridgeline
