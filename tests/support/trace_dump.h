#pragma once

#include <string>

#include "core/io/load_trace.h"
#include "core/trace/trace.h"

namespace ridgeline::test {

/// Everything a Trace holds, as text: two Traces are the same if their dumps are. Texts instead of
/// ids where ids could hide a difference; `withIds` adds the numbering of strings.
std::string dump(const Trace& trace);
/// The dumps of all ranks.
std::string dump(const std::vector<LoadedTrace>& ranks);
/// What breaks the invariants of rows and parents; empty if all hold.
std::string rowFaults(const Trace& trace);
/// A file with this content in the temporary folder, removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ridgeline::test
