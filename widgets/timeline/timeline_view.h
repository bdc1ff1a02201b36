#pragma once

#include <memory>
#include <vector>

#include <QAbstractScrollArea>
#include <QImage>
#include <QTimer>

#include "widgets/timeline/row_painter.h"
#include "widgets/timeline/timeline_hover.h"
#include "widgets/timeline/timeline_scene.h"

namespace ridgeline {

class TimelineInput;

/// The rows of the open recordings over time. Shows what the Session says and changes only the
/// Session. Two levels of dirtiness: invalidateContent() draws the rows again (span, colours,
/// layout, size, theme); everything else (hover, active slice, overlays) is painted over the
/// finished image. Knows overlays by their contract alone.
class TimelineView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit TimelineView(Session& session, QWidget* parent = nullptr);
  ~TimelineView() override;

  /// Paints above those added before. The view takes ownership.
  void addOverlay(Overlay* overlay);
  [[nodiscard]] const std::vector<Overlay*>& overlays() const { return overlays_; }
  /// Those that are switched on, bottom to top.
  [[nodiscard]] std::vector<const Overlay*> shownOverlays() const;

  [[nodiscard]] Session& session() const { return session_; }
  /// What is on screen now, with the header and ruler left out (0 wide, 0 high).
  [[nodiscard]] TimelineScene scene() const;
  [[nodiscard]] TimelineGeometry geometry() const;
  [[nodiscard]] const RowLayout& layout() const { return *layout_; }
  [[nodiscard]] std::shared_ptr<const RowLayout> sharedLayout() const { return layout_; }
  [[nodiscard]] const Palette& colours() const;
  [[nodiscard]] double scrollY() const;

  [[nodiscard]] const FoldState& folds() const { return folds_; }
  void toggleGroup(const QString& key);
  void toggleTrack(std::uint32_t rank, TrackId track);
  void setQuietShown(bool shown);
  void showAllDepths(std::uint32_t rank, TrackId track);

  [[nodiscard]] const HoverTarget& hover() const { return hover_; }
  /// Moves the active slice; selects the first visible one when there is none.
  void step(int sliceStep);
  /// Makes the next (+1) or previous (-1) overlay item active and brings it into view.
  void stepItem(int direction);
  void zoomToSelection();
  /// Marks the active slice or item; without one, the visible span.
  void markSpan();
  void reveal(SliceRef slice, bool zoom);
  void reveal(TimeSpan span, bool zoom);
  /// Lays out at once instead of when the view has settled.
  void relayout();
  void scrollToLine(int line);
  void activateAt(const QPointF& pos);
  void zoomAt(const QPointF& pos);
  void hoverAt(const QPointF& pos, const QPoint& globalPos);
  void clearHover();

 Q_SIGNALS:
  void layoutChanged();
  void hoverChanged();
  /// The shown overlays, or what they show, are others.
  void legendChanged();
  /// A right click: the window shows a menu for what view.hover() says.
  void menuRequested(const QPoint& globalPos);
  /// "?" was pressed.
  void keysHelpRequested();
  /// A mouse position in session time, for the ruler; negative x: none.
  void cursorMoved(double x);

 protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  void changeEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  void invalidateContent();
  void documentChanged();
  void chooseDepthLimit();
  void updateScrollBar();
  void paintContent();
  void paintHover(QPainter& painter, const TimelineGeometry& geometry) const;
  void paintEmpty(QPainter& painter) const;
  void announceActive();

  Session& session_;
  std::vector<Overlay*> overlays_;
  std::unique_ptr<TimelineInput> input_;
  RowPainter painter_;
  QImage content_;
  bool contentDirty_ = true;
  std::shared_ptr<const RowLayout> layout_ = std::make_shared<const RowLayout>();
  FoldState folds_;
  HoverTarget hover_;
  QTimer settle_;
};

}  // namespace ridgeline
