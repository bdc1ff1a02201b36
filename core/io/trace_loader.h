#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/column_vector.h"
#include "core/io/byte_source.h"
#include "core/io/format_probe.h"
#include "core/io/load_trace.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// Loads one input after the other into the traces of one open: a file, the members of an archive,
/// the files of a folder. Of a collection what is no trace is skipped, and named in the import log
/// of the trace before it (of the first one, when none came before).
class TraceLoader {
 public:
  TraceLoader(const Task& task, const LoadOptions& options) : task_(task), options_(options) {}
  /// What was loaded and not taken is let go of elsewhere.
  ~TraceLoader();
  TraceLoader(const TraceLoader&) = delete;
  TraceLoader& operator=(const TraceLoader&) = delete;

  /// A file that is to be a trace, or an archive of traces: fails when it is not.
  Status loadFile(const std::string& path);
  /// The files in a folder.
  Status loadFolder(const std::string& path);
  /// Everything that was loaded, once.
  [[nodiscard]] Result<std::vector<LoadedTrace>> finish();

 private:
  struct Note {
    std::string key, sentence, text;
  };
  Status loadOne(ByteSource& source, const FormatProbe& probe);
  Status loadMembers(ByteSource& archive);
  /// Of a collection: an error becomes a note; only cancelling ends it.
  Status takeOrSkip(const std::string& name, const Status& status);
  void note(Note note);
  void build();
  [[nodiscard]] bool isFull() const;

  const ColumnRecycling recycling_;
  const Task& task_;
  const LoadOptions& options_;
  std::unique_ptr<TraceBuilder> last_;  ///< read, but open for notes
  std::vector<Note> early_;             ///< before the first trace
  std::vector<LoadedTrace> loaded_;
  std::string skipped_;  ///< why the first of those that were skipped was
  std::size_t inputs_ = 0;
};

}  // namespace ridgeline
