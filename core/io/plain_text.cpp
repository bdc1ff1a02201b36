#include "core/io/plain_text.h"

#include <algorithm>
#include <cstring>

#include "core/io/byte_streams.h"

namespace ridgeline {

namespace {

class HeldBytes : public ByteStream {
 public:
  explicit HeldBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, bytes_.size() - at_);
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::string> plainText(std::string bytes, const std::string& name, std::size_t maxBytes) {
  const bool gzip = bytes.starts_with("\x1f\x8b");
  const bool zstd = bytes.starts_with("\x28\xb5\x2f\xfd");
  std::vector<SourceDamage> damage;
  std::unique_ptr<ByteStream> stream = std::make_unique<HeldBytes>(std::move(bytes));
  if (gzip) stream = gzipStream(std::move(stream), damage);
  if (zstd) stream = zstdStream(std::move(stream), damage);
  std::uint64_t markBytes = 0;
  bool converted = false;
  stream = utf8Stream(std::move(stream), damage, markBytes, converted);
  std::string text;
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  for (;;) {
    const std::size_t at = text.size();
    text.resize(at + kPiece);
    const std::size_t got = stream->read(text.data() + at, kPiece);
    text.resize(at + got);
    if (text.size() > maxBytes)
      return Error{"its text is longer than " + std::to_string(maxBytes) + " bytes", name,
                   "Check that this is the right file."};
    if (got < kPiece) break;
  }
  for (const SourceDamage& one : damage)
    if (one.lost || one.key == "gzip_checksum")
      return Error{one.sentence, name, "Copy the file again from where it was written."};
  return text;
}

}  // namespace ridgeline
