#pragma once

#include <memory>
#include <vector>

#include "core/documents/picture_recipe.h"
#include "widgets/common/analyses.h"
#include "widgets/overlays/notes_model.h"
#include "widgets/overlays/notes_overlay.h"
#include "widgets/panels/roofline_panel.h"
#include "widgets/picture/picture.h"
#include "widgets/timeline/row_layout.h"

namespace ridgeline {

/// Makes pictures of loaded traces as recipes say, without a window: a session, its analyses and
/// all overlays, waited for. Needs a QApplication (the offscreen platform will do).
/// Invariant: the same recipe and traces give the same picture.
class RecipeRenderer : public QObject {
  Q_OBJECT

 public:
  /// Where a recipe names no window.
  enum class DefaultView {
    everything,
    firstStep,  ///< the first steady step with a little of its neighbours
  };

  /// Computes the meaning of the traces and waits for it. At least one trace.
  explicit RecipeRenderer(std::vector<LoadedTrace> ranks, QObject* parent = nullptr);
  ~RecipeRenderer() override;

  /// `ofTrace`: the notes kept beside the first trace. The picture is drawn from this object: it
  /// must not outlive it, nor a later call. Fails when the recipe asks for what is not there: a
  /// step, rows, overlays, slices.
  [[nodiscard]] Result<Picture> picture(const PictureRecipe& recipe, const NotesDocument& ofTrace,
                                        DefaultView defaultView = DefaultView::everything);
  /// What the last picture() had to leave out, in words.
  [[nodiscard]] const QStringList& warnings() const { return warnings_; }

 private:
  void wait();
  [[nodiscard]] Result<TimeSpan> chooseSpan(const PictureRecipe& recipe, DefaultView defaultView);
  [[nodiscard]] Status chooseOverlays(const PictureRecipe& recipe);
  [[nodiscard]] Status chooseSelection(const PictureRecipe& recipe, TimeSpan span);
  [[nodiscard]] Result<std::shared_ptr<const RowLayout>> chooseRows(const PictureRecipe& recipe,
                                                                    const QFont& font,
                                                                    TimeSpan span);
  [[nodiscard]] Result<Picture> timeline(const PictureRecipe& recipe, const NotesDocument& ofTrace,
                                         TimeSpan span);
  [[nodiscard]] Result<Picture> roofline(const PictureRecipe& recipe);
  void chooseNotes(const PictureRecipe& recipe, const NotesDocument& ofTrace);
  [[nodiscard]] bool isAnalysed(TimeSpan span) const;

  Session session_;
  Analyses analyses_;
  NotesModel notes_;
  std::vector<std::unique_ptr<Overlay>> overlays_;
  NotesOverlay* notesOverlay_ = nullptr;
  std::vector<const Overlay*> shown_;
  std::unique_ptr<RooflinePanel> rooflinePanel_;
  QStringList warnings_;
};

}  // namespace ridgeline
