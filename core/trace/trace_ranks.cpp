#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

#include "core/base/stable_sort.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// The number in "RANK 3 HOST<node>", "rank3", "[Rank: 3] python"; nothing in "ranking 3".
std::optional<std::int64_t> rankIn(std::string_view text) {
  static constexpr std::string_view kRank = "rank";
  for (std::size_t at = 0; at + kRank.size() < text.size(); ++at) {
    bool is = at == 0 || !isWord(text[at - 1]);
    for (std::size_t i = 0; is && i < kRank.size(); ++i)
      is = std::tolower(static_cast<unsigned char>(text[at + i])) == kRank[i];
    if (!is) continue;
    std::size_t begin = at + kRank.size();
    while (begin < text.size() && std::string_view(" :=_#-").find(text[begin]) != text.npos)
      ++begin;
    std::int64_t rank = 0;
    const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), rank);
    const bool whole = end == text.data() + text.size() || !isWord(*end);
    if (error == std::errc() && whole && rank >= 0) return rank;
  }
  return std::nullopt;
}

}  // namespace

void recogniseRanks(Collected& c, const Task& task) {
  Poll poll(task);
  for (RawProcess& process : c.processes) {
    if (poll.stop()) return;
    if (process.rank != kNoRank) continue;
    auto rank = rankIn(process.name.valid() ? c.strings.text(process.name) : std::string_view());
    if (!rank) rank = rankIn(c.strings.text(process.pid));
    if (rank) process.rank = *rank;
  }
}

std::vector<std::int64_t> ranksIn(const Collected& c, const Task& task) {
  std::vector<std::int64_t> ranks;
  Poll poll(task);
  for (const RawTrack& track : c.tracks) {
    if (poll.stop()) return {};
    const std::int64_t rank = c.processes[c.lanes[track.lane].process].rank;
    if (rank != kNoRank && (ranks.empty() || ranks.back() != rank)) ranks.push_back(rank);
  }
  if (!stableSort(std::span(ranks), std::less<>(), task)) return {};
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace ridgeline::build
