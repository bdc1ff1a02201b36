#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/seeded_hash.h"
#include "core/trace/tables.h"

namespace ridgeline {

/// One record of rocprofv3 as its nested objects give it; kAbsent where it lacks the field.
struct RocprofRecord {
  static constexpr std::int64_t kAbsent = EventArgs::kAbsent;

  std::int64_t kind = kAbsent, operation = kAbsent, thread = kAbsent;
  std::int64_t correlation = kAbsent;  ///< correlation_id.internal
  std::int64_t start = kAbsent, end = kAbsent;
  std::int64_t agent = kAbsent, queue = kAbsent, stream = kAbsent, kernel = kAbsent;
  std::int64_t fromAgent = kAbsent, toAgent = kAbsent, bytes = kAbsent;
};
/// False where the text is no object of JSON.
[[nodiscard]] bool readRocprofRecord(std::string_view text, RocprofRecord& record);

/// The tables of one process in a rocprofv3 file, which its records refer to by number.
class RocprofTables {
 public:
  struct Agent {
    std::int64_t handle = 0;
    bool gpu = false;
    Device device;  ///< ordinal: logical_node_type_id, as HIP counts
  };

  /// Takes one element of "agents", "kernel_symbols", "strings.buffer_records",
  /// "strings.marker_api"; what it does not understand it leaves out.
  const Agent* addAgent(std::string_view text);
  void addKernelSymbol(std::string_view text);
  void addKind(std::string_view text);
  void addMarker(std::string_view text);

  [[nodiscard]] const Agent* agent(std::int64_t handle) const;
  /// "kernel 12" where the symbol is not in the file.
  [[nodiscard]] std::string kernelName(std::int64_t id) const;
  /// "hipMemcpy"; the kind's own word where the operation is not named; empty if neither is.
  [[nodiscard]] std::string_view operationName(std::int64_t kind, std::int64_t operation) const;
  /// What the program said in a marker; empty if it is not recorded.
  [[nodiscard]] std::string_view marker(std::int64_t correlation) const;

 private:
  struct Kind {
    std::string word;
    std::vector<std::string> operations;
  };
  std::map<std::int64_t, Agent> agents_;
  std::unordered_map<std::int64_t, std::string, SeededHash> kernels_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::int64_t, std::string, SeededHash> markers_;
};

}  // namespace ridgeline
