#include "app/cli/arguments.h"

#include <algorithm>

namespace ridgeline::cli {

namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::string_view kHelpOption = "  -h, --help";

/// Characters of UTF-8 text: not the bytes that continue one.
std::size_t lettersOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void addLines(std::string& out, std::string_view head, std::string_view help) {
  out.append(head);
  std::size_t column = lettersOf(head);
  if (column + 2 > kHelpColumn) {
    out += '\n';
    column = 0;
  }
  while (true) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    out.append(kHelpColumn - column, ' ').append(help.substr(0, end)).append("\n");
    if (end == help.size()) return;
    help.remove_prefix(end + 1);
    column = 0;
  }
}

}  // namespace

std::string CommandLine::usage() const {
  std::string text = "usage: ridgeline-cli ";
  text.append(name).append(" ").append(words).append("\n");
  return text.append("See ridgeline-cli ").append(name).append(" --help\n");
}

std::string CommandLine::help() const {
  std::string text = "usage: ridgeline-cli ";
  text.append(name).append(" ").append(words).append("\n").append(about).append("\n\n");
  for (const Option& option : options) {
    std::string head = "  ";
    if (!option.alias.empty()) head.append(option.alias).append(", ");
    head.append(option.name);
    if (!option.value.empty()) head.append(" ").append(option.value);
    addLines(text, head, option.help);
  }
  addLines(text, kHelpOption, "this text");
  return text;
}

bool asksForHelp(std::span<const std::string_view> words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](std::string_view word) { return word == "--help" || word == "-h"; });
}

Arguments::Arguments(std::span<const std::string_view> words, std::span<const Option> options) {
  bool plainOnly = false;
  for (std::size_t i = 0; i < words.size() && problem_.empty(); ++i) {
    const std::string_view word = words[i];
    if (plainOnly || word.size() < 2 || word[0] != '-') {
      plain_.emplace_back(word);
      continue;
    }
    if (word == "--") {
      plainOnly = true;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
    const std::string_view name = word.substr(0, equals);
    const auto known = std::find_if(options.begin(), options.end(), [name](const Option& option) {
      return option.name == name || option.alias == name;
    });
    if (known == options.end()) {
      problem_ = "there is no option " + std::string(name);
    } else if (known->value.empty()) {
      if (equals != std::string_view::npos) problem_ = std::string(name) + " takes no value";
      values_[std::string(known->name)].emplace_back();
    } else if (equals != std::string_view::npos) {
      values_[std::string(known->name)].emplace_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      values_[std::string(known->name)].emplace_back(words[++i]);
    } else {
      problem_ = std::string(name) + " needs a value";
    }
  }
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::nullopt : std::optional<std::string>(it->second.back());
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>() : it->second;
}

}  // namespace ridgeline::cli
