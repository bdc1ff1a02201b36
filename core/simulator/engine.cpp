#include "core/simulator/engine.h"

#include <algorithm>
#include <utility>

namespace ridgeline::simulator {
namespace {

using Code = Instruction::Code;

constexpr TimeNs kQuietBefore = 1'200'000;  // recording before the first step and after the last
constexpr TimeNs kQuietAfter = 900'000;

}  // namespace

TimeNs Noise::around(TimeNs ns, std::int64_t ppm) {
  const auto spread = static_cast<std::uint64_t>(2 * ppm + 1);
  return ns + ns * (static_cast<std::int64_t>(next() % spread) - ppm) / 1'000'000;
}

std::uint64_t Noise::next() {
  state_ += 0x9E3779B97F4A7C15ull;
  return mix(state_, 0);
}

Engine::Engine(const Plan& plan)
    : plan_(plan),
      shared_(mix(plan.seed, 1)),
      hostPpm_(plan.perturbed ? 300'000 : 100'000),
      devicePpm_(plan.perturbed ? 50'000 : 10'000),
      loaded_(plan.catalogue.texts.size(), false) {
  for (int r = 0; r < plan.world; ++r) {
    RankState& rank =
        ranks_.emplace_back(mix(plan.seed, 2, plan.lockstep ? 0 : static_cast<std::uint64_t>(r)));
    rank.now = plan.start + kQuietBefore + rank.noise.around(400'000, 900'000);
    rank.queue.resize(kLaunchQueue);
    const auto workers = static_cast<std::size_t>(plan.scenario.workers);
    rank.workerReady.assign(workers, plan.start - 3 * plan.scenario.loadNs);
    rank.consumed.assign(2 * workers, plan.start - 3 * plan.scenario.loadNs);
  }
  const ModelShape& shape = plan.scenario.shape;
  const std::int64_t parameters =
      shape.blockParameters() * plan.layers + shape.vocabulary * shape.hidden;
  model_ = parameters * (plan.scenario.decode ? 2 : 8);  // weights, gradients, two moments in bf16
}

void Engine::record(int rank, Flush flush) {
  recordRank_ = rank;
  flush_ = std::move(flush);
}

void Engine::observe(StepDone done, Dropped dropped) {
  observing_ = true;
  stepDone_ = std::move(done);
  dropped_ = std::move(dropped);
}

std::vector<TimeSpan> Engine::run() {
  for (int step = 0; step < plan_.steps; ++step) runStep(step);
  if (recordRank_ >= 0) flushRecords();
  std::vector<TimeSpan> spans;
  for (const RankState& rank : ranks_) spans.push_back({plan_.start, rank.now + kQuietAfter});
  return spans;
}

void Engine::runStep(int step) {
  Instruction mark;
  mark.code = Code::open;
  mark.name = plan_.stepNames[static_cast<std::size_t>(step)];
  mark.args = StringId();
  mark.flag = true;
  open(mark);
  std::vector<TimeNs> begins;
  for (const RankState& rank : ranks_) begins.push_back(rank.now);
  if (plan_.scenario.decode) {
    for (int token = 0; token < plan_.microBatches; ++token) runMicroBatch(step, token);
  } else {
    runTrainingStep(step);
  }
  mark.code = Code::close;
  mark.ns = 2'000;
  close(mark);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (observing_) {
      stepDone_(static_cast<int>(r), step, {begins[r], ranks_[r].now}, ranks_[r]);
      forgetStep(ranks_[r]);
    }
    advance(ranks_[r], 11'000, Activity::hostGap);
  }
}

void Engine::runTrainingStep(int step) {
  const StepPrograms& p = plan_.programs;
  runProgram(p.begin);
  const Incident incident = incidentOf(plan_, step);
  // What incidents launch is loaded in the first step, so that they show themselves alone.
  const bool fills = plan_.scenario.incidents || plan_.scenario.hostSyncs;
  if (fills && step == 0) runProgram(p.filler);
  if (step < 2) runProgram(p.compile[step]);
  if (incident == Incident::lateBatch) runProgram(p.lateBatch);
  if (incident == Incident::profilerStop) runProgram(p.profilerStop);
  for (int micro = 0; micro < plan_.microBatches; ++micro) runMicroBatch(step, micro);
  runProgram(p.backwardEnd);
  for (int layer = 0; layer < plan_.layers; ++layer) runProgram(p.normBlock);
  runProgram(p.optimizerBegin);
  for (int layer = 0; layer < plan_.layers; ++layer) runProgram(p.optimizerBlock);
  runProgram(p.optimizerEnd);
  runProgram(p.finish);
}

void Engine::runMicroBatch(int step, int micro) {
  const StepPrograms& p = plan_.programs;
  const bool last = micro + 1 == plan_.microBatches;
  const bool decode = plan_.scenario.decode;
  if (!decode) runProgram(p.batch);
  if (plan_.scenario.graph) {
    runProgram(p.replayBegin);
    runProgram(plan_.replay);
    return runProgram(p.readBack);
  }
  runProgram(p.front);
  runBlocks(step, micro);
  for (int i = 0; last && i < plan_.fillers; ++i) runProgram(p.filler);
  runProgram(p.head);
  if (decode) return runProgram(p.readBack);
  runProgram(p.headBackward);
  // Every backward reduces, as DDP does without no_sync: else micro-batches would thin out what a
  // scenario about communication plants.
  const Gradients gradients = plan_.scenario.gradients;
  for (int layer = 0; layer < plan_.layers; ++layer) {
    runProgram(p.blockBackward[micro > 0]);
    if (gradients == Gradients::overlapped) runProgram(p.bucket);
  }
  runProgram(p.frontBackward[micro > 0]);
  for (int layer = 0; gradients == Gradients::afterBackward && layer < plan_.layers; ++layer) {
    runProgram(p.bucket);
  }
  runProgram(p.tailBucket);
  if (!last) {
    Instruction back;
    back.code = Code::toMain;
    back.activity = Activity::handOver;
    back.ns = 24'000;
    runInstruction(back);
  }
}

void Engine::runBlocks(int step, int micro) {
  const Incident incident = micro == 0 ? incidentOf(plan_, step) : Incident::none;
  for (int layer = 0; layer < plan_.layers; ++layer) {
    runProgram(plan_.programs.allocatorThrash);
    runProgram(plan_.programs.block);
    if (plan_.scenario.hostSyncs || (incident == Incident::syncs && layer % 2 == 1)) {
      runProgram(plan_.programs.syncInForward);
    }
    if (incident == Incident::allocatorRetry && layer == plan_.layers / 2) {
      runProgram(plan_.programs.allocatorRetry);
    }
  }
}

void Engine::runProgram(const Program& program) {
  for (const Instruction& instruction : program) runInstruction(instruction);
}

void Engine::runInstruction(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::open:
      return open(instruction);
    case Code::close:
      return close(instruction);
    case Code::toAutograd:
    case Code::toMain:
      thread_ = instruction.code == Code::toMain ? Thread::main : Thread::autograd;
      [[fallthrough]];
    case Code::host:
      for (RankState& rank : ranks_) advance(rank, instruction.ns, instruction.activity);
      return;
    case Code::call:
      return plainCall(instruction);
    case Code::launch:
    case Code::collective:
      return launch(instruction);
    case Code::alloc:
      return allocate(instruction);
    case Code::release:
      return release(instruction);
    case Code::record:
    case Code::wait:
      for (RankState& rank : ranks_) orderStreams(rank, instruction);
      return plainCall(instruction);
    case Code::synchronize:
    case Code::drain:
      return waitForDevice(instruction);
    case Code::nextBatch:
      return nextBatch();
    case Code::overhead:
      return stop(instruction);
  }
}

void Engine::advance(RankState& rank, TimeNs ns, Activity activity) {
  addSegment(rank, rank.now + rank.noise.around(ns, hostPpm_), activity);
}

void Engine::addSegment(RankState& rank, TimeNs end, Activity activity, std::int32_t released,
                        bool atStart) {
  if (observing_) {
    HostSegment* last = rank.host.empty() ? nullptr : &rank.host.back();
    if (last && released < 0 && last->released < 0 && last->activity == activity) {
      last->end = end;
    } else if (end > rank.now) {
      rank.host.push_back({rank.now, end, released, activity, atStart});
    }
  }
  rank.now = end;
}

void Engine::open(const Instruction& instruction) {
  for (RankState& rank : ranks_) advance(rank, instruction.ns, instruction.activity);
  ++lastExternalId_;
  switch (instruction.sequence) {
    case Sequence::forward:
      currentSequence_ = ++lastSequence_;
      openSequences_.push_back(currentSequence_);
      break;
    case Sequence::evaluate:
      if (!openSequences_.empty()) {
        currentSequence_ = openSequences_.back();
        openSequences_.pop_back();
      }
      break;
    case Sequence::none:
    case Sequence::backward:
      break;
  }
  if (recordRank_ >= 0) noteOpen(instruction);
}

void Engine::close(const Instruction& instruction) {
  for (RankState& rank : ranks_) advance(rank, instruction.ns, instruction.activity);
  if (recordRank_ >= 0) noteClose();
}

void Engine::plainCall(const Instruction& instruction) {
  ++correlation_;
  for (RankState& rank : ranks_) {
    const TimeNs begin = rank.now;
    advance(rank, instruction.ns, instruction.activity);
    countDriverCall(rank, instruction.call);
    if (!isRecorded(rank)) continue;
    noteCall(instruction.call, begin, rank.now);
    if (instruction.code != Code::wait) continue;
    const RankState::EventState& event = rank.events[instruction.index];
    CallRecord& record = records_.calls.back();
    record.stream = instruction.stream;
    record.awaited = event.stream;
    record.event = instruction.index + 1;
    record.recordCorrelation = event.correlation;
  }
}

void Engine::stop(const Instruction& instruction) {
  for (RankState& rank : ranks_) {
    const TimeNs begin = rank.now;
    advance(rank, instruction.ns, instruction.activity);
    if (isRecorded(rank)) records_.overheads.push_back({begin, rank.now, instruction.name});
  }
}

void Engine::loadAtFirstUse(const Instruction& instruction) {
  const std::size_t name = plan_.catalogue.works[instruction.index].name.index();
  if (loaded_[name]) return;
  loaded_[name] = true;
  if (plan_.catalogue.works[instruction.index].category != DeviceCategory::kernel) return;
  Instruction load;
  load.code = Code::call;
  load.activity = Activity::compileLoad;
  load.call = Call::moduleLoad;
  load.ns = static_cast<std::int32_t>(160'000 + mix(plan_.seed, 9, name) % 240'000);
  plainCall(load);
}

void Engine::launch(const Instruction& instruction) {
  // What a graph launches was loaded when it was captured.
  if (instruction.call != Call::graphLaunch) loadAtFirstUse(instruction);
  ++correlation_;
  callBegins_.clear();
  for (RankState& rank : ranks_) callBegins_.push_back(submit(rank, instruction));
  for (std::uint32_t piece = 0; piece < instruction.count; ++piece) runPiece(instruction, piece);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    finishLaunch(ranks_[r], static_cast<int>(r), instruction);
  }
  ++launches_;
}

/// One piece of the device work that a call hands over, on all ranks.
void Engine::runPiece(const Instruction& instruction, std::uint32_t piece) {
  const std::uint32_t index = instruction.index + piece;
  const DeviceWork& work = plan_.catalogue.works[index];
  const bool collective = instruction.code == Code::collective;
  TimeNs lastStart = 0;
  placed_.clear();
  for (RankState& rank : ranks_) {
    placed_.push_back(place(rank, instruction));
    placed_.back().work = index;
    lastStart = std::max(lastStart, placed_.back().begin);
  }
  const TimeNs transfer = collective ? shared_.around(work.duration, devicePpm_) : 0;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    DeviceNode& node = placed_[r];
    node.arrived = collective ? lastStart : node.begin;
    node.end = collective ? lastStart + transfer
                          : node.begin + ranks_[r].noise.around(work.duration, devicePpm_);
    node.call.begin = callBegins_[r];
    RankState& rank = ranks_[r];
    if (observing_) rank.device.push_back(node);
    RankState::StreamState& stream = rank.streams[static_cast<std::size_t>(node.stream)];
    stream.freeAt = node.end;
    stream.last = observing_ ? static_cast<std::int32_t>(rank.device.size()) - 1 : -1;
    if (piece == 0) rank.queue[launches_ % kLaunchQueue] = {node.begin, stream.last};
    finishPiece(rank, static_cast<int>(r), piece);
  }
}

/// The part of a launch call after the work is handed over. In clean recordings that is at the end
/// of the call; in perturbed ones the device may start while the call still runs, as real ones do.
TimeNs Engine::afterSubmit(const Instruction& instruction) const {
  return plan_.perturbed ? instruction.ns * 2 / 5 : 0;
}

/// The launch call up to the moment at which the work is handed over. Returns the call's begin.
TimeNs Engine::submit(RankState& rank, const Instruction& instruction) {
  const TimeNs begin = rank.now;
  const RankState::Pending& oldest = rank.queue[launches_ % kLaunchQueue];
  if (oldest.start > rank.now) {  // the queue is full: wait until its oldest entry starts
    addSegment(rank, oldest.start, Activity::launchCall, oldest.node, true);
  }
  advance(rank, instruction.ns - afterSubmit(instruction), instruction.activity);
  return begin;
}

DeviceNode Engine::place(RankState& rank, const Instruction& instruction) {
  RankState::StreamState& stream = rank.streams[static_cast<std::size_t>(instruction.stream)];
  const TimeNs launched = rank.now + rank.noise.around(plan_.launchLatency, 150'000);
  const TimeNs inOrder = stream.freeAt + rank.noise.around(750, 120'000);
  const TimeNs ordered = stream.waitUntil + rank.noise.around(1'100, 120'000);
  DeviceNode node{};
  node.submitted = rank.now;
  node.stream = instruction.stream;
  node.predecessor = -1;
  node.begin = launched;
  node.bound = Bound::launch;
  if (stream.freeAt > 0 && inOrder > node.begin) {
    node.begin = inOrder;
    node.bound = Bound::stream;
    node.predecessor = stream.last;
  }
  if (stream.waitUntil > 0 && ordered > node.begin) {
    node.begin = ordered;
    node.bound = Bound::event;
    node.predecessor = stream.waitNode;
  }
  stream.waitUntil = 0;
  stream.waitNode = -1;
  return node;
}

/// What a recorder notes of a piece of device work, or loses.
void Engine::finishPiece(RankState& rank, int index, std::uint32_t piece) {
  const DeviceNode& node = placed_[static_cast<std::size_t>(index)];
  if (observing_ && index < plan_.ranks && isDropped(plan_, index, correlation_, true, piece)) {
    dropped_(index, true, correlation_, {node.begin, node.end},
             plan_.catalogue.works[node.work].name);
  }
  if (!isRecorded(rank)) return;
  records_.device.push_back({node.begin, node.end, node.work, node.stream});
  for (OpenOp& op : openOps_) {
    if (!op.annotation || op.thread != thread_) continue;
    TimeSpan& span = op.device[static_cast<std::size_t>(node.stream)];
    if (span.end == 0) span.begin = node.begin;
    span.end = std::max(span.end, node.end);
  }
}

/// The rest of the launch call.
void Engine::finishLaunch(RankState& rank, int index, const Instruction& instruction) {
  const TimeNs callBegin = callBegins_[static_cast<std::size_t>(index)];
  const RankState::StreamState& stream = rank.streams[static_cast<std::size_t>(instruction.stream)];
  if (plan_.perturbed) advance(rank, afterSubmit(instruction), instruction.activity);
  if (instruction.flag) {
    const TimeNs returned = stream.freeAt + rank.noise.around(2'600, 100'000);
    addSegment(rank, std::max(rank.now, returned), instruction.activity, stream.last);
  }
  for (std::size_t i = rank.device.size();
       observing_ && i-- > rank.device.size() - instruction.count;) {
    rank.device[i].call.end = rank.now;
  }
  if (observing_ && index < plan_.ranks && isDropped(plan_, index, correlation_, false)) {
    dropped_(index, false, correlation_, {callBegin, rank.now},
             plan_.catalogue.works[instruction.index].name);
  }
  if (!isRecorded(rank)) return;
  noteCall(instruction.call, callBegin, rank.now);
  records_.calls.back().pieces = instruction.count;
  records_.calls.back().device =
      static_cast<std::int32_t>(records_.device.size() - instruction.count);
}

void Engine::orderStreams(RankState& rank, const Instruction& instruction) {
  RankState::StreamState& stream = rank.streams[static_cast<std::size_t>(instruction.stream)];
  RankState::EventState& event = rank.events[instruction.index];
  if (instruction.code == Code::record) {
    const bool waits = stream.waitUntil > stream.freeAt;
    event = {waits ? stream.waitUntil : stream.freeAt, waits ? stream.waitNode : stream.last,
             correlation_ + 1, instruction.stream};
  } else if (event.at > stream.waitUntil) {
    stream.waitUntil = event.at;
    stream.waitNode = event.node;
  }
}

void Engine::waitForDevice(const Instruction& instruction) {
  ++correlation_;
  const bool drains = instruction.code == Code::drain;
  if (drains && instruction.flag) allocator_.trim();
  for (RankState& rank : ranks_) {
    const TimeNs begin = rank.now;
    const RankState::StreamState* awaited =
        &rank.streams[static_cast<std::size_t>(instruction.stream)];
    for (const RankState::StreamState& stream : rank.streams) {
      if (drains && stream.freeAt > awaited->freeAt) awaited = &stream;
    }
    const TimeNs returned = awaited->freeAt + rank.noise.around(4'200, 150'000);
    // Drawn always: what comes after gets the same noise, however long this waits.
    const TimeNs own = rank.noise.around(instruction.ns, hostPpm_);
    const bool waits = returned > rank.now;
    if (waits) addSegment(rank, returned, instruction.activity, awaited->last);
    if (!waits || drains) {
      addSegment(rank, rank.now + own, drains ? instruction.activity : Activity::hostOp);
    }
    countDriverCall(rank, instruction.call);
    if (!isRecorded(rank)) continue;
    noteCall(instruction.call, begin, rank.now);
    records_.calls.back().stream = instruction.stream;
  }
}

void Engine::nextBatch() {
  const std::size_t workers = ranks_.front().workerReady.size();
  for (RankState& rank : ranks_) {
    TimeNs& worker = rank.workerReady[batches_ % workers];
    TimeNs& slot = rank.consumed[batches_ % (2 * workers)];  // two batches ahead per worker
    worker = std::max(worker, slot) + rank.noise.around(plan_.scenario.loadNs, 80'000);
    addSegment(rank, std::max(worker, rank.now + 2'000), Activity::input);
    slot = rank.now;
  }
  ++batches_;
}

void Engine::forgetStep(RankState& rank) {
  TimeNs deviceEnd = 0;
  for (RankState::StreamState& stream : rank.streams) {
    deviceEnd = std::max(deviceEnd, stream.freeAt);
    stream.last = -1;
    stream.waitNode = -1;
  }
  for (RankState::EventState& event : rank.events) event.node = -1;
  for (RankState::Pending& pending : rank.queue) pending.node = -1;
  rank.device.clear();
  rank.memory = {};
  std::erase_if(rank.host, [&](const HostSegment& s) { return s.end <= deviceEnd; });
  for (HostSegment& segment : rank.host) segment.released = -1;
}

}  // namespace ridgeline::simulator
