#include "core/io/trace_event_reader.h"

#include "core/base/decimal.h"
#include "core/io/event_parser.h"
#include "core/io/json_cursor.h"

namespace ridgeline {

namespace {

std::string_view unquoted(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"') return raw.substr(1, raw.size() - 2);
  return raw;
}

void readDevice(std::string_view object, TraceBuilder& builder) {
  Device device;
  JsonCursor cursor(object);
  if (!cursor.take('{')) return;
  std::string buffer;
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) break;
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) break;
    const auto number = parseInteger(unquoted(value));
    if (key == "id" && number) device.ordinal = *number;
    if (key == "name") device.name = unescaped(unquoted(value), buffer);
    if (key == "totalGlobalMem") device.totalMemory = number;
    if (key == "numSms" || key == "maxComputeUnits") device.smCount = number;
    if (key == "computeMajor") device.computeMajor = number;
    if (key == "computeMinor") device.computeMinor = number;
    if (key == "warpSize") device.warpSize = number;
    if (!cursor.take(',')) break;
  }
  builder.addDevice(device);
}

class Reader {
 public:
  Reader(std::string_view text, TraceBuilder& builder, const Task& task)
      : text_(text), builder_(builder), task_(task) {}

  Status run(const std::string& path);

 private:
  Status readEvents(std::size_t at);
  void readTopLevel(std::string_view key, std::string_view value);
  void readDistributedInfo(std::string_view value);
  void one(std::string_view object, std::size_t at);

  std::string_view text_;
  TraceBuilder& builder_;
  const Task& task_;
  EventParser parser_;
  std::size_t end_ = 0;  ///< after readEvents: behind the array
};

void Reader::one(std::string_view object, std::size_t at) {
  const auto event = parser_.parse(object, at, builder_.log());
  if (event) {
    builder_.add(*event);
    return;
  }
  ImportLog& log = builder_.log();
  ++log.read;
  ++log.dropped;
  log.note(parser_.refusal().key, parser_.refusal().sentence, true, at, object.substr(0, 80));
}

Status Reader::readEvents(std::size_t at) {
  std::size_t count = 0;
  while (true) {
    JsonCursor cursor(text_.substr(at));
    cursor.skipSpace();
    while (cursor.take(',')) {
    }
    cursor.skipSpace();
    const std::size_t begin = at + cursor.at();
    if (begin >= text_.size()) {
      ++builder_.log().repaired;
      builder_.log().note("unclosed_array", "the file ends inside the list of events", false,
                          begin);
      end_ = text_.size();
      return Done{};
    }
    if (text_[begin] == ']') {
      end_ = begin + 1;
      return Done{};
    }
    if (text_[begin] == '}') {
      ++builder_.log().repaired;
      builder_.log().note("missing_bracket", "the list of events is not closed by ]", false, begin);
      end_ = begin;
      return Done{};
    }
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) {
      ImportLog& log = builder_.log();
      ++log.read;
      ++log.dropped;
      log.note("cut_off_event", "the file ends inside an event, which was left out", true, begin,
               text_.substr(begin, 80));
      end_ = text_.size();
      return Done{};
    }
    one(value, begin);
    at += cursor.at();
    if ((++count & 0xFFF) == 0) {
      if (task_.cancelled()) return Cancelled{};
      task_.report({at, text_.size(), count});
    }
  }
}

void Reader::readDistributedInfo(std::string_view value) {
  JsonCursor cursor(value);
  if (!cursor.take('{')) return;
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) return;
    const auto number = parseInteger(unquoted(cursor.rawValue()));
    if (cursor.failed()) return;
    if (key == "rank" && number) builder_.info().rank = number;
    if (key == "world_size" && number) builder_.info().worldSize = number;
    if (!cursor.take(',')) return;
  }
}

void Reader::readTopLevel(std::string_view key, std::string_view value) {
  if (key == "deviceProperties") {
    JsonCursor cursor(value);
    if (!cursor.take('[')) return;
    while (cursor.peek() == '{') {
      readDevice(cursor.rawValue(), builder_);
      if (!cursor.take(',')) break;
    }
    return;
  }
  if (key == "distributedInfo") readDistributedInfo(value);
  if (key == "baseTimeNanoseconds") builder_.info().baseTimeNs = parseInteger(unquoted(value));
  builder_.info().metadata.emplace_back(key, value);
}

Status Reader::run(const std::string& path) {
  const Error noTrace{
      "this is not a trace: expected a JSON object with \"traceEvents\" or an array "
      "of events",
      path, "Open the file that the profiler exported."};
  JsonCursor cursor(text_);
  if (cursor.peek() == '[') {
    cursor.take('[');
    if (Status s = readEvents(cursor.at()); !s.ok()) return s;
    if (builder_.log().read == 0) return noTrace;
    return Done{};
  }
  if (!cursor.take('{')) return noTrace;
  bool found = false;
  std::size_t at = cursor.at();
  while (true) {
    JsonCursor top(text_.substr(at));
    while (top.take(',')) {
    }
    if (top.peek() != '"') break;
    const std::string_view key = top.rawString();
    if (top.failed() || !top.take(':')) break;
    if (key == "traceEvents" && top.peek() == '[') {
      top.take('[');
      found = true;
      if (Status s = readEvents(at + top.at()); !s.ok()) return s;
      at = end_;
      continue;
    }
    const std::string_view value = top.rawValue();
    if (top.failed()) break;
    readTopLevel(key, value);
    at += top.at();
  }
  if (!found) return noTrace;
  return Done{};
}

}  // namespace

Status readTraceEvents(std::string_view text, const std::string& path, TraceBuilder& builder,
                       const Task& task) {
  return Reader(text, builder, task).run(path);
}

}  // namespace ridgeline
