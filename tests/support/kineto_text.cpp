#include "tests/support/kineto_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace ridgeline::test {

namespace {

constexpr std::string_view kBegin = "\"traceEvents\": [\n";
constexpr std::string_view kEnd = "\n  }\n  ],\n";
constexpr std::string_view kBetween = "\n  },\n";

/// "123.456" µs, as written, to ns.
TimeNs nsOf(const std::string& text) {
  const std::size_t dot = text.find('.');
  std::string decimals = dot == std::string::npos ? "" : text.substr(dot + 1);
  decimals.resize(3, '0');
  return std::stoll(text.substr(0, dot)) * 1000 + std::stoll(decimals);
}

std::string textOf(TimeNs ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

void retimeKey(std::string& event, std::string_view key,
               const std::function<TimeNs(TimeNs)>& change) {
  const std::size_t at = event.find(key);
  if (at == std::string::npos) return;
  const std::size_t begin = at + key.size();
  std::size_t end = begin;
  while (end < event.size() &&
         (std::isdigit(static_cast<unsigned char>(event[end])) != 0 || event[end] == '.'))
    ++end;
  event.replace(begin, end - begin, textOf(change(nsOf(event.substr(begin, end - begin)))));
}

}  // namespace

KinetoText KinetoText::cut(const std::string& text) {
  KinetoText cut;
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.rfind(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return cut;
  cut.head = text.substr(0, begin + kBegin.size());
  cut.tail = text.substr(end);
  std::size_t at = cut.head.size();
  while (at < end) {
    const std::size_t next = std::min(text.find(kBetween, at), end);
    cut.events.push_back(text.substr(at, next - at));
    at = next + kBetween.size();
  }
  return cut;
}

std::string KinetoText::whole() const {
  std::string text = head;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i > 0) text += kBetween;
    text += events[i];
  }
  return text + tail;
}

void KinetoText::retime(const std::function<TimeNs(TimeNs)>& time,
                        const std::function<TimeNs(TimeNs)>& length) {
  for (std::string& event : events) {
    retimeKey(event, "\"ts\": ", time);
    retimeKey(event, "\"dur\": ", length);
  }
}

}  // namespace ridgeline::test
