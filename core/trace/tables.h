#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/column_vector.h"
#include "core/base/ids.h"
#include "core/base/task.h"
#include "core/base/time.h"
#include "core/trace/event.h"
#include "core/trace/kernel_fill.h"
#include "core/trace/sparse_column.h"

namespace ridgeline {

/// The recorded shapes of an op as raw JSON array texts; interned, so equal ops share one ShapeId.
struct ShapeTexts {
  StringId dims, types, concrete, strides;  ///< invalid = not recorded
  bool operator==(const ShapeTexts&) const = default;
};

/// A collective's recorded arguments; interned.
struct CollectiveArgs {
  StringId name, dtype, group, groupDescription, ranks;
  std::int64_t inElements = EventArgs::kAbsent;
  std::int64_t outElements = EventArgs::kAbsent;
  std::int64_t groupSize = EventArgs::kAbsent;
  std::int64_t sequence = EventArgs::kAbsent;
  bool operator==(const CollectiveArgs&) const = default;
};

/// What XLA says of an operation or a step of a JAX or TensorFlow program; interned.
struct XlaArgs {
  StringId category;                        ///< hlo_category: "convolution fusion", "all-reduce"
  StringId op;                              ///< hlo_op: the instruction, "fusion.12"
  StringId module;                          ///< hlo_module: "jit_train_step"
  StringId shape;                           ///< shape_with_layout: "bf16[8,1024]{1,0}"
  StringId frameworkOp;                     ///< tf_op or name: "jit(f)/dot_general"
  std::int64_t flops = EventArgs::kAbsent;  ///< model_flops: by the compiler, of one run
  std::int64_t bytes = EventArgs::kAbsent;  ///< raw_bytes_accessed: likewise
  std::int64_t step = EventArgs::kAbsent;   ///< step_num of a step's annotation
  bool operator==(const XlaArgs&) const = default;
};

/// One depth of one track: the slices [first, last) of the SliceTable, whose starts ascend and
/// whose ends do not pass the next start. Every query is a binary search.
struct Row {
  TrackId track;
  std::uint32_t depth = 0;
  bool spill = false;  ///< holds what overlaps without nesting; its slices have no parent
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// All slices, as columns, ordered by (track, row, start): a row is a contiguous range.
struct SliceTable {
  enum Flag : std::uint8_t { kUnfinished = 1 /* B without E */, kAsync = 2 };

  ColumnVector<TimeNs> start;
  ColumnVector<TimeNs> end;
  ColumnVector<StringId> name;
  ColumnVector<Category> category;
  ColumnVector<std::uint8_t> flags;
  ColumnVector<std::uint16_t> categoryText;  ///< index into Trace::categoryTexts()
  ColumnVector<RowId> row;
  ColumnVector<SliceId> parent;  ///< the slice one depth up that holds this one; invalid at the top
  ColumnVector<ShapeId> shape;   ///< invalid when no shapes were recorded
  ColumnVector<std::uint64_t> argsOffset;
  ColumnVector<std::uint32_t> argsLength;

  SparseColumn<SliceId, std::int64_t> correlation, externalId, bytes, sequence, forwardThread,
      streamArg, graphId, graphNode, waitOnStream, waitOnRecordCorrelation;
  SparseColumn<SliceId, CollectiveId> collective;
  SparseColumn<SliceId, XlaId> xla;
  SparseColumn<SliceId, KernelFill> fill;  ///< of kernels, where the profiler estimated it

  [[nodiscard]] std::size_t size() const { return start.size(); }
  [[nodiscard]] TimeSpan span(SliceId s) const { return {start[s.index()], end[s.index()]}; }
  [[nodiscard]] TimeNs duration(SliceId s) const { return end[s.index()] - start[s.index()]; }
  [[nodiscard]] ArgsSpan args(SliceId s) const {
    return {argsOffset[s.index()], argsLength[s.index()]};
  }
};

/// All instants, ordered by (track, time).
struct InstantTable {
  ColumnVector<TimeNs> time;
  ColumnVector<StringId> name;
  ColumnVector<TrackId> track;
  ColumnVector<ArgsSpan> args;
  [[nodiscard]] std::size_t size() const { return time.size(); }
};

/// One series of one counter: times ascend.
struct CounterSeries {
  TrackId track;
  StringId name;  ///< of the series, e.g. "bytes"
  std::vector<TimeNs> time;
  std::vector<double> value;
};

/// A `[memory]` record: one allocation (bytes > 0) or release (bytes < 0).
struct MemoryEvent {
  TimeNs time = 0;
  TrackId track;
  std::int64_t address = EventArgs::kAbsent;
  std::int64_t bytes = 0;
  std::int64_t totalAllocated = EventArgs::kAbsent;
  std::int64_t totalReserved = EventArgs::kAbsent;
  std::int64_t deviceType = EventArgs::kAbsent;  ///< 0 CPU, else an accelerator
  std::int64_t deviceIndex = EventArgs::kAbsent;
};

enum class LinkKind : std::uint8_t { launch, forwardBackward, flow };

/// An arrow between two slices.
struct Link {
  LinkKind kind = LinkKind::flow;
  SliceId from;
  SliceId to;
};

/// All links, ordered by (from, to), with both directions indexed.
class LinkTable {
 public:
  LinkTable() = default;
  /// Without meaning when the task was cancelled.
  explicit LinkTable(ColumnVector<Link> links, const Task& task = {});

  [[nodiscard]] std::span<const Link> all() const { return links_; }
  [[nodiscard]] std::span<const Link> outgoing(SliceId from) const;
  /// Calls `visit(link)` for each link that ends at `to`.
  template <class Visit>
  void incoming(SliceId to, Visit&& visit) const {
    for (const std::uint32_t i : incomingIndices(to)) visit(links_[i]);
  }
  [[nodiscard]] std::size_t size() const { return links_.size(); }

 private:
  [[nodiscard]] std::span<const std::uint32_t> incomingIndices(SliceId to) const;
  ColumnVector<Link> links_;
  ColumnVector<std::uint32_t> byTarget_;
};

enum class TrackKind : std::uint8_t {
  thread,            ///< host thread
  stream,            ///< device work of one stream
  deviceAnnotation,  ///< ranges projected to a stream
  deviceSync,        ///< synchronisation records of a stream
  async,             ///< async (b/n/e) ranges of a process
  overhead,          ///< the profiler's own
  counter,
  other,  ///< the "Spans" and "Traces" processes and the like
};

struct Process {
  StringId pid;
  StringId name;    ///< process_name; may be invalid
  StringId labels;  ///< process_labels: "CPU", "GPU 0"
  std::int64_t sortIndex = EventArgs::kAbsent;
  DeviceId device;  ///< valid for the process rows that stand for a device
};

struct Track {
  TrackKind kind = TrackKind::thread;
  ProcessId process;
  StringId tid;
  StringId name;  ///< thread_name as recorded; may be invalid
  std::int64_t sortIndex = EventArgs::kAbsent;
  DeviceId device;                           ///< device tracks
  std::int64_t stream = EventArgs::kAbsent;  ///< device tracks
  RowId firstRow;                            ///< rows [firstRow, firstRow + rowCount)
  std::uint32_t rowCount = 0;
  std::string displayName;  ///< as people know it: "GPU 0 · stream 7", "python 12345 · main"
};

/// One physical device as this rank sees it.
struct Device {
  std::int64_t ordinal = 0;  ///< as recorded ("device" arg / pid)
  std::string kind = "GPU";  ///< how people call its kind: "GPU", "TPU", "MTIA"
  std::string name;          ///< from deviceProperties; empty when not recorded
  std::optional<std::int64_t> totalMemory, smCount, computeMajor, computeMinor, warpSize;
  std::vector<TrackId> streams;  ///< TrackKind::stream tracks, by stream number
};

}  // namespace ridgeline
