#include <algorithm>
#include <functional>

#include "core/base/parallel.h"
#include "core/trace/device_words.h"
#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

std::string gpuName(const TraceTables& t, const Track& track) {
  return track.device.valid() ? deviceTitle(t.devices[track.device.index()]) : "device";
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

std::string displayName(const TraceTables& t, const Track& track) {
  const Process& process = t.processes[track.process.index()];
  switch (track.kind) {
    case TrackKind::stream:
      return gpuName(t, track) + " · " + streamName(t, track);
    case TrackKind::deviceAnnotation:
      return gpuName(t, track) + " · " + streamName(t, track) + " ranges";
    case TrackKind::deviceSync:
      return gpuName(t, track) + " · " + streamName(t, track) + " sync";
    case TrackKind::thread:
      return processName(t, process) + " · " + threadName(t, track, process);
    case TrackKind::async:
      return processName(t, process) + " · async";
    case TrackKind::overhead:
      return "profiler overhead";
    case TrackKind::counter:
      return processName(t, process) + " · " + std::string(t.strings.text(track.name));
    case TrackKind::other:
      return processName(t, process) + " · " + std::string(t.strings.text(track.tid));
  }
  return {};
}

}  // namespace

void nameTracks(TraceTables& t, const Task& task) {
  constexpr std::size_t kShare = std::size_t{1} << 14;
  std::vector<std::function<void()>> jobs;
  for (std::size_t begin = 0; begin < t.tracks.size(); begin += kShare)
    jobs.emplace_back([&t, &task, begin] {
      constexpr std::size_t kBetweenLooks = 1024;
      const std::size_t end = std::min(begin + kShare, t.tracks.size());
      for (std::size_t i = begin; i < end; ++i) {
        if (i % kBetweenLooks == 0 && task.cancelled()) return;
        t.tracks[i].displayName = displayName(t, t.tracks[i]);
      }
    });
  runJobs(jobs);
}

}  // namespace ridgeline::build
