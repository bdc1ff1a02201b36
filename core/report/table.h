#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/time.h"

namespace ridgeline {

/// A figure in a report's table; monostate = not known (never shown as 0).
using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// What a column holds: decides how people read it, and how raw data names it.
struct Column {
  enum class Kind : std::uint8_t {
    text,      ///< a name: for people cut in the middle where it is long
    sentence,  ///< whole in all forms
    count,
    time,      ///< ns, int64
    share,     ///< 0…1
    quantity,  ///< a double in `unit`
  };
  std::string key;    ///< header in CSV: "busy_ns"
  std::string title;  ///< header for people: "busy"
  Kind kind = Kind::text;
  std::string unit = {};  ///< of a quantity
  std::string none = {};  ///< what people read where a text is empty; a dash if that is empty, too
  [[nodiscard]] bool isText() const { return kind == Kind::text || kind == Kind::sentence; }
};

/// A table of a report, independent of the form it is printed in.
struct Table {
  std::string title;
  std::string note;  ///< a sentence below the title; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t shownRows = 20;  ///< for people; data formats print all
};

/// Long names are cut in the middle; those of a column that would then be the same stay whole.
[[nodiscard]] std::string tableToMarkdown(const Table& table);
/// A header line and a line a row; texts quoted where needed (RFC 4180). Times are integer ns.
[[nodiscard]] std::string tableToCsv(const Table& table);

}  // namespace ridgeline
