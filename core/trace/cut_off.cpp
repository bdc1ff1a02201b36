#include "core/trace/cut_off.h"

#include <algorithm>
#include <array>

namespace ridgeline {

bool isCutOff(const ImportLog& log) {
  static constexpr std::array<std::string_view, 12> kKeys = {
      "cut_off_event", "unclosed_array", "unclosed_object", "database_cut_off",
      "gzip_cut_off",  "gzip_damaged",   "zstd_cut_off",    "zstd_damaged",
      "file_read",     "file_grew",      "long_section",    "unreadable_entry"};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view key) { return log.problems.contains(key); });
}

}  // namespace ridgeline
