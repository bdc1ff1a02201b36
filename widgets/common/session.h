#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QSet>
#include <QString>

#include "core/io/load_trace.h"
#include "core/trace/job.h"
#include "widgets/common/palette.h"
#include "widgets/common/time_view.h"

namespace ridgeline {

/// A slice of one of the open recordings.
struct SliceRef {
  std::uint32_t rank = 0;  ///< index into Session::ranks()
  SliceId id;

  [[nodiscard]] bool valid() const { return id.valid(); }
  auto operator<=>(const SliceRef&) const = default;
};

/// A thing that is no slice but can be pointed at: an idle gap, a segment of the critical path, a
/// step. `kind` is the word of the analysis ("idle_gaps"), `index` counts in its result.
struct ItemRef {
  QString kind;
  std::uint32_t rank = 0;
  std::int64_t index = -1;
  TimeSpan span;  ///< session time

  [[nodiscard]] bool valid() const { return index >= 0; }
  bool operator==(const ItemRef& o) const {
    return kind == o.kind && rank == o.rank && index == o.index;
  }
};

/// The selected set: bright, the rest dimmed.
struct Selection {
  std::vector<SliceRef> slices;  ///< ascending, no duplicates
  QString reason;                ///< "aten::mm 4096×4096 · 12 calls"

  [[nodiscard]] bool empty() const { return slices.empty(); }
};

/// What analyses look at: a step or a span that the user marked.
struct WindowChoice {
  TimeSpan span;  ///< session time
  QString title;  ///< "step 103", "marked span"
};

/// What one window has open and looks at: the recordings, the view, the selection, the analysis
/// window, the switches. Panels, overlays and the timeline know each other only through it.
/// Lives as long as its window; open() swaps all recordings at once, so what is on screen is always
/// a whole document. GUI thread only; the Traces are immutable and may be captured by jobs.
///
/// Session time: ns since the earliest origin of the open recordings, clock offsets applied. With
/// one recording it is that Trace's own time.
class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(QObject* parent = nullptr);

  // --- the document ---
  [[nodiscard]] bool hasDocument() const { return !loaded_.empty(); }
  [[nodiscard]] const std::vector<LoadedTrace>& ranks() const { return loaded_; }
  [[nodiscard]] const Trace& trace(std::uint32_t rank) const { return *loaded_[rank].trace; }
  [[nodiscard]] std::shared_ptr<const Trace> sharedTrace(std::uint32_t rank) const {
    return loaded_[rank].trace;
  }
  [[nodiscard]] const TraceIndex& index(std::uint32_t rank) const { return *loaded_[rank].index; }
  /// The same recordings for analyses of several ranks; never null.
  [[nodiscard]] std::shared_ptr<const Job> job() const { return job_; }
  [[nodiscard]] QString title() const { return title_; }
  /// The number that people know it by: the recorded one, else its place among the open files.
  [[nodiscard]] std::int64_t rankNumber(std::uint32_t rank) const {
    return trace(rank).info().rank.value_or(static_cast<std::int64_t>(rank));
  }
  /// Shows other recordings: one colour key a slice and rank may be given (see setColourKeys).
  void open(std::vector<LoadedTrace> ranks, const QString& title,
            std::optional<TimeSpan> firstView = {});

  [[nodiscard]] TimeNs toSession(std::uint32_t rank, TimeNs traceTime) const {
    return traceTime + shift_[rank];
  }
  [[nodiscard]] TimeNs toTrace(std::uint32_t rank, TimeNs sessionTime) const {
    return sessionTime - shift_[rank];
  }
  [[nodiscard]] TimeSpan toSession(std::uint32_t rank, TimeSpan s) const {
    return {s.begin + shift_[rank], s.end + shift_[rank]};
  }
  [[nodiscard]] TimeSpan toTrace(std::uint32_t rank, TimeSpan s) const {
    return {s.begin - shift_[rank], s.end - shift_[rank]};
  }
  [[nodiscard]] TimeSpan spanOf(SliceRef slice) const {
    return toSession(slice.rank, trace(slice.rank).slices().span(slice.id));
  }
  /// From the first to the last event of all recordings.
  [[nodiscard]] TimeSpan span() const { return span_; }

  // --- what colours mean ---
  /// One ColourKey a slice, by SliceId. By category until a classification sets better ones.
  [[nodiscard]] const std::vector<ColourKey>& colourKeys(std::uint32_t rank) const {
    return *colourKeys_[rank];
  }
  [[nodiscard]] std::shared_ptr<const std::vector<ColourKey>> sharedColourKeys(
      std::uint32_t rank) const {
    return colourKeys_[rank];
  }
  void setColourKeys(std::uint32_t rank, std::shared_ptr<const std::vector<ColourKey>> keys);

  // --- the view ---
  [[nodiscard]] TimeView& view() { return view_; }
  [[nodiscard]] const TimeView& view() const { return view_; }
  /// Brings a slice (its row and time) or a span into view; does nothing if it is in view.
  void requestReveal(SliceRef slice);
  void requestReveal(TimeSpan span);
  /// Zooms so that the slice or span fills most of the view (double-click, F).
  void requestZoomTo(SliceRef slice);
  void requestZoomTo(TimeSpan span);

  // --- selection ---
  [[nodiscard]] SliceRef active() const { return active_; }
  /// One slice, shown in Details, thick outline. Clears the active item. Invalid = none.
  void setActive(SliceRef slice);
  [[nodiscard]] const ItemRef& activeItem() const { return activeItem_; }
  /// A gap, a segment, a step … Clears the active slice. Invalid = none.
  void setActiveItem(const ItemRef& item);
  [[nodiscard]] const Selection& selection() const { return selection_; }
  /// Sorts and removes duplicates.
  void setSelected(std::vector<SliceRef> slices, const QString& reason);
  void clearSelection();

  // --- analysis window ---
  [[nodiscard]] const WindowChoice& window() const { return window_; }
  void setWindow(const WindowChoice& window);
  /// The span marked with M or by dragging; nothing when none is marked.
  [[nodiscard]] std::optional<TimeSpan> marked() const { return marked_; }
  void setMarked(std::optional<TimeSpan> span);

  // --- switches ---
  [[nodiscard]] bool isOverlayOn(const QString& id) const { return !overlaysOff_.contains(id); }
  void setOverlayOn(const QString& id, bool on);

 Q_SIGNALS:
  /// The recordings are others; every SliceRef from before is meaningless. Sent after the view,
  /// window and selection were reset.
  void documentChanged();
  void colourKeysChanged();
  void activeChanged();  ///< active slice or active item
  void selectionChanged();
  void windowChanged();
  void markedChanged();
  void overlaySwitched(const QString& id, bool on);
  void revealSliceRequested(ridgeline::SliceRef slice, bool zoom);
  void revealSpanRequested(ridgeline::TimeSpan span, bool zoom);

 private:
  std::vector<LoadedTrace> loaded_;
  std::shared_ptr<const Job> job_ = std::make_shared<const Job>();
  std::vector<TimeNs> shift_;
  std::vector<std::shared_ptr<const std::vector<ColourKey>>> colourKeys_;
  QString title_;
  TimeSpan span_{0, 1};
  TimeView view_;
  SliceRef active_;
  ItemRef activeItem_;
  Selection selection_;
  WindowChoice window_;
  std::optional<TimeSpan> marked_;
  QSet<QString> overlaysOff_;
};

}  // namespace ridgeline
