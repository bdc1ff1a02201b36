#include "core/io/event_parser.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/decimal.h"
#include "core/io/json_cursor.h"

namespace ridgeline {

namespace {

std::string_view unquoted(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"')
    return raw.substr(1, raw.size() - 2);
  return raw;
}

struct IntegerArg {
  std::string_view key;
  std::int64_t EventArgs::*member;
};

/// In all spellings that Kineto has used.
constexpr std::array kIntegerArgs = {
    IntegerArg{"correlation", &EventArgs::correlation},
    IntegerArg{"External id", &EventArgs::externalId},
    IntegerArg{"external id", &EventArgs::externalId},
    IntegerArg{"device", &EventArgs::device},
    IntegerArg{"Device Id", &EventArgs::device},
    IntegerArg{"stream", &EventArgs::stream},
    IntegerArg{"bytes", &EventArgs::bytes},
    IntegerArg{"Bytes", &EventArgs::bytes},
    IntegerArg{"Sequence number", &EventArgs::sequence},
    IntegerArg{"Fwd thread id", &EventArgs::forwardThread},
    IntegerArg{"graph id", &EventArgs::graphId},
    IntegerArg{"graph node id", &EventArgs::graphNode},
    IntegerArg{"wait_on_stream", &EventArgs::waitOnStream},
    IntegerArg{"wait_on_cuda_event_record_corr_id", &EventArgs::waitOnRecordCorrelation},
    IntegerArg{"rank", &EventArgs::rank},
    IntegerArg{"sort_index", &EventArgs::sortIndex},
    IntegerArg{"Addr", &EventArgs::address},
    IntegerArg{"Total Allocated", &EventArgs::totalAllocated},
    IntegerArg{"Total Reserved", &EventArgs::totalReserved},
    IntegerArg{"Device Type", &EventArgs::deviceType},
    IntegerArg{"In msg nelems", &EventArgs::inElements},
    IntegerArg{"Out msg nelems", &EventArgs::outElements},
    IntegerArg{"Group size", &EventArgs::groupSize},
    IntegerArg{"Seq", &EventArgs::collectiveSequence},
};

struct TextArg {
  std::string_view key;
  std::string_view EventArgs::*member;
  bool raw;  ///< keep the JSON text (arrays)
};

constexpr std::array kTextArgs = {
    TextArg{"Input Dims", &EventArgs::inputDims, true},
    TextArg{"Input dims", &EventArgs::inputDims, true},
    TextArg{"Input type", &EventArgs::inputTypes, true},
    TextArg{"Concrete Inputs", &EventArgs::concreteInputs, true},
    TextArg{"Input Strides", &EventArgs::inputStrides, true},
    TextArg{"Collective name", &EventArgs::collectiveName, false},
    TextArg{"dtype", &EventArgs::collectiveDtype, false},
    TextArg{"Process Group Name", &EventArgs::processGroup, false},
    TextArg{"Process Group Description", &EventArgs::processGroupDescription, false},
    TextArg{"Process Group Ranks", &EventArgs::processGroupRanks, false},
    TextArg{"name", &EventArgs::metadataName, false},
    TextArg{"labels", &EventArgs::metadataName, false},
};

bool needsTime(char phase) {
  return phase != 'M';
}

}  // namespace

std::string& EventParser::buffer() {
  if (used_ == buffers_.size()) buffers_.emplace_back();
  return buffers_[used_++];
}

std::string_view EventParser::textOf(std::string_view raw, ImportLog& log, std::uint64_t offset) {
  raw = unquoted(raw);
  if (raw.find('\\') == std::string_view::npos) return raw;
  bool repaired = false;
  const std::string_view text = unescaped(raw, buffer(), &repaired);
  if (repaired) {
    ++log.repaired;
    log.note("bad_escape", "texts with invalid escapes were kept as they stand", false, offset,
             raw);
  }
  return text;
}

void EventParser::readArgs(std::string_view object, Event& event, ImportLog& log) {
  JsonCursor cursor(object);
  if (!cursor.take('{')) return;
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) return;
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) return;
    for (const IntegerArg& arg : kIntegerArgs)
      if (arg.key == key) {
        if (const auto number = parseInteger(unquoted(value))) event.args.*arg.member = *number;
        break;
      }
    for (const TextArg& arg : kTextArgs)
      if (arg.key == key) {
        event.args.*arg.member = arg.raw ? value : textOf(value, log, event.inputOffset);
        break;
      }
    if (!cursor.take(',')) return;
  }
}

void EventParser::readCounterArgs(std::string_view object, ImportLog& log, std::uint64_t offset) {
  JsonCursor cursor(object);
  if (!cursor.take('{')) return;
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) return;
    const std::string_view value = unquoted(cursor.rawValue());
    if (cursor.failed()) return;
    double number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && rest == value.data() + value.size() && std::isfinite(number))
      counterValues_.emplace_back(textOf(key, log, offset), number);
    if (!cursor.take(',')) return;
  }
}

std::optional<Event> EventParser::parse(std::string_view object, std::uint64_t offset,
                                        ImportLog& log) {
  used_ = 0;
  counterValues_.clear();
  Event event;
  event.inputOffset = offset;
  event.phase = '\0';
  std::string_view ts, dur, args;
  JsonCursor cursor(object);
  if (!cursor.take('{')) {
    refusal_ = {"not_an_object", "entries of traceEvents that are no objects were left out"};
    return std::nullopt;
  }
  while (cursor.peek() == '"') {
    const std::string_view key = cursor.rawString();
    if (!cursor.take(':')) break;
    const std::size_t valueAt = (cursor.skipSpace(), cursor.at());
    const std::string_view value = cursor.rawValue();
    if (cursor.failed()) break;
    if (key == "ph") {
      const std::string_view text = unquoted(value);
      event.phase = text.empty() ? '\0' : text.front();
    } else if (key == "name") {
      event.name = textOf(value, log, offset);
    } else if (key == "cat") {
      event.category = textOf(value, log, offset);
    } else if (key == "pid") {
      event.pid = textOf(value, log, offset);
    } else if (key == "tid") {
      event.tid = textOf(value, log, offset);
    } else if (key == "ts") {
      ts = unquoted(value);
    } else if (key == "dur") {
      dur = unquoted(value);
    } else if (key == "id") {
      event.id = textOf(value, log, offset);
    } else if (key == "bp") {
      event.bindEnclosing = unquoted(value) == "e";
    } else if (key == "args" && !value.empty() && value.front() == '{') {
      args = value;
      event.argsSpan = {offset + valueAt, static_cast<std::uint32_t>(value.size())};
    }
    if (!cursor.take(',')) break;
  }
  if (cursor.failed() || !cursor.take('}')) {
    refusal_ = {"unreadable_event", "events that are not valid JSON were left out"};
    return std::nullopt;
  }
  if (event.phase == '\0') {
    refusal_ = {"event_without_phase", "events without a phase (ph) were left out"};
    return std::nullopt;
  }
  const auto time = parseMicroseconds(ts);
  if (time) {
    event.ts = time->ns;
    if (!time->exact)
      log.note("below_nanosecond", "times with digits below a nanosecond were rounded", false,
               offset, ts);
  } else if (needsTime(event.phase)) {
    refusal_ = {"event_without_time", "events without a readable time (ts) were left out"};
    return std::nullopt;
  }
  if (!dur.empty()) {
    if (const auto length = parseMicroseconds(dur)) {
      event.dur = length->ns;
    } else {
      ++log.repaired;
      log.note("unreadable_duration", "events whose duration is no number were given duration 0",
               false, offset, dur);
    }
  }
  if (event.phase == 'C') {
    readCounterArgs(args, log, offset);
    event.counterValues = counterValues_;
  } else if (!args.empty()) {
    readArgs(args, event, log);
  }
  return event;
}

}  // namespace ridgeline
