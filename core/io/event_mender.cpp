#include "core/io/event_mender.h"

#include <algorithm>
#include <array>

#include "core/base/decimal.h"
#include "core/base/task.h"
#include "core/io/event_fields.h"
#include "core/io/event_text.h"
#include "core/io/json_cursor.h"
#include "core/io/loose_json.h"

namespace ridgeline {

using loose::End;

namespace {

/// How far apart the pieces may stand by which an event's begin is recognised.
constexpr std::size_t kMostGap = 4096;
/// Behind this much of a text's end it may lack what tells whether an event begins, before it not.
constexpr std::size_t kUndecided = 4 * kMostGap;

constexpr std::string_view kTooLong =
    "entries of more than 32 MiB were given up; what follows them, up to the next event, was left "
    "out";

bool isEventKey(std::string_view key) {
  return eventKeyOf(key) != EventKey::none;
}

}  // namespace

std::size_t findEventStart(std::string_view text, std::size_t from, Poll& poll) {
  static constexpr std::array<std::string_view, 9> kFirstKeys = {"ph", "name", "cat",  "pid", "tid",
                                                                 "ts", "dur",  "args", "id"};
  const auto skipGap = [text](std::size_t at) {
    return loose::skipSpace(text.substr(0, std::min(text.size(), at + kMostGap)), at);
  };
  for (std::size_t at = text.find('{', from); at != text.npos; at = text.find('{', at + 1)) {
    if (poll.stop()) break;
    std::size_t before = at;
    while (before > 0 && at - before < kMostGap && loose::isSpace(text[before - 1])) --before;
    if (before == 0 || std::string_view(",[}]").find(text[before - 1]) == std::string_view::npos)
      continue;
    const std::size_t open = skipGap(at + 1);
    if (open >= text.size() || text[open] != '"') continue;
    for (const std::string_view key : kFirstKeys) {
      const std::size_t close = open + 1 + key.size();
      if (text.substr(open + 1, key.size()) != key || text.substr(close, 1) != "\"") continue;
      const std::size_t colon = skipGap(close + 1);
      if (colon < text.size() && text[colon] == ':') return at;
    }
  }
  return std::string_view::npos;
}

bool findEventAfterLoss(std::string_view text, std::size_t& at, bool last, Poll& poll) {
  const std::size_t found = findEventStart(text.substr(at), 0, poll);
  if (found != std::string_view::npos)
    at += found;
  else if (last)
    at = text.size();
  else if (text.size() - at > kUndecided)
    at = text.size() - kUndecided;
  return found != std::string_view::npos;
}

std::string& EventMender::buffer() {
  if (used_ == buffers_.size()) buffers_.emplace_back();
  return buffers_[used_++];
}

EventMender::Step EventMender::drop(std::string_view key, std::string_view sentence,
                                    std::string_view entry, ImportLog& log) {
  ++log.read;
  ++log.dropped;
  log.note(key, sentence, true, event_.inputOffset, entry);
  return Step::dropped;
}

EventMender::Step EventMender::giveUp(std::string_view text, std::size_t& at, ImportLog& log) {
  const std::string_view entry = text.substr(at);
  lost_ = true;
  at = text.size();
  return drop("given_up",
              "more than 16 entries do not end within 32 MiB; the rest of the file was left out",
              entry, log);
}

/// findEventStart(rest, 1), without looking twice through what many broken entries have before
/// them.
std::size_t EventMender::nextStart(std::string_view rest, Poll& poll) {
  std::size_t from = 1;
  if (startless_.begin <= offset_ + 1 && offset_ + 1 < startless_.end)
    from = static_cast<std::size_t>(startless_.end - offset_);
  else
    startless_.begin = offset_ + 1;
  const std::size_t found = findEventStart(rest, from, poll);
  const std::size_t decided = rest.size() > kUndecided ? rest.size() - kUndecided : 0;
  startless_.end = offset_ + std::max(from, found == rest.npos ? decided : found);
  return found;
}

/// An entry that ends where it should.
EventMender::Step EventMender::takeWhole(std::string_view entry, bool isObject, ImportLog& log,
                                         Poll& poll) {
  if (!isObject)
    return drop("not_an_object", "entries of traceEvents that are no objects were left out", entry,
                log);
  if (entry[loose::skipSpace(entry, 1)] == '}') {
    ++log.read;
    ++log.dropped;
    log.note("empty_event", "empty entries {} hold no event", false, event_.inputOffset);
    return Step::dropped;
  }
  ImportLog notes;
  noteFaults(entry, notes, poll);
  if (!fill(true, notes, poll)) return drop(refusalKey_, refusalSentence_, entry, log);
  log.add(notes);
  return Step::event;
}

EventMender::Step EventMender::next(std::string_view text, std::size_t& at, bool last,
                                    std::uint64_t offset, ImportLog& log, const Task& task) {
  Poll poll(task);
  const bool capped = text.size() - at > kMostEventBytes;
  const bool all = last || capped;
  const std::string_view rest = text.substr(at, kMostEventBytes);
  event_ = Event();
  event_.phase = '\0';
  event_.inputOffset = offset + at;
  origin_ = rest.data();
  offset_ = offset + at;
  used_ = 0;
  separated_ = lost_ = false;
  std::size_t end = 0;
  const bool isObject = rest.front() == '{';
  pairs_.clear();
  const End found = isObject ? loose::readObject(rest, end, pairs_, isEventKey, poll)
                             : loose::skipValue(rest, end, poll);
  const bool endless = found == End::ranOut || found == End::tooDeep;
  if (endless && !all) return Step::needMore;
  if (found == End::whole) {
    at += end;
    return takeWhole(rest.substr(0, end), isObject, log, poll);
  }
  std::size_t next = nextStart(rest, poll);
  if (task.cancelled() || (next == rest.npos && !all)) return Step::needMore;
  const bool cutOff = next == rest.npos && !capped;
  // One broken entry is read again from the next event on. Of a file that is nothing but begun
  // entries nothing can be read in the end, however often it is tried.
  if (endless && capped && ++endless_ > kMostEndless) return giveUp(text, at, log);
  next = std::min(next, rest.size());
  const std::string_view region = rest.substr(0, next);
  pairs_.clear();
  const bool closed = isObject && loose::readBrokenObject(region, end, pairs_, isEventKey, poll);
  lost_ = capped && !closed && next == rest.size();
  at += closed ? end : next;
  separated_ = !closed;
  ImportLog notes;
  if (!isObject || !fill(closed, notes, poll))
    return lost_ ? drop("long_entry", kTooLong, region, log)
           : cutOff && !closed
               ? drop("cut_off_event", "the file ends inside an event, which was left out", region,
                      log)
               : drop("unreadable_event", "events that are not valid JSON were left out", region,
                      log);
  ++notes.repaired;
  if (lost_)
    notes.note("long_entry", kTooLong, true, event_.inputOffset, region);
  else
    notes.note("broken_event", "events with broken JSON were kept as far as they could be read",
               false, event_.inputOffset, region);
  log.add(notes);
  return Step::event;
}

std::string_view EventMender::textOf(std::string_view raw, Poll& poll) {
  if (raw == "null") return {};
  raw = unquoted(raw);
  if (std::string& utf8 = buffer(); mendUtf8(raw, utf8, &poll)) raw = utf8;
  return unescaped(raw, buffer(), nullptr, &poll);
}

bool EventMender::refuse(std::string_view key, std::string_view sentence) {
  refusalKey_ = key;
  refusalSentence_ = sentence;
  return false;
}

bool EventMender::setTimes(std::string_view ts, std::string_view dur, bool complete,
                           ImportLog& log) {
  if (finishPlainEvent(event_, ts, dur, log))
    return complete || event_.phase != 'X' || !dur.empty();
  if (event_.phase == '\0')
    return refuse("event_without_phase", "events without a phase (ph) were left out");
  const auto inRange = [](const std::optional<DecimalTime>& time) {
    return time && time->ns <= kFarthestTime && time->ns >= -kFarthestTime;
  };
  const auto time = parseMicroseconds(unquoted(ts));
  if (inRange(time)) {
    event_.ts = time->ns;
  } else if (needsTime(event_.phase)) {
    return refuse("event_without_time", "events without a readable time (ts) were left out");
  }
  const auto length = parseMicroseconds(unquoted(dur));
  ++log.repaired;
  if (inRange(length)) {
    event_.dur = length->ns;
  } else if (!dur.empty() && length) {
    event_.dur = length->ns < 0 ? -1 : kFarthestTime;
    log.note("overflowing_duration", "durations beyond 64-bit nanoseconds were cut", false,
             event_.inputOffset, dur);
  } else if (!dur.empty()) {
    log.note("unreadable_duration", "events whose duration is no number were given duration 0",
             false, event_.inputOffset, dur);
  }
  return true;
}

bool EventMender::fill(bool complete, ImportLog& log, Poll& poll) {
  std::string_view ts, dur, args;
  std::uint32_t seen = 0;
  for (const auto& [key, value] : pairs_) {
    if (poll.stop()) return false;
    const EventKey known = eventKeyOf(key);
    if (known == EventKey::none) continue;
    const std::uint32_t bit = 1u << static_cast<unsigned>(known);
    if ((seen & bit) != 0) {
      ++log.repaired;
      log.note("duplicate_key", "of keys that an event repeats the last was taken", false,
               event_.inputOffset, key);
    }
    seen |= bit;
    switch (known) {
      case EventKey::ph: {
        const std::string_view phase = unquoted(value);
        event_.phase = phase.empty() ? '\0' : phase.front();
        break;
      }
      case EventKey::name:
        event_.name = textOf(value, poll);
        break;
      case EventKey::cat:
        event_.category = textOf(value, poll);
        break;
      case EventKey::pid:
        event_.pid = textOf(value, poll);
        break;
      case EventKey::tid:
        event_.tid = textOf(value, poll);
        break;
      case EventKey::id:
        event_.id = textOf(value, poll);
        break;
      case EventKey::id2:
        if (event_.id.empty()) event_.id = innerId(value, poll);
        break;
      case EventKey::ts:
        ts = value;
        break;
      case EventKey::dur:
        dur = value;
        break;
      case EventKey::bp:
        event_.bindEnclosing = unquoted(value) == "e";
        break;
      case EventKey::bindId:
        event_.bindId = textOf(value, poll);
        break;
      case EventKey::flowIn:
        event_.flowIn = unquoted(value) == "true";
        break;
      case EventKey::flowOut:
        event_.flowOut = unquoted(value) == "true";
        break;
      case EventKey::args:
        args = value;
        break;
      case EventKey::none:
        break;
    }
  }
  if (!setTimes(ts, dur, complete, log)) return false;
  setArgs(args, log, poll);
  return true;
}

std::string_view EventMender::innerId(std::string_view object, Poll& poll) {
  std::vector<loose::Pair> inner;
  std::size_t end = 0;
  if (object.empty() || object.front() != '{' ||
      loose::readObject(
          object, end, inner, [](std::string_view) { return true; }, poll) != End::whole)
    return textOf(object, poll);
  for (const auto& [key, value] : inner)
    if (key == "local" || key == "global") return textOf(value, poll);
  return {};
}

void EventMender::setArgs(std::string_view args, ImportLog& log, Poll& poll) {
  if (args.empty() || args == "null" || args == "\"\"") return;
  if (args.front() != '{') {
    ++log.repaired;
    log.note("args_not_an_object", "args that are no object are shown as they stand", false,
             event_.inputOffset, args);
  }
  event_.argsSpan = {offset_ + static_cast<std::uint64_t>(args.data() - origin_),
                     static_cast<std::uint32_t>(args.size())};
  if (args.front() != '{') return;
  std::vector<loose::Pair> inner;
  std::size_t end = 0;
  const bool counter = event_.phase == 'C';
  const auto isWanted = [](std::string_view key) { return argFieldOf(key) != nullptr; };
  const auto any = [](std::string_view) { return true; };
  if (loose::readObject(args, end, inner, counter ? +any : +isWanted, poll) != End::whole) return;
  if (counter) {
    counterValues_.clear();
    for (const auto& [key, value] : inner) {
      if (poll.stop()) return;
      if (const auto number = finiteNumber(value))
        counterValues_.emplace_back(textOf(key, poll), *number);
    }
    event_.counterValues = counterValues_;
    return;
  }
  for (const auto& [key, value] : inner) {
    if (poll.stop()) return;
    const ArgField* field = argFieldOf(key);
    if (field == nullptr) continue;
    if (isNumber(field->kind)) {
      setNumber(event_.args, *field, value);
    } else if (field->kind == ArgField::Kind::text) {
      event_.args.*field->text = textOf(value, poll);
    } else {
      event_.args.*field->text = isFaultless(value) ? value : (buffer() = mendedJson(value, &poll));
    }
  }
}

void EventMender::noteFaults(std::string_view entry, ImportLog& log, Poll& poll) const {
  const loose::Faults faults = loose::faultsOf(entry, poll);
  const auto note = [&](bool is, std::string_view key, std::string_view sentence) {
    if (!is) return;
    ++log.repaired;
    log.note(key, sentence, false, event_.inputOffset, entry);
  };
  note(faults.control, "control_characters", "control characters in texts were kept");
  note(faults.utf8, "bad_utf8", "bytes that are no UTF-8 were replaced by \uFFFD");
  note(faults.escape, "bad_escape", "texts with invalid escapes were kept as they stand");
  note(faults.notANumber, "not_a_number", "NaN and Infinity were taken as no value");
  note(faults.comma, "extra_comma", "commas before a closing bracket were left out");
}

}  // namespace ridgeline
