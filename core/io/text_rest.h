#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/import_log.h"

namespace ridgeline {

/// What stands behind the end of a file's JSON document, as when two recordings were joined to one
/// file: it is not read, but noted, each further document once and with its place. The text comes
/// in pieces, in order; what comes out does not depend on where it was cut. Linear, holds nothing.
class TextRest {
 public:
  /// `offset`: of text[0] in the whole text.
  void take(std::string_view text, std::uint64_t offset, ImportLog& log);

 private:
  void outside(std::string_view text, std::size_t at, std::uint64_t offset, ImportLog& log);
  void inside(char c);

  std::uint64_t depth_ = 0;  ///< of brackets in a further document; 0: outside of any
  bool inString_ = false;
  bool escaped_ = false;
  bool saidText_ = false;  ///< what is neither document nor space was noted
};

}  // namespace ridgeline
