#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/args_store.h"
#include "core/trace/import_log.h"
#include "core/trace/tables.h"

namespace ridgeline {

/// What is known of the recording as a whole.
struct TraceInfo {
  std::string path;
  std::string format;       ///< "Chrome trace-event JSON"
  std::string producer;     ///< "PyTorch Kineto (CUDA)", …
  std::string compression;  ///< "", "gzip", "zstd"
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> worldSize;
  std::optional<std::int64_t> baseTimeNs;  ///< baseTimeNanoseconds: add for Unix time
  std::uint64_t fileBytes = 0;
  std::uint64_t textBytes = 0;  ///< decompressed
  /// Top-level keys other than traceEvents and deviceProperties, as raw JSON (record_shapes,
  /// with_stack, distributedInfo, versions …), in file order.
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The raw JSON text of a top-level key; empty if there is none.
  [[nodiscard]] std::string_view metadataText(std::string_view key) const;
};

/// Everything a Trace consists of; filled by TraceBuilder, then never changed.
struct TraceTables {
  TraceInfo info;
  TimeNs origin = 0;
  TimeSpan span;
  TimeSpan bulk;
  StringPool strings;
  std::vector<StringId> categoryTexts;
  SliceTable slices;
  InstantTable instants;
  std::vector<CounterSeries> counters;  ///< by track
  ColumnVector<MemoryEvent> memory;
  std::vector<ShapeTexts> shapes;
  std::vector<CollectiveArgs> collectives;
  std::vector<XlaArgs> xla;
  LinkTable links;
  ColumnVector<SliceId> launchOf;  ///< by slice id; empty when no slice has a launch
  std::vector<Process> processes;
  std::vector<Track> tracks;  ///< in display order: host above device, by sort index
  std::vector<Row> rows;
  std::vector<Device> devices;  ///< by ordinal
  ImportLog importLog;
  std::shared_ptr<const ArgsReader> args;
};

/// The recording of one rank. Immutable: any thread may read it at any time.
class Trace {
 public:
  explicit Trace(TraceTables tables) : t_(std::move(tables)) {}
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] const TraceInfo& info() const { return t_.info; }
  /// Absolute time (ns: the file's ts × 1000) of this Trace's time 0, the earliest event.
  [[nodiscard]] TimeNs origin() const { return t_.origin; }
  /// From the first to the last event, relative to origin().
  [[nodiscard]] TimeSpan span() const { return t_.span; }
  /// The same without stray stamps: damaged times so far from all others (weeks beside seconds)
  /// that a window over both would say nothing. Mostly equal to span(). What lies outside is in all
  /// tables and is drawn, but sets no window by default.
  [[nodiscard]] TimeSpan bulk() const { return t_.bulk; }
  [[nodiscard]] bool isStray(TimeSpan event) const {
    return event.begin < t_.bulk.begin || event.end > t_.bulk.end;
  }

  [[nodiscard]] std::string_view text(StringId id) const { return t_.strings.text(id); }
  [[nodiscard]] const StringPool& strings() const { return t_.strings; }
  [[nodiscard]] const SliceTable& slices() const { return t_.slices; }
  [[nodiscard]] const InstantTable& instants() const { return t_.instants; }
  [[nodiscard]] std::span<const CounterSeries> counters() const { return t_.counters; }
  [[nodiscard]] std::span<const MemoryEvent> memory() const { return t_.memory; }
  [[nodiscard]] std::span<const ShapeTexts> shapes() const { return t_.shapes; }
  [[nodiscard]] std::span<const CollectiveArgs> collectives() const { return t_.collectives; }
  [[nodiscard]] std::span<const XlaArgs> xla() const { return t_.xla; }
  /// What XLA says of a slice; null where it says nothing.
  [[nodiscard]] const XlaArgs* xlaOf(SliceId s) const {
    const auto id = t_.slices.xla.get(s);
    return id ? &t_.xla[id->index()] : nullptr;
  }
  [[nodiscard]] const LinkTable& links() const { return t_.links; }
  [[nodiscard]] std::span<const Process> processes() const { return t_.processes; }
  [[nodiscard]] std::span<const Track> tracks() const { return t_.tracks; }
  [[nodiscard]] std::span<const Row> rows() const { return t_.rows; }
  [[nodiscard]] std::span<const Device> devices() const { return t_.devices; }
  [[nodiscard]] const ImportLog& importLog() const { return t_.importLog; }

  [[nodiscard]] std::string_view name(SliceId s) const { return text(t_.slices.name[s.index()]); }
  [[nodiscard]] std::string_view categoryText(SliceId s) const {
    return text(t_.categoryTexts[t_.slices.categoryText[s.index()]]);
  }
  [[nodiscard]] const Row& rowOf(SliceId s) const {
    return t_.rows[t_.slices.row[s.index()].index()];
  }
  [[nodiscard]] TrackId trackOf(SliceId s) const { return rowOf(s).track; }
  [[nodiscard]] const Track& track(TrackId id) const { return t_.tracks[id.index()]; }
  [[nodiscard]] std::span<const Row> rowsOf(TrackId id) const {
    const Track& track = t_.tracks[id.index()];
    if (track.rowCount == 0) return {};
    return std::span<const Row>(t_.rows).subspan(track.firstRow.index(), track.rowCount);
  }
  /// The host call that launched a device slice; invalid when it is not in the recording.
  [[nodiscard]] SliceId launchOf(SliceId s) const {
    return s.index() < t_.launchOf.size() ? t_.launchOf[s.index()] : SliceId();
  }
  /// The innermost slice of the track that holds [t, t] (spill rows left out); invalid if none.
  [[nodiscard]] SliceId innermostAt(TrackId track, TimeNs t) const;
  /// The raw JSON of a slice's args.
  [[nodiscard]] Result<std::string> readArgs(SliceId s) const;
  [[nodiscard]] Result<std::string> readArgs(ArgsSpan span) const;
  /// Bytes of memory held by all tables.
  [[nodiscard]] std::size_t memoryBytes() const;

 private:
  const TraceTables t_;
};

}  // namespace ridgeline
