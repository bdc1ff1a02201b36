#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ridgeline {

/// How long a collective took at one message size.
/// The message is what ANALYSIS 3.5 counts: of an all-gather the output, of a reduce-scatter and an
/// all-to-all the input, else the buffer (nccl-tests prints the same sizes).
struct CollectiveSample {
  std::string kind;    ///< "all-reduce", …: a word of collectiveKind()
  int ranks = 0;       ///< of the group, ≥ 1
  double bytes = 0;    ///< of the message, > 0
  double seconds = 0;  ///< > 0
};

/// T(m) = fixed + m / bandwidth, fitted to samples of one kind and group size.
struct CollectiveFit {
  std::string kind;
  int ranks = 0;
  double fixedSeconds = 0;  ///< ≥ 0
  /// Message bytes (algorithm bandwidth), > 0; infinite where larger messages took no longer.
  double bytesPerSecond = 0;
  std::size_t samples = 0;
  double smallest = 0, largest = 0;  ///< message sizes it was fitted to, bytes

  [[nodiscard]] double seconds(double bytes) const { return fixedSeconds + bytes / bytesPerSecond; }
};

/// Bus bandwidth over algorithm bandwidth: 2(n−1)/n for all-reduce, (n−1)/n for all-gather,
/// reduce-scatter and all-to-all, else 1 (nccl-tests' PERFORMANCE.md, ANALYSIS 3.5).
[[nodiscard]] double busFactor(std::string_view kind, int ranks);

/// The fit by least squares of relative errors, so that small and large messages count alike; one
/// fit a (kind, ranks). A single size gives a bandwidth without fixed cost.
[[nodiscard]] std::vector<CollectiveFit> fitCollectives(
    const std::vector<CollectiveSample>& samples);

/// What collectives take on a user's machine, measured.
/// Invariant: one fit a (kind, ranks) that has samples.
class CollectiveTable {
 public:
  /// Reads the output of nccl-tests or rccl-tests (`all_reduce_perf` …), or a table with the header
  /// "collective,ranks,bytes,time_us" (commas or tabs). `name` is the file's: where the output does
  /// not say which test ran, its name does. Errors name the line.
  [[nodiscard]] static Result<CollectiveTable> fromText(std::string_view text,
                                                        const std::string& name);

  [[nodiscard]] const std::vector<CollectiveSample>& samples() const { return samples_; }
  [[nodiscard]] const std::vector<CollectiveFit>& fits() const { return fits_; }
  /// Null when that kind was not measured with so many ranks.
  [[nodiscard]] const CollectiveFit* find(std::string_view kind, int ranks) const;

 private:
  std::vector<CollectiveSample> samples_;
  std::vector<CollectiveFit> fits_;
};

}  // namespace ridgeline
