#pragma once

#include <memory>
#include <utility>

namespace ridgeline {

/// Lets go of something big in a thread of its own, so that whoever drops it does not wait: giving
/// back a gigabyte takes a quarter of a second. All is released before the program ends.
void releaseLater(std::shared_ptr<const void> big);

/// The same for a value.
template <class T>
void releaseValueLater(T&& big) {
  releaseLater(std::make_shared<const std::decay_t<T>>(std::forward<T>(big)));
}

}  // namespace ridgeline
