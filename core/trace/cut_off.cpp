#include "core/trace/cut_off.h"

#include <algorithm>
#include <array>

namespace ridgeline {

bool isCutOff(const ImportLog& log) {
  // Not open_object: the list of events is whole there, and only what follows it is not.
  static constexpr std::array<std::string_view, 12> kKeys = {
      "cut_off_event", "unclosed_array", "unclosed_object", "database_cut_off",
      "gzip_cut_off",  "gzip_damaged",   "zstd_cut_off",    "zstd_damaged",
      "file_read",     "file_grew",      "long_section",    "unreadable_entry"};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view key) { return log.problems.contains(key); });
}

std::string cutOffRemedy(const ImportLog& log) {
  static constexpr std::array<std::string_view, 6> kCopied = {
      "gzip_cut_off", "gzip_damaged", "zstd_cut_off", "zstd_damaged", "file_read", "file_grew"};
  if (std::any_of(kCopied.begin(), kCopied.end(),
                  [&](std::string_view key) { return log.problems.contains(key); }))
    return "copy the file once more from where it was recorded, once it is written";
  if (log.problems.contains("database_cut_off")) return "export or copy the database once more";
  return "copy the file once more; if it is as short where it was recorded, let the profiler "
         "finish "
         "(leave its with block, or call stop) before the process ends";
}

}  // namespace ridgeline
