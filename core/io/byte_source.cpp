#include "core/io/byte_source.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/io/byte_streams.h"
#include "core/io/gzip_points.h"

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
                           true});
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
      damage_.push_back(
          {"file_grew", "the file grew while it was read; what came later is not in here", true});
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

/// Bytes that can be looked at before they are read.
class ByteSource::Head : public ByteStream {
 public:
  explicit Head(std::unique_ptr<ByteStream> bytes) : bytes_(std::move(bytes)) {}

  std::string_view peek(std::size_t size) {
    if (seen_.size() < size && at_ == 0 && !ended_) {
      const std::size_t known = seen_.size();
      seen_.resize(size);
      const std::size_t got = bytes_->read(seen_.data() + known, size - known);
      ended_ = got < size - known;
      seen_.resize(known + got);
    }
    return std::string_view(seen_).substr(0, size);
  }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    if (at_ < seen_.size()) {
      done = std::min(size, seen_.size() - at_);
      std::memcpy(to, seen_.data() + at_, done);
      at_ += done;
    }
    return ended_ || done == size ? done : done + bytes_->read(to + done, size - done);
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  std::string seen_;
  std::size_t at_ = 0;
  bool ended_ = false;  // the stream is; seen_ holds all that was left
};

namespace {

/// Hands out a stream of which some bytes were taken already.
class Resumed : public ByteStream {
 public:
  Resumed(std::string taken, std::unique_ptr<ByteStream> rest)
      : taken_(std::move(taken)), rest_(std::move(rest)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t done = std::min(size, taken_.size());
    if (done > 0) std::memcpy(to, taken_.data(), done);
    taken_.erase(0, done);
    return done == size ? done : done + rest_->read(to + done, size - done);
  }

 private:
  std::string taken_;
  std::unique_ptr<ByteStream> rest_;
};

}  // namespace

ByteSource::~ByteSource() = default;

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string& path) {
  auto file = InputFile::open(path);
  if (file.failed()) return file.error();
  std::unique_ptr<ByteSource> source(new ByteSource());
  source->name_ = path;
  source->file_ = std::move(file).value();
  source->size_ = source->file_->size();
  source->unpack(plainStream(*source->file_, source->consumed_, source->damage_));
  return source;
}

std::unique_ptr<ByteSource> ByteSource::ofMember(const ByteSource& archive, std::string name,
                                                 std::uint64_t size,
                                                 std::unique_ptr<ByteStream> bytes) {
  std::unique_ptr<ByteSource> source(new ByteSource());
  source->name_ = std::move(name);
  source->size_ = size;
  source->consumedOfArchive_ = &archive.consumed_;
  source->unpack(std::move(bytes));
  return source;
}

/// Unpacks one stage if the bytes are packed; says how, or "".
std::string ByteSource::unpackStage(std::unique_ptr<ByteStream>& bytes, GzipPoints* points) {
  const std::size_t known = damage_.size();
  std::string taken(4, '\0');
  taken.resize(bytes->read(taken.data(), taken.size()));
  for (std::size_t i = known; i < damage_.size(); ++i) damage_[i].offset = taken.size();
  std::array<unsigned char, 4> magic{};
  std::memcpy(magic.data(), taken.data(), taken.size());
  bytes = std::make_unique<Resumed>(std::move(taken), std::move(bytes));
  if (magic[0] == 0x1f && magic[1] == 0x8b) {
    bytes = gzipStreamWithPoints(std::move(bytes), damage_, points);
    return "gzip";
  }
  if ((magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f && magic[3] == 0xfd) ||
      ((magic[0] & 0xf0) == 0x50 && magic[1] == 0x2a && magic[2] == 0x4d && magic[3] == 0x18)) {
    bytes = zstdStream(std::move(bytes), damage_);
    return "zstd";  // the second form is a skippable frame before the first real one
  }
  return {};
}

/// At most twice: a packed file that was packed once more on the way to here. What is packed
/// oftener is refused as what it is.
void ByteSource::unpack(std::unique_ptr<ByteStream> bytes) {
  if (file_ != nullptr) gzipPoints_ = std::make_shared<GzipPoints>();
  compression_ = unpackStage(bytes, gzipPoints_.get());
  if (!compression_.empty()) {
    if (const std::string inner = unpackStage(bytes, nullptr); !inner.empty()) {
      compression_ = inner + " in " + compression_;
      packedTwice_ = true;
      if (gzipPoints_ != nullptr) gzipPoints_->close();
    }
  }
  if (!compression_.ends_with("gzip")) gzipPoints_ = nullptr;
  head_ = std::make_unique<Head>(std::move(bytes));
}

void ByteSource::startText() {
  if (text_ != nullptr) return;
  /// The head belongs to the source, which peeks into it.
  class Borrowed : public ByteStream {
   public:
    explicit Borrowed(ByteStream& bytes) : bytes_(bytes) {}
    std::size_t read(char* to, std::size_t size) override { return bytes_.read(to, size); }

   private:
    ByteStream& bytes_;
  };
  text_ = utf8Stream(std::make_unique<Borrowed>(*head_), damage_, textStart_, converted_);
}

std::shared_ptr<const GzipPoints> ByteSource::gzipPoints() {
  startText();
  return converted_ || packedTwice_ ? nullptr : gzipPoints_;
}

std::uint64_t ByteSource::consumed() const {
  const std::atomic<std::uint64_t>& of =
      consumedOfArchive_ != nullptr ? *consumedOfArchive_ : consumed_;
  return of.load(std::memory_order_relaxed);
}

std::string_view ByteSource::peek(std::size_t size) {
  const std::size_t known = damage_.size();
  const std::string_view seen = head_->peek(std::min(size, kPeekBytes));
  for (std::size_t i = known; i < damage_.size(); ++i)
    if (damage_[i].offset == SourceDamage::kUnplaced) damage_[i].offset = seen.size();
  return seen;
}

/// Damage is noted where it was met: after what was produced.
void ByteSource::place(std::size_t known, std::size_t got) {
  produced_ += got;
  for (std::size_t i = known; i < damage_.size(); ++i)
    if (damage_[i].offset == SourceDamage::kUnplaced) damage_[i].offset = produced_;
}

std::size_t ByteSource::readBytes(char* to, std::size_t size) {
  if (gzipPoints_ != nullptr) gzipPoints_->close();  // an archive: its members keep their args
  const std::size_t known = damage_.size();
  const std::size_t got = head_->read(to, size);
  place(known, got);
  return got;
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  const std::size_t known = damage_.size();
  startText();
  const std::size_t got = text_->read(to, size);
  place(known, got);
  return got;
}

}  // namespace ridgeline
