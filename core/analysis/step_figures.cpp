#include "core/analysis/step_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/exposure.h"
#include "core/trace/device_words.h"

namespace ridgeline {

namespace {

TimeNs middle(std::vector<TimeNs>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void addLengths(StepFigures& f) {
  std::vector<TimeNs> lengths;
  for (const TimeSpan& span : f.window->spans) lengths.push_back(span.length());
  if (lengths.empty()) return;
  std::sort(lengths.begin(), lengths.end());
  const std::size_t n = lengths.size();
  f.spans = static_cast<TimeNs>(n);
  f.mean = f.window->length() / f.spans;
  // The median of an even number is the mean of the two in the middle, as for the steps.
  f.median = n % 2 == 1 ? lengths[n / 2] : (lengths[n / 2 - 1] + lengths[n / 2]) / 2;
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(n)));
  f.p90 = lengths[std::max<std::size_t>(rank, 1) - 1];
  f.steps = f.window->kind == AnalysisWindow::Kind::steadySteps ||
            f.window->kind == AnalysisWindow::Kind::steps;
  if (f.w->steps.extent == StepExtent::trace) f.steps = false;
}

void keepLongest(const SliceTable& s, SliceId work, SliceId& longest) {
  if (!longest.valid() || s.duration(work) > s.duration(longest)) longest = work;
}

void addIdle(StepFigures& f) {
  for (const IdleGap& gap : f.gaps->gaps)
    if (gap.device == f.device->device)
      f.idleBy[static_cast<std::size_t>(gap.cause)] += gap.span.length();
}

/// Which collective a kernel is: by its name, else by the range or operator around its launch.
std::string kindOf(const Workload& w, SliceId collective) {
  const std::string_view byName = w.label(collective).subclass;
  if (!byName.empty() && byName != "generic") return std::string(byName);
  const SliceTable& s = w.trace->slices();
  for (SliceId p = w.trace->launchOf(collective); p.valid(); p = s.parent[p.index()]) {
    const std::string_view name = w.trace->name(p);
    if (name.substr(0, 5) != "nccl:" && name.substr(0, 6) != "c10d::") continue;
    const std::string_view kind = collectiveKind(name);
    if (!kind.empty() && kind != "generic") return std::string(kind);
  }
  return {};
}

void addCopy(std::string_view name, TimeNs length, StepFigures& f) {
  const auto says = [name](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  const bool up = says("HtoD") || says("HostToDevice");
  if (!up && !says("DtoH") && !says("DeviceToHost")) return;
  f.hostCopies += length;
  if (up) f.uploads += length;
  if (says("Pageable")) f.pageableCopies += length;
  if (says("Pinned")) f.pinnedCopies += length;
}

/// The kind that is exposed for longest, and the call that is: hidden ones hold nothing up.
void addCollectives(const std::vector<SliceId>& calls, StepFigures& f) {
  if (calls.empty()) return;
  const Exposure exposure(*f.w);
  std::map<std::string, TimeNs> kinds;
  TimeNs longest = -1, most = -1;
  for (const SliceId call : calls) {
    const TimeNs exposed = exposure.exposedTime(*f.w, call).value_or(0);
    kinds[kindOf(*f.w, call)] += exposed;
    if (exposed > longest) f.longestCollective = call, longest = exposed;
  }
  kinds.erase("");
  for (const auto& [kind, exposed] : kinds)
    if (exposed > most) f.collectiveKind = kind, most = exposed;
}

/// Device events that start in the window, as far as sentences speak of them.
void addPieces(StepFigures& f) {
  const Trace& trace = *f.w->trace;
  const SliceTable& s = trace.slices();
  const std::vector<SliceId>& work = f.w->deviceWorkOf[f.device->device.index()];
  std::vector<TimeNs> lengths, leads;
  std::vector<SliceId> collectives;
  for (const TimeSpan& span : f.window->spans) {
    auto it = std::lower_bound(work.begin(), work.end(), span.begin,
                               [&s](SliceId a, TimeNs t) { return s.start[a.index()] < t; });
    for (; it != work.end() && s.start[it->index()] < span.end; ++it) {
      lengths.push_back(s.duration(*it));
      const KernelClass kind = f.w->classOf(*it);
      const bool copy = s.category[it->index()] != Category::kernel;
      if (!copy && kind == KernelClass::collective)
        collectives.push_back(*it);
      else
        keepLongest(s, *it, copy ? f.longestCopy : f.longestKernel);
      if (s.category[it->index()] == Category::memcpy) addCopy(trace.name(*it), s.duration(*it), f);
      const SliceId call = trace.launchOf(*it);
      if (!call.valid()) continue;
      ++f.launched;
      const TimeNs start = s.start[it->index()];
      if (start < s.start[call.index()]) ++f.beforeLaunch;
      leads.push_back(start - s.end[call.index()]);
    }
  }
  addCollectives(collectives, f);
  f.pieces = lengths.size();
  f.medianPiece = middle(lengths);
  f.medianLead = middle(leads);
}

}  // namespace

TimeNs StepFigures::idleFrom(std::initializer_list<GapCause> causes) const {
  TimeNs sum = 0;
  for (const GapCause cause : causes) sum += idleBy[static_cast<std::size_t>(cause)];
  return sum;
}

TimeNs StepFigures::pathFrom(std::initializer_list<PathCause> causes) const {
  TimeNs sum = 0;
  for (const PathCause cause : causes) sum += pathBy[static_cast<std::size_t>(cause)];
  return sum;
}

std::string StepFigures::pathStep() const {
  if (!steps || window->spans.size() < 2 || paths->representative >= window->steps.size())
    return {};
  return "step #" + std::to_string(w->steps.steps[window->steps[paths->representative]].number);
}

TimeNs StepFigures::claim(TimeNs loss) const {
  const TimeNs floor = bounds == nullptr ? 0 : bounds->floor().value_or(0);
  return std::clamp<TimeNs>(mean - floor, 0, std::max<TimeNs>(loss, 0));
}

const IdleGap* StepFigures::longestGap(std::initializer_list<GapCause> causes) const {
  const IdleGap* longest = nullptr;
  for (const IdleGap& gap : gaps->gaps) {
    if (device == nullptr || gap.device != device->device) continue;
    if (std::find(causes.begin(), causes.end(), gap.cause) == causes.end()) continue;
    if (longest == nullptr || gap.span.length() > longest->span.length()) longest = &gap;
  }
  return longest;
}

std::string StepFigures::deviceName() const {
  if (device == nullptr) return "the device";
  const Device& one = w->trace->devices()[device->device.index()];
  return (one.ordinal == EventArgs::kAbsent ? "the " : "") + deviceTitle(one);
}

StepFigures stepFigures(const Workload& w, const DeviceTimes& times, const IdleGaps& gaps,
                        const CriticalPaths& paths, const std::vector<Bounds>& bounds) {
  StepFigures f;
  f.w = &w;
  f.window = &times.window;
  f.gaps = &gaps;
  f.paths = &paths;
  addLengths(f);
  if (paths.representative < paths.paths.size()) {
    f.path = &paths.paths[paths.representative];
    f.pathBy = f.path->byCause;
    f.pathLength = f.path->window.length();
  }
  for (const DeviceTime& time : times.devices)
    if (time.busy > 0 && (f.device == nullptr || time.busy > f.device->busy)) f.device = &time;
  if (f.device == nullptr) return f;
  for (const Bounds& b : bounds)
    if (b.device == f.device->device) f.bounds = &b;
  addIdle(f);
  for (TimeNs& cause : f.idleBy) cause = f.perStep(cause);
  f.idle = f.perStep(f.device->idle);
  f.busy = f.perStep(f.device->busy);
  f.compute = f.perStep(f.device->compute);
  f.communication = f.perStep(f.device->communication);
  f.exposedCommunication = f.perStep(f.device->exposedCommunication);
  f.exposedMemory = f.perStep(f.device->exposedMemory);
  addPieces(f);
  return f;
}

}  // namespace ridgeline
