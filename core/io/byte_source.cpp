#include "core/io/byte_source.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zstd.h>

namespace ridgeline {

namespace {

constexpr std::size_t kPiece = 4u << 20;

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  /// Bytes read; -1 on error, 0 at the end.
  ssize_t read(char* to, std::size_t size) const { return ::read(fd_, to, size); }

 private:
  int fd_;
};

Status inflateGzip(const std::string& packed, WholeText& out, const Task& task) {
  auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  state->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(packed.data()));  // NOLINT
  state->avail_in = static_cast<std::uint32_t>(packed.size());
  std::vector<char> piece(kPiece);
  while (true) {
    if (task.cancelled()) return Cancelled{};
    state->next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    state->avail_out = static_cast<std::uint32_t>(piece.size());
    const int rc = isal_inflate(state.get());
    out.text.append(piece.data(), piece.size() - state->avail_out);
    if (rc != ISAL_DECOMP_OK) {
      out.damage = "the gzip stream is damaged";
      return Done{};
    }
    if (state->block_state == ISAL_BLOCK_FINISH) {
      if (state->avail_in < 2 || state->next_in[0] != 0x1f || state->next_in[1] != 0x8b)
        return Done{};
      isal_inflate_reset(state.get());
      state->crc_flag = ISAL_GZIP;
    } else if (state->avail_in == 0 && state->avail_out > 0) {
      out.damage = "the gzip stream ends early";
      return Done{};
    }
  }
}

Status inflateZstd(const std::string& packed, WholeText& out, const Task& task) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 31);
  std::vector<char> piece(kPiece);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t rest = 0;
  while (in.pos < in.size || rest != 0) {
    if (task.cancelled()) return Cancelled{};
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    const std::size_t before = in.pos;
    rest = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(rest)) {
      out.damage = std::string("the zstd stream is damaged: ") + ZSTD_getErrorName(rest);
      return Done{};
    }
    out.text.append(piece.data(), to.pos);
    if (in.pos == before && to.pos == 0) break;
  }
  if (rest != 0) out.damage = "the zstd stream ends early";
  return Done{};
}

}  // namespace

Result<WholeText> readWholeText(const std::string& path, const Task& task) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec))
    return Error{"this is a folder, not a trace file", path, "Name the files in it."};
  const File file(path);
  if (!file.open())
    return Error{std::strerror(errno), path, "Check the name and that you may read it."};
  WholeText out;
  std::string raw;
  std::vector<char> piece(kPiece);
  for (ssize_t n = 0; (n = file.read(piece.data(), piece.size())) != 0;) {
    if (task.cancelled()) return Cancelled{};
    if (n < 0) return Error{std::strerror(errno), path, "Check the disk and try again."};
    raw.append(piece.data(), static_cast<std::size_t>(n));
  }
  out.fileBytes = raw.size();
  if (raw.starts_with("\x1f\x8b")) {
    out.compression = "gzip";
    if (Status s = inflateGzip(raw, out, task); s.cancelled()) return Cancelled{};
  } else if (raw.starts_with("\x28\xb5\x2f\xfd")) {
    out.compression = "zstd";
    if (Status s = inflateZstd(raw, out, task); s.cancelled()) return Cancelled{};
  } else {
    out.text = std::move(raw);
  }
  return out;
}

}  // namespace ridgeline
