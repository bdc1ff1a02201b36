#include "core/io/byte_source.h"

#include <array>
#include <cstring>

#include "core/io/byte_streams.h"

namespace ridgeline {

namespace {

class PlainStream : public ByteStream {
 public:
  PlainStream(InputFile& file, std::atomic<std::uint64_t>& consumed,
              std::vector<SourceDamage>& damage)
      : file_(file), consumed_(consumed), damage_(damage) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::uint64_t left = file_.size() - done_;
    const std::size_t wanted = left < size ? static_cast<std::size_t>(left) : size;
    if (wanted == 0) {
      noteGrowth();
      return 0;
    }
    const std::int64_t got = file_.read(to, wanted);
    if (got <= 0) {
      if (!ended_)
        damage_.push_back({"file_read",
                           got < 0 ? "the file could not be read to its end"
                                   : "the file became shorter while it was read",
                           true, 0});
      ended_ = true;
      return 0;
    }
    done_ += static_cast<std::uint64_t>(got);
    consumed_.store(done_, std::memory_order_relaxed);
    return static_cast<std::size_t>(got);
  }

 private:
  void noteGrowth() {
    if (ended_) return;
    ended_ = true;
    char more = 0;
    if (file_.readAt(file_.size(), &more, 1) == 1)
      damage_.push_back({"file_grew",
                         "the file grew while it was read; what came later is not in here", true,
                         0});
  }
  InputFile& file_;
  std::atomic<std::uint64_t>& consumed_;
  std::vector<SourceDamage>& damage_;
  std::uint64_t done_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> plainStream(InputFile& file, std::atomic<std::uint64_t>& consumed,
                                        std::vector<SourceDamage>& damage) {
  return std::make_unique<PlainStream>(file, consumed, damage);
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string& path) {
  auto file = InputFile::open(path);
  if (file.failed()) return file.error();
  std::unique_ptr<ByteSource> source(
      new ByteSource(std::shared_ptr<InputFile>(std::move(file).value())));
  source->stack();
  return source;
}

void ByteSource::stack() {
  std::array<unsigned char, 4> magic{};
  const bool four = file_->readAt(0, reinterpret_cast<char*>(magic.data()), 4) == 4;
  stream_ = plainStream(*file_, consumed_, damage_);
  if (four && magic[0] == 0x1f && magic[1] == 0x8b) {
    compression_ = "gzip";
    stream_ = gzipStream(std::move(stream_), damage_);
  } else if (four &&
             ((magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) ||
              ((magic[0] & 0xf0) == 0x50 && magic[1] == 0x2a && magic[2] == 0x4d &&
               magic[3] == 0x18))) {
    compression_ = "zstd";  // the second form is a skippable frame before the first real one
    stream_ = zstdStream(std::move(stream_), damage_);
  }
  stream_ = utf8Stream(std::move(stream_), damage_, textStart_, converted_);
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  const std::size_t known = damage_.size();
  const std::size_t got = stream_->read(to, size);
  produced_ += got;
  for (std::size_t i = known; i < damage_.size(); ++i) damage_[i].offset = produced_;
  return got;
}

}  // namespace ridgeline
