#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/documents/notes.h"

namespace ridgeline {

enum class PicturePanel : std::uint8_t { timeline, roofline };
enum class PictureTheme : std::uint8_t { light, dark };

/// What to draw, without a display: `ridgeline --render RECIPE.json -o OUT.png|.svg`. The same
/// recipe and trace give the same picture. Format: core/documents/README.md.
struct PictureRecipe {
  std::vector<std::string> traces;  ///< at least one; made absolute against the recipe's folder
  PicturePanel panel = PicturePanel::timeline;
  PictureTheme theme = PictureTheme::light;

  /// What part of the time: a span (ns relative to the first trace's origin), a step by its name
  /// ("ProfilerStep#103") or number ("103"), else everything.
  std::optional<TimeSpan> span;
  std::string step;

  /// Which rows: names or parts of names, `*` for anything, case ignored; empty = all.
  std::vector<std::string> rows;
  /// Ids of the overlays that are on ("steps", "idle_gaps", …); nothing = as in a new window.
  std::optional<std::vector<std::string>> overlays;
  /// Kernel or op names whose slices are selected (bright, arrows drawn); same patterns as rows.
  std::vector<std::string> select;

  bool notesOfTrace = false;  ///< the notes kept beside the first trace
  std::vector<Note> notes;    ///< and these

  int width = 1600;   ///< logical pixels, 200…20000
  int height = 0;     ///< 0 = as high as the rows are, else 100…20000
  double scale = 2;   ///< pixels of a PNG per logical pixel, 0.5…8
  std::string title;  ///< empty = the trace's name
  bool legend = true;
  bool caption = true;

  std::vector<std::string> warnings;  ///< fields that this version does not know
};

/// `folder` is where relative trace paths start; `where` names the recipe in errors.
[[nodiscard]] Result<PictureRecipe> pictureRecipeFromJson(std::string_view text,
                                                          const std::string& folder,
                                                          const std::string& where);
[[nodiscard]] Result<PictureRecipe> readPictureRecipe(const std::string& path);
[[nodiscard]] std::string pictureRecipeToJson(const PictureRecipe& recipe);

/// Whether `name` fits a pattern of a recipe: `pattern` occurs in it, `*` standing for anything,
/// case ignored.
[[nodiscard]] bool fitsPattern(std::string_view name, std::string_view pattern);

}  // namespace ridgeline
