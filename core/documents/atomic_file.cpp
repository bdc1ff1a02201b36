#include "core/documents/atomic_file.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTempSuffix = ".ridgeline-tmp";

Error failure(const std::string& path, std::string_view doing, int code, std::string todo) {
  return {std::string(doing) + ": " + std::strerror(code), path, std::move(todo)};
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  /// Some file systems report a failed write only here.
  [[nodiscard]] bool closeChecked() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string tempPrefix(const fs::path& target) {
  return "." + target.filename().string() + ".";
}

/// Removes what a killed process left behind: temporary files of `target` whose writer is gone.
void removeLeftovers(const fs::path& target) {
  const std::string prefix = tempPrefix(target);
  std::error_code ignored;
  for (fs::directory_iterator it(target.parent_path(), ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kTempSuffix)) continue;
    const std::string_view digits = std::string_view(name).substr(
        prefix.size(), name.size() - prefix.size() - kTempSuffix.size());
    pid_t writer = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), writer);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) continue;
    if (writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH) {
      std::error_code gone;
      fs::remove(it->path(), gone);
    }
  }
}

}  // namespace

Status writeFileAtomically(const std::string& path, std::string_view content) {
  std::error_code ec;
  fs::path target = fs::absolute(path, ec);
  if (fs::is_symlink(target, ec)) target = fs::weakly_canonical(target, ec);
  const std::string temp =
      (target.parent_path() /
       (tempPrefix(target) + std::to_string(::getpid()) + std::string(kTempSuffix)))
          .string();
  const std::string todo =
      "Choose another place, or make room and check the permissions of the "
      "folder";
  removeLeftovers(target);

  struct stat old = {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return Error{"this is no file", path, todo};
  Descriptor file(::open(temp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return failure(path, "can't write there", errno, todo);
  const auto abandon = [&](std::string_view doing) {
    const int code = errno;
    ::unlink(temp.c_str());
    return failure(path, doing, code, todo);
  };
  if (exists && ::fchmod(file.get(), old.st_mode & 07777) != 0)
    return abandon("can't keep the permissions of the old file");
  // The data must be on disk before the name points at it, else a power cut leaves an empty file.
  if (!writeAll(file.get(), content) || ::fsync(file.get()) != 0 || !file.closeChecked())
    return abandon("writing failed");
  if (::rename(temp.c_str(), target.c_str()) != 0) return abandon("can't replace the old file");

  const Descriptor folder(::open(target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Not every file system can sync a folder; the file itself is whole either way.
  if (folder.valid()) ::fsync(folder.get());
  return Done{};
}

Result<std::string> readFile(const std::string& path, std::size_t maxBytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failure(path, "can't read it", errno, "Check the name");
  struct stat info = {};
  if (::fstat(file.get(), &info) != 0) return failure(path, "can't read it", errno, "");
  if (S_ISDIR(info.st_mode)) return Error{"this is a folder", path, "Name a file"};
  std::string text;
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (;;) {
    const std::size_t at = text.size();
    text.resize(at + kPiece);
    const ssize_t n = ::read(file.get(), text.data() + at, kPiece);
    text.resize(at + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failure(path, "reading failed", errno, "");
    if (n == 0) return text;
    if (text.size() > maxBytes)
      return Error{"it is longer than " + std::to_string(maxBytes) + " bytes", path,
                   "Check that this is the right file"};
  }
}

}  // namespace ridgeline
