#include <algorithm>
#include <random>

#include <QTest>

#include "core/analysis/critical_path.h"
#include "core/io/load_trace.h"
#include "tests/support/path_scene.h"
#include "tests/support/random_scene.h"
#include "tests/support/shared_data.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

/// What makes a path wrong, in words; empty when it holds every invariant of CriticalPath.
QString faultOf(const Workload& w, const CriticalPath& path) {
  const SliceTable& s = w.trace->slices();
  std::array<TimeNs, kPathCauseCount> sums{};
  TimeNs at = path.window.begin;
  for (const PathSegment& p : path.segments) {
    const QString where =
        QStringLiteral(" at %1, %2").arg(p.span.begin).arg(QString::fromUtf8(word(p.cause).data()));
    if (p.span.begin != at) return QStringLiteral("a hole or an overlap") + where;
    if (p.span.empty()) return QStringLiteral("an empty segment") + where;
    at = p.span.end;
    sums[static_cast<std::size_t>(p.cause)] += p.span.length();
    if (!p.event.valid()) {
      if (p.cause != PathCause::untraced) return QStringLiteral("no event") + where;
      continue;
    }
    const TimeSpan event = s.span(p.event);
    switch (p.cause) {
      case PathCause::queueing:
      case PathCause::launchLatency:
        if (event.begin != p.span.end) return QStringLiteral("the event does not follow") + where;
        break;
      case PathCause::streamWait:
        if (event.end > p.span.begin && p.span.begin != path.window.begin)
          return QStringLiteral("the event has not ended") + where;
        break;
      case PathCause::hostGap:
      case PathCause::untraced:
        break;
      default:
        if (!event.contains(p.span)) return QStringLiteral("outside its event") + where;
    }
  }
  if (at != path.window.end && !path.window.empty()) return QStringLiteral("not anchored");
  return sums == path.byCause ? QString() : QStringLiteral("the sums are wrong");
}

/// The same walk by looking at every event each time: one cause a nanosecond.
class SlowWalk {
 public:
  SlowWalk(const Trace& trace, TimeNs end) : trace_(trace), s_(trace.slices()) {
    causes_.assign(static_cast<std::size_t>(end), PathCause::untraced);
    t_ = end;
    SliceId device;
    while (t_ > 0) device = device.valid() ? back(device) : host();
  }
  [[nodiscard]] const std::vector<PathCause>& causes() const { return causes_; }

 private:
  void fill(TimeNs begin, PathCause cause) {
    while (t_ > std::max<TimeNs>(begin, 0)) causes_[static_cast<std::size_t>(--t_)] = cause;
  }
  [[nodiscard]] bool isKernel(std::size_t i) const { return s_.category[i] == Category::kernel; }

  SliceId back(SliceId kernel) {
    fill(s_.start[kernel.index()], PathCause::compute);
    SliceId before;
    for (std::size_t i = 0; i < s_.size(); ++i)
      if (isKernel(i) && trace_.trackOf(SliceId(i)) == trace_.trackOf(kernel) && s_.end[i] <= t_ &&
          SliceId(i) != kernel && (!before.valid() || s_.end[i] > s_.end[before.index()]))
        before = SliceId(i);
    const SliceId call = trace_.launchOf(kernel);
    const TimeNs launched = std::min(t_, s_.end[call.index()]);
    if (before.valid() && s_.end[before.index()] >= launched) {
      fill(s_.end[before.index()], PathCause::queueing);
      return before;
    }
    fill(launched, PathCause::launchLatency);
    return {};
  }

  SliceId host() {
    SliceId deepest;
    TimeNs border = 0;
    for (std::size_t i = 0; i < s_.size(); ++i) {
      if (trace_.track(trace_.trackOf(SliceId(i))).kind != TrackKind::thread) continue;
      if (s_.end[i] < t_) border = std::max(border, s_.end[i]);
      if (s_.start[i] < t_) border = std::max(border, s_.start[i]);
      if (s_.start[i] >= t_ || s_.end[i] < t_) continue;
      if (!deepest.valid() || s_.start[i] >= s_.start[deepest.index()]) deepest = SliceId(i);
    }
    if (trace_.name(deepest) == "cudaDeviceSynchronize") {
      SliceId awaited;
      for (std::size_t i = 0; i < s_.size(); ++i)
        if (isKernel(i) && s_.end[i] <= t_ && s_.end[i] > s_.start[deepest.index()] &&
            (!awaited.valid() || s_.end[i] > s_.end[awaited.index()]))
          awaited = SliceId(i);
      fill(awaited.valid() ? s_.end[awaited.index()] : border, PathCause::hostSync);
      return awaited;
    }
    const std::string_view name = trace_.name(deepest);
    fill(border, name == "aten::op"           ? PathCause::hostOp
                 : name == "cudaLaunchKernel" ? PathCause::launch
                                              : PathCause::hostGap);
    return {};
  }

  const Trace& trace_;
  const SliceTable& s_;
  TimeNs t_ = 0;
  std::vector<PathCause> causes_;
};

/// ANALYSIS wants at most 10 % of a step unknown on these.
bool isReference(const std::string& file) {
  for (const char* name :
       {"resnet50_num_workers", "nccl_parser_config", "h100/Qwen", "mi300/resnet_act_checkpoint"})
    if (file.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace

class TestCriticalPathProperties : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anyTraceGivesAGaplessAnchoredPath();
  void searchesAgreeWithLookingAtEveryEvent();
  void everySteadyStepOfEveryRealTraceIsCovered();
};

void TestCriticalPathProperties::anyTraceGivesAGaplessAnchoredPath() {
  std::mt19937 random(11);
  for (int round = 0; round < 1500; ++round) {
    const auto w = randomScene(random).workload();
    const auto a = static_cast<TimeNs>(random() % 21'000);
    const auto b = static_cast<TimeNs>(random() % 21'000);
    const CriticalPath path = criticalPath(*w, {std::min(a, b), std::max(a, b)});
    const QString fault = faultOf(*w, path);
    QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("round %1: ").arg(round) + fault));
  }
}

void TestCriticalPathProperties::searchesAgreeWithLookingAtEveryEvent() {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    TimeNs end = 0;
    const auto w = randomStep(random, &end).workload();
    const CriticalPath path = criticalPath(*w, {0, end});
    QVERIFY2(faultOf(*w, path).isEmpty(), qPrintable(faultOf(*w, path)));
    const SlowWalk slow(*w->trace, end);
    for (const PathSegment& p : path.segments)
      for (TimeNs t = p.span.begin; t < p.span.end; ++t)
        QVERIFY2(
            slow.causes()[static_cast<std::size_t>(t)] == p.cause,
            qPrintable(QStringLiteral("round %1 at %2: %3, by brute force %4")
                           .arg(round)
                           .arg(t)
                           .arg(QString::fromUtf8(word(p.cause).data()),
                                QString::fromUtf8(
                                    word(slow.causes()[static_cast<std::size_t>(t)]).data()))));
  }
}

void TestCriticalPathProperties::everySteadyStepOfEveryRealTraceIsCovered() {
  const std::vector<std::string> files = sharedFilesBelow("traces/kineto");
  if (files.empty()) QSKIP("needs the real traces beside the checkout (../shared/traces/kineto)");
  for (const std::string& file : files) {
    auto loaded = loadTrace(file);
    if (!loaded.ok()) continue;
    for (const LoadedTrace& rank : loaded.value()) {
      const auto w = makeWorkload(rank.trace);
      QVERIFY2(w.ok(), file.c_str());
      TimeNs length = 0, untraced = 0;
      for (const CriticalPath& path : criticalPaths(*w.value(), steadyWindow(*w.value())).paths) {
        const QString fault = faultOf(*w.value(), path);
        QVERIFY2(fault.isEmpty(), qPrintable(QString::fromStdString(file) + u": " + fault));
        length += path.window.length();
        untraced += path.byCause[static_cast<std::size_t>(PathCause::untraced)];
      }
      if (isReference(file))
        QVERIFY2(untraced * 10 <= length, qPrintable(QStringLiteral("%1: %2 of %3 ns untraced")
                                                         .arg(QString::fromStdString(file))
                                                         .arg(untraced)
                                                         .arg(length)));
    }
  }
}

QTEST_GUILESS_MAIN(TestCriticalPathProperties)
#include "tst_critical_path_properties.moc"
