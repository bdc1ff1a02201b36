#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/io/load_trace.h"

namespace ridgeline {

/// Whether two Traces are the same recording: rank, processes, and every slice and mark with its
/// times and name, to the ns. What follows from how a file is written (its layout, its packing, how
/// its args stand) does not matter. Ends at the first difference.
[[nodiscard]] bool holdSameEvents(const Trace& a, const Trace& b);

/// A recording that was opened twice: as another file, packed and unpacked, or alone and in a
/// merged file.
struct SameRecording {
  std::string path;       ///< of the copy
  std::string of;         ///< of the one before it
  std::size_t place = 0;  ///< of the copy among the recordings
  std::size_t first = 0;  ///< of the one before it

  /// "b.json.gz holds the same events as a.json".
  [[nodiscard]] std::string sentence() const;
};

/// The copies among recordings, in their order. Without them each stands for a rank of its own;
/// with them sums over ranks count the same work twice.
[[nodiscard]] std::vector<SameRecording> sameRecordings(
    const std::vector<std::shared_ptr<const Trace>>& traces);
/// Takes the copies out and says which.
[[nodiscard]] std::vector<SameRecording> takeOutCopies(std::vector<LoadedTrace>& loaded);

}  // namespace ridgeline
