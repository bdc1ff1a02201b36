#include "core/trace/import_log.h"

namespace ridgeline {

void ImportLog::note(std::string_view key, std::string_view sentence, bool lost,
                     std::uint64_t offset, std::string_view text) {
  auto it = problems.find(key);
  if (it == problems.end())
    it = problems.emplace(std::string(key), Problem{std::string(sentence), 0, lost, {}}).first;
  Problem& problem = it->second;
  ++problem.count;
  if (problem.examples.size() < kExamples && (offset != kNoOffset || !text.empty()))
    problem.examples.push_back({offset, std::string(text.substr(0, 120))});
}

void ImportLog::add(const ImportLog& other) {
  read += other.read;
  slices += other.slices;
  instants += other.instants;
  counters += other.counters;
  links += other.links;
  metadata += other.metadata;
  dropped += other.dropped;
  repaired += other.repaired;
  for (const auto& [key, theirs] : other.problems) {
    auto [it, isNew] = problems.emplace(key, theirs);
    if (isNew) continue;
    it->second.count += theirs.count;
    for (const auto& example : theirs.examples)
      if (it->second.examples.size() < kExamples) it->second.examples.push_back(example);
  }
}

}  // namespace ridgeline
