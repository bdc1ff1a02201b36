#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace ridgeline {

/// One thing known of a run, for comparing two of them honestly.
struct RunFact {
  enum class Group : std::uint8_t { software, device, distributed, profiler, shapes };
  Group group = Group::software;
  std::string key;     ///< stable: "cuda_driver"
  std::string name;    ///< for people: "CUDA driver"
  std::string value;   ///< "12.9"; empty: not recorded
  std::string source;  ///< where it comes from: "cuda_driver_version", "events of the recording"
};
[[nodiscard]] std::string_view name(RunFact::Group group);

struct ProcessGroup {
  std::string name, description, backend;
  std::optional<std::int64_t> size;
  std::string ranks;  ///< as recorded: "[0, 1, 2, 3]"
};

/// The run itself: software, devices, ranks and groups, options of the profiler, and batch and
/// sequence lengths as far as recorded shapes show them. Everything is as recorded; what is not is
/// an empty value.
struct RunInfo {
  std::vector<RunFact> facts;
  std::vector<ProcessGroup> groups;
};

[[nodiscard]] RunInfo runInfo(const Trace& trace);
/// 12090 → "12.9", 13000 → "13.0" (CUDA: 1000·major + 10·minor); 60443483 → "6.4.43483" (HIP:
/// 10⁷·major + 10⁵·minor + patch).
[[nodiscard]] std::string cudaVersionText(std::int64_t version);
[[nodiscard]] std::string hipVersionText(std::int64_t version);

}  // namespace ridgeline
