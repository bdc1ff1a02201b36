// How long a frame of the timeline takes with ten million slices, as a ratio to filling the same
// image once (so that figures of different machines can be compared). Fails over a generous limit.
//   bench_paint [slices, default 1000000 or RIDGELINE_BENCH_SLICES]

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include <QFontDatabase>
#include <QGuiApplication>

#include "core/trace/trace_builder.h"
#include "widgets/timeline/row_painter.h"
#include "widgets/timeline/timeline_renderer.h"

using namespace ridgeline;

namespace {

constexpr int kRows = 64;
constexpr double kMostFills = 200;  // a frame may cost so many fills of its image

std::shared_ptr<const Trace> bigTrace(std::int64_t count) {
  TraceBuilder builder;
  std::mt19937 random(5);
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i)
    names.push_back("void kernel_" + std::to_string(i) + "<float, 4>(float*, int)");
  for (int row = 0; row < kRows; ++row) {
    const std::string tid = std::to_string(row);
    TimeNs t = 0;
    for (std::int64_t i = 0; i < count / kRows; ++i) {
      Event e;
      e.name = names[random() % names.size()];
      e.category = row % 2 == 0 ? "kernel" : "cpu_op";
      e.pid = row % 2 == 0 ? "0" : "1";
      e.tid = tid;
      e.args.stream = row % 2 == 0 ? row : EventArgs::kAbsent;
      e.args.device = row % 2 == 0 ? 0 : EventArgs::kAbsent;
      t += static_cast<TimeNs>(random() % (random() % 64 == 0 ? 100'000 : 2'000));
      e.ts = t;
      e.dur = static_cast<TimeNs>(500 + random() % (random() % 32 == 0 ? 80'000 : 3'000));
      t += e.dur;
      builder.add(e);
    }
  }
  return builder.finish().front();
}

/// Processor time, not wall time: a busy machine does not make the frame dearer.
class CpuTimer {
 public:
  void start() { begin_ = std::clock(); }
  [[nodiscard]] double milliseconds() const {
    return 1e3 * static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t begin_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  QGuiApplication app(argc, argv);
  const QByteArray set = qgetenv("RIDGELINE_BENCH_SLICES");
  const std::int64_t count = argc > 1        ? QByteArray(argv[1]).toLongLong()
                             : set.isEmpty() ? 1'000'000
                                             : set.toLongLong();
  const auto trace = bigTrace(count);
  CpuTimer timer;
  timer.start();
  const auto index = std::make_shared<const TraceIndex>(trace);
  const double built = timer.milliseconds();
  std::printf(
      "%zu slices; index built in %.0f ms (%.0f ms a million), %.2f bytes a slice\n",
      trace->slices().size(), built, built * 1e6 / static_cast<double>(trace->slices().size()),
      static_cast<double>(index->pyramid().bytes()) / static_cast<double>(trace->slices().size()));
  Session session;
  session.open({{trace, index}}, QStringLiteral("bench"));
  TimelineScene scene =
      TimelineRenderer::sceneOf(session, {1920, 1400}, app.font(), Palette::darkTheme(), {});
  scene.headerWidth = scene.rulerHeight = 0;
  QImage image(1920, 1400, QImage::Format_RGB32);
  std::vector<double> fills;
  for (int i = 0; i < 20; ++i) {
    timer.start();
    image.fill(QColor(i, i, i));
    fills.push_back(timer.milliseconds());
  }
  std::nth_element(fills.begin(), fills.begin() + 10, fills.end());
  const double fill = fills[10];
  RowPainter painter;
  std::vector<double> frames;
  const auto draw = [&](TimeSpan span) {
    scene.span = span;
    timer.start();
    painter.paint(image, scene);
    frames.push_back(timer.milliseconds());
  };
  const TimeSpan all = session.span();
  double share = 1;
  for (int i = 0; i < 120; ++i, share *= 0.9) {  // zooming in about a third
    const auto length =
        std::max<TimeNs>(static_cast<TimeNs>(static_cast<double>(all.length()) * share), 1000);
    const TimeNs begin = (all.length() - length) / 3;
    draw({begin, begin + length});
  }
  for (int i = 0; i < 80; ++i) {  // panning where labels are cold
    const TimeNs length = std::max<TimeNs>(all.length() / 4000, 1);
    const TimeNs begin = length * i / 3 + all.length() / 2;
    draw({begin, begin + length});
  }
  std::sort(frames.begin(), frames.end());
  const double median = frames[frames.size() / 2], p99 = frames[frames.size() * 99 / 100];
  std::printf("fill %.2f ms; frame median %.2f ms (%.1f fills), p99 %.2f ms (%.1f), max %.2f ms\n",
              fill, median, median / fill, p99, p99 / fill, frames.back());
  return median / fill > kMostFills ? 1 : 0;
}
