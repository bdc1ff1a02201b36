#include "app/cli/report_window.h"

#include <array>
#include <utility>
#include <vector>

#include "core/base/decimal.h"
#include "core/base/duration_text.h"

namespace ridgeline::cli {
namespace {

/// "A..B" as two texts.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos || dots == 0 || dots + 2 >= text.size()) return std::nullopt;
  return std::pair{text.substr(0, dots), text.substr(dots + 2)};
}

std::string stepNames(const Steps& steps) {
  std::string text;
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    if (i == 8 && steps.steps.size() > 10) {
      text += ", … " + std::to_string(steps.steps.back().number);
      break;
    }
    text.append(i ? ", " : "").append(std::to_string(steps.steps[i].number));
  }
  return text;
}

}  // namespace

std::optional<TimeNs> parseTime(std::string_view text) {
  struct Unit {
    std::string_view name;
    const char* exponent;  // of a µs
  };
  // Longer names first: "ms" also ends in "s".
  static constexpr std::array<Unit, 5> kUnits{
      {{"ns", "e-3"}, {"us", "e0"}, {"µs", "e0"}, {"ms", "e3"}, {"s", "e6"}}};
  const char* exponent = "e-3";
  for (const Unit& unit : kUnits)
    if (text.ends_with(unit.name)) {
      exponent = unit.exponent;
      text.remove_suffix(unit.name.size());
      break;
    }
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  const auto time = parseMicroseconds(std::string(text) + exponent);
  return time ? std::optional<TimeNs>(time->ns) : std::nullopt;
}

std::optional<WindowRequest> parseSteps(std::string_view text) {
  WindowRequest request;
  request.kind = WindowRequest::Kind::steps;
  const auto parts = split(text);
  const auto first = parseInteger(parts ? parts->first : text);
  const auto last = parseInteger(parts ? parts->second : text);
  if (!first || !last || *last < *first) return std::nullopt;
  request.firstStep = *first;
  request.lastStep = *last;
  return request;
}

std::optional<WindowRequest> parseWindow(std::string_view text) {
  WindowRequest request;
  request.kind = WindowRequest::Kind::span;
  const auto parts = split(text);
  if (!parts) return std::nullopt;
  const auto begin = parseTime(parts->first);
  const auto end = parseTime(parts->second);
  if (!begin || !end || *end <= *begin) return std::nullopt;
  request.span = {*begin, *end};
  return request;
}

std::string problemOfSteps(std::string_view text) {
  const auto parts = split(text);
  const auto first = parts ? parseInteger(parts->first) : std::nullopt;
  const auto last = parts ? parseInteger(parts->second) : std::nullopt;
  if (first && last && *last < *first)
    return "--steps " + std::string(text) + ": the last step is before the first; swap them";
  return "--steps must be like 5..7, or one number, not '" + std::string(text) + "'";
}

std::string problemOfWindow(std::string_view text) {
  const auto parts = split(text);
  const auto begin = parts ? parseTime(parts->first) : std::nullopt;
  const auto end = parts ? parseTime(parts->second) : std::nullopt;
  if (begin && end && *end < *begin)
    return "--window " + std::string(text) + ": its end is before its start; swap them";
  if (begin && end && *end == *begin)
    return "--window " + std::string(text) + ": it is empty, its end is its start";
  return "--window must be like 12.1ms..14ms, not '" + std::string(text) + "'";
}

Result<AnalysisWindow> windowOf(const Workload& workload, const WindowRequest& request) {
  const std::string& path = workload.trace->info().path;
  switch (request.kind) {
    case WindowRequest::Kind::steady:
      return steadyWindow(workload);
    case WindowRequest::Kind::all:
      return wholeDeviceWindow(workload);
    case WindowRequest::Kind::span: {
      const TimeSpan recorded = workload.trace->span();
      if (!request.span.intersects(recorded))
        return Error{"the window lies outside of the recording, which is " +
                         durationText(recorded.length()) + " long",
                     path, "Give --window relative to the start of the recording"};
      // What was not recorded was not idle.
      return spanWindow(request.span.clippedTo(recorded));
    }
    case WindowRequest::Kind::steps:
      break;
  }
  std::vector<std::size_t> chosen;
  const std::vector<Step>& steps = workload.steps.steps;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].number >= request.firstStep && steps[i].number <= request.lastStep)
      chosen.push_back(i);
  if (chosen.empty())
    return Error{"there is no such step; the steps are " + stepNames(workload.steps), path,
                 "Give --steps with these numbers"};
  return stepsWindow(workload, chosen);
}

}  // namespace ridgeline::cli
