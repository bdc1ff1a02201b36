#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

/// What an input is, as far as its first bytes tell.
enum class FileFormat {
  traceEvents,  ///< Chrome trace-event JSON, or text that may turn out to be such
  rocprof,      ///< JSON of rocprofv3
  sqlite,       ///< a database; its tables tell whose, see `probeTables`
  nsight,       ///< of the databases: an Nsight Systems export
  tar,          ///< an archive of files
  unread,       ///< known, but not read here: see FormatProbe::todo
};

struct FormatProbe {
  FileFormat format = FileFormat::traceEvents;
  std::string name;  ///< for people: "a Perfetto trace", "Chrome trace-event JSON"
  std::string todo;  ///< unread ones: how to get something that is read, with the command
};

/// The only place that guesses what a file is. `head`: the first bytes, unpacked (see
/// ByteSource::peek). `fileName`: only for binary formats whose bytes say nothing, and for the
/// command in `todo`.
[[nodiscard]] FormatProbe probeFormat(std::string_view head, std::string_view fileName);

/// What a database is, by its tables: `nsight` or `unread`.
[[nodiscard]] FormatProbe probeTables(const std::vector<std::string>& tables,
                                      std::string_view fileName);

}  // namespace ridgeline
