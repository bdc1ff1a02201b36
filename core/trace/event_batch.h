#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/task.h"
#include "core/trace/import_log.h"
#include "core/trace/tables.h"

namespace ridgeline {

/// Takes what a reader finds. Implementations may keep no view into the event after `add` returns.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void add(const Event& event) = 0;
};

/// The events of one piece of the input, compact and in input order. All ids in it are those of the
/// collector that made it; the lists of uses say, in the order of first use in this batch, what the
/// ids mean. So whoever merges batches in input order numbers things as if one had read all alone.
struct EventBatch {
  struct Text {
    std::uint32_t id;
    std::string_view text;  ///< lives as long as the collector
  };
  /// A (pid, tid, rank as recorded).
  struct Lane {
    std::uint32_t id, pid, tid;
    std::int64_t rank;
  };
  struct Track {
    std::uint32_t id, lane;
    TrackKind kind;
    StringId counterName;
    std::int64_t device, stream;
  };
  template <class T>
  struct Use {
    std::uint32_t id;
    T value;
  };
  std::vector<Text> texts;
  std::vector<Lane> lanes;
  std::vector<Track> tracks;
  std::vector<Use<StringId>> categories;
  std::vector<Use<ShapeTexts>> shapes;
  std::vector<Use<CollectiveArgs>> collectives;
  std::vector<Use<XlaArgs>> xlaArgs;

  struct Slice {
    TimeNs start, end;
    std::uint64_t argsOffset;
    std::uint32_t argsLength;
    std::uint32_t track, name, shape;
    std::uint16_t category;
  };
  /// A B, E, b or e.
  struct Mark {
    TimeNs ts;
    ArgsSpan args;
    std::uint64_t inputOffset;
    std::uint32_t track;
    StringId name, id;
    std::uint16_t category;
    bool begin;
  };
  struct Instant {
    TimeNs ts;
    ArgsSpan args;
    std::uint32_t track;
    StringId name;
  };
  /// What joins the ends of a flow. Whole numbers, as nearly all are, stand for themselves: each
  /// occurs a few times only and would crowd the string pool.
  struct FlowId {
    std::uint64_t value;  ///< 2 · number + 1, else 2 · StringId
    auto operator<=>(const FlowId&) const = default;
    [[nodiscard]] bool isText() const { return (value & 1) == 0; }
    [[nodiscard]] StringId text() const { return StringId(static_cast<std::size_t>(value >> 1)); }
    static FlowId of(StringId text) { return {std::uint64_t{text.value} << 1}; }
  };
  struct Flow {
    TimeNs ts;
    FlowId id;
    StringId category, name;
    std::uint32_t lane;
    char phase;
    bool bindEnclosing;
    bool counted;  ///< an event of its own; else the bind_id of a slice
  };
  struct Counter {
    TimeNs ts;
    std::uint32_t track;
    StringId series;
    double value;
  };
  struct Memory {
    MemoryEvent event;
    std::uint32_t track;
  };
  enum class MetadataKind : std::uint8_t {
    processName,
    processLabels,
    processSortIndex,
    threadName,
    threadSortIndex,
    other
  };
  struct Metadata {
    std::uint32_t lane;
    MetadataKind kind;
    StringId text;
    std::int64_t number;
  };
  template <class T>
  struct Value {
    std::uint32_t slice;
    T value;
  };
  using Values = std::vector<Value<std::int64_t>>;

  std::vector<Slice> slices;
  std::vector<Mark> marks;
  std::vector<Instant> instants;
  std::vector<Flow> flows;
  std::vector<std::uint32_t> counterTracks;  ///< one a C event
  std::vector<Counter> counters;
  std::vector<Memory> memory;
  std::vector<Metadata> metadata;
  Values correlation, externalId, bytes, sequence, forwardThread, streamArg, graphId, graphNode,
      waitOnStream, waitOnRecordCorrelation;
  std::vector<Value<std::uint32_t>> collective, xla, fill;
  ImportLog log;  ///< the reader's and the collector's notes; `read` counts every event added
  std::uint32_t collector = 0;

  /// Empties everything, keeping the memory.
  void clear();
  [[nodiscard]] bool empty() const { return log.read == 0 && log.problems.empty(); }
};

/// Collects events into batches. One a thread; its batches are merged by a TraceBuilder, which must
/// not outlive it.
class EventCollector : public EventSink {
 public:
  EventCollector();
  ~EventCollector() override;
  void add(const Event& event) override;
  /// The same; of the million values that one event may have, it leaves out the rest once the task
  /// is cancelled.
  void add(const Event& event, const Task& task);
  [[nodiscard]] EventBatch& batch();
  /// Ends the batch: it moves into `to`, and to's memory is used for the next.
  void swap(EventBatch& to);

 private:
  struct State;
  std::unique_ptr<State> s_;
};

}  // namespace ridgeline
