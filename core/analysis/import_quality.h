#pragma once

#include <vector>

#include "core/analysis/data_quality.h"
#include "core/trace/import_log.h"

namespace ridgeline {

/// What was wrong with the file itself (not with single events of it, which the check "lost_events"
/// counts, nor where it ends, which is "truncated"), each with what that does to figures; one that
/// found nothing where there was nothing. Keys are those of ImportLog::problems.
[[nodiscard]] std::vector<QualityCheck> importChecks(const ImportLog& log);

}  // namespace ridgeline
