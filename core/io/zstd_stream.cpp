#include <algorithm>

#include <zstd.h>

#include "core/io/byte_streams.h"

namespace ridgeline {

namespace {

class ZstdStream : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> packed, std::vector<SourceDamage>& damage)
      : packed_(std::move(packed)),
        damage_(damage),
        input_(256u << 10),
        context_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    // The largest window that the format's long mode writes (zstd --ultra --long=31).
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 31);
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size && !ended_) {
      if (in_.pos == in_.size) {
        in_ = {input_.data(), packed_->read(input_.data(), input_.size()), 0};
        if (in_.size == 0) {
          if (rest_ == 0) ended_ = true;
          dry_ = true;
        }
        if (ended_) break;
      }
      const std::size_t before = out.pos;
      // One block a call, and none while the last one is still being put out: what a call had put
      // out before it met damage is not told, and a frame given whole is decoded all or nothing.
      ZSTD_inBuffer piece{in_.src, std::min(in_.size, in_.pos + (full_ ? 0 : wanted_)), in_.pos};
      rest_ = ZSTD_decompressStream(context_.get(), &out, &piece);
      in_.pos = piece.pos;
      wanted_ = rest_ == 0 ? kFrameStart : rest_;
      full_ = out.pos == out.size;
      if (ZSTD_isError(rest_) != 0) {
        end("zstd_damaged", std::string("the zstd stream is damaged (") + ZSTD_getErrorName(rest_) +
                                "); what came before the damage was kept");
      } else if (dry_ && out.pos == before) {
        if (rest_ != 0) end("zstd_cut_off", "the zstd stream ends early; what was there was kept");
        ended_ = true;
      }
    }
    return out.pos;
  }

 private:
  void end(const char* key, std::string sentence) {
    damage_.push_back({key, std::move(sentence), true});
    ended_ = true;
  }

  std::unique_ptr<ByteStream> packed_;
  std::vector<SourceDamage>& damage_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> context_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t rest_ = 1;                         // 0: at the end of a frame
  static constexpr std::size_t kFrameStart = 5;  // magic number and descriptor
  std::size_t wanted_ = kFrameStart;
  bool full_ = false;  // more of the last block may be waiting
  bool dry_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> zstdStream(std::unique_ptr<ByteStream> packed,
                                       std::vector<SourceDamage>& damage) {
  return std::make_unique<ZstdStream>(std::move(packed), damage);
}

}  // namespace ridgeline
