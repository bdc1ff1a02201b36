#include "tests/support/trace_dump.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ridgeline::test {

namespace {

void dumpTracks(const Trace& t, std::ostream& out) {
  for (std::size_t i = 0; i < t.strings().size(); ++i)
    out << "string " << t.text(StringId(i)) << '\n';
  for (const Process& p : t.processes())
    out << "process " << t.text(p.pid) << '|' << t.text(p.name) << '|' << t.text(p.labels) << '|'
        << p.sortIndex << '|' << p.device.value << '\n';
  for (const Track& k : t.tracks())
    out << "track " << static_cast<int>(k.kind) << '|' << k.process.value << '|' << t.text(k.tid)
        << '|' << t.text(k.name) << '|' << k.sortIndex << '|' << k.device.value << '|' << k.stream
        << '|' << k.firstRow.value << '+' << k.rowCount << '|' << k.displayName << '\n';
  for (const Row& r : t.rows())
    out << "row " << r.track.value << ' ' << r.depth << ' ' << r.spill << ' ' << r.first << ' '
        << r.last << '\n';
  for (const Device& d : t.devices())
    out << "device " << d.ordinal << ' ' << d.name << ' ' << d.streams.size() << '\n';
}

void dumpSlices(const Trace& t, bool places, std::ostream& out) {
  const SliceTable& s = t.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    out << "slice " << s.start[i] << ' ' << s.end[i] << ' ' << t.text(s.name[i]) << '|'
        << static_cast<int>(s.category[i]) << '|' << t.categoryText(SliceId(i)) << '|'
        << int{s.flags[i]} << '|' << s.row[i].value << ' ' << s.parent[i].value << ' '
        << s.shape[i].value << ' ' << t.launchOf(SliceId(i)).value;
    if (places) out << ' ' << s.argsOffset[i] << '+' << s.argsLength[i];
    out << '\n';
  }
  int number = 0;
  for (const auto* column :
       {&s.correlation, &s.externalId, &s.bytes, &s.sequence, &s.forwardThread, &s.streamArg,
        &s.graphId, &s.graphNode, &s.waitOnStream, &s.waitOnRecordCorrelation}) {
    for (const auto& entry : column->entries())
      out << "arg " << number << ' ' << entry.row.value << ' ' << entry.value << '\n';
    ++number;
  }
  for (const auto& entry : s.collective.entries())
    out << "collective " << entry.row.value << ' ' << entry.value.value << '\n';
  for (const auto& entry : s.fill.entries())
    out << "fill " << entry.row.value << ' ' << entry.value.packed() << '\n';
}

void dumpRest(const Trace& t, bool places, std::ostream& out) {
  for (const ShapeTexts& s : t.shapes())
    out << "shape " << t.text(s.dims) << t.text(s.types) << t.text(s.concrete) << t.text(s.strides)
        << '\n';
  for (const CollectiveArgs& a : t.collectives())
    out << "group " << t.text(a.name) << t.text(a.dtype) << t.text(a.group) << t.text(a.ranks)
        << a.inElements << ' ' << a.outElements << ' ' << a.groupSize << ' ' << a.sequence << '\n';
  const InstantTable& n = t.instants();
  for (std::size_t i = 0; i < n.size(); ++i) {
    out << "instant " << n.time[i] << ' ' << t.text(n.name[i]) << ' ' << n.track[i].value;
    if (places) out << ' ' << n.args[i].offset << '+' << n.args[i].length;
    out << '\n';
  }
  for (const CounterSeries& c : t.counters())
    for (std::size_t i = 0; i < c.time.size(); ++i)
      out << "counter " << c.track.value << ' ' << t.text(c.name) << ' ' << c.time[i] << ' '
          << c.value[i] << '\n';
  for (const MemoryEvent& m : t.memory())
    out << "memory " << m.time << ' ' << m.track.value << ' ' << m.address << ' ' << m.bytes << ' '
        << m.totalAllocated << ' ' << m.deviceType << '\n';
  for (const Link& l : t.links().all())
    out << "link " << static_cast<int>(l.kind) << ' ' << l.from.value << ' ' << l.to.value << '\n';
  if (!places) return;
  const ImportLog& log = t.importLog();
  out << "log " << log.read << ' ' << log.slices << ' ' << log.instants << ' ' << log.counters
      << ' ' << log.links << ' ' << log.metadata << ' ' << log.dropped << ' ' << log.repaired
      << '\n';
  for (const auto& [key, problem] : log.problems) {
    out << "problem " << key << ' ' << problem.count << ' ' << problem.lost;
    for (const auto& example : problem.examples) out << ' ' << example.offset << example.text;
    out << '\n';
  }
  for (const auto& [key, text] : t.info().metadata) out << "info " << key << '=' << text << '\n';
}

}  // namespace

std::string dump(const Trace& trace, bool places) {
  std::ostringstream out;
  out << "origin " << trace.origin() << ' ' << trace.span().end << '\n';
  dumpTracks(trace, out);
  dumpSlices(trace, places, out);
  dumpRest(trace, places, out);
  return out.str();
}

std::string dump(const std::vector<LoadedTrace>& ranks) {
  std::string all;
  for (const LoadedTrace& rank : ranks) all += dump(*rank.trace);
  return all;
}

std::string firstDifference(const std::string& a, const std::string& b) {
  std::istringstream x(a), y(b);
  std::string s, t;
  while (true) {
    const bool more = static_cast<bool>(std::getline(x, s));
    if (!more) s.clear();
    if (!std::getline(y, t)) {
      if (!more) return {};
      t.clear();
    }
    if (s != t) return "  " + s.substr(0, 300) + "\n  " + t.substr(0, 300);
  }
}

std::string rowFaults(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::ostringstream out;
  std::size_t covered = 0;
  for (std::size_t r = 0; r < trace.rows().size(); ++r) {
    const Row& row = trace.rows()[r];
    covered += row.last - row.first;
    for (std::uint32_t i = row.first; i < row.last; ++i) {
      if (s.row[i] != RowId(r)) out << "slice " << i << " names another row\n";
      if (s.end[i] < s.start[i]) out << "slice " << i << " ends before it starts\n";
      if (i > row.first && s.end[i - 1] > s.start[i]) out << "slice " << i << " overlaps\n";
      const SliceId parent = s.parent[i];
      if (row.spill || row.depth == 0) {
        if (parent.valid()) out << "slice " << i << " has a parent\n";
        continue;
      }
      if (!parent.valid() || trace.rowOf(parent).depth + 1 != row.depth ||
          trace.rowOf(parent).track != row.track || s.start[parent.index()] > s.start[i] ||
          s.end[parent.index()] < s.end[i])
        out << "slice " << i << " lies outside its parent\n";
    }
  }
  if (covered != s.size()) out << "rows hold " << covered << " of " << s.size() << " slices\n";
  return out.str();
}

TemporaryFile::TemporaryFile(std::string_view content) {
  static std::atomic<int> next = 0;
  path_ =
      (std::filesystem::temp_directory_path() /
       ("ridgeline-test-" + std::to_string(::getpid()) + "-" + std::to_string(next++) + ".json"))
          .string();
  std::ofstream(path_, std::ios::binary) << content;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace ridgeline::test
