#include "tests/support/trace_text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "core/trace/trace_builder.h"

namespace ridgeline::test {

namespace {

[[noreturn]] void fail(std::string_view line, std::string_view why) {
  std::cerr << "TraceText: " << why << " in: " << line << std::endl;
  std::abort();
}

std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && line[i] == ' ') ++i;
    if (i == line.size()) break;
    std::string word;
    bool quoted = false;
    for (; i < line.size() && (quoted || line[i] != ' '); ++i) {
      if (line[i] == '\'') {
        quoted = !quoted;
      } else {
        word += line[i];
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::int64_t numberOf(std::string_view text, std::string_view line, std::size_t* used = nullptr) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) fail(line, "expected a number");
  const auto length = static_cast<std::size_t>(read.ptr - text.data());
  if (used != nullptr) *used = length;
  if (used == nullptr && length != text.size()) fail(line, "expected a whole number");
  return value;
}

TimeNs timeOf(std::string_view text, std::string_view line) {
  std::size_t used = 0;
  const std::int64_t value = numberOf(text, line, &used);
  const std::string_view unit = text.substr(used);
  if (unit.empty() || unit == "ns") return value;
  if (unit == "us") return value * 1'000;
  if (unit == "ms") return value * 1'000'000;
  if (unit == "s") return value * 1'000'000'000;
  fail(line, "unknown unit of time");
}

const std::map<std::string_view, std::string_view> kCategories = {
    {"op", "cpu_op"},
    {"old_op", "Operator"},
    {"range", "user_annotation"},
    {"step", "user_annotation"},
    {"nvtx", "nvtx"},
    {"python", "python_function"},
    {"call", "cuda_runtime"},
    {"driver", "cuda_driver"},
    {"kernel", "kernel"},
    {"memcpy", "gpu_memcpy"},
    {"memset", "gpu_memset"},
    {"sync", "cuda_sync"},
    {"gpu_range", "gpu_user_annotation"},
    {"overhead", "overhead"},
    {"span", "Trace"},
    {"instant", "cpu_instant_event"},
    {"flow", "fwdbwd"}};

bool isOnDevice(std::string_view kind) {
  return kind == "kernel" || kind == "memcpy" || kind == "memset" || kind == "sync" ||
         kind == "gpu_range";
}

void setArg(EventArgs& args, std::string_view key, std::string_view value, std::string_view line) {
  const std::map<std::string_view, std::int64_t*> numbers = {
      {"corr", &args.correlation},
      {"ext", &args.externalId},
      {"bytes", &args.bytes},
      {"seq", &args.sequence},
      {"fwd_thread", &args.forwardThread},
      {"graph", &args.graphId},
      {"node", &args.graphNode},
      {"wait_stream", &args.waitOnStream},
      {"wait_record", &args.waitOnRecordCorrelation},
      {"group_size", &args.groupSize},
      {"in_elements", &args.inElements},
      {"addr", &args.address},
      {"total", &args.totalAllocated},
      {"reserved", &args.totalReserved},
      {"device_type", &args.deviceType},
      {"device", &args.device}};
  const std::map<std::string_view, std::string_view*> texts = {
      {"dims", &args.inputDims},          {"types", &args.inputTypes},
      {"concrete", &args.concreteInputs}, {"collective", &args.collectiveName},
      {"group", &args.processGroup},      {"dtype", &args.collectiveDtype}};
  const std::map<std::string_view, double*> reals = {{"blocks", &args.blocksPerSm},
                                                     {"occ", &args.occupancyPercent}};
  if (const auto number = numbers.find(key); number != numbers.end()) {
    *number->second = numberOf(value, line);
  } else if (const auto real = reals.find(key); real != reals.end()) {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), *real->second);
    if (read.ec != std::errc()) fail(line, "expected a number");
  } else if (const auto text = texts.find(key); text != texts.end()) {
    *text->second = value;
  } else {
    fail(line, "unknown key");
  }
}

class Builder {
 public:
  void addLine(std::string_view line);
  std::shared_ptr<const Trace> finish() { return builder_.finish().front(); }

 private:
  std::string tidOf(const std::string& lane);
  void placeOnDevice(Event& event, const std::string& lane, std::string_view line);
  void addFlow(Event event, const std::string& lane, TimeNs end, std::string_view line);

  TraceBuilder builder_;
  std::map<std::string, std::string> tids_;
  std::string pid_, tid_;
  int flows_ = 0;
};

std::string Builder::tidOf(const std::string& lane) {
  if (lane == "main") return "100";
  const auto [it, isNew] = tids_.emplace(lane, std::to_string(101 + tids_.size()));
  return it->second;
}

void Builder::placeOnDevice(Event& event, const std::string& lane, std::string_view line) {
  const std::size_t slash = lane.find('/');
  event.args.device = slash == std::string::npos ? 0 : numberOf(lane.substr(0, slash), line);
  event.args.stream = numberOf(slash == std::string::npos ? lane : lane.substr(slash + 1), line);
  pid_ = std::to_string(event.args.device);
  tid_ = std::to_string(event.args.stream);
}

void Builder::addFlow(Event event, const std::string& lane, TimeNs end, std::string_view line) {
  const std::size_t arrow = lane.find('>');
  if (arrow == std::string::npos) fail(line, "a flow needs two lanes");
  const std::string id = std::to_string(++flows_);
  event.id = id;
  event.phase = 's';
  tid_ = tidOf(lane.substr(0, arrow));
  event.tid = tid_;
  builder_.add(event);
  event.phase = 'f';
  event.bindEnclosing = true;
  event.ts = end;
  tid_ = tidOf(lane.substr(arrow + 1));
  event.tid = tid_;
  builder_.add(event);
}

void Builder::addLine(std::string_view line) {
  const std::vector<std::string> words = wordsOf(line);
  if (words.empty() || words.front().front() == '#') return;
  if (words.size() < 5) fail(line, "expected KIND BEGIN END LANE NAME");
  const auto category = kCategories.find(words[0]);
  if (category == kCategories.end()) fail(line, "unknown kind");
  Event event;
  event.category = category->second;
  event.ts = timeOf(words[1], line);
  const TimeNs end = timeOf(words[2], line);
  event.dur = end - event.ts;
  if (event.dur < 0 && words[0] != "flow") fail(line, "ends before it begins");
  event.name = words[4];
  for (std::size_t i = 5; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) fail(line, "expected key=value");
    setArg(event.args, std::string_view(words[i]).substr(0, equals),
           std::string_view(words[i]).substr(equals + 1), line);
  }
  pid_ = "100";
  if (isOnDevice(words[0])) {
    placeOnDevice(event, words[3], line);
  } else if (words[0] == "span") {
    pid_ = "Spans";
    tid_ = words[3];
  } else if (words[0] != "flow") {
    tid_ = tidOf(words[3]);
  }
  event.pid = pid_;
  event.tid = tid_;
  if (words[0] == "flow") return addFlow(event, words[3], end, line);
  if (words[0] == "instant") event.phase = 'i';
  builder_.add(event);
}

}  // namespace

std::shared_ptr<const Trace> traceFromText(std::string_view text) {
  Builder builder;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    builder.addLine(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return builder.finish();
}

SliceId sliceNamed(const Trace& trace, std::string_view name, int occurrence) {
  std::vector<SliceId> found;
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == name) found.push_back(SliceId(i));
  std::stable_sort(found.begin(), found.end(), [&](SliceId a, SliceId b) {
    return trace.slices().start[a.index()] < trace.slices().start[b.index()];
  });
  if (occurrence < 0 || static_cast<std::size_t>(occurrence) >= found.size())
    fail(name, "no such slice");
  return found[static_cast<std::size_t>(occurrence)];
}

}  // namespace ridgeline::test
