#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/task.h"

namespace ridgeline::loose {

// Reading JSON that may not be JSON: the pieces of the slow path. Nothing here builds a tree.
// Texts may be hundreds of megabytes long, so everything asks the poll again and again. Once that
// says stop, it ends soon, as if the text had ended, and what it says has no meaning.

[[nodiscard]] inline bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
[[nodiscard]] inline std::size_t skipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && isSpace(text[at])) ++at;
  return at;
}

/// The same of a run that may be as long as a file.
[[nodiscard]] inline std::size_t skipSpace(std::string_view text, std::size_t at, Poll& poll) {
  while (at < text.size() && isSpace(text[at]) && !poll.stop()) ++at;
  return at;
}

/// Key (raw content) and value (raw JSON) as they stand.
struct Pair {
  std::string_view key;
  std::string_view value;
};

enum class End {
  whole,    ///< read to its end
  broken,   ///< no JSON
  ranOut,   ///< the text ended first
  tooDeep,  ///< brackets within brackets as in no trace
};

/// Steps over the value at text[0]: strings must close, brackets must match.
[[nodiscard]] End skipValue(std::string_view text, std::size_t& end, Poll& poll);
/// The pairs of the object at text[0] = '{'. Forgives what does not change where things end: bad
/// escapes, control characters, unknown scalars, a comma before the bracket.
/// Only pairs whose key is `wanted` are taken.
[[nodiscard]] End readObject(std::string_view text, std::size_t& end, std::vector<Pair>& pairs,
                             bool (*wanted)(std::string_view key), Poll& poll);
/// The same of an object that readObject gave up on, which ends within `region`: guesses where
/// texts with quotes in them end, takes the first of equal keys, and leaves out what stays unclear.
/// True when its closing bracket was found; `end` is then behind it.
[[nodiscard]] bool readBrokenObject(std::string_view region, std::size_t& end,
                                    std::vector<Pair>& pairs, bool (*wanted)(std::string_view key),
                                    Poll& poll);

/// What is not as JSON wants it in a text whose strings close and whose brackets match.
struct Faults {
  bool control = false, utf8 = false, escape = false, notANumber = false, comma = false;
};
[[nodiscard]] Faults faultsOf(std::string_view text, Poll& poll);

}  // namespace ridgeline::loose
