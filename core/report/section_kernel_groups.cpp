#include <algorithm>
#include <map>
#include <utility>

#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

/// Sums of the kernels of one class and subclass, over all recordings.
struct ClassSum {
  std::uint64_t calls = 0;
  TimeNs total = 0;
  TimeNs exposed = 0;
  ReportJson kernels = ReportJson::array();
};

ReportJson kernelJson(const ReportRank& rank, const KernelGroup& group) {
  ReportJson json = {{"rank", rank.rank},
                     {"name", rank.trace().text(group.name)},
                     {"calls", group.calls},
                     {"total_ns", group.total},
                     {"exposed_ns", group.exposed},
                     {"share", group.share},
                     {"shortest_ns", group.shortest},
                     {"longest_ns", group.longest},
                     {"rule", group.rule}};
  json["blocks_per_sm"] = orNull(group.blocksPerSm);
  json["occupancy"] = orNull(group.occupancy);
  return json;
}

}  // namespace

ReportJson kernelGroups(Ranks ranks) {
  using Key = std::pair<KernelClass, std::string>;
  std::map<Key, ClassSum> sums;
  TimeNs total = 0;
  for (const ReportRank& rank : ranks) {
    total += rank.results->kernelGroups.total;
    for (const KernelGroup& group : rank.results->kernelGroups.groups) {
      ClassSum& sum = sums[{group.kernelClass, group.subclass}];
      sum.calls += group.calls;
      sum.total += group.total;
      sum.exposed += group.exposed;
      sum.kernels.push_back(kernelJson(rank, group));
    }
  }
  std::vector<std::pair<Key, ClassSum>> order(std::make_move_iterator(sums.begin()),
                                              std::make_move_iterator(sums.end()));
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.total > b.second.total; });
  ReportJson json = ReportJson::array();
  for (auto& [key, sum] : order)
    json.push_back({{"class", name(key.first)},
                    {"subclass", key.second},
                    {"calls", sum.calls},
                    {"total_ns", sum.total},
                    {"exposed_ns", sum.exposed},
                    {"share", shareOf(sum.total, total)},
                    {"kernels", std::move(sum.kernels)}});
  return json;
}

std::vector<Table> kernelGroupsTables(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Kernels",
              .note =
                  "Exposed: the time that would be free without it, overlaps given to one "
                  "kernel each; the column sums to the busy time.",
              .columns = {{"rank", "rank", Kind::count},
                          {"class", "class"},
                          {"subclass", "subclass", Column::Kind::text, {}, "none"},
                          {"name", "kernel"},
                          {"calls", "calls", Kind::count},
                          {"total_ns", "total", Kind::time},
                          {"exposed_ns", "exposed", Kind::time},
                          {"share", "share", Kind::share},
                          {"longest_ns", "longest", Kind::time},
                          {"blocks_per_sm", "blocks per SM", Kind::quantity, "", "not recorded"},
                          {"occupancy", "occupancy", Kind::share, {}, "not recorded"}},
              .rows = {},
              .shownRows = 15};
  for (const ReportRank& rank : ranks)
    for (const KernelGroup& group : rank.results->kernelGroups.groups)
      table.rows.push_back({rank.rank, std::string(name(group.kernelClass)), group.subclass,
                            std::string(rank.trace().text(group.name)),
                            static_cast<std::int64_t>(group.calls), group.total, group.exposed,
                            group.share, group.longest, orUnknown(group.blocksPerSm),
                            orUnknown(group.occupancy)});
  return {std::move(table)};
}

}  // namespace ridgeline::sections
