#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// Where every input event went, and what was mended or lost on the way.
/// Invariant (asserted by tests for every file):
/// read = slices + instants + counters + links + metadata + dropped.
/// Counted are input events: a B and its E are two under slices; s, t and f three under links.
struct ImportLog {
  /// One kind of damage: how often, and the first few places.
  struct Problem {
    std::string sentence;  ///< for people: "events without a time were left out"
    std::uint64_t count = 0;
    bool lost = false;  ///< events or parts of them are gone (else: repaired or merely odd)
    struct Example {
      std::uint64_t offset = 0;  ///< byte in the decompressed text, or kNoOffset
      std::string text;          ///< what stood there, shortened
    };
    std::vector<Example> examples;  ///< at most kExamples
  };
  static constexpr std::size_t kExamples = 5;
  /// The place is no byte of a text but, say, a row of a database; the example's text names it.
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  std::uint64_t read = 0;
  std::uint64_t slices = 0;
  std::uint64_t instants = 0;
  std::uint64_t counters = 0;
  std::uint64_t links = 0;
  std::uint64_t metadata = 0;
  std::uint64_t dropped = 0;
  std::uint64_t repaired = 0;  ///< events (or places of the document) that had to be mended

  /// By a stable key ("event_without_time"), in the order of the keys.
  std::map<std::string, Problem, std::less<>> problems;

  [[nodiscard]] bool balanced() const {
    return read == slices + instants + counters + links + metadata + dropped;
  }
  /// Notes one occurrence; keeps the first examples.
  void note(std::string_view key, std::string_view sentence, bool lost, std::uint64_t offset,
            std::string_view text = {});
  void add(const ImportLog& other);
};

}  // namespace ridgeline
