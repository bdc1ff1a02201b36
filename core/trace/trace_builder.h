#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace ridgeline {

/// Takes what a reader finds. Implementations may keep no view into the event after `add` returns.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void add(const Event& event) = 0;
};

/// Turns events in any order into one immutable Trace: interns, pairs B/E and b/e, groups into
/// tracks, sorts, nests, links. Each event is counted once in the import log.
/// Files in which several ranks were merged (args.rank) are taken apart: one Trace a rank.
class TraceBuilder : public EventSink {
 public:
  TraceBuilder();
  ~TraceBuilder() override;
  void add(const Event& event) override;

  /// Device properties as recorded at the top of the file (Kineto's deviceProperties entries).
  void addDevice(const Device& device);
  TraceInfo& info();
  /// For readers: damage they met. Reading an event that cannot be used: ++read, ++dropped.
  ImportLog& log();
  void setArgs(std::shared_ptr<const ArgsReader> args);

  /// Ends the building; the builder is empty afterwards. At least one Trace, even without events.
  [[nodiscard]] std::vector<std::shared_ptr<const Trace>> finish();

 private:
  struct State;
  std::unique_ptr<State> s_;
};

}  // namespace ridgeline
