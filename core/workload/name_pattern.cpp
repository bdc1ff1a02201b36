#include "core/workload/name_pattern.h"

#include <algorithm>
#include <utility>

namespace ridgeline {

namespace {

// ASCII only: the C functions depend on the locale and on the sign of char.
bool isLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool isUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isWord(char c) {
  return isLower(c) || isUpper(c) || isDigit(c);
}
char lower(char c) {
  return isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isBorder(const std::string& text, std::size_t at) {
  if (at == 0 || at >= text.size()) return true;
  const char before = text[at - 1];
  const char after = text[at];
  if (!isWord(before) || !isWord(after)) return true;
  if (!isUpper(after)) return false;
  if (!isUpper(before)) return true;                     // "fusedRope", "fp8Quant"
  return at + 1 < text.size() && isLower(text[at + 1]);  // "QKNorm"
}

constexpr std::size_t kNoMatch = std::string::npos;

// Where the piece ends if it starts exactly at `at`; kNoMatch if it does not.
std::size_t matchPieceAt(const std::string& piece, const NameText& text, std::size_t at) {
  const std::string& name = text.lowered;
  for (const char c : piece) {
    if (c == '~') {
      if (!isBorder(text.original, at)) return kNoMatch;
    } else if (c == '#') {
      if (at >= name.size() || !isDigit(name[at])) return kNoMatch;
      while (at < name.size() && isDigit(name[at])) ++at;
    } else {
      if (at >= name.size() || name[at] != c) return kNoMatch;
      ++at;
    }
  }
  return at;
}

// The first end of the piece at or after `from`; with `toEnd`, an end that is the name's end.
std::size_t findPiece(const std::string& piece, const NameText& text, std::size_t from,
                      bool toEnd) {
  const std::string& name = text.lowered;
  if (piece.empty()) return toEnd ? name.size() : from;
  const bool literal = piece.front() != '~' && piece.front() != '#';
  for (std::size_t at = from; at <= name.size(); ++at) {
    if (literal) {
      at = name.find(piece.front(), at);
      if (at == std::string::npos) return kNoMatch;
    }
    const std::size_t end = matchPieceAt(piece, text, at);
    if (end != kNoMatch && (!toEnd || end == name.size())) return end;
  }
  return kNoMatch;
}

// Writes out "(a|b)", "(a|b)?" and "x?" as separate texts, the first group first.
bool expand(const std::string& pattern, std::vector<std::string>& out) {
  const std::size_t at = pattern.find_first_of("(?");
  if (at == std::string::npos) {
    if (pattern.find_first_of("|)") != std::string::npos) return false;
    out.push_back(pattern);
    return true;
  }
  if (pattern[at] == '?') {
    if (at == 0) return false;
    return expand(pattern.substr(0, at) + pattern.substr(at + 1), out) &&
           expand(pattern.substr(0, at - 1) + pattern.substr(at + 1), out);
  }
  const std::size_t close = pattern.find(')', at);
  if (close == std::string::npos) return false;
  if (pattern.compare(close, 2, ")?") == 0) {  // "(a|b)?" is "(a|b|)"
    return expand(pattern.substr(0, close) + "|)" + pattern.substr(close + 2), out);
  }
  std::size_t start = at + 1;
  while (start <= close) {
    const std::size_t stop = std::min(pattern.find('|', start), close);
    const std::string choice = pattern.substr(start, stop - start);
    if (!expand(pattern.substr(0, at) + choice + pattern.substr(close + 1), out)) return false;
    start = stop + 1;
  }
  return true;
}

}  // namespace

NameText::NameText(std::string text) : original(std::move(text)), lowered(original) {
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
}

Result<NamePattern> NamePattern::parse(std::string_view pattern) {
  NamePattern result;
  result.source_ = pattern;
  std::string lowered(pattern);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  std::vector<std::string> texts;
  if (lowered.empty() || !expand(lowered, texts)) {
    return Error{"the pattern '" + result.source_ + "' is empty or has an unclosed group", "", ""};
  }
  for (std::string_view text : texts) {
    Alternative alternative;
    if (text.starts_with('^')) {
      alternative.fromStart = true;
      text.remove_prefix(1);
    }
    if (text.ends_with('$')) {
      alternative.toEnd = true;
      text.remove_suffix(1);
    }
    std::size_t start = 0;
    while (start <= text.size()) {
      const std::size_t stop = std::min(text.find('*', start), text.size());
      alternative.pieces.emplace_back(text.substr(start, stop - start));
      start = stop + 1;
    }
    result.alternatives_.push_back(std::move(alternative));
  }
  return result;
}

bool NamePattern::matchAlternative(const Alternative& alternative, const NameText& text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < alternative.pieces.size(); ++i) {
    const std::string& piece = alternative.pieces[i];
    const bool last = i + 1 == alternative.pieces.size();
    if (i == 0 && alternative.fromStart) {
      at = matchPieceAt(piece, text, 0);
      if (last && alternative.toEnd && at != text.lowered.size()) return false;
    } else {
      at = findPiece(piece, text, at, last && alternative.toEnd);
    }
    if (at == kNoMatch) return false;
  }
  return true;
}

bool NamePattern::matches(const NameText& text) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const Alternative& one) { return matchAlternative(one, text); });
}

bool matchesAny(const std::vector<NamePattern>& patterns, const NameText& text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const NamePattern& pattern) { return pattern.matches(text); });
}

}  // namespace ridgeline
