#pragma once

#include <optional>

#include "widgets/common/analyses.h"
#include "widgets/picture/picture.h"
#include "widgets/timeline/timeline_scene.h"

namespace ridgeline {

/// The wishes that a picture of the timeline is made by.
struct TimelinePictureOptions {
  QString title;
  bool legend = true;
  bool caption = true;
  /// Of the whole picture, logical pixels: the scene is made wider or narrower. 0: as the scene is.
  double width = 0;
  /// Likewise; 0: as high as the scene's rows (see `fitRows`) or as the scene is.
  double height = 0;
  /// Without a height: all rows, instead of those that the scene shows.
  bool fitRows = false;
};

/// A scene (ruler, names, rows, overlays) with its frame. The scene's session and overlays must
/// outlive the picture.
[[nodiscard]] Picture timelinePicture(TimelineScene scene, const TimelinePictureOptions& options,
                                      const Analyses* analyses);

/// What a reader must know of a picture, without the program: file, rank, step and window with its
/// length (where there is a `span`), device, version.
[[nodiscard]] QStringList pictureCaption(const Session& session, const Analyses* analyses,
                                         std::optional<TimeSpan> span);
/// "worker0", "worker0 and 7 more": the recordings without folders and endings.
[[nodiscard]] QString pictureTitle(const Session& session);

}  // namespace ridgeline
