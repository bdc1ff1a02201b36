#include "core/trace/trace.h"

#include <algorithm>

namespace ridgeline {

std::string_view TraceInfo::metadataText(std::string_view key) const {
  for (const auto& [name, text] : metadata)
    if (name == key) return text;
  return {};
}

SliceId Trace::innermostAt(TrackId track, TimeNs t) const {
  SliceId found;
  for (const Row& row : rowsOf(track)) {
    if (row.spill) break;
    const auto first = t_.slices.start.begin() + row.first;
    const auto last = t_.slices.start.begin() + row.last;
    auto it = std::upper_bound(first, last, t);
    if (it == first) break;
    const auto index = static_cast<std::size_t>(it - t_.slices.start.begin()) - 1;
    const bool instant = t_.slices.start[index] == t && t_.slices.end[index] == t;
    if (t_.slices.end[index] <= t && !instant) break;
    found = SliceId(index);
  }
  return found;
}

Result<std::string> Trace::readArgs(SliceId s) const {
  return readArgs(t_.slices.args(s));
}

Result<std::string> Trace::readArgs(ArgsSpan span) const {
  if (span.length == 0 || !t_.args) return std::string();
  return t_.args->read(span);
}

namespace {

template <class V>
std::size_t bytesOf(const V& v) {
  return v.capacity() * sizeof(typename V::value_type);
}

template <class Id, class T>
std::size_t bytesOfSparse(const SparseColumn<Id, T>& column) {
  return column.size() * sizeof(typename SparseColumn<Id, T>::Entry);
}

}  // namespace

std::size_t Trace::memoryBytes() const {
  const SliceTable& s = t_.slices;
  std::size_t bytes = bytesOf(s.start) + bytesOf(s.end) + bytesOf(s.name) + bytesOf(s.category) +
                      bytesOf(s.flags) + bytesOf(s.categoryText) + bytesOf(s.row) +
                      bytesOf(s.parent) + bytesOf(s.shape) + bytesOf(s.argsOffset) +
                      bytesOf(s.argsLength);
  for (const auto* column :
       {&s.correlation, &s.externalId, &s.bytes, &s.sequence, &s.forwardThread, &s.streamArg,
        &s.graphId, &s.graphNode, &s.waitOnStream, &s.waitOnRecordCorrelation})
    bytes += bytesOfSparse(*column);
  bytes += bytesOfSparse(s.collective) + bytesOfSparse(s.xla) + bytesOfSparse(s.fill);
  bytes += bytesOf(t_.instants.time) + bytesOf(t_.instants.name) + bytesOf(t_.instants.track) +
           bytesOf(t_.instants.args);
  for (const CounterSeries& series : t_.counters)
    bytes += bytesOf(series.time) + bytesOf(series.value);
  bytes += bytesOf(t_.memory) + bytesOf(t_.launchOf) + t_.links.size() * (sizeof(Link) + 4) +
           t_.strings.bytes();
  return bytes + (t_.args ? t_.args->bytes() : 0);
}

}  // namespace ridgeline
