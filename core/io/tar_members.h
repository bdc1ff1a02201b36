#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/byte_source.h"

struct archive;

namespace ridgeline {

/// The regular files of a tar archive, in its order and in one pass. The source unpacks; libarchive
/// only takes the members apart (ustar, pax, GNU long names and sparse files). For one thread at a
/// time.
class TarMembers {
 public:
  /// `source`: of which nothing was read; outlives this.
  explicit TarMembers(ByteSource& source);
  ~TarMembers();
  TarMembers(const TarMembers&) = delete;
  TarMembers& operator=(const TarMembers&) = delete;

  struct Member {
    std::string name;  ///< as in the archive
    std::uint64_t size = 0;
  };
  /// The next file; nothing at the end, or where the archive is too damaged to go on.
  [[nodiscard]] std::optional<Member> next();
  /// The bytes of the member that `next` gave last, once; until `next` is called again.
  [[nodiscard]] std::unique_ptr<ByteStream> bytes();
  /// What was wrong with the archive so far.
  [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }

 private:
  class Bytes;
  [[nodiscard]] std::string damageText() const;

  ByteSource& source_;
  std::vector<char> buffer_;
  archive* archive_;
  std::vector<std::string> damage_;
  friend struct TarCallbacks;
};

}  // namespace ridgeline
