#include <algorithm>

#include "core/report/sections.h"

namespace ridgeline::sections {
namespace {

constexpr std::size_t kListedBlocks = 100;
/// Of a curve; more would make the report as large as the recording.
constexpr std::size_t kListedCalls = 1000;

ReportJson opJson(const MemoryOp& op) {
  return {{"op", op.op.empty() ? ReportJson() : ReportJson(op.op)},
          {"allocations", op.allocations},
          {"allocated_bytes", op.bytes},
          {"alive_blocks", op.aliveBlocks},
          {"alive_bytes", op.aliveBytes}};
}

ReportJson poolJson(const ReportRank& rank, const MemoryPool& pool) {
  ReportJson json = {{"rank", rank.rank},
                     {"name", pool.name},
                     {"device_type", pool.deviceType},
                     {"device", pool.deviceIndex},
                     {"relative", pool.relative},
                     {"records", pool.time.size()},
                     {"allocations", pool.allocations},
                     {"releases", pool.releases},
                     {"allocated_bytes", pool.allocatedBytes},
                     {"peak_bytes", pool.peak},
                     {"peak_time_ns", pool.peakTime},
                     {"peak_of_recording_bytes", pool.peakOfRecording}};
  json["reserved_peak_bytes"] = orNull(pool.reservedPeak);
  json["capacity_bytes"] = orNull(pool.capacity);
  json["alive_before_recording_bytes"] = orNull(pool.aliveBefore);
  json["addresses"] = pool.addresses;
  json["alive"] = ReportJson::array();
  for (std::size_t i = 0; i < std::min(pool.alive.size(), kListedBlocks); ++i) {
    const MemoryBlock& block = pool.alive[i];
    json["alive"].push_back({{"address", block.address},
                             {"bytes", block.bytes},
                             {"since_ns", block.since},
                             {"op", eventJson(rank.trace(), block.op)}});
  }
  json["ops"] = ReportJson::array();
  for (const MemoryOp& op : pool.ops) json["ops"].push_back(opJson(op));
  return json;
}

ReportJson rankJson(const ReportRank& rank) {
  const MemoryUse& m = rank.results->memory;
  ReportJson json = {{"rank", rank.rank}, {"sentence", m.sentence}};
  json["missing"] = m.missing.empty() ? ReportJson() : ReportJson(m.missing);
  json["pools"] = ReportJson::array();
  for (const MemoryPool& pool : m.pools) json["pools"].push_back(poolJson(rank, pool));
  json["thrash"] = m.thrash;
  json["thrash_why"] = m.thrashWhy;
  json["steps"] = ReportJson::array();
  for (std::size_t k = 0; k < m.spans.size(); ++k)
    json["steps"].push_back({{"name", m.spanNames[k]},
                             {"allocate_calls", m.spans[k].allocations},
                             {"release_calls", m.spans[k].releases},
                             {"call_ns", m.spans[k].time},
                             {"idle_ns", m.spans[k].idle},
                             {"reserved_drop_bytes", m.spans[k].reservedDrop}});
  json["calls"] = ReportJson::array();
  for (std::size_t i = 0; i < std::min(m.calls.size(), kListedCalls); ++i)
    json["calls"].push_back(
        {{"kind", name(m.calls[i].kind)}, {"event", eventJson(rank.trace(), m.calls[i].call)}});
  return json;
}

Table poolTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{
      .title = "Memory",
      .note = {},
      .columns = {{"rank", "rank", Kind::count},
                  {"name", "memory of"},
                  {"peak_bytes", "peak allocated", Kind::quantity, "B"},
                  {"peak_time_ns", "at", Kind::time},
                  {"reserved_peak_bytes", "reserved", Kind::quantity, "B"},
                  {"capacity_bytes", "capacity", Kind::quantity, "B"},
                  {"alive_before_recording_bytes", "older than the recording", Kind::quantity, "B"},
                  {"allocations", "allocations", Kind::count},
                  {"allocated_bytes", "allocated in all", Kind::quantity, "B"}},
      .rows = {}};
  const auto bytes = [](const std::optional<std::int64_t>& value) {
    return value ? Cell(static_cast<double>(*value)) : Cell();
  };
  for (const ReportRank& rank : ranks) {
    const MemoryUse& m = rank.results->memory;
    if (!m.missing.empty())
      table.note = m.missing;
    else if (ranks.size() == 1)
      table.note = m.sentence;
    for (const MemoryPool& pool : m.pools)
      table.rows.push_back({rank.rank, pool.name, bytes(pool.peak), pool.peakTime,
                            bytes(pool.reservedPeak), bytes(pool.capacity), bytes(pool.aliveBefore),
                            static_cast<std::int64_t>(pool.allocations),
                            bytes(pool.allocatedBytes)});
  }
  return table;
}

Table opTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Memory by operator",
              .note = "Alive at the peak, of what was allocated within the recording.",
              .columns = {{"rank", "rank", Kind::count},
                          {"name", "memory of"},
                          {"op", "allocated by"},
                          {"alive_bytes", "alive at the peak", Kind::quantity, "B"},
                          {"alive_blocks", "blocks", Kind::count},
                          {"allocations", "allocations", Kind::count},
                          {"allocated_bytes", "allocated in all", Kind::quantity, "B"}},
              .rows = {},
              .shownRows = 10};
  for (const ReportRank& rank : ranks)
    for (const MemoryPool& pool : rank.results->memory.pools)
      for (const MemoryOp& op : pool.ops)
        table.rows.push_back(
            {rank.rank, pool.name, op.op.empty() ? Cell(std::string("(no operator)")) : Cell(op.op),
             pool.addresses ? Cell(static_cast<double>(op.aliveBytes)) : Cell(),
             pool.addresses ? Cell(static_cast<std::int64_t>(op.aliveBlocks)) : Cell(),
             static_cast<std::int64_t>(op.allocations), static_cast<double>(op.bytes)});
  return table;
}

Table callTable(Ranks ranks) {
  using Kind = Column::Kind;
  Table table{.title = "Allocator calls",
              .note = "Calls to the driver for memory. In a settled step there are none.",
              .columns = {{"rank", "rank", Kind::count},
                          {"step", "step"},
                          {"allocate_calls", "allocate", Kind::count},
                          {"release_calls", "release", Kind::count},
                          {"call_ns", "host time", Kind::time},
                          {"idle_ns", "device idle because of it", Kind::time},
                          {"reserved_drop_bytes", "reserved memory falls by", Kind::quantity, "B"}},
              .rows = {}};
  for (const ReportRank& rank : ranks) {
    const MemoryUse& m = rank.results->memory;
    for (std::size_t k = 0; k < m.spans.size(); ++k) {
      const AllocatorFigures& f = m.spans[k];
      if (f.allocations + f.releases == 0 && f.reservedDrop == 0) continue;
      table.rows.push_back({rank.rank, m.spanNames[k], static_cast<std::int64_t>(f.allocations),
                            static_cast<std::int64_t>(f.releases), f.time, f.idle,
                            static_cast<double>(f.reservedDrop)});
    }
  }
  return table;
}

}  // namespace

ReportJson memory(Ranks ranks) {
  ReportJson json = ReportJson::array();
  for (const ReportRank& rank : ranks) json.push_back(rankJson(rank));
  return json;
}

std::vector<Table> memoryTables(Ranks ranks) {
  std::vector<Table> tables = {poolTable(ranks)};
  for (Table& table : std::vector<Table>{opTable(ranks), callTable(ranks)})
    if (!table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace ridgeline::sections
