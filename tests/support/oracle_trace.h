#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <QtGlobal>

#include "core/analysis/device_time.h"
#include "core/io/load_trace.h"
#include "tests/support/shared_data.h"

namespace ridgeline::test {

/// The Workload of a real trace below ../shared/traces/kineto, loaded once a program; null where
/// the folder is absent (the test then skips). A trace that is there and does not load ends the
/// test.
inline std::shared_ptr<const Workload> realWorkload(const std::string& file) {
  static std::unordered_map<std::string, std::shared_ptr<const Workload>> known;
  const auto [it, isNew] = known.try_emplace(file);
  if (!isNew) return it->second;
  const std::string path = sharedFile("traces/kineto/" + file);
  if (path.empty()) return nullptr;
  auto loaded = loadTrace(path);
  if (!loaded.ok()) qFatal("%s does not load", path.c_str());
  it->second = makeWorkload(loaded.value().front().trace).value();
  return it->second;
}

inline double microseconds(TimeNs t) {
  return static_cast<double>(t) / 1e3;
}
inline double milliseconds(TimeNs t) {
  return static_cast<double>(t) / 1e6;
}

/// Without blanks and line ends.
inline std::string compact(std::string_view text) {
  std::string out(text);
  out.erase(std::remove_if(out.begin(), out.end(),
                           [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }),
            out.end());
  return out;
}
/// The record of an op, without blanks: "[[16,559],[]]"; empty where there is none.
inline std::string recordedDims(const Trace& trace, SliceId op) {
  const ShapeId id = trace.slices().shape[op.index()];
  if (!id.valid() || !trace.shapes()[id.index()].dims.valid()) return {};
  return compact(trace.text(trace.shapes()[id.index()].dims));
}
inline OpShapes shapesOf(const Trace& trace, SliceId op) {
  const ShapeId id = trace.slices().shape[op.index()];
  if (!id.valid()) return {};
  const ShapeTexts& texts = trace.shapes()[id.index()];
  const auto text = [&](StringId s) { return s.valid() ? trace.text(s) : std::string_view(); };
  return parseOpShapes(text(texts.dims), text(texts.types), text(texts.concrete),
                       text(texts.strides))
      .value_or(OpShapes());
}

/// Whether the slice, or one that holds it, has `part` in its name.
inline bool isWithin(const Trace& trace, SliceId s, std::string_view part) {
  for (; s.valid(); s = trace.slices().parent[s.index()])
    if (trace.name(s).find(part) != std::string_view::npos) return true;
  return false;
}

/// Device work by every op around the one that owns it, the owner among them.
inline std::unordered_map<SliceId, std::vector<SliceId>> deviceWorkBelow(const Workload& w) {
  std::unordered_map<SliceId, std::vector<SliceId>> below;
  const SliceTable& s = w.trace->slices();
  for (const SliceId work : w.deviceWork)
    for (SliceId at = w.opOf[work.index()]; at.valid(); at = s.parent[at.index()])
      if (s.category[at.index()] == Category::cpuOp) below[at].push_back(work);
  return below;
}

/// Union of the time of some events.
inline TimeNs unionTime(const Trace& trace, const std::vector<SliceId>& events) {
  std::vector<TimeSpan> spans;
  spans.reserve(events.size());
  for (const SliceId s : events) spans.push_back(trace.slices().span(s));
  return measure(unionOf(std::move(spans)));
}

/// From the first start to the last end.
inline TimeSpan extentOf(const Trace& trace, const std::vector<SliceId>& events) {
  TimeSpan out;
  bool isFirst = true;
  for (const SliceId s : events) {
    const TimeSpan span = trace.slices().span(s);
    out.begin = isFirst ? span.begin : std::min(out.begin, span.begin);
    out.end = isFirst ? span.end : std::max(out.end, span.end);
    isFirst = false;
  }
  return out;
}

}  // namespace ridgeline::test
