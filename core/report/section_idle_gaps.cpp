#include <algorithm>

#include "core/report/people.h"
#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

constexpr std::size_t kListedGaps = 100;

struct GapOfRank {
  const ReportRank* rank;
  const IdleGap* gap;
};

std::vector<GapOfRank> allGaps(Ranks ranks) {
  std::vector<GapOfRank> all;
  for (const ReportRank& rank : ranks)
    for (const IdleGap& gap : rank.results->idleGaps.gaps) all.push_back({&rank, &gap});
  return all;
}

/// The largest ones first; earlier ones first among equals.
std::vector<GapOfRank> largestGaps(Ranks ranks) {
  std::vector<GapOfRank> all = allGaps(ranks);
  const auto larger = [](const GapOfRank& a, const GapOfRank& b) {
    const TimeNs la = a.gap->span.length();
    const TimeNs lb = b.gap->span.length();
    return la != lb ? la > lb : a.gap->span.begin < b.gap->span.begin;
  };
  const std::size_t n = std::min(all.size(), kListedGaps);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(), larger);
  all.resize(n);
  return all;
}

ReportJson gapJson(const GapOfRank& one) {
  const Trace& trace = one.rank->trace();
  const IdleGap& gap = *one.gap;
  return {{"rank", one.rank->rank},
          {"device", ordinalOf(*one.rank, gap.device)},
          {"start_ns", gap.span.begin},
          {"end_ns", gap.span.end},
          {"length_ns", gap.span.length()},
          {"cause", word(gap.cause)},
          {"why", gap.why},
          {"before", eventJson(trace, gap.before)},
          {"after", eventJson(trace, gap.after)},
          {"launch", eventJson(trace, gap.launch)},
          {"evidence", eventJson(trace, gap.hostEvent)}};
}

/// Quantiles of one recording are its result's; those of several are taken over all of their gaps
/// (nearest rank, as in the analysis).
void addQuantiles(Ranks ranks, ReportJson& json) {
  if (ranks.size() == 1) {
    json["median_ns"] = ranks[0].results->idleGaps.median;
    json["p90_ns"] = ranks[0].results->idleGaps.p90;
    return;
  }
  std::vector<TimeNs> lengths;
  for (const GapOfRank& one : allGaps(ranks)) lengths.push_back(one.gap->span.length());
  std::sort(lengths.begin(), lengths.end());
  const auto at = [&](std::size_t percent) {
    return lengths.empty()
               ? TimeNs{0}
               : lengths[std::max<std::size_t>(1, (lengths.size() * percent + 99) / 100) - 1];
  };
  json["median_ns"] = at(50);
  json["p90_ns"] = at(90);
}

}  // namespace

ReportJson idleGaps(Ranks ranks) {
  std::uint64_t count = 0;
  TimeNs total = 0;
  std::array<TimeNs, kGapCauseCount> byCause{};
  std::string unreliable;
  for (const ReportRank& rank : ranks) {
    const IdleGaps& gaps = rank.results->idleGaps;
    count += gaps.gaps.size();
    total += gaps.total;
    for (std::size_t i = 0; i < byCause.size(); ++i) byCause[i] += gaps.byCause[i];
    if (!gaps.reliable && unreliable.empty()) unreliable = gaps.unreliable;
  }
  ReportJson json = {{"count", count}, {"total_ns", total}};
  addQuantiles(ranks, json);
  json["by_cause"] = ReportJson::object();
  for (std::size_t i = 0; i < byCause.size(); ++i)
    if (byCause[i] != 0) json["by_cause"][std::string(word(static_cast<GapCause>(i)))] = byCause[i];
  if (!unreliable.empty()) json["unreliable"] = unreliable;
  json["gaps"] = ReportJson::array();
  for (const GapOfRank& gap : largestGaps(ranks)) json["gaps"].push_back(gapJson(gap));
  return json;
}

std::vector<Table> idleGapsTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table causes{.title = "Idle gaps by cause",
               .note = {},
               .columns = {{"rank", "rank", Kind::count},
                           {"cause", "cause"},
                           {"total_ns", "time", Kind::time},
                           {"share", "of idle", Kind::share},
                           {"gaps", "gaps", Kind::count},
                           {"explanation", "what it means", Column::Kind::sentence}},
               .rows = {}};
  for (const ReportRank& rank : ranks) {
    const IdleGaps& gaps = rank.results->idleGaps;
    if (!gaps.reliable) causes.note = gaps.unreliable;
    std::array<std::int64_t, kGapCauseCount> counts{};
    for (const IdleGap& gap : gaps.gaps) ++counts[static_cast<std::size_t>(gap.cause)];
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (gaps.byCause[i] != 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return gaps.byCause[a] > gaps.byCause[b];
    });
    for (const std::size_t i : order) {
      const auto cause = static_cast<GapCause>(i);
      causes.rows.push_back({rank.rank, std::string(title(cause)), gaps.byCause[i],
                             shareOf(gaps.byCause[i], gaps.total), counts[i],
                             std::string(explanation(cause))});
    }
  }
  Table largest{.title = "Largest idle gaps",
                .note = {},
                .columns = {{"rank", "rank", Kind::count},
                            {"device", "device", Kind::count},
                            {"start_ns", "start", Kind::time},
                            {"end_ns", "end", Kind::time},
                            {"length_ns", "length", Kind::time},
                            {"cause", "cause"},
                            {"why", "why", Kind::sentence},
                            {"after", "next on the device"}},
                .rows = {},
                .shownRows = 10};
  for (const GapOfRank& one : largestGaps(ranks)) {
    const SliceId after = one.gap->after;
    largest.rows.push_back(
        {one.rank->rank, ordinalOf(*one.rank, one.gap->device), one.gap->span.begin,
         one.gap->span.end, one.gap->span.length(), std::string(title(one.gap->cause)),
         one.gap->why, after.valid() ? Cell(std::string(one.rank->trace().name(after))) : Cell()});
  }
  return {std::move(causes), std::move(largest)};
}

}  // namespace ridgeline::sections
