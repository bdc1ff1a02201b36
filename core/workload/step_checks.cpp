#include "core/workload/step_checks.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/duration_text.h"
#include "core/base/share_text.h"
#include "core/trace/cut_off.h"
#include "core/workload/code_loading.h"
#include "core/workload/host_activity.h"
#include "core/workload/shown_steps.h"

namespace ridgeline {

namespace {

/// The step whose annotation holds `t`.
std::optional<std::size_t> stepAt(const std::vector<Step>& steps, TimeNs t) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), t,
                                      [](TimeNs x, const Step& s) { return x < s.host.begin; });
  if (after == steps.begin()) return std::nullopt;
  const auto index = static_cast<std::size_t>(after - steps.begin()) - 1;
  if (!steps[index].host.contains(t)) return std::nullopt;
  return index;
}

/// Signs of warming up and of a recording that cuts off, counted per step.
struct Signs {
  SliceId load, autotune, allocation;  ///< the first of each in the step
  SliceId loadingLaunch;               ///< a launching call that loads its kernel's code
  TimeNs compileNs = 0;
  std::uint64_t allocations = 0;
  std::uint64_t launches = 0;   ///< calls that hand work to a device
  std::uint64_t lost = 0;       ///< of those: without a device record
  TimeNs deviceNs = 0;          ///< Σ device work whose start lies in the step's window
  TimeNs deviceNsNoLaunch = 0;  ///< of that: without a launch in the recording
  bool unfinished = false;
  bool noDeviceWork = false;  ///< while at least as many steps launched some
  /// Of a file that is cut off: its device work is in the missing part, all or some of it.
  bool deviceWorkCut = false;
};

void note(SliceId& first, SliceId s) {
  if (!first.valid()) first = s;
}

void countHost(const Trace& trace, const Steps& steps, std::vector<Signs>& signs) {
  const SliceTable& s = trace.slices();
  const HostActivities activities(trace);
  std::vector<bool> launched(s.size(), false);
  for (std::size_t i = 0; i < s.size(); ++i)
    if (isDeviceWork(s.category[i]) && trace.launchOf(SliceId(i)).valid())
      launched[trace.launchOf(SliceId(i)).index()] = true;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const SliceId id(i);
    const HostActivity activity = activities.of(id);
    if (activity != HostActivity::compileLoad && activity != HostActivity::autotune &&
        activity != HostActivity::allocation && activity != HostActivity::launchCall)
      continue;
    const auto step = stepAt(steps.steps, s.start[i]);
    if (!step) continue;
    Signs& sign = signs[*step];
    if (activity == HostActivity::compileLoad) note(sign.load, id);
    if (activity == HostActivity::autotune) note(sign.autotune, id);
    const std::string_view name = trace.name(id);
    // Releases and queries are no growth.
    if (activity == HostActivity::allocation && name.find("Free") == std::string_view::npos &&
        name.find("GetInfo") == std::string_view::npos &&
        name.find("Unmap") == std::string_view::npos) {
      note(sign.allocation, id);
      ++sign.allocations;
    }
    const SliceId parent = s.parent[i];
    const bool nested = parent.valid() && s.category[parent.index()] == Category::runtime;
    if (activity == HostActivity::launchCall && !nested && s.correlation.get(id)) {
      ++sign.launches;
      if (!launched[i]) ++sign.lost;
    }
  }
}

void countLoadingLaunches(const Trace& trace, const Steps& steps, std::vector<Signs>& signs) {
  for (const SliceId call : launchesThatLoadCode(trace))
    if (const auto step = stepAt(steps.steps, trace.slices().start[call.index()]))
      note(signs[*step].loadingLaunch, call);
}

void countDevice(const Trace& trace, const Steps& steps, std::vector<Signs>& signs) {
  const SliceTable& s = trace.slices();
  // Recordings of the device alone (TPU planes, kernel traces) know no launches at all.
  bool anyLaunch = false;
  for (std::size_t i = 0; i < s.size() && !anyLaunch; ++i)
    anyLaunch = isDeviceWork(s.category[i]) && trace.launchOf(SliceId(i)).valid();
  if (!anyLaunch) return;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!isDeviceWork(s.category[i])) continue;
    const auto after =
        std::upper_bound(steps.steps.begin(), steps.steps.end(), s.start[i],
                         [](TimeNs t, const Step& step) { return t < step.window.begin; });
    if (after == steps.steps.begin() || !std::prev(after)->window.contains(s.start[i])) continue;
    Signs& sign = signs[static_cast<std::size_t>(after - steps.steps.begin()) - 1];
    sign.deviceNs += s.end[i] - s.start[i];
    if (!trace.launchOf(SliceId(i)).valid()) sign.deviceNsNoLaunch += s.end[i] - s.start[i];
  }
}

/// Whether clearly more of a step's device work has no launch than of the steps in between.
bool moreWithoutLaunch(const std::vector<Signs>& signs, std::size_t k) {
  const auto share = [](const Signs& sign) {
    return sign.deviceNs == 0
               ? 0.0
               : static_cast<double>(sign.deviceNsNoLaunch) / static_cast<double>(sign.deviceNs);
  };
  std::vector<double> others;
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (i != k) others.push_back(share(signs[i]));
  std::sort(others.begin(), others.end());
  const double usual = others.empty() ? 0.0 : others[others.size() / 2];
  return share(signs[k]) > std::max(0.05, 3 * usual);
}

/// In a file that is cut off any step may lack device work: profilers write that of one stream
/// behind that of another, and behind the host's.
void findCutDeviceWork(const Trace& trace, const Steps& steps, const StepContents& contents,
                       std::vector<Signs>& signs) {
  const SliceTable& s = trace.slices();
  std::size_t fullest = 0;
  TimeNs end = std::numeric_limits<TimeNs>::min();
  for (const std::vector<SliceId>& work : contents.deviceWork) {
    fullest = std::max(fullest, work.size());
    for (const SliceId one : work) end = std::max(end, s.end[one.index()]);
  }
  for (std::size_t k = 0; k < signs.size(); ++k)
    signs[k].deviceWorkCut =
        contents.deviceWork[k].size() * 2 < fullest || steps.steps[k].host.begin >= end;
}

double lostShare(const Signs& sign) {
  return sign.launches == 0 ? 0.0
                            : static_cast<double>(sign.lost) / static_cast<double>(sign.launches);
}

/// Whether a step lost clearly more of its launches than the steps in between did; in a file that
/// is cut off, than the step that lost the least: any number of steps may have lost theirs.
bool lostMore(const std::vector<Signs>& signs, std::size_t k, bool cutOff) {
  if (signs[k].lost < 3) return false;
  std::vector<double> others;
  for (std::size_t i = 0; i < signs.size(); ++i)
    if (i != k) others.push_back(lostShare(signs[i]));
  std::sort(others.begin(), others.end());
  const double usual = others.empty() ? 0.0 : others[cutOff ? 0 : others.size() / 2];
  return lostShare(signs[k]) > std::max(0.02, 3 * usual);
}

/// Why a step is no steady one; empty if it is.
std::string reason(const Trace& trace, const Steps& steps, const std::vector<Signs>& signs,
                   std::size_t k, bool cutOff) {
  const Signs& sign = signs[k];
  const bool first = k == 0;
  const bool last = k + 1 == steps.steps.size();
  const auto named = [&](SliceId s) { return std::string(trace.name(s).substr(0, 60)); };
  if (sign.unfinished) return "the recording ends inside it";
  if (sign.autotune.valid()) return "it tunes kernels: " + named(sign.autotune);
  if (sign.load.valid()) return "it compiles or loads code: " + named(sign.load);
  if (sign.loadingLaunch.valid())
    return "it loads code: the first launch of a kernel takes " +
           durationText(trace.slices().duration(sign.loadingLaunch)) + " in " +
           named(sign.loadingLaunch);
  if (first && sign.allocation.valid())
    return "warm-up, device memory still grows: " + counted(sign.allocations, "call") + " like " +
           named(sign.allocation);
  if ((first || last || cutOff) && lostMore(signs, k, cutOff))
    return (cutOff ? "the file is cut off: " : "the recording cuts it off: ") +
           std::to_string(sign.lost) + " launches without device work";
  if (sign.deviceWorkCut)
    return "the file is cut off, and with it device work of this step, some or all of it";
  if ((first || last) && moreWithoutLaunch(signs, k))
    return "the recording cuts it off: " + durationText(sign.deviceNsNoLaunch) +
           " of the device work in it were launched before the recording began or not recorded";
  if (sign.noDeviceWork || (steps.extent == StepExtent::device && steps.steps[k].window.empty()))
    return "it launched no device work";
  if (last && cutOff) return "the file is cut off, so what it recorded last may be missing";
  return {};
}

/// A step is slow only if it is longer than the median by more than one part in so many, too.
constexpr TimeNs kLeastSlowShare = 20;

std::string factorText(TimeNs length, TimeNs median) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f",
                static_cast<double>(length) / static_cast<double>(std::max<TimeNs>(median, 1)));
  return text;
}

void chooseRepresentative(Steps& steps) {
  // Slow ones are never nearest: they are far over the median.
  std::vector<std::size_t> candidates = shownSteps(steps);
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return steps.steps[a].window.length() < steps.steps[b].window.length();
  });
  steps.representative = candidates[(candidates.size() - 1) / 2];
}

std::string sentenceOf(const Steps& steps) {
  const std::size_t n = steps.steps.size();
  const std::size_t steady = steps.steadyCount();
  if (n == 1 && steady == 1) return "There is one step: " + steps.steps.front().name + ".";
  std::string left;
  for (const Step& step : steps.steps)
    if (!step.steady) left += (left.empty() ? "" : "; ") + step.name + " (" + step.why + ")";
  if (steady == 0 && n == 1)
    return "The only step is not steady and is shown as it is: " + left + ".";
  if (steady == 0) {
    const std::size_t shown = shownSteps(steps).size();
    return "No step is steady, so " +
           (shown == n ? "all " + std::to_string(n) + " are shown: "
            : shown == 1
                ? "the one that launched device work is shown: "
                : "the " + std::to_string(shown) + " that launched device work are shown: ") +
           left + ".";
  }
  std::string slow;
  for (const Step& step : steps.steps)
    if (step.slow) slow += (slow.empty() ? "" : "; ") + step.name + " (" + step.why + ")";
  if (!slow.empty()) slow = " Kept in the tail: " + slow + ".";
  if (left.empty()) return "All " + std::to_string(n) + " steps are steady." + slow;
  return std::to_string(steady) + " of " + std::to_string(n) +
         " steps are steady; left out: " + left + "." + slow;
}

}  // namespace

StepContents contentsOf(const Trace& trace, const std::vector<Step>& steps) {
  StepContents contents;
  contents.deviceWork.resize(steps.size());
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!isDeviceWork(s.category[i])) continue;
    const SliceId launch = trace.launchOf(SliceId(i));
    if (!launch.valid()) continue;
    if (const auto step = stepAt(steps, s.start[launch.index()]))
      contents.deviceWork[*step].push_back(SliceId(i));
  }
  return contents;
}

void judgeSteps(const Trace& trace, const StepContents& contents, Steps& steps) {
  std::vector<Signs> signs(steps.steps.size());
  countHost(trace, steps, signs);
  countLoadingLaunches(trace, steps, signs);
  countDevice(trace, steps, signs);
  // Recordings without any launch (merged or filtered files) say nothing about being cut off.
  const auto working =
      static_cast<std::size_t>(std::count_if(contents.deviceWork.begin(), contents.deviceWork.end(),
                                             [](const auto& work) { return !work.empty(); }));
  const bool anyLaunch = working > 0;
  const bool cutOff = isCutOff(trace.importLog());
  if (cutOff && anyLaunch) findCutDeviceWork(trace, steps, contents, signs);
  for (std::size_t k = 0; k < signs.size(); ++k) {
    Step& step = steps.steps[k];
    if (!anyLaunch) signs[k].deviceNsNoLaunch = 0;
    signs[k].noDeviceWork =
        contents.deviceWork[k].empty() && working * 2 >= signs.size() && anyLaunch;
    signs[k].unfinished =
        (trace.slices().flags[step.annotation.index()] & SliceTable::kUnfinished) != 0;
    step.why = reason(trace, steps, signs, k, cutOff);
    step.steady = step.why.empty();
  }
  const StepStatistics statistics = statisticsOf(steps);
  for (Step& step : steps.steps) {
    const TimeNs length = step.window.length();
    const TimeNs margin = std::max(5 * statistics.mad, statistics.median / kLeastSlowShare);
    if (!step.steady || statistics.n < 3 || length <= statistics.median + margin) continue;
    step.slow = true;
    step.why = "slow: " + factorText(length, statistics.median) + " times the median of " +
               durationText(statistics.median);
  }
  chooseRepresentative(steps);
  steps.sentence = sentenceOf(steps);
}

}  // namespace ridgeline
