#pragma once

#include <string>

#include "core/io/load_trace.h"
#include "core/trace/trace.h"

namespace ridgeline::test {

/// Everything a Trace holds, as text: two Traces are the same if their dumps are. `places`: also
/// where args stand in the input, and what was noted where.
std::string dump(const Trace& trace, bool places = true);
/// The dumps of all ranks.
std::string dump(const std::vector<LoadedTrace>& ranks);
/// The first lines in which two dumps differ; empty if they do not.
std::string firstDifference(const std::string& a, const std::string& b);
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
