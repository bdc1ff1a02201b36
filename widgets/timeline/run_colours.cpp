#include "widgets/timeline/run_colours.h"

namespace ridgeline {

namespace {
constexpr double kDimmed = 0.35;
// What is nearly empty must still be seen against the background.
constexpr double kFaintest = 0.30;
}  // namespace

RunColours::RunColours(const Palette& palette, const QColor& background) {
  for (std::size_t dimmed = 0; dimmed < 2; ++dimmed) {
    for (std::size_t k = 0; k < kColourKeyCount; ++k) {
      Look& look = looks_[dimmed][k];
      const auto key = static_cast<ColourKey>(k);
      const double strength = dimmed == 1 ? kDimmed : 1.0;
      look.outlined = key == ColourKey::annotation;
      const QColor full = mix(palette.of(key), background, strength);
      const QColor body = look.outlined ? mix(palette.of(key), background, 0.16 * strength) : full;
      for (int level = 0; level <= kLevels; ++level) {
        const double share = kFaintest + (1 - kFaintest) * level / kLevels;
        look.fill[static_cast<std::size_t>(level)] = mix(full, background, share).rgb();
      }
      if (look.outlined) look.fill[kLevels] = body.rgb();
      look.edge = mix(body, background, 0.45).rgb();
      look.outline = full.rgb();
      const QColor text = look.outlined ? palette.text : textOn(full);
      look.text = (dimmed == 1 ? mix(text, body, 0.6) : text).rgb();
    }
  }
}

}  // namespace ridgeline
