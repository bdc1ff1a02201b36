// Load time and memory of a trace file, beside a yardstick that only walks the text.
// bench_load FILE [--json] [--repeat N] [--threads N], or --cancel: how soon a load stops
// (at 20 moments, or as many as --moments says).

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <type_traits>
#include <vector>

#ifdef RIDGELINE_HAVE_RAPIDJSON
#include <rapidjson/filereadstream.h>
#include <rapidjson/reader.h>
#endif

#include "core/io/byte_source.h"
#include "core/io/load_trace.h"

using namespace ridgeline;
using Clock = std::chrono::steady_clock;

namespace {

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The most memory the process had, in bytes; the mark is set back before each load.
std::uint64_t peakBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

void resetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::string wholeText(const std::string& path) {
  auto source = ByteSource::open(path);
  std::string text;
  if (!source.ok()) return text;
  std::vector<char> piece(4u << 20);
  while (const std::size_t got = source.value()->read(piece.data(), piece.size()))
    text.append(piece.data(), got);
  return text;
}

struct Walks {
  double taking = 1e9;  ///< seconds with a handler that takes every value
  double empty = 1e9;   ///< with one that does nothing: the compiler then leaves out conversions
  double file = 1e9;    ///< taking every value, reading a plain file in pieces as a load must
  double exact = 1e9;   ///< so, with every number exact and every text checked, as a load must
};

#ifdef RIDGELINE_HAVE_RAPIDJSON
/// Takes every value, so that none may be left out.
struct Taker : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Taker> {
  std::uint64_t values = 0, textBytes = 0;
  double sum = 0;
  bool Null() { return ++values, true; }
  bool Bool(bool b) { return ++values, sum += b, true; }
  bool Int(int v) { return Double(v); }
  bool Uint(unsigned v) { return Double(v); }
  bool Int64(std::int64_t v) { return Double(static_cast<double>(v)); }
  bool Uint64(std::uint64_t v) { return Double(static_cast<double>(v)); }
  bool Double(double v) { return ++values, sum += v, true; }
  bool String(const char*, rapidjson::SizeType n, bool) { return ++values, textBytes += n, true; }
  bool Key(const char*, rapidjson::SizeType n, bool) { return textBytes += n, true; }
  bool StartObject() { return ++values, true; }
  bool StartArray() { return ++values, true; }
};

/// RapidJSON's SAX reader over the text in memory; below zero when it refuses the text.
template <class Handler>
double walkSeconds(const std::string& text, Handler handler) {
  const auto start = Clock::now();
  rapidjson::StringStream stream(text.c_str());
  rapidjson::Reader reader;
  if (reader.Parse(stream, handler).IsError()) return -1;
  const double seconds = secondsSince(start);
  if constexpr (std::is_same_v<Handler, Taker>)
    if (handler.values + handler.textBytes == 0 && handler.sum == 0) return -1;
  return seconds;
}

/// The same from the file, never held whole; below zero when it refuses the text.
template <unsigned kFlags>
double fileWalkSeconds(const std::string& path) {
  const auto start = Clock::now();
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return -1;
  std::vector<char> piece(256u << 10);
  rapidjson::FileReadStream stream(file, piece.data(), piece.size());
  rapidjson::Reader reader;
  Taker handler;
  const bool bad = reader.Parse<kFlags>(stream, handler).IsError();
  std::fclose(file);
  if (bad || handler.values + handler.textBytes == 0) return -1;
  return secondsSince(start);
}

void walk(const std::string& path, const std::string& text, Walks& to) {
  const double taking = walkSeconds(text, Taker());
  if (taking < 0) return;
  constexpr unsigned kExact =
      rapidjson::kParseFullPrecisionFlag | rapidjson::kParseValidateEncodingFlag;
  if (const double file = fileWalkSeconds<rapidjson::kParseDefaultFlags>(path); file > 0)
    to.file = std::min(to.file, file);
  if (const double exact = fileWalkSeconds<kExact>(path); exact > 0)
    to.exact = std::min(to.exact, exact);
  to.taking = std::min(to.taking, taking);
  to.empty = std::min(to.empty, walkSeconds(text, rapidjson::BaseReaderHandler<>()));
}
#else
void walk(const std::string&, const std::string&, Walks&) {}
#endif

/// The first question for an event's args: of the middle slice that has any.
double firstArgsSeconds(const Trace& trace) {
  const SliceTable& s = trace.slices();
  std::size_t slice = s.size() / 2;
  while (slice < s.size() && s.argsLength[slice] == 0) ++slice;
  if (slice >= s.size()) return 0;
  const auto start = Clock::now();
  if (!trace.readArgs(SliceId(slice)).ok()) return 1e9;
  return secondsSince(start);
}

/// Reading and inflating alone.
double sourceSeconds(const std::string& path) {
  const auto start = Clock::now();
  auto source = ByteSource::open(path);
  std::vector<char> piece(2u << 20);
  if (source.ok())
    while (source.value()->read(piece.data(), piece.size()) > 0) {
    }
  return secondsSince(start);
}

struct Measured {
  double loadSeconds = 1e9, source = 1e9, firstArgs = 0;
  Walks rapidjson;
  std::uint64_t fileBytes = 0, textBytes = 0, events = 0, peak = 0, tables = 0;
};

/// A figure of the JSON line; null when it was not measured.
void printSeconds(const char* name, double seconds) {
  if (seconds < 1e9)
    std::printf(", \"%s\": %.4f", name, seconds);
  else
    std::printf(", \"%s\": null", name);
}

void printWalk(const char* name, double seconds, double loadSeconds) {
  if (seconds < 1e9)
    std::printf("%-20s%12.3f s   load / walk = %.3f\n", name, seconds, loadSeconds / seconds);
}

void print(const Measured& m, bool json) {
  const double events = static_cast<double>(m.events);
  if (json) {
    std::printf("{\"file_bytes\": %llu, \"text_bytes\": %llu, \"events\": %llu, \"load_s\": %.4f",
                static_cast<unsigned long long>(m.fileBytes),
                static_cast<unsigned long long>(m.textBytes),
                static_cast<unsigned long long>(m.events), m.loadSeconds);
    printSeconds("rapidjson_s", m.rapidjson.taking);
    printSeconds("rapidjson_empty_s", m.rapidjson.empty);
    printSeconds("rapidjson_file_s", m.rapidjson.file);
    printSeconds("rapidjson_exact_s", m.rapidjson.exact);
    std::printf(
        ", \"walk_s\": %.4f, \"peak_bytes\": %llu, \"table_bytes\": %llu, "
        "\"first_args_s\": %.4f}\n",
        m.source, static_cast<unsigned long long>(m.peak),
        static_cast<unsigned long long>(m.tables), m.firstArgs);
    return;
  }
  std::printf("file                %12.1f MB, text %.1f MB, %.0f events\n",
              static_cast<double>(m.fileBytes) / 1e6, static_cast<double>(m.textBytes) / 1e6,
              events);
  std::printf("load                %12.3f s   %.2f M events/s, %.0f MB/s of text\n", m.loadSeconds,
              events / m.loadSeconds / 1e6, static_cast<double>(m.textBytes) / m.loadSeconds / 1e6);
  std::printf("read and inflate    %12.3f s\n", m.source);
  printWalk("RapidJSON SAX walk", m.rapidjson.taking, m.loadSeconds);
  printWalk("  empty handler", m.rapidjson.empty, m.loadSeconds);
  printWalk("  of the file", m.rapidjson.file, m.loadSeconds);
  printWalk("  of it, exact", m.rapidjson.exact, m.loadSeconds);
  std::printf("first args read     %12.4f s\n", m.firstArgs);
  std::printf("peak memory         %12.1f MiB, less 100 MiB: %.1f bytes/event; the Trace: %.1f\n",
              static_cast<double>(m.peak) / 1048576.0,
              (static_cast<double>(m.peak) - 104857600.0) / events,
              static_cast<double>(m.tables) / events);
}

/// Stops loads at moments spread over their length; prints how long the slowest took to return, and
/// how much processor time all threads took meanwhile, which a busy machine does not lengthen.
int measureCancel(const std::string& path, const LoadOptions& options, int moments) {
  const auto begin = Clock::now();
  static_cast<void>(loadTrace(path, {}, options));  // a refusal takes its time, too
  const double whole = secondsSince(begin);
  std::mt19937 random(11);
  double slowest = 0, slowestAt = 0, mostWork = 0;
  for (int i = 0; i < moments; ++i) {
    const double share = (i + std::uniform_real_distribution<>(0, 1)(random)) / moments;
    std::stop_source stop;
    Clock::time_point asked;
    std::clock_t workAtAsk = 0;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(whole * share));
      asked = Clock::now();
      workAtAsk = std::clock();
      stop.request_stop();
    });
    const auto loaded = loadTrace(path, Task(stop.get_token()), options);
    const auto returned = Clock::now();
    const std::clock_t workAtReturn = std::clock();
    stopper.join();
    if (!loaded.cancelled()) continue;  // it was done before
    mostWork =
        std::max(mostWork, static_cast<double>(workAtReturn - workAtAsk) / double{CLOCKS_PER_SEC});
    const double seconds = std::chrono::duration<double>(returned - asked).count();
    if (seconds <= slowest) continue;
    slowest = seconds;
    slowestAt = share;
  }
  std::printf(
      "a load of %.2f s, stopped at %d moments: returns within %.1f ms (slowest at %.0f %%), "
      "with at most %.1f ms of processor time\n",
      whole, moments, slowest * 1e3, slowestAt * 100, mostWork * 1e3);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  bool json = false;
  int repeat = 3;
  LoadOptions options;
  bool yardstick = true;
  int moments = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--json")
      json = true;
    else if (arg == "--load-only")
      yardstick = false;
    else if (arg == "--cancel")
      moments = 20;
    else if (arg == "--moments" && i + 1 < argc)
      moments = std::atoi(argv[++i]);
    else if (arg == "--repeat" && i + 1 < argc)
      repeat = std::atoi(argv[++i]);
    else if (arg == "--threads" && i + 1 < argc)
      options.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (arg == "--block" && i + 1 < argc)
      options.blockBytes = static_cast<std::size_t>(std::atoi(argv[++i])) << 10;
    else
      path = arg;
  }
  if (path.empty()) {
    std::fprintf(stderr,
                 "usage: bench_load FILE [--json] [--repeat N] [--threads N] [--block KIB] "
                 "[--load-only] [--cancel | --moments N]\n");
    return 2;
  }
  if (moments > 0) return measureCancel(path, options, moments);
  Measured m;
  // Loads first: the yardstick wants the whole text in memory. Each is repeated, the best counts:
  // what a busy machine adds is not the program's.
  for (int round = 0; round < repeat; ++round) {
    resetPeak();
    const auto start = Clock::now();
    auto loaded = loadTrace(path, {}, options);
    const double seconds = secondsSince(start);
    if (!loaded.ok()) {
      std::fprintf(stderr, "%s\n", loaded.failed() ? loaded.error().text().c_str() : "cancelled");
      return 1;
    }
    m.peak = std::max(m.peak, peakBytes());
    m.loadSeconds = std::min(m.loadSeconds, seconds);
    m.events = m.tables = 0;
    m.firstArgs = std::max(m.firstArgs, firstArgsSeconds(*loaded.value().front().trace));
    for (const LoadedTrace& rank : loaded.value()) {
      m.events += rank.trace->importLog().read;
      m.tables += rank.trace->memoryBytes();
      m.fileBytes = rank.trace->info().fileBytes;
      m.textBytes = rank.trace->info().textBytes;
    }
  }
  for (int round = 0; round < repeat && yardstick; ++round)
    m.source = std::min(m.source, sourceSeconds(path));
  if (yardstick) {
    const std::string text = wholeText(path);
    for (int round = 0; round < repeat; ++round) walk(path, text, m.rapidjson);
  }
  print(m, json);
  return 0;
}
