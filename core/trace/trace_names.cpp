#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

std::string gpuName(const TraceTables& t, const Track& track) {
  if (!track.device.valid()) return "GPU";
  const Device& device = t.devices[track.device.index()];
  return device.ordinal == EventArgs::kAbsent ? device.kind
                                              : device.kind + " " + std::to_string(device.ordinal);
}

/// The recorded name where it says more than the number.
std::string streamName(const TraceTables& t, const Track& track) {
  const std::string_view name = t.strings.text(track.name);
  if (!name.empty() && !name.starts_with("stream ") && !name.starts_with("Stream ") &&
      name != "default")
    return std::string(name);
  if (track.stream != EventArgs::kAbsent) return "stream " + std::to_string(track.stream);
  return std::string(t.strings.text(track.tid));
}

std::string processName(const TraceTables& t, const Process& process) {
  std::string name(t.strings.text(process.name));
  const std::string_view pid = t.strings.text(process.pid);
  if (name.empty())
    name = pid.find_first_not_of("0123456789") == std::string_view::npos ? "process" : "";
  if (name.find(pid) == std::string::npos) {
    if (!name.empty()) name += ' ';
    name += pid;
  }
  return name;
}

/// "thread 123 (python3)" as Kineto writes it says no more than the id does.
std::string threadName(const TraceTables& t, const Track& track, const Process& process) {
  const std::string tid(t.strings.text(track.tid));
  const std::string name(t.strings.text(track.name));
  if (t.strings.text(track.tid) == t.strings.text(process.pid)) return "main";
  if (name.empty() || name.rfind("thread " + tid, 0) == 0) return "thread " + tid;
  return name;
}

}  // namespace

void nameTracks(TraceTables& t) {
  for (Track& track : t.tracks) {
    const Process& process = t.processes[track.process.index()];
    switch (track.kind) {
      case TrackKind::stream:
        track.displayName = gpuName(t, track) + " · " + streamName(t, track);
        break;
      case TrackKind::deviceAnnotation:
        track.displayName = gpuName(t, track) + " · " + streamName(t, track) + " ranges";
        break;
      case TrackKind::deviceSync:
        track.displayName = gpuName(t, track) + " · " + streamName(t, track) + " sync";
        break;
      case TrackKind::thread:
        track.displayName = processName(t, process) + " · " + threadName(t, track, process);
        break;
      case TrackKind::async:
        track.displayName = processName(t, process) + " · async";
        break;
      case TrackKind::overhead:
        track.displayName = "profiler overhead";
        break;
      case TrackKind::counter:
        track.displayName =
            processName(t, process) + " · " + std::string(t.strings.text(track.name));
        break;
      case TrackKind::other:
        track.displayName =
            processName(t, process) + " · " + std::string(t.strings.text(track.tid));
        break;
    }
  }
}

}  // namespace ridgeline::build
