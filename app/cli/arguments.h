#pragma once

#include <initializer_list>
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

/// The words after a command, taken apart: `--name value`, `--name=value`, `--flag`, and the rest.
/// After `--` everything is a plain word.
class Arguments {
 public:
  /// `withValue` and `flags` are the options that exist, dashes included.
  Arguments(std::span<const std::string_view> words,
            std::initializer_list<std::string_view> withValue,
            std::initializer_list<std::string_view> flags);

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
