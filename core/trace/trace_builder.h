#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/trace/event_batch.h"
#include "core/trace/trace.h"

namespace ridgeline {

/// Turns events in any order into one immutable Trace: interns, pairs B/E and b/e, groups into
/// tracks, sorts, nests, links. Each event is counted once in the import log.
/// Files in which several ranks were merged (args.rank) are taken apart: one Trace a rank.
class TraceBuilder : public EventSink {
 public:
  TraceBuilder();
  ~TraceBuilder() override;
  void add(const Event& event) override;
  /// Takes a batch as if its events had been added one by one. The collector that made it must live
  /// until then. Takes only a part of it once the task is cancelled.
  void merge(const EventBatch& batch, const Task& task = {});

  /// Device properties as recorded at the top of the file (Kineto's deviceProperties entries).
  void addDevice(const Device& device);
  TraceInfo& info();
  /// For readers: damage they met. Reading an event that cannot be used: ++read, ++dropped.
  ImportLog& log();
  void setArgs(std::shared_ptr<const ArgsReader> args);
  /// Input events taken so far, those that were dropped included.
  [[nodiscard]] std::uint64_t eventCount() const;
  /// Slices so far; ids have 32 bits, so a reader must stop before kMostSlices.
  [[nodiscard]] std::uint64_t sliceCount() const;
  static constexpr std::uint64_t kMostSlices = 0xF0000000u;

  /// Ends the building; the builder is empty afterwards. At least one Trace, even without events;
  /// none when the task was cancelled.
  [[nodiscard]] std::vector<std::shared_ptr<const Trace>> finish(const Task& task = {});

 private:
  struct State;
  std::unique_ptr<State> s_;
};

}  // namespace ridgeline
