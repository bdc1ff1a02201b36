#include "core/io/trace_file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "core/base/release_later.h"
#include "core/io/text_blocks.h"
#include "core/io/trace_event_reader.h"

namespace ridgeline {

namespace {

/// Text that grows at its end and is taken from its front, with the padding that scanning needs.
class Carry {
 public:
  ~Carry() {
    if (capacity_ > kMuch) releaseLater(std::shared_ptr<const void>(std::move(data_)));
  }
  Carry() = default;
  Carry(const Carry&) = delete;
  Carry& operator=(const Carry&) = delete;
  [[nodiscard]] std::string_view text() const { return {data_.get(), size_}; }
  void append(std::string_view more) {
    if (size_ + more.size() + kTextPadding > capacity_) {
      capacity_ = std::max<std::size_t>((size_ + more.size()) * 2, 64u << 10) + kTextPadding;
      // Long ones are moved by the system page by page, without copying.
      void* const grown = std::realloc(data_.get(), capacity_);
      if (grown == nullptr) throw std::bad_alloc();
      static_cast<void>(data_.release());
      data_.reset(static_cast<char*>(grown));
    }
    if (!more.empty()) std::memcpy(data_.get() + size_, more.data(), more.size());
    size_ += more.size();
    std::memset(data_.get() + size_, 0, kTextPadding);
  }
  void dropFront(std::size_t count) {
    if (count > 0 && count < size_) std::memmove(data_.get(), data_.get() + count, size_ - count);
    size_ -= count;
    if (data_) std::memset(data_.get() + size_, 0, kTextPadding);
  }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  static constexpr std::size_t kMuch = std::size_t{8} << 20;
  std::unique_ptr<char, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Puts the blocks of a text together again: what the workers read of a block counts if the text
/// before it, read in order, ends just where they began.
class Joiner {
 public:
  Joiner(TraceEventReader& reader, TraceBuilder& builder, PackedArgs* packed, const Task& task)
      : reader_(reader), builder_(builder), packed_(packed), task_(task) {}

  void take(TextBlock& block) {
    std::size_t rest = 0;
    if (block.scanned && reader_.inEvents()) rest = useScan(block);
    carry_.append(block.text().substr(rest));
    // A long entry is tried again only when there is much more of it.
    if (!block.last && carry_.text().size() < retryAt_) return;
    consumeCarry(block.last);
  }

 private:
  void consumeCarry(bool last) {
    const std::size_t taken = reader_.consume(carry_.text(), offset_, last, task_);
    drop(taken);
    const std::size_t left = carry_.text().size();
    retryAt_ = taken == 0 ? left + left / 2 : 0;
  }
  void drop(std::size_t count) {
    carry_.dropFront(count);
    offset_ += count;
  }

  /// How much of the block is done with; the carry then is empty, or as if nothing had been tried.
  std::size_t useScan(TextBlock& block) {
    carry_.append(block.text().substr(0, block.guess));
    drop(reader_.consume(carry_.text(), offset_, false, task_));
    if (!carry_.text().empty() || !reader_.atEvent()) return block.guess;
    reader_.flush(task_);
    builder_.merge(block.batch, task_);
    if (packed_ != nullptr) packed_->append(std::move(block.args));
    offset_ = block.offset + block.scannedTo;
    reader_.skipped(block.separator, block.listEnded, offset_);
    retryAt_ = 0;
    return block.scannedTo;
  }

  TraceEventReader& reader_;
  TraceBuilder& builder_;
  PackedArgs* packed_;
  const Task& task_;
  Carry carry_;
  std::uint64_t offset_ = 0;  ///< of the carry in the text
  std::size_t retryAt_ = 0;
};

constexpr std::size_t kShownBytes = 40, kHeadBytes = 4096;

/// How a text begins that is none, without what no terminal should be sent.
std::string beginning(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7F ? '?' : c;
  }
  return shown + (text.size() > kShownBytes ? "…" : "");
}

/// The refusal of what is no trace, with what was seen: of the text as it is after unpacking.
Error refused(Error error, const ByteSource& source, std::string_view head) {
  const std::string unpacked =
      source.compression().empty() ? "" : " once it is unpacked (" + source.compression() + ")";
  for (const SourceDamage& damage : source.damage())
    if (damage.lost) error.what += "; " + damage.sentence;
  const std::size_t at = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  head.remove_prefix(at);
  if (head.empty())
    error.what += "; there is no text in it" + unpacked;
  else if (head.front() != '{' && head.front() != '[')
    error.what += "; it begins with \"" + beginning(head) + "\"" + unpacked;
  return error;
}

}  // namespace

Status readTraceFile(ByteSource& source, TraceBuilder& builder, const Task& task,
                     const LoadOptions& options) {
  const std::uint64_t fileBytes = source.size();
  std::shared_ptr<PackedArgs> packed;
  if (auto inFile = argsInFile(source)) {
    builder.setArgs(std::move(inFile));
  } else {
    packed = std::make_shared<PackedArgs>();
    builder.setArgs(packed);
  }
  TraceEventReader reader(builder, packed.get(), options.fastPath);
  Joiner joiner(reader, builder, packed.get(), task);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = std::min(options.threads == 0 ? cores : options.threads, 8u);
  std::optional<Error> error;
  std::string head;
  {
    TextBlocks blocks(source,
                      {std::max<std::size_t>(options.blockBytes, 64), threads, options.fastPath,
                       packed != nullptr},
                      task);
    while (TextBlock* block = blocks.next()) {
      if (block->offset == 0) head = block->text().substr(0, kHeadBytes);
      joiner.take(*block);
      builder.info().textBytes = block->offset + block->size;
      task.report({block->fileConsumed, fileBytes, builder.eventCount()});
      if (builder.sliceCount() > TraceBuilder::kMostSlices) {
        error = Error{"the file holds more than four thousand million events", source.name(),
                      "Record a shorter time, or cut the file into parts."};
        break;
      }
      if (reader.done()) break;
    }
    if (!error) error = reader.verdict(source.name(), task);
    if (error && error->where == source.name()) error = refused(*error, source, head);
  }
  if (task.cancelled()) return Cancelled{};
  if (error) return *error;
  for (const SourceDamage& damage : source.damage()) {
    ++builder.log().repaired;
    builder.log().note(damage.key, damage.sentence, damage.lost, damage.offset);
  }
  return Done{};
}

}  // namespace ridgeline
