#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace ridgeline::test {

/// The text of a simulated Kineto file, cut into its events, so that they can be put in another
/// order or at other times without a JSON library that rounds.
struct KinetoText {
  std::string head, tail;
  std::vector<std::string> events;

  /// Empty events: the text is laid out in another way.
  [[nodiscard]] static KinetoText cut(const std::string& text);
  [[nodiscard]] std::string whole() const;
  /// Puts every time ("ts") and every length ("dur") through these; ns.
  void retime(const std::function<TimeNs(TimeNs)>& time,
              const std::function<TimeNs(TimeNs)>& length);
};

}  // namespace ridgeline::test
