// What stands before and after the events of a Kineto file.
#include <algorithm>
#include <string>

#include "core/simulator/kineto_writer.h"

namespace ridgeline::simulator {
namespace {

constexpr std::string_view kPython = "python3.11";

}  // namespace

void KinetoWriter::header() {
  out_ << "{\n  \"schemaVersion\": 1,\n";
  deviceProperties();
  out_ << "  \"record_shapes\": 1,\n  \"with_stack\": 0,\n  \"profile_memory\": 1,\n"
          "  \"cuda_runtime_version\": 12040,\n  \"cuda_driver_version\": 12040,\n";
  if (plan_.world > 1) distributedInfo();
  char id[33] = {};
  for (int i = 0; i < 32; ++i) {
    id[i] = "0123456789ABCDEF"[mix(plan_.seed, 31, static_cast<std::uint64_t>(i)) % 16];
  }
  out_ << "  \"trace_id\": \"" << id
       << "\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1727000000000000000,\n"
          "  \"traceEvents\": [\n";
}

void KinetoWriter::deviceProperties() {
  const Machine& m = plan_.machine;
  const int devices = std::min(8, std::max(plan_.world, 1));
  out_ << "  \"deviceProperties\": [\n";
  for (int id = 0; id < devices; ++id) {
    (out_ << "    {\n      \"id\": ").number(id)
        << ", \"name\": \"" << m.name << "\", \"totalGlobalMem\": ";
    out_.number(m.memoryBytes) << ",\n      \"computeMajor\": ";
    out_.number(m.major) << ", \"computeMinor\": ";
    out_.number(m.minor) << ",\n      \"maxThreadsPerBlock\": 1024, "
                            "\"maxThreadsPerMultiprocessor\": 2048,\n      \"regsPerBlock\": "
                            "65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": 49152, "
                            "\"numSms\": ";
    out_.number(m.sms) << "\n    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": ";
    out_.number(m.sharedOptin) << ", \"sharedMemPerMultiprocessor\": ";
    out_.number(m.sharedPerSm) << "\n    }" << (id + 1 < devices ? ",\n" : "\n");
  }
  out_ << "  ],\n";
}

void KinetoWriter::distributedInfo() {
  (out_ << "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ").number(rank_)
      << ", \"world_size\": ";
  out_.number(plan_.world)
      << ", \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": "
         "\"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": ";
  out_.number(plan_.world) << ", \"ranks\": [";
  for (int rank = 0; rank < plan_.world; ++rank) {
    if (rank > 0) out_ << ", ";
    out_.number(rank);
  }
  out_ << "]}], \"nccl_version\": \"2.21.5\"},\n";
}

void KinetoWriter::metadata(std::string_view kind, std::int64_t process, std::int64_t thread,
                            std::string_view key, std::string_view value) {
  ++events_;
  (out_ << "  {\n    \"name\": \"" << kind << "\", \"ph\": \"M\", \"ts\": ")
          .time(plan_.start + offset_)
      << ", \"pid\": ";
  out_.number(process) << ", \"tid\": ";
  out_.number(thread) << ",\n    \"args\": {\n      \"" << key << "\": " << value
                      << "\n    }\n  },\n";
}

void KinetoWriter::processes() {
  const std::string name = '"' + std::string(kPython) + '"';
  metadata("process_name", process_, 0, "name", name);
  metadata("process_labels", process_, 0, "labels", "\"CPU\"");
  metadata("process_sort_index", process_, 0, "sort_index", std::to_string(process_));
  metadata("process_name", device_, 0, "name", name);
  metadata("process_labels", device_, 0, "labels", "\"GPU " + std::to_string(device_) + '"');
  metadata("process_sort_index", device_, 0, "sort_index", std::to_string(5000000 + device_));
}

void KinetoWriter::threads() {
  for (std::size_t s = 0; s < kStreams; ++s) {
    if (static_cast<Stream>(s) == Stream::communication && plan_.world == 1) continue;
    if (static_cast<Stream>(s) == Stream::side && !plan_.scenario.sideBranch) continue;
    const std::string number = std::to_string(kStreamNumbers[s]);
    metadata("thread_name", device_, kStreamNumbers[s], "name", "\"stream " + number + " \"");
    metadata("thread_sort_index", device_, kStreamNumbers[s], "sort_index", number);
  }
  for (const Thread thread : {Thread::main, Thread::autograd}) {
    if (thread == Thread::autograd && plan_.scenario.decode) continue;
    const std::string id = std::to_string(threadId(thread));
    const std::string_view role = thread == Thread::main ? "pt_main_thread" : "pt_autograd_0";
    metadata("thread_name", process_, threadId(thread), "name",
             "\"thread " + id + " (" + std::string(role) + ")\"");
    metadata("thread_sort_index", process_, threadId(thread), "sort_index", id);
  }
}

void KinetoWriter::footer(TimeSpan recording, std::string_view traceName) {
  for (const AnnotationRecord& record : annotations_) {
    annotation(record);
    flushIfFull();
  }
  processes();
  threads();
  events_ += 4;
  const TimeNs begin = recording.begin + offset_;
  (out_ << R"json(  {
    "ph": "X", "cat": "Trace", "ts": )json")
      .time(begin);
  (out_ << ", \"dur\": ").time(recording.length());
  (out_ << R"json(,
    "pid": "Spans", "tid": "PyTorch Profiler",
    "name": "PyTorch Profiler (0)",
    "args": {
      "Op count": 0
    }
  },
  {
    "name": "process_sort_index", "ph": "M", "ts": )json")
      .time(begin);
  (out_ << R"json(, "pid": "Spans", "tid": 0,
    "args": {
      "sort_index": 536870912
    }
  },
  {
    "name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g",
    "pid": "Traces", "tid": "Trace PyTorch Profiler", "ts": )json")
      .time(begin);
  (out_ << R"json(
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": )json")
      .time(recording.end + offset_);
  out_ << "\n  }\n  ],\n  \"traceName\": \"" << traceName << "\"\n}\n";
  file_.write(out_.text());
  out_.clear();
}

}  // namespace ridgeline::simulator
