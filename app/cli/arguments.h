#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::cli {

inline constexpr int kFine = 0;
inline constexpr int kCouldNot = 1;
inline constexpr int kWrongUsage = 2;

/// An option of a command: what the words are checked against and what its help lists.
struct Option {
  std::string_view name;        ///< dashes included
  std::string_view value;       ///< what stands for its value in the help; empty: a flag
  std::string_view help;        ///< a line, more after line breaks
  std::string_view alias = {};  ///< another name for it, such as "-o"
};

/// What a command takes; its help is made of nothing else, so no option can be missing there.
struct CommandLine {
  std::string_view name;   ///< of the command
  std::string_view words;  ///< what follows it, on one line: "TRACE… [OPTION…]"
  std::string_view about;  ///< a sentence
  std::span<const Option> options;

  /// "usage: …" and where the options are listed: what stands below an error.
  [[nodiscard]] std::string usage() const;
  /// The usage, the sentence, and every option with what it is for.
  [[nodiscard]] std::string help() const;
};

/// Whether `--help` or `-h` is among the words, before any `--`.
[[nodiscard]] bool asksForHelp(std::span<const std::string_view> words);

/// The words after a command, taken apart: `--name value`, `--name=value`, `--flag`, and the rest.
/// After `--` everything is a plain word. An option goes by its name, whichever was written.
class Arguments {
 public:
  Arguments(std::span<const std::string_view> words, std::span<const Option> options);

  /// Why the words are no valid usage; empty if they are.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool has(std::string_view option) const { return values_.contains(option); }
  /// The value of an option that was given; the last one counts.
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
  /// All values of an option that may be given several times, in order.
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& plain() const { return plain_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> plain_;
  std::string problem_;
};

}  // namespace ridgeline::cli
