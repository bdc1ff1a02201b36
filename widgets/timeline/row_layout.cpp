#include "widgets/timeline/row_layout.h"

#include <algorithm>
#include <cmath>

namespace ridgeline {

namespace {

QString fromView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

bool isDeviceTrack(const Track& track) {
  return track.kind == TrackKind::stream || track.kind == TrackKind::deviceAnnotation ||
         track.kind == TrackKind::deviceSync;
}

bool isSlim(const Track& track) {
  return track.kind == TrackKind::deviceAnnotation || track.kind == TrackKind::deviceSync;
}

QString processTitle(const Trace& trace, const Process& process) {
  const QString pid = fromView(trace.text(process.pid));
  const QString name = fromView(trace.text(process.name));
  if (name.isEmpty()) {
    bool number = false;
    (void)pid.toLongLong(&number);
    return number ? QString(QStringLiteral("process ") + pid) : pid;
  }
  return name.contains(pid) ? name : QString(name + QLatin1Char(' ') + pid);
}

QString deviceTitle(const Device& device) {
  QString title = fromView(device.kind);
  if (device.ordinal != EventArgs::kAbsent)
    title += QLatin1Char(' ') + QString::number(device.ordinal);
  if (!device.name.empty()) title += QStringLiteral(" · ") + fromView(device.name);
  return title;
}

/// The group's heading says the process or device, so a track's own line need not.
QString trackTitle(const Track& track) {
  const QString full = fromView(track.displayName);
  const qsizetype dot = full.indexOf(QStringLiteral(" · "));
  return dot < 0 ? full : full.mid(dot + 3);
}

}  // namespace

RowMetrics RowMetrics::forFontHeight(double fontHeight) {
  // LOOK: 20 and 16 px at the usual 9 pt font, whose height is about 15 px.
  const double scale = std::max(fontHeight, 8.0) / 15.0;
  const auto scaled = [scale](double px) { return std::round(px * scale); };
  return {scaled(16), scaled(20), scaled(12), scaled(22), scaled(32), 1, scaled(4)};
}

/// Walks the tracks in their order and places lines below each other.
class RowLayoutBuilder {
 public:
  RowLayoutBuilder(std::span<const Trace* const> ranks, const RowMetrics& metrics,
                   const FoldState& folds, std::span<const LaneRequest> lanes,
                   const RowLayout::TrackPredicate& quiet, const RowLayout::TrackPredicate& wanted)
      : ranks_(ranks),
        metrics_(metrics),
        folds_(folds),
        lanes_(lanes),
        quiet_(quiet),
        wanted_(wanted) {}

  RowLayout run() {
    addLanes(LaneRequest::Place::top, 0, {}, {});
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) addRank(rank);
    addLanes(LaneRequest::Place::bottom, 0, {}, {});
    out_.height_ = y_;
    return std::move(out_);
  }

 private:
  LayoutLine& add(LayoutLine::Kind kind, std::uint32_t rank, double height) {
    LayoutLine line;
    line.kind = kind;
    line.rank = rank;
    line.y = y_;
    line.height = height;
    line.group = out_.groups_.empty() ? 0 : static_cast<std::uint32_t>(out_.groups_.size() - 1);
    y_ += height + metrics_.gap;
    out_.lines_.push_back(std::move(line));
    return out_.lines_.back();
  }

  void addLanes(LaneRequest::Place place, std::uint32_t rank, DeviceId device, TrackId track) {
    for (const LaneRequest& lane : lanes_) {
      if (lane.place != place) continue;
      const bool anchored =
          place == LaneRequest::Place::belowDevice || place == LaneRequest::Place::belowTrack;
      if (anchored && lane.rank != rank) continue;
      if (place == LaneRequest::Place::belowDevice && lane.device != device) continue;
      if (place == LaneRequest::Place::belowTrack && lane.track != track) continue;
      LayoutLine& line = add(LayoutLine::Kind::lane, lane.rank, lane.height);
      line.overlay = lane.overlay;
      line.item = lane.index;
      line.title = lane.title;
      line.track = lane.track;
      line.firstOfTrack = true;
    }
  }

  void addRank(std::uint32_t rank) {
    const Trace& trace = *ranks_[rank];
    out_.lineOfRow_.emplace_back(trace.rows().size(), -1);
    if (ranks_.size() > 1) {
      const std::int64_t number = trace.info().rank.value_or(static_cast<std::int64_t>(rank));
      add(LayoutLine::Kind::rank, rank, metrics_.heading).title =
          QStringLiteral("rank ") + QString::number(number);
    }
    QString current;
    DeviceId device;
    for (std::size_t i = 0; i < trace.tracks().size(); ++i) {
      const Track& track = trace.tracks()[i];
      if (track.rowCount == 0 && track.kind != TrackKind::counter) continue;
      if (wanted_ && !wanted_(rank, TrackId(i))) continue;
      const QString key = groupKey(rank, trace, track);
      if (key != current) {
        endGroup(rank, device);
        current = key;
        device = isDeviceTrack(track) ? track.device : DeviceId();
        startGroup(rank, trace, track, key);
      }
      addTrack(rank, trace, TrackId(i));
    }
    endGroup(rank, device);
  }

  static QString groupKey(std::uint32_t rank, const Trace& trace, const Track& track) {
    const QString prefix = QString::number(rank) + QLatin1Char('/');
    if (isDeviceTrack(track))
      return prefix + QStringLiteral("device/") + QString::number(track.device.value);
    return prefix + QStringLiteral("process/") +
           fromView(trace.text(trace.processes()[track.process.index()].pid)) +
           (track.kind == TrackKind::counter ? QStringLiteral("/counters") : QString());
  }

  void startGroup(std::uint32_t rank, const Trace& trace, const Track& track, const QString& key) {
    const Process& process = trace.processes()[track.process.index()];
    RowLayout::Group group;
    group.key = key;
    group.rank = rank;
    group.folded = folds_.foldedGroups.contains(key);
    group.isDevice = isDeviceTrack(track);
    group.title = group.isDevice && track.device.valid()
                      ? deviceTitle(trace.devices()[track.device.index()])
                      : processTitle(trace, process);
    if (track.kind == TrackKind::counter) group.title += QStringLiteral(" counters");
    out_.groups_.push_back(group);
    add(LayoutLine::Kind::group, rank, metrics_.heading).title = group.title;
    quietInGroup_ = 0;
  }

  void endGroup(std::uint32_t rank, DeviceId device) {
    if (quietInGroup_ > 0) {
      LayoutLine& line = add(LayoutLine::Kind::quiet, rank, metrics_.host);
      line.quietTracks = quietInGroup_;
      line.title = quietInGroup_ == 1
                       ? QStringLiteral("1 quiet thread")
                       : QString::number(quietInGroup_) + QStringLiteral(" quiet threads");
      line.firstOfTrack = true;
      y_ += metrics_.trackGap;
      quietInGroup_ = 0;
    }
    if (device.valid()) addLanes(LaneRequest::Place::belowDevice, rank, device, {});
  }

  void addTrack(std::uint32_t rank, const Trace& trace, TrackId id) {
    out_.groups_.back().tracks.push_back(id);
    if (out_.groups_.back().folded) return;
    const Track& track = trace.track(id);
    if (track.kind == TrackKind::counter) {
      addCounters(rank, trace, id);
      return;
    }
    if (!folds_.quietShown && !out_.groups_.back().isDevice && quiet_ && quiet_(rank, id)) {
      ++quietInGroup_;
      return;
    }
    const std::uint32_t shown = shownRows(rank, trace, id);
    const bool slim = isSlim(track);
    const double height = slim                              ? metrics_.slim
                          : track.kind == TrackKind::stream ? metrics_.device
                                                            : metrics_.host;
    for (std::uint32_t r = 0; r < shown; ++r) {
      const RowId row(track.firstRow.index() + r);
      out_.lineOfRow_[rank][row.index()] = static_cast<std::int32_t>(out_.lines_.size());
      LayoutLine& line = add(LayoutLine::Kind::row, rank, height);
      line.track = id;
      line.row = row;
      line.slim = slim;
      line.firstOfTrack = r == 0;
      if (r == 0) line.title = trackTitle(track);
    }
    if (shown < track.rowCount) {
      LayoutLine& line = add(LayoutLine::Kind::deeper, rank, metrics_.slim);
      line.track = id;
      line.firstOfTrack = true;
      line.title = QString::number(track.rowCount - shown) + QStringLiteral(" deeper rows");
    }
    y_ += metrics_.trackGap;
    addLanes(LaneRequest::Place::belowTrack, rank, {}, id);
  }

  [[nodiscard]] std::uint32_t shownRows(std::uint32_t rank, const Trace& trace, TrackId id) const {
    const Track& track = trace.track(id);
    const QString key = RowLayout::trackKey(rank, trace, id);
    if (folds_.foldedTracks.contains(key)) return 1;
    const std::uint32_t limit = folds_.hostDepthLimit;
    // Hiding a single row would save nothing.
    if (limit == 0 || isDeviceTrack(track) || track.rowCount <= limit + 1 ||
        folds_.unfoldedTracks.contains(key))
      return track.rowCount;
    return limit;
  }

  void addCounters(std::uint32_t rank, const Trace& trace, TrackId id) {
    const auto before = [](const CounterSeries& series, TrackId track) {
      return series.track < track;
    };
    const auto first =
        std::lower_bound(trace.counters().begin(), trace.counters().end(), id, before);
    for (auto series = first; series != trace.counters().end() && series->track == id; ++series) {
      LayoutLine& line = add(LayoutLine::Kind::counter, rank, metrics_.counter);
      line.track = id;
      line.item = static_cast<std::uint32_t>(series - trace.counters().begin());
      line.firstOfTrack = true;
      line.title =
          trackTitle(trace.track(id)) + QStringLiteral(" · ") + fromView(trace.text(series->name));
    }
  }

  std::span<const Trace* const> ranks_;
  const RowMetrics& metrics_;
  const FoldState& folds_;
  std::span<const LaneRequest> lanes_;
  const RowLayout::TrackPredicate& quiet_;
  const RowLayout::TrackPredicate& wanted_;
  RowLayout out_;
  double y_ = 0;
  std::uint32_t quietInGroup_ = 0;
};

RowLayout RowLayout::build(std::span<const Trace* const> ranks, const RowMetrics& metrics,
                           const FoldState& folds, std::span<const LaneRequest> lanes,
                           const TrackPredicate& quiet, const TrackPredicate& wanted) {
  return RowLayoutBuilder(ranks, metrics, folds, lanes, quiet, wanted).run();
}

int RowLayout::lineAt(double y) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), y,
                                      [](double v, const LayoutLine& l) { return v < l.y; });
  return static_cast<int>(after - lines_.begin()) - 1;
}

int RowLayout::lineExactlyAt(double y) const {
  const int index = lineAt(y);
  if (index < 0) return -1;
  const LayoutLine& line = lines_[static_cast<std::size_t>(index)];
  return y < line.y + line.height ? index : -1;
}

int RowLayout::lineOf(std::uint32_t rank, RowId row) const {
  if (rank >= lineOfRow_.size() || row.index() >= lineOfRow_[rank].size()) return -1;
  return lineOfRow_[rank][row.index()];
}

int RowLayout::laneLine(const QString& overlay, std::uint32_t index) const {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].kind == LayoutLine::Kind::lane && lines_[i].item == index &&
        lines_[i].overlay == overlay)
      return static_cast<int>(i);
  return -1;
}

QString RowLayout::trackKey(std::uint32_t rank, const Trace& trace, TrackId id) {
  const Track& track = trace.track(id);
  return QString::number(rank) + QLatin1Char('/') +
         fromView(trace.text(trace.processes()[track.process.index()].pid)) + QLatin1Char('/') +
         fromView(trace.text(track.tid)) + QLatin1Char('/') +
         QString::number(static_cast<int>(track.kind));
}

}  // namespace ridgeline
