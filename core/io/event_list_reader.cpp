#include "core/io/event_list_reader.h"

#include "core/base/text_bits.h"

namespace ridgeline {

namespace {

/// Whether the builder keeps the args of such an event.
bool keepsArgs(char phase) {
  return std::string_view("XBbSiIRnTpPNODvV").find(phase) != std::string_view::npos;
}

}  // namespace

void EventListReader::take(const Event& event, std::string_view text, std::uint64_t offset,
                           const Task& task) {
  collector_.add(event, task);
  if (packer_ && event.argsSpan.length > 0 && keepsArgs(event.phase))
    packer_->add(event.argsSpan.offset,
                 text.substr(event.argsSpan.offset - offset, event.argsSpan.length));
}

std::optional<EventListReader::Stop> EventListReader::passSeparators(
    std::string_view text, std::size_t& at, Separator& separator, bool last, std::uint64_t offset) {
  ImportLog& log = collector_.batch().log;
  const auto note = [&](std::string_view key, std::string_view sentence) {
    ++log.repaired;
    log.note(key, sentence, false, offset + at);
  };
  while (true) {
    while (at < text.size() && loose::isSpace(text[at])) ++at;
    if (at >= text.size()) return Stop::needMore;
    const char c = text[at];
    if (c == ',') {
      if (separator != Separator::afterEvent)
        note("extra_comma", "commas with no event behind them were left out");
      separator = Separator::afterComma;
      ++at;
    } else if (c == ']') {
      if (separator == Separator::afterComma)
        note("trailing_comma", "a comma after the last event was left out");
      ++at;
      return Stop::listEnd;
    } else if (c == '}') {
      const std::size_t next = loose::skipSpace(text, at + 1);
      if (next >= text.size() && !last) return Stop::needMore;
      if (next < text.size() && text[next] == ',') {
        note("extra_bracket", "brackets with nothing to close were left out");
        ++at;
        continue;
      }
      note("missing_bracket", "the list of events is not closed by ]");
      return Stop::listEnd;
    } else {
      if (separator == Separator::afterEvent)
        note("missing_comma", "missing commas between events were added");
      separator = Separator::afterComma;
      return std::nullopt;
    }
  }
}

/// Whether what stood between the last two events, and was good, stands at text[at] again.
bool EventListReader::sameGap(std::string_view text, std::size_t at) const {
  return gapLength_ > 0 && text.size() - at > gapLength_ && text[at + gapLength_] == '{' &&
         ((eightBytes(text.data() + at) ^ gap_) & gapMask_) == 0;
}

void EventListReader::keepGap(std::string_view text, std::size_t begin, std::size_t end) {
  gapLength_ = 0;
  if (end - begin > sizeof gap_ || text[begin] != ',' || text[end] != '{') return;
  for (std::size_t i = begin + 1; i < end; ++i)
    if (!loose::isSpace(text[i])) return;
  gapLength_ = end - begin;
  gap_ = eightBytes(text.data() + begin);
  gapMask_ = ~std::uint64_t{0} >> (8 * (sizeof gap_ - gapLength_));
}

EventListReader::Stop EventListReader::read(std::string_view text, std::size_t& at,
                                            Separator& separator, bool last, std::uint64_t offset,
                                            const Task& task) {
  ImportLog& log = collector_.batch().log;
  scanner_.open(text.data(), text.size(), offset);
  Poll poll(task);
  for (std::size_t count = 1;; ++count) {
    if ((count & 0x3FF) == 0 && task.cancelled()) return Stop::cancelled;
    if (separator == Separator::lost) {
      if (mender_.gaveUp()) at = text.size();
      if (!findEventAfterLoss(text, at, last, poll)) return Stop::needMore;
      separator = Separator::afterComma;
    }
    if (separator == Separator::afterEvent && sameGap(text, at)) {
      at += gapLength_;
      separator = Separator::afterComma;
    } else {
      const std::size_t before = at;
      if (const auto stop = passSeparators(text, at, separator, last, offset)) return *stop;
      keepGap(text, before, at);
    }
    EventScanner::Step step = EventScanner::Step::refused;
    if (fastPath_ && text[at] == '{') step = scanner_.next(at, log, task);
    if (step == EventScanner::Step::event) {
      take(scanner_.event(), text, offset, task);
      separator = Separator::afterEvent;
      continue;
    }
    if (step == EventScanner::Step::needMore && !last) return Stop::needMore;
    if (task.cancelled()) return Stop::cancelled;
    const EventMender::Step mended = mender_.next(text, at, last, offset, log, task);
    if (task.cancelled()) return Stop::cancelled;
    if (mended == EventMender::Step::needMore) return Stop::needMore;
    if (mended == EventMender::Step::event) take(mender_.event(), text, offset, task);
    separator = mender_.lost()        ? Separator::lost
                : mender_.separated() ? Separator::afterComma
                                      : Separator::afterEvent;
  }
}

}  // namespace ridgeline
