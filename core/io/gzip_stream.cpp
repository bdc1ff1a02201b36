#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <isa-l/igzip_lib.h>

#include "core/io/byte_streams.h"
#include "core/io/gzip_points.h"

namespace ridgeline {

namespace {

constexpr std::size_t kInputBytes = 256u << 10;

class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::vector<SourceDamage>& damage,
             GzipPoints* points)
      : packed_(std::move(packed)), damage_(damage), points_(points), input_(kInputBytes) {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    refill();
  }

  GzipStream(const GzipPoints::Point& point, std::unique_ptr<ByteStream> packed,
             std::vector<SourceDamage>& damage)
      : GzipStream(std::move(packed), damage, nullptr) {
    if (point.state.empty()) return;
    // The input stands at the point; all else is as it was there.
    const auto [input, left] = std::pair(state_.next_in, state_.avail_in);
    ended_ = !GzipPoints::unpack(point, &state_, sizeof state_);
    state_.next_in = input;
    state_.avail_in = left;
    state_.next_out = nullptr;
    produced_ = point.plain;
  }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !ended_) done += inflate(to + done, size - done);
    if (ended_) done += takeRest(to + done, size - done);
    return done;
  }

 private:
  /// Moves what is left to the front and reads on; false when the file has no more.
  bool refill() {
    const std::size_t left = state_.avail_in;
    if (left > 0) std::memmove(input_.data(), state_.next_in, left);
    const std::size_t got = packed_->read(input_.data() + left, input_.size() - left);
    state_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_.avail_in = static_cast<std::uint32_t>(left + got);
    taken_ += got;
    return got > 0;
  }

  std::size_t inflate(char* to, std::size_t size) {
    if (state_.avail_in == 0) refill();
    const bool dry = state_.avail_in == 0;
    state_.next_out = reinterpret_cast<std::uint8_t*>(to);
    state_.avail_out = static_cast<std::uint32_t>(std::min<std::size_t>(size, 1u << 30));
    const std::uint32_t room = state_.avail_out;
    const int rc = isal_inflate(&state_);
    const std::size_t got = room - state_.avail_out;
    produced_ += got;
    // Between two calls ISA-L keeps all that it needs, the window too, in its state.
    if (points_ != nullptr && rc == ISAL_DECOMP_OK && points_->isDue(produced_) &&
        state_.block_state != ISAL_BLOCK_FINISH)
      points_->add(produced_, taken_ - state_.avail_in, &state_, sizeof state_);
    if (rc == ISAL_INCORRECT_CHECKSUM) {
      damage_.push_back({"gzip_checksum",
                         "the gzip checksum does not fit the data, which was kept as it came out",
                         false, produced_});
      nextMember();
    } else if (rc != ISAL_DECOMP_OK) {
      end("gzip_damaged", "the gzip stream is damaged; what came before the damage was kept");
    } else if (state_.block_state == ISAL_BLOCK_FINISH) {
      nextMember();
    } else if (got == 0 && dry) {
      end("gzip_cut_off", "the gzip stream ends early; what was there was kept");
    }
    return got;
  }

  /// ISA-L decodes ahead into a buffer of its own and keeps to itself what lies there when it meets
  /// damage: without it, what is kept would depend on how much was asked for at a time.
  std::size_t takeRest(char* to, std::size_t size) {
    const auto ready =
        static_cast<std::size_t>(std::max(state_.tmp_out_valid - state_.tmp_out_processed, 0));
    const std::size_t count = std::min(size, ready);
    std::memcpy(to, state_.tmp_out_buffer + state_.tmp_out_processed, count);
    state_.tmp_out_processed += static_cast<std::int32_t>(count);
    if (count == ready && last_) damage_.push_back(*std::exchange(last_, std::nullopt));
    return count;
  }

  void nextMember() {
    if (state_.avail_in < 2) refill();
    const bool more =
        state_.avail_in >= 2 && state_.next_in[0] == 0x1f && state_.next_in[1] == 0x8b;
    if (more) {
      isal_inflate_reset(&state_);
      state_.crc_flag = ISAL_GZIP;
      return;
    }
    ended_ = true;
    // Zeros after the last member are padding, as tar and some file systems write it.
    for (std::uint32_t i = 0; i < state_.avail_in; ++i)
      if (state_.next_in[i] != 0)
        return end("gzip_rest", "bytes after the end of the gzip stream were left out");
  }

  void end(const char* key, const char* sentence) {
    last_ = SourceDamage{key, sentence, true};
    ended_ = true;
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<SourceDamage>& damage_;
  GzipPoints* points_;
  std::vector<char> input_;
  std::uint64_t taken_ = 0;  // of `packed_`
  inflate_state state_{};
  std::uint64_t produced_ = 0;
  bool ended_ = false;
  std::optional<SourceDamage> last_;  // what ended it; noted behind the last byte
};

}  // namespace

std::unique_ptr<ByteStream> gzipStream(std::unique_ptr<ByteStream> packed,
                                       std::vector<SourceDamage>& damage) {
  return gzipStreamWithPoints(std::move(packed), damage, nullptr);
}

std::unique_ptr<ByteStream> gzipStreamWithPoints(std::unique_ptr<ByteStream> packed,
                                                 std::vector<SourceDamage>& damage,
                                                 GzipPoints* points) {
  return std::make_unique<GzipStream>(std::move(packed), damage, points);
}

std::unique_ptr<ByteStream> gzipStreamFrom(const GzipPoints::Point& point,
                                           std::unique_ptr<ByteStream> packed,
                                           std::vector<SourceDamage>& damage) {
  return std::make_unique<GzipStream>(point, std::move(packed), damage);
}

}  // namespace ridgeline
