#include "app/cli/arguments.h"

#include <algorithm>

namespace ridgeline::cli {

Arguments::Arguments(std::span<const std::string_view> words,
                     std::initializer_list<std::string_view> withValue,
                     std::initializer_list<std::string_view> flags) {
  const auto is = [](std::initializer_list<std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
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
    if (is(flags, name)) {
      if (equals != std::string_view::npos) problem_ = std::string(name) + " takes no value";
      values_[std::string(name)].emplace_back();
    } else if (!is(withValue, name)) {
      problem_ = "there is no option " + std::string(name);
    } else if (equals != std::string_view::npos) {
      values_[std::string(name)].emplace_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      values_[std::string(name)].emplace_back(words[++i]);
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
