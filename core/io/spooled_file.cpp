#include "core/io/spooled_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ridgeline {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

std::string folder() {
  const char* name = std::getenv("TMPDIR");
  return name != nullptr && *name != '\0' ? name : "/tmp";
}

bool writeAll(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

Result<std::shared_ptr<const InputFile>> spool(ByteSource& source, const Task& task) {
  std::string path = folder() + "/ridgeline-XXXXXX";
  const auto failed = [&](const char* what) {
    return Error{std::string(what) + ": " + std::strerror(errno), source.name(),
                 "Unpack the file yourself, or set TMPDIR to a folder with more room."};
  };
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return failed("no temporary file can be made to unpack it into");
  // SQLite wants a name, so it has one as long as anybody needs it.
  const std::shared_ptr<void> keeper(nullptr, [fd, path](void*) {
    ::close(fd);
    ::unlink(path.c_str());
  });
  const auto buffer = std::make_unique<char[]>(kPieceBytes);
  while (const std::size_t got = source.readBytes(buffer.get(), kPieceBytes)) {
    if (task.cancelled()) return Cancelled{};
    task.report({source.consumed(), source.size(), 0});
    if (!writeAll(fd, buffer.get(), got)) return failed("it cannot be unpacked");
  }
  auto opened = InputFile::open(path);
  if (opened.failed()) return opened.error();
  std::shared_ptr<InputFile> file = std::move(opened).value();
  return std::shared_ptr<const InputFile>(file.get(), [file, keeper](const InputFile*) {});
}

}  // namespace ridgeline
