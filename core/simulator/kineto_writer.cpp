#include "core/simulator/kineto_writer.h"

#include <algorithm>
#include <string>

namespace ridgeline::simulator {
namespace {

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::int64_t kFirstProcess = 412345;

}  // namespace

KinetoWriter::KinetoWriter(const Plan& plan, int rank, OutputFile& file)
    : plan_(plan),
      rank_(rank),
      file_(file),
      process_(kFirstProcess + rank),
      device_(rank % 8),
      offset_(clockOffset(plan, rank)) {}

void KinetoWriter::flushIfFull() {
  if (out_.text().size() < kBuffer) return;
  file_.write(out_.text());
  out_.clear();
}

void KinetoWriter::begin(std::string_view phaseAndCategory, std::string_view name) {
  ++events_;
  out_ << "  {\n    " << phaseAndCategory << ", \"name\": \"" << name << "\", ";
}

void KinetoWriter::place(std::int64_t process, std::int64_t thread, TimeNs begin, TimeNs end) {
  (out_ << "\"pid\": ").number(process) << ", \"tid\": ";
  out_.number(thread) << ",\n    \"ts\": ";
  out_.time(begin + offset_) << ", \"dur\": ";
  out_.time(end - begin) << ",\n    \"args\": {\n      ";
}

void KinetoWriter::flow(char phase, std::uint64_t id, std::int64_t process, std::int64_t thread,
                        TimeNs at, std::string_view category) {
  ++events_;
  (out_ << "  {\n    \"ph\": \"" << std::string_view(&phase, 1) << "\", \"id\": ")
      .number(static_cast<std::int64_t>(id));
  (out_ << ", \"pid\": ").number(process) << ", \"tid\": ";
  out_.number(thread) << ", \"ts\": ";
  out_.time(at + offset_) << ",\n    \"cat\": \"" << category << "\", \"name\": \"" << category
                          << (phase == 'f' ? "\", \"bp\": \"e\"\n  },\n" : "\"\n  },\n");
}

void KinetoWriter::hostPart(const Records& records) {
  for (const OpRecord& record : records.ops) {
    if (!record.open) op(record);
    flushIfFull();
  }
  for (const MemoryRecord& record : records.memory) {
    memory(record);
    flushIfFull();
  }
}

void KinetoWriter::op(const OpRecord& record) {
  const std::int64_t thread = threadId(record.thread);
  begin(record.annotation ? R"("ph": "X", "cat": "user_annotation")"
                          : R"("ph": "X", "cat": "cpu_op")",
        text(record.name));
  place(process_, thread, record.begin, record.end);
  (out_ << "\"External id\": ").number(record.externalId) << ",\"Record function id\": 0, ";
  if (record.sequence > 0) {
    (out_ << "\"Sequence number\": ").number(record.sequence);
    out_ << (record.role == Sequence::forward ? ", \"Fwd thread id\": 0, "
                                              : ", \"Fwd thread id\": 1, ");
  }
  (out_ << text(record.args) << "\"Ev Idx\": ").number(static_cast<std::int64_t>(index_++));
  out_ << "\n    }\n  },\n";
  if (record.flow > 0) {
    flow(record.role == Sequence::forward ? 's' : 'f', record.flow, process_, thread, record.begin,
         "fwdbwd");
  }
}

void KinetoWriter::memory(const MemoryRecord& record) {
  begin(R"("ph": "i", "cat": "cpu_instant_event", "s": "t")", "[memory]");
  (out_ << "\"pid\": ").number(process_) << ", \"tid\": ";
  out_.number(threadId(record.thread)) << ",\n    \"ts\": ";
  out_.time(record.at + offset_) << ",\n    \"args\": {\n      \"Total Reserved\": ";
  out_.number(record.reserved) << ", \"Total Allocated\": ";
  out_.number(record.allocated) << ", \"Bytes\": ";
  out_.number(record.bytes) << ", \"Addr\": ";
  out_.number(record.address) << ", \"Device Id\": ";
  out_.number(device_) << ", \"Device Type\": 1, \"Ev Idx\": ";
  out_.number(static_cast<std::int64_t>(index_++)) << "\n    }\n  },\n";
}

void KinetoWriter::devicePart(const Records& records) {
  for (const CallRecord& record : records.calls) {
    for (std::uint32_t k = 0; record.device >= 0 && k < record.pieces; ++k) {
      if (isDropped(plan_, rank_, record.correlation, true, k)) continue;
      deviceWork(record, records.device[static_cast<std::size_t>(record.device) + k], k);
    }
    if (plan_.scenario.syncEvents) sync(record);
    if (record.device < 0 || !isDropped(plan_, rank_, record.correlation, false)) call(record);
    flushIfFull();
  }
  for (const OverheadRecord& record : records.overheads) overhead(record);
  annotations_.insert(annotations_.end(), records.annotations.begin(), records.annotations.end());
}

void KinetoWriter::overhead(const OverheadRecord& record) {
  begin(R"("ph": "X", "cat": "overhead")", text(record.name));
  out_ << "\"pid\": -1, \"tid\": 0,\n    \"ts\": ";
  out_.time(record.begin + offset_) << ", \"dur\": ";
  out_.time(record.end - record.begin) << "\n  },\n";
}

void KinetoWriter::call(const CallRecord& record) {
  const CallInfo& known = info(record.call);
  const auto correlation = static_cast<std::int64_t>(kFirstCorrelation + record.correlation);
  begin(known.driver ? R"("ph": "X", "cat": "cuda_driver")" : R"("ph": "X", "cat": "cuda_runtime")",
        known.name);
  place(process_, threadId(record.thread), record.begin, record.end);
  if (record.externalId > 0) (out_ << "\"External id\": ").number(record.externalId) << ", ";
  (out_ << "\"cbid\": ").number(known.cbid) << ", \"correlation\": ";
  out_.number(correlation) << "\n    }\n  },\n";
  if (record.device >= 0) {
    flow('s', kFirstCorrelation + record.correlation, process_, threadId(record.thread),
         record.begin, "ac2g");
  }
}

/// What Kineto writes of a call that waits, with enable_cuda_sync_events: on the stream that waits
/// or is awaited, at the time of the call.
void KinetoWriter::sync(const CallRecord& call) {
  std::string_view kind;
  if (call.call == Call::streamWaitEvent) kind = "Stream Wait Event";
  if (call.call == Call::streamSynchronize) kind = "Stream Sync";
  if (call.call == Call::deviceSynchronize) kind = "Context Sync";
  if (kind.empty()) return;
  const int stream =
      kind == "Context Sync" ? -1 : kStreamNumbers[static_cast<std::size_t>(call.stream)];
  begin(R"("ph": "X", "cat": "cuda_sync")", kind);
  place(device_, stream, call.begin, call.end);
  if (call.externalId > 0) (out_ << "\"External id\": ").number(call.externalId) << ", ";
  out_ << "\"cuda_sync_kind\": \"" << kind << "\", ";
  if (kind == "Stream Wait Event") {
    (out_ << "\"wait_on_stream\": ").number(kStreamNumbers[static_cast<std::size_t>(call.awaited)]);
    (out_ << ", \"wait_on_cuda_event_record_corr_id\": ")
        .number(call.recordCorrelation == 0
                    ? -1
                    : static_cast<std::int64_t>(kFirstCorrelation + call.recordCorrelation));
    (out_ << ", \"wait_on_cuda_event_id\": ").number(call.event) << ", ";
  }
  (out_ << "\"stream\": ").number(stream);
  (out_ << ", \"correlation\": ")
      .number(static_cast<std::int64_t>(kFirstCorrelation + call.correlation));
  (out_ << ", \"device\": ").number(device_) << ", \"context\": 1\n    }\n  },\n";
}

void KinetoWriter::deviceWork(const CallRecord& call, const DeviceRecord& record,
                              std::uint32_t piece) {
  const DeviceWork& work = plan_.catalogue.works[record.work];
  const int stream = kStreamNumbers[static_cast<std::size_t>(record.stream)];
  const TimeNs begins = record.begin + clockNoise(plan_, rank_, call.correlation, 0, piece);
  const TimeNs ends =
      std::max(begins, record.end + clockNoise(plan_, rank_, call.correlation, 1, piece));
  static constexpr std::string_view kKinds[] = {R"("ph": "X", "cat": "kernel")",
                                                R"("ph": "X", "cat": "gpu_memcpy")",
                                                R"("ph": "X", "cat": "gpu_memset")"};
  begin(kKinds[static_cast<std::size_t>(work.category)], text(work.name));
  place(device_, stream, begins, ends);
  if (call.externalId > 0) (out_ << "\"External id\": ").number(call.externalId) << ", ";
  if (work.category == DeviceCategory::kernel) out_ << "\"queued\": 0, ";
  (out_ << "\"device\": ").number(device_) << ", \"context\": 1, \"stream\": ";
  out_.number(stream) << ", \"correlation\": ";
  out_.number(static_cast<std::int64_t>(kFirstCorrelation + call.correlation)) << ", ";
  if (call.call == Call::graphLaunch) {
    (out_ << "\"graph node id\": ").number(piece + 1) << ", \"graph id\": 1, ";
  }
  if (work.category == DeviceCategory::kernel) {
    out_ << text(work.args);
  } else {
    (out_ << "\"bytes\": ").number(work.bytes);
    if (ends > begins) {
      (out_ << ", \"memory bandwidth (GB/s)\": ")
          .decimal(static_cast<double>(work.bytes) / static_cast<double>(ends - begins));
    }
  }
  out_ << "\n    }\n  },\n";
  flow('f', kFirstCorrelation + call.correlation, device_, stream, begins, "ac2g");
}

void KinetoWriter::annotation(const AnnotationRecord& record) {
  const TimeNs noise = plan_.perturbed ? kClockNoise : 0;
  begin(R"("ph": "X", "cat": "gpu_user_annotation")", text(record.name));
  place(device_, kStreamNumbers[static_cast<std::size_t>(record.stream)], record.begin - 1 - noise,
        record.end + 1 + noise);
  (out_ << "\"External id\": ").number(record.externalId) << "\n    }\n  },\n";
}

}  // namespace ridgeline::simulator
