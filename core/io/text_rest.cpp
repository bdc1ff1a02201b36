#include "core/io/text_rest.h"

namespace ridgeline {

namespace {

/// Separators, zeros of files that were written in whole blocks, and closing brackets too many.
bool isNothing(char c) {
  return std::string_view(" \t\r\n,]}\x1e", 8).find(c) != std::string_view::npos || c == '\0';
}

}  // namespace

void TextRest::outside(std::string_view text, std::size_t at, std::uint64_t offset,
                       ImportLog& log) {
  const char c = text[at];
  if (isNothing(c)) return;
  if (c == '{' || c == '[') {
    depth_ = 1;
    saidText_ = false;
    log.note("second_document",
             "JSON documents that follow the first one in this file were not read: save each "
             "recording as a file of its own and open these together",
             true, offset + at);
  } else if (!saidText_) {
    saidText_ = true;
    log.note("text_after_end", "text behind the end of the recording was left out", true,
             offset + at);
  }
}

void TextRest::inside(char c) {
  if (inString_) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      inString_ = false;
    return;
  }
  if (c == '"')
    inString_ = true;
  else if (c == '{' || c == '[')
    ++depth_;
  else if (c == '}' || c == ']')
    --depth_;
}

void TextRest::take(std::string_view text, std::uint64_t offset, ImportLog& log) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (depth_ == 0)
      outside(text, at, offset, log);
    else
      inside(text[at]);
}

}  // namespace ridgeline
