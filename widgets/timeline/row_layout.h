#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <QSet>
#include <QString>

#include "core/trace/trace.h"

namespace ridgeline {

/// One horizontal line of the timeline.
struct LayoutLine {
  enum class Kind : std::uint8_t {
    rank,     ///< heading of a recording, when several are open
    group,    ///< heading of a process or a device; folds its tracks
    row,      ///< one depth of one track
    counter,  ///< one counter series
    deeper,   ///< stands for the rows of a track below the depth limit
    quiet,    ///< stands for `quietTracks` threads that did nothing in the view
    lane,     ///< drawn by an overlay
  };
  Kind kind = Kind::row;
  std::uint32_t rank = 0;
  TrackId track;            ///< row, counter, lane below a track
  RowId row;                ///< row
  std::uint32_t item = 0;   ///< counter: index of the series; lane: index in Overlay::lanes()
  std::uint32_t group = 0;  ///< index into RowLayout::groups()
  double y = 0;             ///< from the top of the layout
  double height = 0;
  bool firstOfTrack = false;  ///< carries the track's name
  bool slim = false;          ///< annotations and sync records of a stream
  std::uint32_t quietTracks = 0;
  QString overlay;  ///< lane: id of the overlay
  QString title;    ///< all but rows that are not the first of their track
};

/// Heights in logical pixels, derived from the font.
struct RowMetrics {
  double host = 16;
  double device = 20;
  double slim = 12;
  double heading = 20;
  double counter = 32;
  double gap = 1;       ///< below each row
  double trackGap = 4;  ///< below each track
  [[nodiscard]] static RowMetrics forFontHeight(double fontHeight);
};

/// What the user has folded. Keys are stable across reloads of the same file.
struct FoldState {
  QSet<QString> foldedGroups;
  QSet<QString> foldedTracks;    ///< only the first row is shown
  QSet<QString> unfoldedTracks;  ///< all rows are shown, whatever the depth limit
  /// Host threads show at most so many rows and a line that says how many more there are; 0: all.
  std::uint32_t hostDepthLimit = 0;
  bool quietShown = false;  ///< threads without work in the view are shown all the same
};

/// A lane of an overlay as the layout needs it.
struct LaneRequest {
  enum class Place { top, belowDevice, belowTrack, bottom };
  QString overlay;
  std::uint32_t index = 0;
  Place place = Place::bottom;
  std::uint32_t rank = 0;
  DeviceId device;
  TrackId track;
  QString title;
  double height = 20;
};

/// Which line is where: pure arithmetic over tracks, fold state and lanes. Lines ascend in y and do
/// not overlap.
class RowLayout {
 public:
  struct Group {
    QString key;
    QString title;
    std::uint32_t rank = 0;
    bool folded = false;
    bool isDevice = false;
    std::vector<TrackId> tracks;  ///< ascending
    [[nodiscard]] bool holds(TrackId track) const {
      return std::binary_search(tracks.begin(), tracks.end(), track);
    }
  };

  RowLayout() = default;
  using TrackPredicate = std::function<bool(std::uint32_t rank, TrackId track)>;
  /// `quiet` says whether a host thread has nothing in the view; `wanted` whether a track is shown
  /// at all (pictures of some rows), all of them when it is empty.
  static RowLayout build(std::span<const Trace* const> ranks, const RowMetrics& metrics,
                         const FoldState& folds, std::span<const LaneRequest> lanes,
                         const TrackPredicate& quiet, const TrackPredicate& wanted = {});

  [[nodiscard]] const std::vector<LayoutLine>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] double height() const { return height_; }
  /// Index of the line that covers y, or of the last one above it; -1 if there is none.
  [[nodiscard]] int lineAt(double y) const;
  /// As lineAt, but -1 in the gaps between lines.
  [[nodiscard]] int lineExactlyAt(double y) const;
  /// Index of the line of a row, -1 when it is folded away.
  [[nodiscard]] int lineOf(std::uint32_t rank, RowId row) const;
  [[nodiscard]] int laneLine(const QString& overlay, std::uint32_t index) const;

  [[nodiscard]] static QString trackKey(std::uint32_t rank, const Trace& trace, TrackId track);

 private:
  friend class RowLayoutBuilder;
  std::vector<LayoutLine> lines_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::int32_t>> lineOfRow_;  // by rank, RowId
  double height_ = 0;
};

}  // namespace ridgeline
