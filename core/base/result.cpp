#include "core/base/result.h"

namespace ridgeline {

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!todo.empty()) {
    if (!line.empty() && line.back() != '.') line += '.';
    line += ' ' + todo;
  }
  return line;
}

}  // namespace ridgeline
