#include "core/io/rocprof_tables.h"

#include "core/base/decimal.h"
#include "core/io/event_fields.h"
#include "core/io/json_cursor.h"

namespace ridgeline {

namespace {

/// Calls `visit(key, rawValue)` for each pair of an object; false where it is none.
template <class Visit>
bool eachPair(std::string_view object, Visit&& visit) {
  JsonCursor cursor(object);
  if (!cursor.take('{')) return false;
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) return false;
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) return false;
    visit(key, value);
    if (!cursor.take(',')) break;
  }
  return cursor.take('}');
}

/// Calls `visit(rawValue)` for each value of a list.
template <class Visit>
void eachValue(std::string_view list, Visit&& visit) {
  JsonCursor cursor(list);
  if (!cursor.take('[')) return;
  while (cursor.peek() != ']' && !cursor.failed()) {
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) return;
    visit(value);
    if (!cursor.take(',')) return;
  }
}

std::int64_t number(std::string_view raw) {
  // Ids beyond 64 bits are taken as absent, not cut.
  return parseInteger(unquoted(raw)).value_or(EventArgs::kAbsent);
}

std::string text(std::string_view raw) {
  std::string buffer;
  return std::string(unescaped(unquoted(raw), buffer));
}

/// "{"handle": 7}" → 7, and a plain 7 as well.
std::int64_t handle(std::string_view raw) {
  std::int64_t value = EventArgs::kAbsent;
  if (raw.empty() || raw.front() != '{') return number(raw);
  eachPair(raw, [&](std::string_view key, std::string_view v) {
    if (key == "handle") value = number(v);
  });
  return value;
}

/// What the tool nests: a record holds dispatch_data, that dispatch_info. A hostile file nests
/// more.
constexpr int kDeepest = 3;

void readField(std::string_view key, std::string_view value, RocprofRecord& r, int depth = 0) {
  if (key == "kind") r.kind = number(value);
  if (key == "operation") r.operation = number(value);
  if (key == "thread_id") r.thread = number(value);
  if (key == "start_timestamp") r.start = number(value);
  if (key == "end_timestamp") r.end = number(value);
  if (key == "kernel_id") r.kernel = number(value);
  if (key == "bytes" || key == "allocation_size") r.bytes = number(value);
  if (key == "agent_id") r.agent = handle(value);
  if (key == "queue_id") r.queue = handle(value);
  if (key == "stream_id") r.stream = handle(value);
  if (key == "src_agent_id") r.fromAgent = handle(value);
  if (key == "dst_agent_id") r.toAgent = handle(value);
  if ((key == "dispatch_info" || key == "dispatch_data") && depth < kDeepest)
    eachPair(value, [&](std::string_view k, std::string_view v) { readField(k, v, r, depth + 1); });
  if (key == "correlation_id") {
    if (value.empty() || value.front() != '{') {
      r.correlation = number(value);
      return;
    }
    eachPair(value, [&](std::string_view k, std::string_view v) {
      if (k == "internal") r.correlation = number(v);
    });
  }
}

std::int64_t memoryOf(std::string_view banks) {
  std::int64_t sum = 0;
  eachValue(banks, [&](std::string_view bank) {
    eachPair(bank, [&](std::string_view key, std::string_view value) {
      const std::int64_t size = key == "size_in_bytes" ? number(value) : 0;
      if (size > 0 && size < (std::int64_t{1} << 50)) sum += size;
    });
  });
  return sum;
}

}  // namespace

bool readRocprofRecord(std::string_view object, RocprofRecord& record) {
  record = RocprofRecord();
  return eachPair(object,
                  [&](std::string_view key, std::string_view v) { readField(key, v, record); });
}

const RocprofTables::Agent* RocprofTables::addAgent(std::string_view object) {
  Agent agent;
  std::int64_t type = 0, node = EventArgs::kAbsent, ofType = EventArgs::kAbsent;
  std::string name;
  const bool whole = eachPair(object, [&](std::string_view key, std::string_view value) {
    if (key == "id") agent.handle = handle(value);
    if (key == "type") type = number(value);
    if (key == "node_id") node = number(value);
    if (key == "logical_node_type_id") ofType = number(value);
    if (key == "product_name") agent.device.name = text(value);
    if (key == "name") name = text(value);
    if (key == "cu_count") agent.device.smCount = number(value);
    if (key == "wave_front_size") agent.device.warpSize = number(value);
    if (key == "gfx_target_version" && number(value) > 0) {
      agent.device.computeMajor = number(value) / 10000;
      agent.device.computeMinor = number(value) / 100 % 100;
    }
    if (key == "mem_banks")
      if (const std::int64_t bytes = memoryOf(value); bytes > 0) agent.device.totalMemory = bytes;
  });
  if (!whole) return nullptr;
  agent.gpu = type == 2;
  agent.device.ordinal = ofType != EventArgs::kAbsent ? ofType : node;
  if (agent.device.name.empty()) agent.device.name = name;
  return &(agents_[agent.handle] = std::move(agent));
}

void RocprofTables::addKernelSymbol(std::string_view object) {
  std::int64_t id = EventArgs::kAbsent;
  std::string_view formatted, demangled, plain;
  eachPair(object, [&](std::string_view key, std::string_view value) {
    if (key == "kernel_id") id = number(value);
    if (key == "formatted_kernel_name") formatted = unquoted(value);
    if (key == "demangled_kernel_name") demangled = unquoted(value);
    if (key == "kernel_name") plain = unquoted(value);
  });
  if (id == EventArgs::kAbsent) return;
  const std::string_view best = !formatted.empty()   ? formatted
                                : !demangled.empty() ? demangled
                                                     : plain;
  std::string buffer;
  if (!best.empty()) kernels_[id] = std::string(unescaped(best, buffer));
}

void RocprofTables::addKind(std::string_view object) {
  Kind kind;
  eachPair(object, [&](std::string_view key, std::string_view value) {
    if (key == "kind") kind.word = text(value);
    if (key == "operations")
      eachValue(value, [&](std::string_view v) { kind.operations.push_back(text(v)); });
  });
  kinds_.push_back(std::move(kind));
}

void RocprofTables::addMarker(std::string_view object) {
  std::int64_t key = EventArgs::kAbsent;
  std::string message;
  eachPair(object, [&](std::string_view name, std::string_view value) {
    if (name == "key") key = number(value);
    if (name == "value") message = text(value);
  });
  if (key != EventArgs::kAbsent && !message.empty()) markers_[key] = std::move(message);
}

const RocprofTables::Agent* RocprofTables::agent(std::int64_t handle) const {
  const auto it = agents_.find(handle);
  return it == agents_.end() ? nullptr : &it->second;
}

std::string RocprofTables::kernelName(std::int64_t id) const {
  const auto it = kernels_.find(id);
  if (it != kernels_.end()) return it->second;
  return id == EventArgs::kAbsent ? "kernel" : "kernel " + std::to_string(id);
}

std::string_view RocprofTables::operationName(std::int64_t kind, std::int64_t operation) const {
  if (kind < 0 || static_cast<std::uint64_t>(kind) >= kinds_.size()) return {};
  const Kind& known = kinds_[static_cast<std::size_t>(kind)];
  if (operation < 0 || static_cast<std::uint64_t>(operation) >= known.operations.size())
    return known.word;
  return known.operations[static_cast<std::size_t>(operation)];
}

std::string_view RocprofTables::marker(std::int64_t correlation) const {
  const auto it = markers_.find(correlation);
  return it == markers_.end() ? std::string_view() : std::string_view(it->second);
}

}  // namespace ridgeline
