#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

namespace ridgeline::cli {

/// Each takes what follows its name on the command line and returns the exit code: 0 fine,
/// 1 could not (said on `err`), 2 wrong usage. Each prints its own help for --help.
int runInfo(std::span<const std::string_view> args, std::ostream& out, std::ostream& err);
int runReport(std::span<const std::string_view> args, std::ostream& out, std::ostream& err);
/// Reads names from the files named, or from `in`.
int runClassify(std::span<const std::string_view> args, std::istream& in, std::ostream& out,
                std::ostream& err);

}  // namespace ridgeline::cli
