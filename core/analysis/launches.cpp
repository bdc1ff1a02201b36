#include "core/analysis/launches.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/trace/recording_advice.h"

namespace ridgeline {

namespace {

/// Nearest rank; sorts. Of nothing: 0.
TimeNs quantile(std::vector<TimeNs>& values, std::size_t percent) {
  if (values.empty()) return 0;
  const std::size_t rank = std::max<std::size_t>(1, (values.size() * percent + 99) / 100) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank];
}

LaunchQuantiles quantilesOf(const std::vector<Launch>& all, TimeNs Launch::*member) {
  std::vector<TimeNs> values;
  values.reserve(all.size());
  for (const Launch& launch : all) values.push_back(launch.*member);
  return {quantile(values, 50), quantile(values, 90), quantile(values, 100)};
}

/// What one call started within the window.
struct Call {
  SliceId call;
  std::size_t span = 0;  ///< of the first of its work
  TimeNs firstStart = 0;
  std::uint32_t track = 0;  ///< of the first of its work
  std::uint64_t pieces = 0;
  TimeNs workTime = 0;
  TimeNs lastEnd = 0;
  bool copies = true;   ///< nothing but copies
  bool shared = false;  ///< a piece has taken its share of the time, and the rest of the division
};

/// Everything that is gathered on the way from device work to figures.
class Gatherer {
 public:
  Gatherer(const Workload& w, Launches& out)
      : w_(w), trace_(*w.trace), s_(w.trace->slices()), out_(out), callOf_(s_.size(), kNoCall) {}

  void gather(const DeviceStreams& streams) {
    out_.spans.resize(out_.window.spans.size());
    for (const DeviceStreams::Stream& stream : streams.streams())
      for (std::size_t k = 0; k < out_.spans.size(); ++k) addSpan(stream, k);
    for (Call& call : calls_) addCall(call);
    for (const LaunchFigures& figures : out_.spans) add(out_.all, figures);
    out_.latency = quantilesOf(out_.launches, &Launch::latency);
    out_.behind = quantilesOf(out_.launches, &Launch::behind);
    out_.queueDelay = quantilesOf(out_.launches, &Launch::queueDelay);
    addGroups();
  }

 private:
  void addSpan(const DeviceStreams::Stream& stream, std::size_t k) {
    const TimeSpan span = out_.window.spans[k];
    const auto first =
        std::lower_bound(stream.work.begin(), stream.work.end(), span.begin,
                         [&](SliceId a, TimeNs t) { return s_.start[a.index()] < t; });
    for (auto it = first; it != stream.work.end() && s_.start[it->index()] < span.end; ++it) {
      ++out_.spans[k].pieces;
      const SliceId call = trace_.launchOf(*it);
      if (!call.valid()) continue;
      ++out_.spans[k].launched;
      out_.spans[k].workTime += s_.duration(*it);
      const auto at = static_cast<std::size_t>(it - stream.work.begin());
      addLaunch(*it, call, at == 0 ? SliceId() : stream.work[stream.latest[at - 1]]);
      addToCall(*it, call, k, stream.track);
    }
  }

  void addLaunch(SliceId work, SliceId call, SliceId before) {
    Launch launch{work, call};
    const TimeNs start = s_.start[work.index()];
    const TimeNs called = s_.end[call.index()];
    launch.latency = start - called;
    if (before.valid()) launch.behind = std::max<TimeNs>(0, s_.end[before.index()] - called);
    launch.queueDelay = launch.latency - launch.behind;
    if (start < called) ++out_.startedInside;
    if (start < s_.start[call.index()]) ++out_.beforeCall;
    out_.launches.push_back(launch);
  }

  void addToCall(SliceId work, SliceId id, std::size_t span, TrackId track) {
    std::uint32_t& at = callOf_[id.index()];
    if (at == kNoCall) {
      at = static_cast<std::uint32_t>(calls_.size());
      calls_.push_back({id, span, s_.start[work.index()], track.value});
    }
    Call& call = calls_[at];
    ++call.pieces;
    call.workTime += s_.duration(work);
    call.lastEnd = std::max(call.lastEnd, s_.end[work.index()]);
    call.copies = call.copies && s_.category[work.index()] == Category::memcpy;
    if (s_.start[work.index()] >= call.firstStart) return;
    call.firstStart = s_.start[work.index()];
    call.span = span;
    call.track = track.value;
  }

  void addCall(Call& call) {
    LaunchFigures& figures = out_.spans[call.span];
    const TimeNs duration = s_.duration(call.call);
    ++figures.calls;
    figures.callTime += duration;
    if (call.pieces > 1) {
      ++figures.graphCalls;
      figures.graphPieces += call.pieces;
    }
    if (call.copies && call.lastEnd <= s_.end[call.call.index()]) {
      ++figures.waitingCalls;
      figures.waiting += duration;
      return;
    }
    if (call.workTime < duration) ++figures.shorter;
    const TimeNs usual = usualOf(call.call);
    if (duration < kLongCallNs || duration < kLongCall * usual) return;
    const bool deep = depthAt(call) >= kDeepQueue;
    ++(deep ? figures.blockedCalls : figures.slowCalls);
    (deep ? figures.blocked : figures.slow) += duration - usual;
  }

  std::uint32_t depthAt(const Call& call) const {
    for (const QueueDepth& queue : *out_.queues)
      if (queue.track.value == call.track) return queue.at(s_.start[call.call.index()]);
    return 0;
  }

  /// The median duration of launching calls of the same name in the whole recording.
  TimeNs usualOf(SliceId call) {
    if (usual_.empty()) {
      std::unordered_map<std::uint32_t, std::vector<TimeNs>> durations;
      std::vector<bool> seen(s_.size(), false);
      for (const SliceId work : w_.deviceWork) {
        const SliceId launch = trace_.launchOf(work);
        if (!launch.valid() || seen[launch.index()]) continue;
        seen[launch.index()] = true;
        durations[s_.name[launch.index()].value].push_back(s_.duration(launch));
      }
      for (auto& [name, values] : durations) usual_[name] = quantile(values, 50);
    }
    return usual_[s_.name[call.index()].value];
  }

  static void add(LaunchFigures& sum, const LaunchFigures& one) {
    sum.pieces += one.pieces;
    sum.launched += one.launched;
    sum.calls += one.calls;
    sum.graphCalls += one.graphCalls;
    sum.graphPieces += one.graphPieces;
    sum.shorter += one.shorter;
    sum.waitingCalls += one.waitingCalls;
    sum.waiting += one.waiting;
    sum.callTime += one.callTime;
    sum.workTime += one.workTime;
    sum.blockedCalls += one.blockedCalls;
    sum.blocked += one.blocked;
    sum.slowCalls += one.slowCalls;
    sum.slow += one.slow;
  }

  /// This piece's share of its call: equal ones, the rest of the division to the first.
  TimeNs shareOfCall(SliceId id) {
    Call& call = calls_[callOf_[id.index()]];
    const TimeNs whole = s_.duration(id);
    const auto pieces = static_cast<TimeNs>(call.pieces);
    const TimeNs share = !call.shared ? whole - whole / pieces * (pieces - 1) : whole / pieces;
    call.shared = true;
    return share;
  }

  void addGroups() {
    struct Values {
      std::vector<TimeNs> work, latency;
      TimeNs longest = 0;
    };
    std::unordered_map<std::uint32_t, std::size_t> indexOf;
    std::vector<Values> values;
    for (const Launch& launch : out_.launches) {
      const StringId name = s_.name[launch.work.index()];
      const auto [it, isNew] = indexOf.try_emplace(name.value, out_.groups.size());
      if (isNew) {
        out_.groups.emplace_back().name = name;
        values.emplace_back();
      }
      LaunchGroup& group = out_.groups[it->second];
      Values& of = values[it->second];
      const TimeNs share = shareOfCall(launch.call);
      const TimeNs duration = s_.duration(launch.work);
      ++group.pieces;
      group.shorter += duration < share;
      group.callTime += share;
      group.workTime += duration;
      of.work.push_back(duration);
      of.latency.push_back(launch.latency);
      if (group.longest.valid() && launch.latency <= of.longest) continue;
      group.longest = launch.work;
      of.longest = launch.latency;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      out_.groups[i].medianWork = quantile(values[i].work, 50);
      out_.groups[i].medianLatency = quantile(values[i].latency, 50);
    }
    std::stable_sort(
        out_.groups.begin(), out_.groups.end(),
        [](const LaunchGroup& a, const LaunchGroup& b) { return a.callTime > b.callTime; });
  }

  const Workload& w_;
  const Trace& trace_;
  const SliceTable& s_;
  Launches& out_;
  std::vector<Call> calls_;
  /// By slice: its place in calls_. A map would miss the cache once more for every kernel.
  static constexpr std::uint32_t kNoCall = 0xFFFFFFFF;
  std::vector<std::uint32_t> callOf_;
  std::unordered_map<std::uint32_t, TimeNs> usual_;
};

std::vector<QueueFigures> queueFiguresOf(const std::vector<QueueDepth>& queues,
                                         const AnalysisWindow& window) {
  std::vector<QueueFigures> figures;
  for (const QueueDepth& queue : queues) {
    QueueFigures& f = figures.emplace_back();
    std::int64_t area = 0;
    for (const TimeSpan& span : window.spans) {
      f.most = std::max(f.most, queue.mostIn(span));
      area += queue.areaIn(span);
    }
    if (window.length() > 0)
      f.mean = static_cast<double>(area) / static_cast<double>(window.length());
  }
  return figures;
}

std::string sentenceOf(const Workload& w, const Launches& l) {
  const LaunchFigures& f = l.all;
  const auto n = std::max<std::uint64_t>(l.spans.size(), 1);
  const auto spans = static_cast<TimeNs>(n);
  const bool steps = w.steps.extent != StepExtent::trace && (n > 1 || !l.window.steps.empty());
  std::string text =
      counted(f.calls / n, "launch call") + ' ' + (steps ? "a step" : "in this window") +
      (f.calls / n == 1 ? " starts " : " start ") +
      (f.launched / n == 1 ? "1 kernel, copy or set"
                           : std::to_string(f.launched / n) + " kernels, copies and sets") +
      (f.calls / n == 1 ? " and takes the host " : " and take the host ") +
      durationText(f.callTime / spans);
  if (f.waiting * 20 > f.callTime)
    text += " (of which " + durationText(f.waiting / spans) + " wait for their own copy)";
  text += ". " + shareText(static_cast<TimeNs>(f.shorter), static_cast<TimeNs>(f.calls)) +
          " of the calls take longer than the work that they start.";
  if (f.blocked > 0)
    text += " The host was held up by full queues for " + durationText(f.blocked / spans) +
            (steps ? " a step" : "") + ": it is far ahead, so these calls cost nothing.";
  text += l.latency.median >= 0
              ? " Work starts " + durationText(l.latency.median) + " after its launch (median)."
              : " Most work starts before its launching call has returned.";
  if (f.launched < f.pieces)
    text += " Of " + std::to_string(f.pieces - f.launched) + " of " +
            (f.pieces == 1 ? "1 piece" : std::to_string(f.pieces) + " pieces") +
            " of device work the launch is not recorded; none of these figures holds it.";
  return text;
}

std::string missingOf(const Workload& w, const LaunchFigures& all) {
  if (w.deviceWork.empty())
    return "No device work was recorded, so no launch leads to any. If a device was used: " +
           howToRecord(recordedBy(*w.trace), Lacking::deviceWork) + ".";
  if (all.launched > 0) return {};
  if (all.pieces == 0) return "No device work starts within this window.";
  return "No launch of this device work is recorded, so latency and queue depth are unknown. " +
         recordingAdvice(recordedBy(*w.trace), Lacking::launches) + ".";
}

}  // namespace

Launches launches(const Workload& w, const AnalysisWindow& window,
                  std::shared_ptr<const std::vector<QueueDepth>> queues) {
  Launches out;
  out.window = window;
  const DeviceStreams streams(*w.trace);
  if (!queues)
    queues = std::make_shared<const std::vector<QueueDepth>>(queueDepths(*w.trace, streams));
  out.queues = std::move(queues);
  Gatherer(w, out).gather(streams);
  out.queueFigures = queueFiguresOf(*out.queues, window);
  for (std::size_t k = 0; k < window.spans.size(); ++k)
    out.spanNames.push_back(nameOfSpan(w, window, k));
  out.missing = missingOf(w, out.all);
  if (out.missing.empty()) out.sentence = sentenceOf(w, out);
  return out;
}

}  // namespace ridgeline
