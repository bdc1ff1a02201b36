#include "core/base/string_pool.h"

#include <cstring>

#include "core/base/text_bits.h"

namespace ridgeline {

namespace {
constexpr std::size_t kBlockBytes = 64 * 1024;

std::uint32_t hashOf(std::string_view text) {
  const std::uint64_t h = hashText(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}
}  // namespace

StringPool::StringPool() : slots_(1024, 0) {}

std::size_t StringPool::slotOf(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0) {
    const std::uint32_t id = slots_[slot] - 1;
    if (hashes_[id] == hash && sameText(texts_[id], text)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

StringId StringPool::intern(std::string_view text) {
  const std::uint32_t hash = hashOf(text);
  std::size_t slot = slotOf(text, hash);
  if (slots_[slot] != 0) return StringId(slots_[slot] - 1);
  if ((texts_.size() + 1) * 2 > slots_.size()) {
    grow();
    slot = slotOf(text, hash);
  }
  const StringId id(texts_.size());
  texts_.push_back(store(text));
  hashes_.push_back(hash);
  slots_[slot] = id.value + 1;
  return id;
}

StringId StringPool::find(std::string_view text) const {
  const std::size_t slot = slotOf(text, hashOf(text));
  return slots_[slot] == 0 ? StringId() : StringId(slots_[slot] - 1);
}

std::size_t StringPool::bytes() const {
  return bytes_ + texts_.capacity() * sizeof(std::string_view) +
         (hashes_.capacity() + slots_.capacity()) * sizeof(std::uint32_t);
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (blockUsed_ + text.size() > blockSize_) {
    blockSize_ = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(blockSize_));
    blockUsed_ = 0;
    bytes_ += blockSize_;
  }
  char* at = blocks_.back().get() + blockUsed_;
  std::memcpy(at, text.data(), text.size());
  blockUsed_ += text.size();
  return {at, text.size()};
}

void StringPool::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < hashes_.size(); ++id) {
    std::size_t slot = hashes_[id] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = id + 1;
  }
}

}  // namespace ridgeline
