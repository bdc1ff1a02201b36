#include "core/io/gzip_points.h"

#include <algorithm>

#include <zstd.h>

namespace ridgeline {

namespace {
/// Of zstd's fast levels: it is window text and code tables, and there are many of them.
constexpr int kLevel = -3;
}  // namespace

void GzipPoints::add(std::uint64_t plain, std::uint64_t packed, const void* state,
                     std::size_t size) {
  next_ = plain + distance_;
  std::string small(ZSTD_compressBound(size), '\0');
  const std::size_t got = ZSTD_compress(small.data(), small.size(), state, size, kLevel);
  if (ZSTD_isError(got) != 0) return;
  small.resize(got);
  small.shrink_to_fit();
  bytes_ += sizeof(Point) + small.capacity();
  points_.push_back({plain, packed, std::move(small)});
}

const GzipPoints::Point& GzipPoints::before(std::uint64_t plain) const {
  const auto after =
      std::upper_bound(points_.begin() + 1, points_.end(), plain,
                       [](std::uint64_t at, const Point& point) { return at < point.plain; });
  return *std::prev(after);
}

bool GzipPoints::unpack(const Point& point, void* state, std::size_t size) {
  return ZSTD_decompress(state, size, point.state.data(), point.state.size()) == size;
}

}  // namespace ridgeline
