#include "core/report/quality_marks.h"

#include <algorithm>

namespace ridgeline {

namespace {

const DataQuality& qualityOf(const ReportRank& rank) {
  return rank.results->headline.quality;
}

std::string text(std::size_t number) {
  return "[" + std::to_string(number + 1) + "]";
}

}  // namespace

QualityMarks::QualityMarks(std::span<const ReportRank> ranks) : ranks_(ranks) {
  for (const ReportRank& rank : ranks)
    for (const QualityCheck& check : qualityOf(rank).checks) {
      if (!check.found || check.weight == QualityCheck::Weight::note) continue;
      std::string sentence = check.sentence();
      if (std::find(sentences_.begin(), sentences_.end(), sentence) == sentences_.end())
        sentences_.push_back(std::move(sentence));
    }
}

std::string QualityMarks::markOf(const QualityCheck& check) const {
  const auto at = std::find(sentences_.begin(), sentences_.end(), check.sentence());
  if (!check.found || at == sentences_.end()) return {};
  return text(static_cast<std::size_t>(at - sentences_.begin()));
}

std::string QualityMarks::of(const ReportRank& rank,
                             const std::vector<std::string>& sections) const {
  std::string marks;
  for (const QualityCheck* check : qualityOf(rank).touchingAny(sections)) marks += markOf(*check);
  return marks.empty() ? marks : " " + marks;
}

std::vector<std::size_t> QualityMarks::numbersOf(std::string_view section) const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    for (const ReportRank& rank : ranks_) {
      const auto touching = qualityOf(rank).touching(section);
      if (std::none_of(touching.begin(), touching.end(), [&](const QualityCheck* check) {
            return check->sentence() == sentences_[i];
          }))
        continue;
      numbers.push_back(i);
      break;
    }
  return numbers;
}

std::string QualityMarks::of(std::string_view section) const {
  std::string marks;
  for (const std::size_t number : numbersOf(section)) marks += text(number);
  return marks.empty() ? marks : " " + marks;
}

void QualityMarks::mark(Table& table, std::string_view section) const {
  const std::string marks = of(section);
  for (Column& column : table.columns)
    if (!column.isText() && column.key != "rank" && column.key != "device") column.title += marks;
}

std::string QualityMarks::footnotes(std::string_view section) const {
  std::string lines;
  for (const std::size_t number : numbersOf(section))
    lines += text(number) + " " + sentences_[number] + "  \n";
  return lines.empty() ? lines : lines + "\n";
}

ReportJson touchedByJson(std::span<const ReportRank> ranks) {
  ReportJson json = ReportJson::object();
  for (const ReportSection& section : reportSections()) {
    ReportJson checks = ReportJson::array();
    for (const ReportRank& rank : ranks)
      for (const QualityCheck* check : qualityOf(rank).touching(section.key))
        checks.push_back({{"rank", rank.rank}, {"check", check->key}});
    if (!checks.empty()) json[std::string(section.key)] = std::move(checks);
  }
  return json;
}

}  // namespace ridgeline
