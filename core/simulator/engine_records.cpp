// The part of the engine that keeps what a recorder would note.
#include <algorithm>
#include <utility>

#include "core/simulator/engine.h"

namespace ridgeline::simulator {
namespace {

constexpr std::size_t kFlushAt = 1 << 16;
constexpr std::int64_t kAddressBase = 0x7f3a'0000'0000;
constexpr std::uint32_t kFirstSequence = 1200;

}  // namespace

bool CachingAllocator::take(std::int64_t bytes) {
  constexpr std::int64_t kMiB = 1 << 20;
  blocks.push_back(bytes);
  top += bytes;
  if (top <= reserved) return false;
  // As PyTorch's caching allocator asks the driver.
  std::int64_t segment = (bytes + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
  if (bytes <= kMiB) segment = 2 * kMiB;
  if (bytes > kMiB && bytes <= 10 * kMiB) segment = 20 * kMiB;
  reserved += std::max(segment, top - reserved);
  return true;
}

std::int64_t CachingAllocator::giveBack() {
  if (blocks.empty()) return 0;
  const std::int64_t bytes = blocks.back();
  blocks.pop_back();
  top -= bytes;
  return bytes;
}

void Engine::allocate(const Instruction& instruction) {
  const std::int64_t address = kAddressBase + model_ + allocator_.top;
  if (allocator_.take(instruction.bytes)) {
    Instruction grow;
    grow.activity = Activity::allocation;
    grow.call = Call::malloc;
    grow.ns = 190'000;
    plainCall(grow);
  }
  for (RankState& rank : ranks_) {
    advance(rank, instruction.ns, instruction.activity);
    MemoryUseOfStep& use = rank.memory;
    use.reservedPeak = std::max(use.reservedPeak, model_ + allocator_.reserved);
    if (model_ + allocator_.top <= use.peak) continue;
    use.peak = model_ + allocator_.top;
    use.peakAt = rank.now;
  }
  if (recordRank_ >= 0) noteMemory(instruction.bytes, address);
}

void Engine::release(const Instruction& instruction) {
  for (RankState& rank : ranks_) advance(rank, instruction.ns, instruction.activity);
  const std::int64_t bytes = allocator_.giveBack();
  if (recordRank_ >= 0) noteMemory(-bytes, kAddressBase + model_ + allocator_.top);
}

void Engine::noteMemory(std::int64_t bytes, std::int64_t address) {
  records_.memory.push_back({recorded().now, bytes, address, model_ + allocator_.top,
                             model_ + allocator_.reserved, thread_});
}

std::uint32_t Engine::externalId() const {
  for (std::size_t i = openOps_.size(); i-- > 0;) {
    if (!openOps_[i].annotation && openOps_[i].thread == thread_) return openOps_[i].externalId;
  }
  return 0;
}

void Engine::countDriverCall(RankState& rank, Call call) const {
  if (call == Call::malloc) ++rank.memory.allocations;
  if (call == Call::free) ++rank.memory.releases;
}

void Engine::noteCall(Call call, TimeNs begin, TimeNs end) {
  CallRecord record;
  record.begin = begin;
  record.end = end;
  record.correlation = correlation_;
  record.externalId = externalId();
  record.call = call;
  record.thread = thread_;
  records_.calls.push_back(record);
}

void Engine::noteOpen(const Instruction& instruction) {
  const bool numbered = instruction.sequence != Sequence::none;
  OpRecord op;
  op.begin = recorded().now;
  op.name = instruction.name;
  op.args = instruction.args;
  op.externalId = lastExternalId_;
  op.sequence = numbered ? kFirstSequence + currentSequence_ : 0;
  if (instruction.sequence == Sequence::forward || instruction.sequence == Sequence::backward) {
    op.flow = currentSequence_;
  }
  op.role = instruction.sequence;
  op.thread = thread_;
  op.annotation = instruction.flag;
  op.open = true;
  openOps_.push_back({records_.ops.size(), lastExternalId_, op.name, thread_, op.annotation, {}});
  records_.ops.push_back(op);
}

void Engine::noteClose() {
  const OpenOp op = openOps_.back();
  openOps_.pop_back();
  OpRecord& record = records_.ops[op.record];
  record.end = recorded().now;
  record.open = false;
  for (std::size_t s = 0; s < kStreams; ++s) {
    if (op.device[s].end == 0) continue;
    records_.annotations.push_back(
        {op.device[s].begin, op.device[s].end, op.name, op.externalId, static_cast<Stream>(s)});
  }
  if (records_.ops.size() >= kFlushAt || records_.calls.size() >= kFlushAt) flushRecords();
}

void Engine::flushRecords() {
  flush_(records_);
  std::vector<OpRecord> open;
  for (OpenOp& op : openOps_) {
    open.push_back(records_.ops[op.record]);
    op.record = open.size() - 1;
  }
  records_.ops = std::move(open);
  records_.memory.clear();
  records_.calls.clear();
  records_.device.clear();
  records_.overheads.clear();
  records_.annotations.clear();
}

}  // namespace ridgeline::simulator
