#include "core/io/loose_json.h"

#include <algorithm>
#include <array>
#include <set>

#include <simdjson.h>

#include "core/io/json_cursor.h"

namespace ridgeline::loose {

namespace {

/// The next quote at or after `at`; npos if there is none.
std::size_t nextQuote(std::string_view text, std::size_t at, Poll& poll) {
  constexpr std::size_t kBetweenLooks = std::size_t{4} << 20;
  for (; at < text.size(); at += kBetweenLooks) {
    const std::size_t quote =
        text.substr(0, at + std::min(kBetweenLooks, text.size() - at)).find('"', at);
    if (quote != text.npos) return quote;
    if (poll.stopNow()) break;
  }
  return text.npos;
}

/// The closing quote of the string that opens at text[at]; npos if it does not close.
std::size_t closingQuote(std::string_view text, std::size_t at, Poll& poll) {
  std::size_t quote = nextQuote(text, at + 1, poll);
  for (; quote != text.npos; quote = nextQuote(text, quote + 1, poll)) {
    if (poll.stop()) return text.npos;
    std::size_t slashes = 0;
    while (quote - slashes - 1 > at && text[quote - slashes - 1] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
  }
  return quote;
}

bool isOneOf(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

/// What ends a number or a word.
constexpr auto kEndsScalar = [] {
  std::array<bool, 256> ends{};
  for (const char c : std::string_view(" \n\r\t,:\"{}[]"))
    ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

End skipScalar(std::string_view text, std::size_t at, std::size_t& end, Poll& poll) {
  end = at;
  while (end < text.size() && !kEndsScalar[static_cast<unsigned char>(text[end])]) {
    if (poll.stop()) return End::ranOut;
    ++end;
  }
  if (end == text.size()) return End::ranOut;
  return end == at ? End::broken : End::whole;
}

/// More brackets within brackets are no trace's, and would have to be remembered.
constexpr std::size_t kMostDepth = 1u << 20;

/// Steps over the container at text[at], or, where that is broken, up to what shows it;
/// `closing(quote)` says where its strings end.
template <class Closing>
End skipContainer(std::string_view text, std::size_t at, std::size_t& end, Closing&& closing,
                  Poll& poll) {
  std::vector<char> open;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (poll.stop()) return End::ranOut;
    const char c = text[i];
    if (c == '"') {
      i = closing(i);
      if (i == text.npos) return End::ranOut;
      const std::size_t after = skipSpace(text, i + 1, poll);
      if (after == text.size()) return End::ranOut;
      end = i;
      if (!isOneOf(text[after], ",:]}")) return End::broken;
    } else if (c == '{' || c == '[') {
      end = i;
      if (open.size() == kMostDepth) return End::tooDeep;
      open.push_back(c);
    } else if (c == '}' || c == ']') {
      end = i;
      if (open.back() != (c == '}' ? '{' : '[')) return End::broken;
      open.pop_back();
      if (open.empty()) {
        end = i + 1;
        return End::whole;
      }
    }
  }
  return End::ranOut;
}

End skipAt(std::string_view text, std::size_t at, std::size_t& end, Poll& poll) {
  if (at >= text.size()) return End::ranOut;
  if (text[at] == '"') {
    const std::size_t close = closingQuote(text, at, poll);
    end = close + 1;
    return close == text.npos ? End::ranOut : End::whole;
  }
  if (text[at] == '{' || text[at] == '[')
    return skipContainer(
        text, at, end, [text, &poll](std::size_t quote) { return closingQuote(text, quote, poll); },
        poll);
  return skipScalar(text, at, end, poll);
}

/// The quote that seems to close a text value: behind it comes the next key or the object's end.
std::size_t likelyQuote(std::string_view text, std::size_t at, Poll& poll) {
  for (std::size_t quote = closingQuote(text, at, poll); quote != text.npos;
       quote = closingQuote(text, quote, poll)) {
    std::size_t after = skipSpace(text, quote + 1, poll);
    if (after >= text.size() || text[after] == '}') return quote;
    if (text[after] != ',') continue;
    after = skipSpace(text, after + 1, poll);
    if (after >= text.size() || text[after] == '"' || text[after] == '}') return quote;
  }
  return text.npos;
}

}  // namespace

End skipValue(std::string_view text, std::size_t& end, Poll& poll) {
  return skipAt(text, 0, end, poll);
}

End readObject(std::string_view text, std::size_t& end, std::vector<Pair>& pairs,
               bool (*wanted)(std::string_view key), Poll& poll) {
  std::size_t at = 1;
  while (true) {
    if (poll.stop()) return End::ranOut;
    at = skipSpace(text, at, poll);
    if (at >= text.size()) return End::ranOut;
    if (text[at] == '}') {
      end = at + 1;
      return End::whole;
    }
    if (text[at] != '"') return End::broken;
    const std::size_t close = closingQuote(text, at, poll);
    if (close == text.npos) return End::ranOut;
    const std::string_view key = text.substr(at + 1, close - at - 1);
    at = skipSpace(text, close + 1, poll);
    if (at >= text.size()) return End::ranOut;
    if (text[at] != ':') return End::broken;
    at = skipSpace(text, at + 1, poll);
    std::size_t valueEnd = at;
    if (const End value = skipAt(text, at, valueEnd, poll); value != End::whole) return value;
    if (wanted(key)) pairs.push_back({key, text.substr(at, valueEnd - at)});
    at = skipSpace(text, valueEnd, poll);
    if (at >= text.size()) return End::ranOut;
    if (text[at] == ',') {
      ++at;
    } else if (text[at] != '}') {
      return End::broken;
    }
  }
}

bool readBrokenObject(std::string_view region, std::size_t& end, std::vector<Pair>& pairs,
                      bool (*wanted)(std::string_view key), Poll& poll) {
  std::size_t at = 1;
  bool lost = false;  // inside something that could not be read: a bracket may belong to it
  // Values that cannot be read are looked through in vain, each from its own begin on.
  std::size_t vain = 4 * region.size() + (64u << 10);
  const auto lookedInVain = [&vain](std::size_t count) { vain -= std::min(vain, count); };
  std::set<std::string_view> known;
  for (const Pair& pair : pairs) known.insert(pair.key);
  while (true) {
    if (poll.stop()) return false;
    while (at < region.size() && (isSpace(region[at]) || region[at] == ',')) ++at;
    if (at >= region.size()) return false;
    if (region[at] == '}' && !lost) {
      end = at + 1;
      return true;
    }
    const std::size_t close = region[at] == '"' ? closingQuote(region, at, poll) : region.npos;
    const std::size_t colon = close == region.npos ? close : skipSpace(region, close + 1, poll);
    if (colon >= region.size() || region[colon] != ':') {
      lost = true;
      at = std::min(region.find('"', at + 1), region.size());
      continue;
    }
    const std::string_view key = region.substr(at + 1, close - at - 1);
    at = skipSpace(region, colon + 1, poll);
    if (at >= region.size()) return false;
    std::size_t valueEnd = region.npos;
    if (vain == 0) return false;
    if (region[at] == '"') {
      const std::size_t quote = likelyQuote(region, at, poll);
      if (quote != region.npos)
        valueEnd = quote + 1;
      else
        lookedInVain(region.size() - at);
    } else if (region[at] == '{' || region[at] == '[') {
      const auto closing = [region, &poll](std::size_t open) {
        std::size_t quote = closingQuote(region, open, poll);
        while (quote != region.npos) {
          const std::size_t after = skipSpace(region, quote + 1, poll);
          if (after >= region.size() || isOneOf(region[after], ",:]}")) break;
          quote = closingQuote(region, quote, poll);
        }
        return quote;
      };
      const End found = skipContainer(region, at, valueEnd, closing, poll);
      if (found != End::whole) {
        lookedInVain(found == End::ranOut ? region.size() - at : valueEnd - at);
        valueEnd = region.npos;
      }
    } else if (skipScalar(region, at, valueEnd, poll) != End::whole) {
      valueEnd = region.npos;
    }
    if (valueEnd == region.npos) {
      lost = true;
      at = std::min(region.find('"', at + 1), region.size());
      continue;
    }
    if (wanted(key) && known.insert(key).second)
      pairs.push_back({key, region.substr(at, valueEnd - at)});
    at = valueEnd;
  }
}

Faults faultsOf(std::string_view text, Poll& poll) {
  Faults faults;
  faults.utf8 = !simdjson::validate_utf8(text.data(), text.size());
  std::string buffer;
  char before = '\0';  // the last character that is no space, outside strings
  for (std::size_t i = 0; i < text.size() && !poll.stop(); ++i) {
    const char c = text[i];
    if (isSpace(c)) continue;
    if (c == '"') {
      const std::size_t close = std::min(closingQuote(text, i, poll), text.size());
      const std::string_view content = text.substr(i + 1, close - i - 1);
      faults.control = faults.control || std::any_of(content.begin(), content.end(), [](char ch) {
                         return static_cast<unsigned char>(ch) < 0x20;
                       });
      bool mended = false;
      static_cast<void>(unescaped(content, buffer, &mended, &poll));
      faults.escape = faults.escape || mended;
      i = close;
    }
    if (c == 'N' || c == 'I') faults.notANumber = true;
    if ((c == '}' || c == ']') && before == ',') faults.comma = true;
    before = c;
  }
  return faults;
}

}  // namespace ridgeline::loose
