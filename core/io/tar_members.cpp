#include "core/io/tar_members.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cstring>

namespace ridgeline {

namespace {
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
}

/// Hands the source's bytes to libarchive.
struct TarCallbacks {
  static la_ssize_t read(archive*, void* members, const void** buffer) {
    auto& self = *static_cast<TarMembers*>(members);
    *buffer = self.buffer_.data();
    return static_cast<la_ssize_t>(self.source_.readBytes(self.buffer_.data(), kPieceBytes));
  }
};

class TarMembers::Bytes : public ByteStream {
 public:
  explicit Bytes(TarMembers& members) : members_(members) {}

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && (left_ > 0 || nextBlock())) {
      const std::size_t count = std::min(size - done, left_);
      std::memcpy(to + done, at_, count);
      at_ += count;
      left_ -= count;
      done += count;
    }
    return done;
  }

 private:
  /// archive_read_data would forget what it copied before an error.
  bool nextBlock() {
    while (!ended_ && left_ == 0) {
      const void* block = nullptr;
      la_int64_t offset = 0;
      const int rc = archive_read_data_block(members_.archive_, &block, &left_, &offset);
      if (rc == ARCHIVE_RETRY) continue;
      ended_ = rc == ARCHIVE_EOF || rc < ARCHIVE_WARN;
      if (rc < ARCHIVE_WARN) members_.damage_.push_back(members_.damageText());
      if (ended_) left_ = 0;
      if (left_ > 0 && offset != position_) {
        ended_ = true;
        left_ = 0;
        members_.damage_.emplace_back("a sparse member was read up to its first hole");
      }
      at_ = static_cast<const char*>(block);
      position_ += static_cast<la_int64_t>(left_);
    }
    return left_ > 0;
  }

  TarMembers& members_;
  const char* at_ = nullptr;  // of the block at hand
  std::size_t left_ = 0;
  la_int64_t position_ = 0;  // behind that block
  bool ended_ = false;
};

TarMembers::TarMembers(ByteSource& source)
    : source_(source), buffer_(kPieceBytes), archive_(archive_read_new()) {
  archive_read_support_format_tar(archive_);
  if (archive_read_open(archive_, this, nullptr, TarCallbacks::read, nullptr) != ARCHIVE_OK)
    damage_.push_back(damageText());
}

TarMembers::~TarMembers() {
  archive_read_free(archive_);
}

/// libarchive does not always say what it stumbled over.
std::string TarMembers::damageText() const {
  const char* text = archive_error_string(archive_);
  return text != nullptr ? text : "no further details";
}

std::optional<TarMembers::Member> TarMembers::next() {
  archive_entry* entry = nullptr;
  while (true) {
    const int rc = archive_read_next_header(archive_, &entry);
    if (rc == ARCHIVE_RETRY) continue;
    if (rc == ARCHIVE_EOF) return std::nullopt;
    if (rc != ARCHIVE_OK) damage_.push_back(damageText());
    if (rc < ARCHIVE_WARN) return std::nullopt;
    const char* name = archive_entry_pathname(entry);
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr ||
        name == nullptr)
      continue;
    return Member{name,
                  static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0))};
  }
}

std::unique_ptr<ByteStream> TarMembers::bytes() {
  return std::make_unique<Bytes>(*this);
}

}  // namespace ridgeline
