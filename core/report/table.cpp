#include "core/report/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>

#include "core/report/people.h"

namespace ridgeline {
namespace {

constexpr std::size_t kLongestText = 90;

/// How the texts of a column are shown, by the text.
using Shown = std::map<std::string, std::string>;

Shown shownNames(const Table& table, std::size_t column) {
  Shown shown;
  std::map<std::string, std::size_t> alike;
  for (std::size_t r = 0; r < std::min(table.rows.size(), table.shownRows); ++r) {
    const auto* text = std::get_if<std::string>(&table.rows[r][column]);
    if (text == nullptr || shown.count(*text) != 0) continue;
    std::string brief = table.columns[column].kind == Column::Kind::text
                            ? people::elided(*text, kLongestText)
                            : *text;
    ++alike[brief];
    shown.emplace(*text, std::move(brief));
  }
  for (auto& [text, brief] : shown)
    if (alike[brief] > 1) brief = text;
  return shown;
}

std::string forPeople(const Cell& cell, const Column& column, const Shown& names) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (!text->empty()) return names.at(*text);
    return column.none.empty() ? "–" : column.none;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    if (column.kind == Column::Kind::time) return people::duration(*whole);
    if (column.kind == Column::Kind::count && *whole >= 0)
      return people::count(static_cast<std::uint64_t>(*whole));
    return std::to_string(*whole);
  }
  if (const auto* number = std::get_if<double>(&cell))
    return column.kind == Column::Kind::share ? people::share(*number)
                                              : people::quantity(*number, column.unit);
  return "–";
}

/// A bar would end the cell, a line break the row, a backtick or angle would be read as markup.
std::string escapedMarkdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view("|\\`*_<>[]").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string rawText(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    if (text->find_first_of(",\"\n\r") == std::string::npos) return *text;
    std::string quoted = "\"";
    for (const char c : *text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.15g", *number);
    return text.data();
  }
  return {};
}

}  // namespace

std::string tableToMarkdown(const Table& table) {
  std::string out = "### " + table.title + "\n\n";
  if (!table.note.empty()) out += table.note + "\n\n";
  if (table.rows.empty()) return out + "None.\n\n";
  for (const Column& column : table.columns) out += "| " + column.title + " ";
  out += "|\n";
  for (const Column& column : table.columns) out += column.isText() ? "|---" : "|---:";
  out += "|\n";
  const std::size_t shown = std::min(table.rows.size(), table.shownRows);
  std::vector<Shown> names;
  for (std::size_t c = 0; c < table.columns.size(); ++c) names.push_back(shownNames(table, c));
  for (std::size_t r = 0; r < shown; ++r) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      out += "| " + escapedMarkdown(forPeople(table.rows[r][c], table.columns[c], names[c])) + " ";
    out += "|\n";
  }
  if (shown < table.rows.size())
    out += "\n… and " + people::count(table.rows.size() - shown) +
           " more (all of them with `--format json` or `csv`).\n";
  return out + "\n";
}

std::string tableToCsv(const Table& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    out += (c ? "," : "") + table.columns[c].key;
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c ? "," : "") + rawText(row[c]);
    out += "\n";
  }
  return out;
}

}  // namespace ridgeline
