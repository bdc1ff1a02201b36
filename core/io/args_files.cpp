#include "core/io/args_files.h"

#include <algorithm>

#include <zstd.h>

#include "core/io/event_text.h"

namespace ridgeline {

namespace {

constexpr std::size_t kBlockBytes = 256u << 10;
/// What is inflated for an event is kept for its neighbours, but not the args of a gigabyte.
constexpr std::size_t kMostKept = 4 * GzipPoints::kDistance;
/// zstd's fast levels: args repeat themselves so much that a higher one gains little.
constexpr int kLevel = -3;

void putNumber(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>((value & 0x7F) | 0x80);
  to += static_cast<char>(value);
}

std::uint64_t takeNumber(std::string_view& from) {
  std::uint64_t value = 0;
  for (int shift = 0; !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

Error changed(const InputFile& file) {
  return {"the file has changed or vanished since it was opened, so its details cannot be read",
          file.path(), "Open it again."};
}

/// A file's bytes from some place on.
class FileFrom : public ByteStream {
 public:
  FileFrom(const InputFile& file, std::uint64_t at) : file_(file), at_(at) {}
  std::size_t read(char* to, std::size_t size) override {
    // What was added since the file was opened is none of its text.
    size = static_cast<std::size_t>(
        std::min<std::uint64_t>(size, file_.size() - std::min(at_, file_.size())));
    const std::int64_t got = size == 0 ? 0 : file_.readAt(at_, to, size);
    if (got <= 0) return 0;
    at_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

 private:
  const InputFile& file_;
  std::uint64_t at_;
};

}  // namespace

Result<std::string> FileArgs::read(ArgsSpan span) const {
  if (span.length == 0) return std::string();
  if (!file_->unchanged()) return changed(*file_);
  std::string text(span.length, '\0');
  const std::int64_t got = file_->readAt(textStart_ + span.offset, text.data(), text.size());
  if (got != static_cast<std::int64_t>(text.size()))
    return Error{"the details of this event could not be read",
                 file_->path() + ", byte " + std::to_string(textStart_ + span.offset),
                 "Open the file again."};
  return mendedJson(text);
}

Result<std::string> GzipArgs::read(ArgsSpan span) const {
  if (span.length == 0) return std::string();
  if (!file_->unchanged()) return changed(*file_);
  const std::uint64_t begin = textStart_ + span.offset;
  const std::lock_guard lock(mutex_);
  if (!inflate(begin, begin + span.length))
    return Error{"the details of this event could not be read",
                 file_->path() + ", byte " + std::to_string(span.offset) + " of the inflated text",
                 "Open the file again."};
  std::string text = mendedJson(std::string_view(piece_).substr(begin - pieceAt_, span.length));
  if (piece_.size() > kMostKept) piece_ = std::string();
  return text;
}

/// Whether `piece_` now holds the bytes.
bool GzipArgs::inflate(std::uint64_t plain, std::uint64_t end) const {
  if (pieceAt_ <= plain && end <= pieceAt_ + piece_.size()) return true;
  const GzipPoints::Point& point = points_->before(plain);
  std::vector<SourceDamage> damage;  // was told when the file was read
  const auto stream =
      gzipStreamFrom(point, std::make_unique<FileFrom>(*file_, point.packed), damage);
  pieceAt_ = point.plain;
  piece_.resize(end - point.plain);
  piece_.resize(stream->read(piece_.data(), piece_.size()));
  return end <= pieceAt_ + piece_.size();
}

std::shared_ptr<const ArgsReader> argsInFile(ByteSource& source) {
  if (source.isPlain()) return std::make_shared<FileArgs>(source.file(), source.textStart());
  if (auto points = source.gzipPoints())
    return std::make_shared<GzipArgs>(source.file(), std::move(points), source.textStart());
  return nullptr;
}

struct ArgsPacker::Context {
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  Context() = default;
  ~Context() { ZSTD_freeCCtx(zstd); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

ArgsPacker::ArgsPacker() : context_(std::make_unique<Context>()) {}
ArgsPacker::~ArgsPacker() = default;

void ArgsPacker::add(std::uint64_t offset, std::string_view text) {
  if (texts_.empty()) first_ = end_ = offset;
  putNumber(index_, offset - end_);
  putNumber(index_, text.size());
  texts_ += text;
  end_ = offset + text.size();
  if (texts_.size() >= kBlockBytes) endBlock();
}

void ArgsPacker::endBlock() {
  if (texts_.empty()) return;
  ArgsBlock block;
  block.firstOffset = first_;
  block.indexBytes = static_cast<std::uint32_t>(index_.size());
  texts_ += index_;  // behind the texts, for these are the most of it and need no copy so
  block.plainBytes = static_cast<std::uint32_t>(texts_.size());
  if (const std::size_t bound = ZSTD_compressBound(texts_.size()); packed_.size() < bound)
    packed_.resize(bound);
  const std::size_t size = ZSTD_compressCCtx(context_->zstd, packed_.data(), packed_.size(),
                                             texts_.data(), texts_.size(), kLevel);
  block.packed.assign(packed_.data(), ZSTD_isError(size) != 0 ? 0 : size);
  blocks_.push_back(std::move(block));
  index_.clear();
  texts_.clear();
}

std::vector<ArgsBlock> ArgsPacker::take() {
  endBlock();
  return std::exchange(blocks_, {});
}

void PackedArgs::append(std::vector<ArgsBlock> blocks) {
  for (ArgsBlock& block : blocks) {
    bytes_ += sizeof(ArgsBlock) + block.packed.capacity();
    blocks_.push_back(std::move(block));
  }
}

Result<std::string> PackedArgs::read(ArgsSpan span) const {
  if (span.length == 0) return std::string();
  const Error lost{"the details of this event are not in memory",
                   "byte " + std::to_string(span.offset) + " of the decompressed text",
                   "Open the file again."};
  auto it = std::upper_bound(
      blocks_.begin(), blocks_.end(), span.offset,
      [](std::uint64_t offset, const ArgsBlock& block) { return offset < block.firstOffset; });
  if (it == blocks_.begin()) return lost;
  --it;
  std::string plain(it->plainBytes, '\0');
  const std::size_t size =
      ZSTD_decompress(plain.data(), plain.size(), it->packed.data(), it->packed.size());
  if (ZSTD_isError(size) != 0 || size != plain.size()) return lost;
  std::string_view index = std::string_view(plain).substr(plain.size() - it->indexBytes);
  std::uint64_t offset = it->firstOffset;
  std::size_t at = 0;
  while (!index.empty()) {
    offset += takeNumber(index);
    const std::uint64_t length = takeNumber(index);
    if (offset == span.offset && length == span.length)
      return mendedJson(std::string_view(plain).substr(at, span.length));
    offset += length;
    at += length;
  }
  return lost;
}

}  // namespace ridgeline
