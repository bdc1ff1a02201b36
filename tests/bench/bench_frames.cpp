// Whether the timeline keeps its frame rate while the analyses of the same trace run.
//   bench_frames FILE [frames, default 600]
// Frames are due every 1/60 s and drawn as the widget draws them, zooming and panning through the
// recording; a frame is late when it is not finished at the next one's time. First alone, then
// while the analyses run over and over as the window runs them. Wall time: what a user sees.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include <QFontDatabase>
#include <QGuiApplication>

#include "core/analysis/analysis_store.h"
#include "core/io/load_trace.h"
#include "widgets/common/background.h"
#include "widgets/timeline/row_painter.h"
#include "widgets/timeline/timeline_renderer.h"

using namespace ridgeline;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::nanoseconds kFrame{16'666'667};

struct Frames {
  std::vector<double> milliseconds;  ///< from when a frame was due to its end, ascending
  double seconds = 0;
  [[nodiscard]] double at(double share) const {
    const auto last = static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<std::size_t>(share * last)];
  }
  [[nodiscard]] std::size_t late() const {
    return static_cast<std::size_t>(std::count_if(milliseconds.begin(), milliseconds.end(),
                                                  [](double ms) { return ms > 1e3 / 60; }));
  }
};

Frames draw(const Session& session, TimelineScene scene, int count) {
  QImage image(1920, 1400, QImage::Format_RGB32);
  RowPainter painter;
  Frames frames;
  const TimeSpan all = session.span();
  const auto begin = Clock::now();
  auto due = begin;
  for (int i = 0; i < count; ++i) {
    // In and out again and across, as somebody who looks for a gap.
    const double share = std::pow(0.001, 0.5 - 0.5 * std::cos(i * 0.05));
    const auto length = std::max<TimeNs>(
        static_cast<TimeNs>(static_cast<double>(all.length()) * share), TimeNs{1000});
    const TimeNs from = all.begin + (all.length() - length) * (i % 240) / 240;
    scene.span = {from, from + length};
    std::this_thread::sleep_until(due);
    painter.paint(image, scene);
    const auto now = Clock::now();
    frames.milliseconds.push_back(std::chrono::duration<double, std::milli>(now - due).count());
    // What is late is dropped, not caught up with.
    while (due <= now) due += kFrame;
  }
  frames.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::sort(frames.milliseconds.begin(), frames.milliseconds.end());
  return frames;
}

void print(const char* what, const Frames& f) {
  std::printf(
      "%-24s %5.1f frames/s; median %.2f ms, p99 %.2f ms, longest %.2f ms; late %zu of %zu\n", what,
      static_cast<double>(f.milliseconds.size()) / f.seconds, f.at(0.5), f.at(0.99),
      f.milliseconds.back(), f.late(), f.milliseconds.size());
}

}  // namespace

int main(int argc, char** argv) {
  QGuiApplication app(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_frames FILE [frames]\n");
    return 2;
  }
  const int count = argc > 2 ? std::max(1, std::atoi(argv[2])) : 600;
  auto loaded = loadTrace(argv[1]);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
    return 1;
  }
  const LoadedTrace first = loaded.value().front();
  Session session;
  session.open({{first.trace, first.index}}, QStringLiteral("bench"));
  TimelineScene scene =
      TimelineRenderer::sceneOf(session, {1920, 1400}, app.font(), Palette::darkTheme(), {});
  scene.headerWidth = scene.rulerHeight = 0;
  const Frames alone = draw(session, scene, count);
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::jthread analysing([&] {
    background::yieldToTheWindow();
    for (; !stop; ++rounds) {
      auto workload = makeWorkload(first.trace);
      if (!workload.ok()) return;
      const AnalysisWindow window = steadyWindow(*workload.value());
      AnalysisStore().results(std::move(workload).value(), window);
    }
  });
  const Frames beside = draw(session, scene, count);
  stop = true;
  analysing.join();
  print("alone", alone);
  print("while analyses run", beside);
  std::printf("frame rate kept: %.3f; analyses went through %d times\n",
              static_cast<double>(alone.seconds) / beside.seconds, rounds.load());
  return 0;
}
