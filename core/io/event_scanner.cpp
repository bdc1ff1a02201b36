#include "core/io/event_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "core/base/decimal.h"
#include "core/io/event_fields.h"
#include "core/io/event_text.h"
#include "core/io/json_cursor.h"

namespace ridgeline {

namespace {

constexpr std::size_t kFirstWindow = 2u << 10;
constexpr std::size_t kFullWindow = 16u << 10;

enum class Got { ok, more, bad, end };

bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::size_t skipSpace(const char* t, std::size_t at) {
  while (isSpace(t[at])) ++at;
  return at;
}

constexpr auto kInNumber = [] {
  std::array<bool, 256> in{};
  for (const char c : std::string_view("0123456789.eE+-")) in[static_cast<unsigned char>(c)] = true;
  return in;
}();

/// The end of a run of characters that numbers are made of. Sixteen bytes from `at` are readable.
std::size_t numberEnd(const char* t, std::size_t at) {
#if defined(__x86_64__)
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(t + at));
  const auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
  // '+' to '9' but for ',' and '/', and 'e' or 'E'.
  const __m128i from = _mm_sub_epi8(v, _mm_set1_epi8('+'));
  const __m128i range = _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8('9' - '+')), from);
  const __m128i exponent = _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('e'));
  const __m128i in =
      _mm_or_si128(_mm_andnot_si128(_mm_or_si128(is(','), is('/')), range), exponent);
  const auto others = ~static_cast<std::uint32_t>(_mm_movemask_epi8(in)) & 0xFFFFu;
  if (others != 0) return at + static_cast<std::size_t>(__builtin_ctz(others));
  at += 16;
#endif
  while (kInNumber[static_cast<unsigned char>(t[at])]) ++at;
  return at;
}

/// The end of a number, true, false or null; the beginning itself where none of them stands.
std::size_t scalarEnd(const char* t, std::size_t at) {
  if (t[at] == '-' || (t[at] >= '0' && t[at] <= '9')) return numberEnd(t, at);
  if (std::memcmp(t + at, "true", 4) == 0 || std::memcmp(t + at, "null", 4) == 0) return at + 4;
  if (std::memcmp(t + at, "false", 5) == 0) return at + 5;
  return at;
}

}  // namespace

/// The scanned window, and a pair of an object as it was found.
struct EventScanner::Cursor {
  const char* t;
  const std::uint32_t* at;
  std::size_t count;
  std::string_view key;
  std::size_t begin = 0;  ///< of the value
  std::size_t end = 0;
  Poll* poll = nullptr;  ///< where the window is so long that it has to be asked on the way

  [[nodiscard]] bool stop() const { return poll != nullptr && poll->stop(); }
  [[nodiscard]] std::string_view raw() const { return {t + begin, end - begin}; }

  /// Reads `"key": value`; of a container only its place, `k` then stays on its bracket.
  Got pair(std::size_t& k) {
    if (k + 2 >= count) return Got::more;
    const std::size_t open = at[k];
    if (t[open] != '"') return Got::bad;
    const std::size_t close = at[k + 1];
    key = {t + open + 1, close - open - 1};
    k += 2;
    begin = close + 1;
    if (t[begin] != ':') {
      begin = skipSpace(t, begin);
      if (t[begin] != ':') return Got::bad;
    }
    begin = skipSpace(t, begin + 1);
    const char first = t[begin];
    if (first == '"') {
      if (begin != at[k]) return Got::bad;
      if (k + 1 >= count) return Got::more;
      end = at[k + 1] + 1u;
      k += 2;
      return Got::ok;
    }
    if (first == '{' || first == '[') return begin == at[k] ? Got::ok : Got::bad;
    end = scalarEnd(t, begin);
    return end == begin ? Got::bad : Got::ok;
  }

  /// After a value: a comma and the next key (ok), or the object's end.
  Got separator(std::size_t& k) const {
    if (k >= count) return Got::more;
    std::size_t e = skipSpace(t, end);
    if (t[e] == ',') {
      e = skipSpace(t, e + 1);
      return e == at[k] && t[e] == '"' ? Got::ok : Got::bad;
    }
    return t[e] == '}' && e == at[k] ? Got::end : Got::bad;
  }

  /// Whether the last character before a bracket that is no space is a comma: one too many.
  [[nodiscard]] bool followsComma(std::size_t bracket) const {
    do --bracket;
    while (t[bracket] == ' ' || t[bracket] == '\n' || t[bracket] == '\r' || t[bracket] == '\t');
    return t[bracket] == ',';
  }

  /// Steps over the container whose bracket stands at `k`; brackets must match.
  Got nested(std::size_t& k) {
    std::uint64_t kinds = 0;
    int depth = 0;
    for (; k < count; ++k) {
      if (stop()) return Got::more;
      const char c = t[at[k]];
      if (c == '"') {
        if (++k + 1 >= count) return Got::more;
        // Quotes within a text show by what follows them; the slow path looks closer.
        const char behind = t[skipSpace(t, at[k] + 1u)];
        if (behind != ',' && behind != ':' && behind != ']' && behind != '}') return Got::bad;
      } else if (c == '{' || c == '[') {
        if (++depth > 63) return Got::bad;
        kinds = (kinds << 1) | (c == '{' ? 1u : 0u);
      } else {
        if ((kinds & 1) != (c == '}' ? 1u : 0u) || followsComma(at[k])) return Got::bad;
        kinds >>= 1;
        if (--depth == 0) {
          end = at[k++] + 1u;
          return Got::ok;
        }
      }
    }
    return Got::more;
  }

  /// Steps into the object whose '{' stands at `k`: its first key comes next, or its end.
  Got enter(std::size_t& k) {
    const std::size_t open = at[k++];
    if (k >= count) return Got::more;
    const std::size_t e = skipSpace(t, open + 1);
    if (e != at[k]) return Got::bad;
    if (t[e] == '}') return Got::end;
    return t[e] == '"' ? Got::ok : Got::bad;
  }
};

void EventScanner::open(const char* text, std::size_t size, std::uint64_t offset) {
  text_ = text;
  size_ = size;
  offset_ = offset;
  window_ = windowSize_ = 0;
  nextWindow_ = kFullWindow;
}

void EventScanner::scanWindow(std::size_t at, std::size_t least) {
  window_ = at;
  windowSize_ = std::min(size_ - at, std::max(nextWindow_, least));
  nextWindow_ = std::min(kFullWindow, nextWindow_ * 4);
  scanStructure(text_ + at, windowSize_, structure_);
  k_ = 0;
}

EventScanner::Step EventScanner::next(std::size_t& at, ImportLog& log, const Task& task) {
  if (windowSize_ == 0 || at >= window_ + windowSize_) scanWindow(at, 0);
  while (true) {
    while (k_ < structure_.count && window_ + structure_.at[k_] < at) ++k_;
    std::size_t end = at;
    const std::size_t before = k_;
    const Step step = readEvent(end, log, task);
    if (step == Step::event) {
      at = end;
      return step;
    }
    if (step == Step::refused) {
      // The slow path may go on in the middle of what looked like a string here.
      windowSize_ = 0;
      nextWindow_ = kFirstWindow;
      return step;
    }
    k_ = before;
    if (window_ + windowSize_ - at > kMostEventBytes) {
      windowSize_ = 0;
      return Step::refused;
    }
    if (window_ + windowSize_ == size_ || task.cancelled()) return Step::needMore;
    scanWindow(at, at == window_ ? windowSize_ * 2 : 0);
  }
}

bool EventScanner::blocksHold(std::size_t begin, std::size_t end, std::uint8_t special) const {
  if ((structure_.anySpecial & special) == 0) return false;
  std::uint8_t all = 0;
  for (std::size_t b = begin >> 6; b <= (end - 1) >> 6; ++b)
    all = static_cast<std::uint8_t>(all | structure_.special[b]);
  return (all & special) != 0;
}

std::string_view EventScanner::textOf(std::size_t begin, std::size_t end, bool& good) {
  std::string_view raw(text_ + window_ + begin, end - begin);
  if (raw == "null") return {};
  raw = unquoted(raw);
  if (raw.empty() || !blocksHold(begin, end, Structure::kBackslash)) return raw;
  if (used_ == buffers_.size()) {
    good = false;
    return {};
  }
  bool mended = false;
  const std::string_view result = unescaped(raw, buffers_[used_++], &mended);
  if (mended) good = false;
  return result;
}

EventScanner::Step EventScanner::readArgs(Cursor& c) {
  const std::size_t begin = c.begin;
  Got got = c.enter(k_);
  std::uint64_t seen = 0;
  std::size_t end = got == Got::end ? structure_.at[k_] + 1u : 0;
  while (got == Got::ok) {
    if (c.stop()) return Step::needMore;
    if ((got = c.pair(k_)) != Got::ok) break;
    const char first = c.t[c.begin];
    const std::string_view key = c.key;
    if ((first == '{' || first == '[') && (got = c.nested(k_)) != Got::ok) break;
    if (const ArgField* field = argFieldOf(key)) {
      const std::uint64_t bit = std::uint64_t{1} << argFieldIndex(field);
      bool good = (seen & bit) == 0;
      seen |= bit;
      argsSet_ |= bit;
      if (isNumber(field->kind)) {
        setNumber(event_.args, *field, c.raw());
      } else if (field->kind == ArgField::Kind::rawJson) {
        event_.args.*field->text = c.raw();
      } else {
        event_.args.*field->text = textOf(c.begin, c.end, good);
      }
      if (!good) return Step::refused;
    }
    got = c.separator(k_);
    if (got == Got::end) end = structure_.at[k_] + 1u;
  }
  if (got == Got::more) return Step::needMore;
  if (got == Got::bad) return Step::refused;
  ++k_;
  c.begin = begin;
  c.end = end;
  return Step::event;
}

/// As `event_ = Event()` without touching its many args that were not set.
void EventScanner::clearEvent() {
  for (; argsSet_ != 0; argsSet_ &= argsSet_ - 1) {
    const ArgField& field = argFieldAt(static_cast<std::size_t>(std::countr_zero(argsSet_)));
    if (field.kind == ArgField::Kind::number)
      event_.args.*field.number = EventArgs::kAbsent;
    else if (field.kind == ArgField::Kind::real)
      event_.args.*field.real = EventArgs::kUnknown;
    else
      event_.args.*field.text = {};
  }
  event_.phase = '\0';
  event_.name = event_.category = event_.pid = event_.tid = event_.id = event_.bindId = {};
  event_.ts = event_.dur = 0;
  event_.bindEnclosing = event_.async = event_.flowIn = event_.flowOut = false;
  event_.counterValues = {};
  event_.argsSpan = {};
  used_ = 0;
}

EventScanner::Step EventScanner::readEvent(std::size_t& at, ImportLog& log, const Task& task) {
  if (k_ >= structure_.count) return Step::needMore;
  if (window_ + structure_.at[k_] != at || text_[at] != '{') return Step::refused;
  Poll poll(task);
  Cursor c{text_ + window_, structure_.at.data(), structure_.count, {}};
  if (windowSize_ > kFullWindow) c.poll = &poll;
  clearEvent();
  event_.inputOffset = offset_ + at;
  std::string_view ts, dur, args;
  std::uint32_t seen = 0;
  Got got = c.enter(k_);
  while (got == Got::ok) {
    if (c.stop()) return Step::needMore;
    if ((got = c.pair(k_)) != Got::ok) break;
    const char first = c.t[c.begin];
    const EventKey key = eventKeyOf(c.key);
    const std::uint32_t bit = 1u << static_cast<unsigned>(key);
    if (key != EventKey::none && ((seen & bit) != 0 || key == EventKey::id2)) return Step::refused;
    seen |= bit;
    if (key == EventKey::args) {
      if (first != '{') return Step::refused;
      if (const Step step = readArgs(c); step != Step::event) return step;
      args = c.raw();
      event_.argsSpan = {offset_ + window_ + c.begin, static_cast<std::uint32_t>(args.size())};
    } else if ((first == '{' || first == '[') && (got = c.nested(k_)) != Got::ok) {
      break;
    } else {
      bool good = true;
      switch (key) {
        case EventKey::ph: {
          const std::string_view phase = unquoted(c.raw());
          event_.phase = phase.empty() ? '\0' : phase.front();
          break;
        }
        case EventKey::name:
          event_.name = textOf(c.begin, c.end, good);
          break;
        case EventKey::cat:
          event_.category = textOf(c.begin, c.end, good);
          break;
        case EventKey::pid:
          event_.pid = textOf(c.begin, c.end, good);
          break;
        case EventKey::tid:
          event_.tid = textOf(c.begin, c.end, good);
          break;
        case EventKey::id:
          event_.id = textOf(c.begin, c.end, good);
          break;
        case EventKey::ts:
          ts = c.raw();
          break;
        case EventKey::dur:
          dur = c.raw();
          break;
        case EventKey::bp:
          event_.bindEnclosing = unquoted(c.raw()) == "e";
          break;
        case EventKey::bindId:
          event_.bindId = textOf(c.begin, c.end, good);
          break;
        case EventKey::flowIn:
          event_.flowIn = unquoted(c.raw()) == "true";
          break;
        case EventKey::flowOut:
          event_.flowOut = unquoted(c.raw()) == "true";
          break;
        default:
          break;
      }
      if (!good) return Step::refused;
    }
    got = c.separator(k_);
  }
  if (got == Got::more) return Step::needMore;
  if (got != Got::end) return Step::refused;
  const std::size_t end = structure_.at[k_++] + 1u;
  constexpr std::uint8_t kAny = Structure::kBackslash | Structure::kNonAscii | Structure::kOdd;
  const std::size_t begin = at - window_;
  if (blocksHold(begin, end, kAny) && !isFaultless({text_ + at, end - begin})) return Step::refused;
  if (end - begin > kMostEventBytes) return Step::refused;
  if (event_.phase == 'C') {
    event_.args = EventArgs();
    counterValues_.clear();
    if (!readCounterValues(args, counterValues_, poll)) return Step::refused;
    event_.counterValues = counterValues_;
  }
  if (!finishPlainEvent(event_, ts, dur, log)) return Step::refused;
  at = window_ + end;
  return Step::event;
}

}  // namespace ridgeline
