#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace ridgeline {

/// `ridgeline-cli generate SCENARIO [--events N] [--ranks R] [--steps S] [--seed K] [--device NAME]
/// -o FILE[.gz|.zst] [--truth FILE]`, `args` being what follows `generate`. Writes simulated traces
/// and their truth. Returns the exit code: 0 fine, 1 could not, 2 wrong usage.
int runGenerate(std::span<const std::string_view> args, std::ostream& out, std::ostream& err);

}  // namespace ridgeline
