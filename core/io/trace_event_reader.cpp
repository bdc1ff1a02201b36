#include "core/io/trace_event_reader.h"

#include "core/base/decimal.h"
#include "core/io/event_text.h"
#include "core/io/json_cursor.h"
#include "core/io/loose_json.h"

namespace ridgeline {

namespace {

/// A longer entry beside the events is no trace's, and would have to be held as a whole.
constexpr std::size_t kMostEntryBytes = 256u << 20;
/// No machine has more; a hostile file may name millions.
constexpr int kMostDevices = 4096;
/// Longer metadata is not kept.
constexpr std::size_t kMostMetadataBytes = 4u << 20;

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

/// How many values stand in a list or an object that is whole.
std::size_t entriesIn(std::string_view value, Poll& poll) {
  const bool object = value.front() == '{';
  if (!object && value.front() != '[') return 0;
  std::size_t count = 0;
  std::size_t at = loose::skipSpace(value, 1, poll);
  while (at < value.size() && value[at] != '}' && value[at] != ']') {
    std::size_t end = 0;
    if (object) {
      if (value[at] != '"' || loose::skipValue(value.substr(at), end, poll) != loose::End::whole)
        break;
      at = loose::skipSpace(value, at + end, poll);
      if (at >= value.size() || value[at] != ':') break;
      at = loose::skipSpace(value, at + 1, poll);
    }
    if (loose::skipValue(value.substr(at), end, poll) != loose::End::whole) break;
    ++count;
    at = loose::skipSpace(value, at + end, poll);
    if (at >= value.size() || value[at] != ',') break;
    at = loose::skipSpace(value, at + 1, poll);
  }
  return count;
}

/// Recordings of other kinds that Chrome's trace files hold beside the events: said, not shown.
bool noteOtherRecording(std::string_view key, std::string_view value, std::uint64_t offset,
                        ImportLog& log, Poll& poll) {
  struct Section {
    std::string_view key, note, sentence;
  };
  static constexpr Section kSections[] = {
      {"samples", "samples_section", "samples beside the events are not shown"},
      {"stackFrames", "stack_frames_section", "stack frames beside the events are not shown"},
      {"systemTraceEvents", "system_trace_section",
       "a system trace (ftrace text) beside the events is not shown"},
      {"powerTraceAsString", "power_trace_section", "a power trace beside the events is not shown"},
      {"controllerTraceDataKey", "controller_trace_section",
       "a controller's trace beside the events is not shown"}};
  for (const Section& section : kSections) {
    if (key != section.key) continue;
    const std::size_t entries = value.front() == '"' ? 1 : entriesIn(value, poll);
    if (entries == 0) return true;
    log.note(section.note, section.sentence, true, offset, key);
    log.problems.find(section.note)->second.count += entries - 1;
    return true;
  }
  return false;
}

}  // namespace

void TraceEventReader::flush(const Task& task) {
  if (list_.collector().batch().empty()) return;
  list_.collector().swap(batch_);
  builder_.merge(batch_, task);
  if (packed_ != nullptr) packed_->append(list_.takeArgs());
}

std::size_t TraceEventReader::begin(std::string_view text) {
  const std::size_t at = loose::skipSpace(text, 0);
  if (at >= text.size()) return at;
  mode_ = text[at] == '[' ? Mode::events : text[at] == '{' ? Mode::object : Mode::done;
  arrayForm_ = foundEvents_ = text[at] == '[';
  return at + 1;
}

void TraceEventReader::endOfEvents(std::uint64_t offset, bool closed) {
  mode_ = arrayForm_ ? Mode::ended : Mode::object;
  if (closed) return;
  ++builder_.log().repaired;
  // The format lets an array go without its bracket: nothing need be missing then.
  if (arrayForm_)
    builder_.log().note("open_array",
                        "the list of events has no closing bracket, which the format allows", false,
                        offset);
  else
    builder_.log().note("unclosed_array", "the file ends inside the list of events", false, offset);
}

std::size_t TraceEventReader::consume(std::string_view text, std::uint64_t offset, bool last,
                                      const Task& task) {
  std::size_t at = mode_ == Mode::start ? begin(text) : 0;
  while (at < text.size() || last) {
    if (mode_ == Mode::done || task.cancelled()) return text.size();
    if (mode_ == Mode::ended) {
      rest_.take(text.substr(at), offset + at, builder_.log());
      return text.size();
    }
    if (mode_ == Mode::events) {
      const auto stop = list_.read(text, at, separator_, last, offset, task);
      if (list_.collector().batch().log.read >= 4096) flush(task);
      if (stop == EventListReader::Stop::cancelled) return text.size();
      if (stop == EventListReader::Stop::needMore && !last) return at;
      endOfEvents(offset + at, stop == EventListReader::Stop::listEnd);
      if (stop == EventListReader::Stop::needMore) mode_ = Mode::done;
    } else {
      const auto next = readEntry(text.substr(at), offset + at, last, task);
      if (!next) return at;
      at += *next;
    }
  }
  return at;
}

/// One `"key": value` of the top level: how much it took, or nothing when there must be more text.
std::optional<std::size_t> TraceEventReader::readEntry(std::string_view text, std::uint64_t offset,
                                                       bool last, const Task& task) {
  Poll poll(task);
  std::size_t at = 0;
  while (at < text.size() && (loose::isSpace(text[at]) || text[at] == ',')) ++at;
  const auto stop = [&](std::string_view key, std::string_view sentence, bool lost) {
    ++builder_.log().repaired;
    builder_.log().note(key, sentence, lost, offset + at);
    mode_ = Mode::done;
    return text.size();
  };
  const auto cut = [&]() -> std::optional<std::size_t> {
    if (text.size() > kMostEntryBytes) {
      tooLong_ = true;
      return stop("long_section", "an entry beside the events is longer than 256 MiB", true);
    }
    if (!last) return std::nullopt;
    if (foundEvents_)
      return stop("open_object",
                  "the file ends behind its list of events, before its closing bracket", false);
    return stop("unclosed_object", "the file ends before its closing bracket", false);
  };
  if (at >= text.size()) return last ? cut() : std::optional<std::size_t>(at);
  if (text[at] == '}') {
    mode_ = Mode::ended;
    return at + 1;
  }
  std::size_t end = 0;
  const loose::End key = loose::skipValue(text.substr(at), end, poll);
  if (text[at] == '"' && key == loose::End::ranOut) return cut();
  const std::size_t colon = text[at] == '"' ? loose::skipSpace(text, at + end, poll) : text.size();
  if (text[at] == '"' && colon >= text.size()) return cut();
  if (text[at] != '"' || text[colon] != ':')
    return stop("unreadable_entry", "what follows at the top level is not JSON", true);
  const std::string_view name = text.substr(at + 1, end - 2);
  const std::size_t valueAt = loose::skipSpace(text, colon + 1, poll);
  if (valueAt >= text.size()) return cut();
  if (name == "traceEvents" && text[valueAt] == '[') {
    mode_ = Mode::events;
    separator_ = EventListReader::Separator::begin;
    foundEvents_ = true;
    return valueAt + 1;
  }
  const loose::End value = loose::skipValue(text.substr(valueAt), end, poll);
  if (value == loose::End::ranOut) return cut();
  if (value != loose::End::whole)
    return stop("unreadable_entry", "what follows at the top level is not JSON", true);
  readTopLevel(name, text.substr(valueAt, end), offset + at, poll);
  return valueAt + end;
}

void TraceEventReader::readDistributedInfo(std::string_view value) {
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

void TraceEventReader::readTopLevel(std::string_view key, std::string_view value,
                                    std::uint64_t offset, Poll& poll) {
  if (key == "deviceProperties" && value.size() <= kMostMetadataBytes) {
    JsonCursor cursor(value);
    if (!cursor.take('[')) return;
    for (int i = 0; i < kMostDevices && cursor.peek() == '{'; ++i) {
      readDevice(cursor.rawValue(), builder_);
      if (!cursor.take(',')) return;
    }
    if (cursor.peek() == '{')
      builder_.log().note("too_many_devices",
                          "devices beyond the first 4,096 in deviceProperties were left out", true,
                          offset, key);
    return;
  }
  if (noteOtherRecording(key, value, offset, builder_.log(), poll)) return;
  if (value.size() > kMostMetadataBytes) {
    builder_.log().note("long_metadata",
                        "entries beside the events of more than 4 MiB were left out", true, offset,
                        key);
    return;
  }
  if (key == "distributedInfo") readDistributedInfo(value);
  if (key == "baseTimeNanoseconds") builder_.info().baseTimeNs = parseInteger(unquoted(value));
  builder_.info().metadata.emplace_back(key, mendedJson(value, &poll));
}

std::optional<Error> TraceEventReader::verdict(const std::string& path, const Task& task) {
  flush(task);
  const ImportLog& log = builder_.log();
  const bool nothing =
      log.read == log.dropped && log.problems.find("unknown_phase") == log.problems.end();
  if (foundEvents_ && !(arrayForm_ && nothing)) return std::nullopt;
  if (const auto lost = log.problems.find("long_entry");
      lost != log.problems.end() && !lost->second.examples.empty())
    return Error{
        "this is not a trace: a list in which no event can be read, and an entry of more "
        "than 32 MiB",
        path + ", byte " + std::to_string(lost->second.examples.front().offset),
        "Open the file that the profiler exported."};
  return Error{tooLong_ ? "this is not a trace: an entry of more than 256 MiB, and no list of "
                          "events before it"
                        : "this is not a trace: expected a JSON object with \"traceEvents\" or an "
                          "array of events",
               path, "Open the file that the profiler exported."};
}

}  // namespace ridgeline
