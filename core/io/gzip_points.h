#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/io/byte_source.h"

namespace ridgeline {

/// Places in a gzip file from which inflating can go on, found while it is inflated: what the
/// inflater held there, compressed. Points ascend. Filled by one thread; once the stream is at its
/// end, or gone, any thread may ask.
class GzipPoints {
 public:
  struct Point {
    std::uint64_t plain = 0;   ///< bytes that were inflated before it
    std::uint64_t packed = 0;  ///< of the file, likewise
    std::string state;         ///< compressed; empty for the start of the file
  };

  /// A shorter distance takes more memory (some 20 KB a point) and makes reading somewhere quicker.
  static constexpr std::uint64_t kDistance = std::uint64_t{2} << 20;
  explicit GzipPoints(std::uint64_t distance = kDistance) : distance_(distance) {}

  [[nodiscard]] bool isDue(std::uint64_t plain) const { return plain >= next_; }
  /// `state`: the inflater's own bytes.
  void add(std::uint64_t plain, std::uint64_t packed, const void* state, std::size_t size);
  /// The last point that is not behind `plain`.
  [[nodiscard]] const Point& before(std::uint64_t plain) const;
  /// What `add` was given; false when memory does not hold it any more.
  [[nodiscard]] static bool unpack(const Point& point, void* state, std::size_t size);
  /// No more points: nobody will ask.
  void close() { next_ = ~std::uint64_t{0}; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::uint64_t distance_;
  std::uint64_t next_ = distance_;
  std::vector<Point> points_ = std::vector<Point>(1);
  std::size_t bytes_ = 0;
};

/// As gzipStream; notes its points in `points`, unless that is null.
[[nodiscard]] std::unique_ptr<ByteStream> gzipStreamWithPoints(std::unique_ptr<ByteStream> packed,
                                                               std::vector<SourceDamage>& damage,
                                                               GzipPoints* points);
/// The rest of a stream from a point on; `packed` begins at Point::packed.
[[nodiscard]] std::unique_ptr<ByteStream> gzipStreamFrom(const GzipPoints::Point& point,
                                                         std::unique_ptr<ByteStream> packed,
                                                         std::vector<SourceDamage>& damage);

}  // namespace ridgeline
