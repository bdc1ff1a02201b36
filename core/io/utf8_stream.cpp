#include <algorithm>
#include <cstring>

#include "core/io/byte_streams.h"

namespace ridgeline {

namespace {

enum class Encoding { utf8, utf16Little, utf16Big };

class Utf8Stream : public ByteStream {
 public:
  Utf8Stream(std::unique_ptr<ByteStream> bytes, std::vector<SourceDamage>& damage,
             std::uint64_t& bomBytes, bool& converted)
      : bytes_(std::move(bytes)), damage_(damage) {
    headSize_ = bytes_->read(head_, sizeof head_);
    const auto at = [this](std::size_t i) {
      return i < headSize_ ? static_cast<unsigned char>(head_[i]) : 0x100u;
    };
    if (at(0) == 0xEF && at(1) == 0xBB && at(2) == 0xBF) {
      headAt_ = 3;
      damage_.push_back(
          {"byte_order_mark", "a byte-order mark before the text was left out", false, 0});
    } else if ((at(0) == 0xFF && at(1) == 0xFE) || (at(0) != 0 && at(1) == 0 && headSize_ >= 2)) {
      encoding_ = Encoding::utf16Little;
      headAt_ = at(0) == 0xFF ? 2 : 0;
    } else if ((at(0) == 0xFE && at(1) == 0xFF) || (at(0) == 0 && at(1) != 0 && headSize_ >= 2)) {
      encoding_ = Encoding::utf16Big;
      headAt_ = at(0) == 0xFE ? 2 : 0;
    }
    bomBytes = headAt_;
    converted = encoding_ != Encoding::utf8;
    if (converted)
      damage_.push_back({"utf16", "the text was UTF-16 and was converted to UTF-8", false, 0});
  }

  std::size_t read(char* to, std::size_t size) override {
    if (encoding_ == Encoding::utf8) return readRaw(to, size);
    std::size_t done = 0;
    while (done < size) {
      if (textAt_ == textSize_) {
        textAt_ = 0;
        textSize_ = convert(text_, sizeof text_);
        if (textSize_ == 0) break;
      }
      const std::size_t count = std::min(size - done, textSize_ - textAt_);
      std::memcpy(to + done, text_ + textAt_, count);
      textAt_ += count;
      done += count;
    }
    return done;
  }

 private:
  std::size_t readRaw(char* to, std::size_t size) {
    std::size_t done = 0;
    if (headAt_ < headSize_) {
      done = std::min(size, headSize_ - headAt_);
      std::memcpy(to, head_ + headAt_, done);
      headAt_ += done;
    }
    return done + bytes_->read(to + done, size - done);
  }

  /// The next 16-bit unit; -1 at the end.
  std::int32_t unit() {
    if (rawAt_ + 2 > rawSize_) {
      const std::size_t left = rawSize_ - rawAt_;
      if (left == 1) raw_[0] = raw_[rawAt_];
      rawSize_ = left + readRaw(raw_ + left, sizeof raw_ - left);
      rawAt_ = 0;
      if (rawSize_ < 2) return -1;
    }
    const auto a = static_cast<unsigned char>(raw_[rawAt_]);
    const auto b = static_cast<unsigned char>(raw_[rawAt_ + 1]);
    rawAt_ += 2;
    return encoding_ == Encoding::utf16Little ? a | b << 8 : a << 8 | b;
  }

  std::size_t convert(char* to, std::size_t size) {
    std::size_t done = 0;
    while (size - done >= 4) {
      std::int32_t code = pending_ >= 0 ? pending_ : unit();
      pending_ = -1;
      if (code < 0) break;
      if (code >= 0xD800 && code < 0xDC00) {
        const std::int32_t low = unit();
        if (low >= 0xDC00 && low < 0xE000) {
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else {
          pending_ = low;
          code = 0xFFFD;
          noteLone(done);
        }
      } else if (code >= 0xDC00 && code < 0xE000) {
        code = 0xFFFD;
        noteLone(done);
      }
      const auto put = [&](std::int32_t byte) { to[done++] = static_cast<char>(byte); };
      if (code < 0x80) {
        put(code);
      } else if (code < 0x800) {
        put(0xC0 | code >> 6);
        put(0x80 | (code & 0x3F));
      } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
      } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
      }
    }
    converted_ += done;
    return done;
  }

  void noteLone(std::size_t at) {
    if (!lone_)
      damage_.push_back({"utf16_lone", "half characters in the UTF-16 text were replaced", true,
                         converted_ + at});
    lone_ = true;
  }

  std::unique_ptr<ByteStream> bytes_;
  std::vector<SourceDamage>& damage_;
  Encoding encoding_ = Encoding::utf8;
  char head_[4] = {};
  std::size_t headSize_ = 0;
  std::size_t headAt_ = 0;
  char raw_[64u << 10] = {};
  std::size_t rawAt_ = 0;
  std::size_t rawSize_ = 0;
  char text_[64u << 10] = {};  // converted
  std::size_t textAt_ = 0;
  std::size_t textSize_ = 0;
  std::uint64_t converted_ = 0;  // bytes of text that came before text_
  std::int32_t pending_ = -1;
  bool lone_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> utf8Stream(std::unique_ptr<ByteStream> bytes,
                                       std::vector<SourceDamage>& damage, std::uint64_t& bomBytes,
                                       bool& converted) {
  return std::make_unique<Utf8Stream>(std::move(bytes), damage, bomBytes, converted);
}

}  // namespace ridgeline
