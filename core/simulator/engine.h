#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/simulator/plan.h"

namespace ridgeline::simulator {

/// A piece of the time of the rank's one running host thread.
struct HostSegment {
  TimeNs begin, end;
  std::int32_t released;  ///< the device node whose end (or start, `atStart`) ended it, or -1
  Activity activity;
  bool atStart;
};

/// What held the start of a piece of device work.
enum class Bound : std::uint8_t { launch, stream, event };

/// A piece of device work with its binding predecessor.
struct DeviceNode {
  TimeNs begin, end;
  TimeNs submitted;          ///< when the host had handed it over
  TimeNs arrived;            ///< a collective: when the last rank's had started; else begin
  std::int32_t predecessor;  ///< the node that bound it, for `stream` and `event`
  std::uint32_t work;
  Bound bound;
  Stream stream;
  TimeSpan call;  ///< the launch call; the same for all nodes of a graph
};

enum class Thread : std::uint8_t { main, autograd };

// What a recorder would note of one rank.
struct OpRecord {
  TimeNs begin = 0, end = 0;
  StringId name, args;
  std::uint32_t externalId = 0;
  std::uint32_t sequence = 0;
  std::uint32_t flow = 0;
  Sequence role = Sequence::none;
  Thread thread = Thread::main;
  bool annotation = false;
  bool open = false;
};
struct MemoryRecord {
  TimeNs at = 0;
  std::int64_t bytes = 0, address = 0, allocated = 0, reserved = 0;
  Thread thread = Thread::main;
};
struct CallRecord {
  TimeNs begin = 0, end = 0;
  std::uint64_t correlation = 0;
  std::uint32_t externalId = 0;
  std::int32_t device = -1;  ///< index into `device`
  std::uint32_t pieces = 1;  ///< how many from there it launched
  Call call = Call::launchKernel;
  Thread thread = Thread::main;
  Stream stream = Stream::compute;  ///< waits: the one that waits, or is awaited
  Stream awaited = Stream::compute;
  std::uint32_t event = 0;              ///< of a stream's wait
  std::uint64_t recordCorrelation = 0;  ///< the call that recorded it; 0: never recorded
};
struct DeviceRecord {
  TimeNs begin = 0, end = 0;
  std::uint32_t work = 0;
  Stream stream = Stream::compute;
};
struct OverheadRecord {
  TimeNs begin = 0, end = 0;
  StringId name;
};
struct AnnotationRecord {  ///< an annotation as the device saw it
  TimeNs begin = 0, end = 0;
  StringId name;
  std::uint32_t externalId = 0;
  Stream stream = Stream::compute;
};
struct Records {
  std::vector<OpRecord> ops;
  std::vector<MemoryRecord> memory;
  std::vector<CallRecord> calls;
  std::vector<DeviceRecord> device;
  std::vector<OverheadRecord> overheads;
  std::vector<AnnotationRecord> annotations;
};

/// The device memory that PyTorch holds above the model, as a stack.
struct CachingAllocator {
  std::int64_t top = 0;       ///< bytes in use
  std::int64_t reserved = 0;  ///< bytes taken from the driver
  std::vector<std::int64_t> blocks;

  /// Whether the driver had to be asked.
  bool take(std::int64_t bytes);
  /// The youngest block back; its size, 0 if there is none.
  std::int64_t giveBack();
  /// All that is not in use back to the driver.
  void trim() { reserved = top; }
};

/// What the allocator did in one step, as one rank saw it.
struct MemoryUseOfStep {
  std::int64_t peak = 0;          ///< largest allocated, bytes
  TimeNs peakAt = 0;              ///< the first time of it
  std::int64_t reservedPeak = 0;  ///< bytes
  std::uint64_t allocations = 0;  ///< calls of cudaMalloc
  std::uint64_t releases = 0;     ///< calls of cudaFree
};

/// Deterministic noise, one source a rank.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  /// `ns` scaled by a factor in 1 ± ppm/10^6.
  TimeNs around(TimeNs ns, std::int64_t ppm);
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// One rank: the clock of its host, its streams, and what happened in the current step.
struct RankState {
  struct StreamState {
    TimeNs freeAt = 0;
    std::int32_t last = -1;
    TimeNs waitUntil = 0;
    std::int32_t waitNode = -1;
  };
  struct EventState {
    TimeNs at = 0;
    std::int32_t node = -1;
    std::uint64_t correlation = 0;
    Stream stream = Stream::compute;
  };
  struct Pending {
    TimeNs start = 0;
    std::int32_t node = -1;
  };
  explicit RankState(std::uint64_t seed) : noise(seed) {}

  TimeNs now = 0;
  Noise noise;
  std::array<StreamState, kStreams> streams;
  std::array<EventState, 4> events;
  std::vector<Pending> queue;  ///< a ring of the last launches
  std::vector<TimeNs> workerReady;
  std::vector<TimeNs> consumed;  ///< when the last batches were taken
  std::vector<HostSegment> host;
  std::vector<DeviceNode> device;
  MemoryUseOfStep memory;
};

/// Runs a plan. Every rank runs the same instructions, each on its own clock; an instruction is run
/// on all ranks before the next one. Each resource (a host thread, a stream, a worker) keeps the
/// time at which it is free, and a thing starts at the latest of its preconditions. Since nothing
/// depends on what is issued after it, this is the schedule of an event queue, without the queue.
///
/// Invariants: on a stream, work is in launch order and does not overlap; nothing starts before its
/// launch call has handed it over; a step ends after all of its device work.
class Engine {
 public:
  using Flush = std::function<void(Records&)>;
  using StepDone = std::function<void(int rank, int step, TimeSpan host, RankState& state)>;
  using Dropped = std::function<void(int rank, bool device, std::uint64_t correlation,
                                     TimeSpan span, StringId name)>;

  explicit Engine(const Plan& plan);

  /// What a recorder of `rank` notes is handed to `flush` piece by piece.
  void record(int rank, Flush flush);
  /// Nodes and segments are kept, and handed over at the end of each step. After it, the device
  /// nodes and the host segments before the end of the device's work are forgotten.
  void observe(StepDone done, Dropped dropped);
  /// The extent of each rank's recording.
  std::vector<TimeSpan> run();

  /// Bytes allocated on top of the model when the run is over; 0 unless a program is unbalanced.
  [[nodiscard]] std::int64_t leaked() const { return allocator_.top; }

 private:
  static constexpr std::size_t kLaunchQueue = 1024;  ///< launches a device takes ahead

  struct OpenOp {
    std::size_t record;
    std::uint32_t externalId;
    StringId name;
    Thread thread;
    bool annotation;
    std::array<TimeSpan, kStreams> device;
  };

  void runStep(int step);
  void runTrainingStep(int step);
  void runMicroBatch(int step, int micro);
  void runBlocks(int step, int micro);
  void runProgram(const Program& program);
  void runInstruction(const Instruction& instruction);

  void advance(RankState& rank, TimeNs ns, Activity activity);
  void addSegment(RankState& rank, TimeNs end, Activity activity, std::int32_t released = -1,
                  bool atStart = false);
  void open(const Instruction& instruction);
  void close(const Instruction& instruction);
  void plainCall(const Instruction& instruction);
  void launch(const Instruction& instruction);
  void loadAtFirstUse(const Instruction& instruction);
  [[nodiscard]] TimeNs afterSubmit(const Instruction& instruction) const;
  TimeNs submit(RankState& rank, const Instruction& instruction);
  DeviceNode place(RankState& rank, const Instruction& instruction);
  void runPiece(const Instruction& instruction, std::uint32_t piece);
  void finishPiece(RankState& rank, int index, std::uint32_t piece);
  void finishLaunch(RankState& rank, int index, const Instruction& instruction);
  void orderStreams(RankState& rank, const Instruction& instruction);
  void waitForDevice(const Instruction& instruction);
  void stop(const Instruction& instruction);
  void nextBatch();
  void allocate(const Instruction& instruction);
  void release(const Instruction& instruction);
  void noteMemory(std::int64_t bytes, std::int64_t address);
  void noteCall(Call call, TimeNs begin, TimeNs end);
  void countDriverCall(RankState& rank, Call call) const;
  void noteOpen(const Instruction& instruction);
  void noteClose();
  void flushRecords();
  void forgetStep(RankState& rank);
  [[nodiscard]] bool isRecorded(const RankState& rank) const {
    return recordRank_ >= 0 && &rank == &ranks_[static_cast<std::size_t>(recordRank_)];
  }
  RankState& recorded() { return ranks_[static_cast<std::size_t>(recordRank_)]; }
  [[nodiscard]] std::uint32_t externalId() const;

  const Plan& plan_;
  std::vector<RankState> ranks_;
  Noise shared_;
  std::int64_t hostPpm_, devicePpm_;
  bool observing_ = false;
  StepDone stepDone_;
  Dropped dropped_;
  int recordRank_ = -1;
  Flush flush_;
  Records records_;
  std::vector<OpenOp> openOps_;
  Thread thread_ = Thread::main;
  std::vector<std::uint32_t> openSequences_;  // sequence and flow are given out together
  std::uint32_t lastSequence_ = 0;
  std::uint32_t currentSequence_ = 0;
  std::uint32_t lastExternalId_ = 0;
  std::uint64_t correlation_ = 0;
  std::uint64_t launches_ = 0;
  std::size_t batches_ = 0;
  std::vector<bool> loaded_;        // by name of the device work
  std::vector<TimeNs> callBegins_;  // of the launch being run, by rank
  std::vector<DeviceNode> placed_;
  CachingAllocator allocator_;
  std::int64_t model_ = 0;
};

}  // namespace ridgeline::simulator
