#include "core/io/input_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridgeline {

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return Error{"there is no such file", path, "Check the name."};
    return Error{std::string("the file cannot be reached: ") + std::strerror(errno), path,
                 "Check the permissions."};
  }
  if (S_ISDIR(info.st_mode))
    return Error{"this is a folder, not a trace file", path, "Open one of the files in it."};
  if (!S_ISREG(info.st_mode))
    return Error{"this is not a regular file", path, "Write the trace to a file and open that."};
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return Error{std::string("the file cannot be read: ") + std::strerror(errno), path,
                 "Check the permissions."};
  std::unique_ptr<InputFile> file(new InputFile(path, fd));
  if (::fstat(fd, &info) != 0)
    return Error{std::string("the file cannot be read: ") + std::strerror(errno), path,
                 "Try again."};
  if (info.st_size == 0)
    return Error{"the file is empty", path, "Record the trace again, or open another file."};
  file->size_ = static_cast<std::uint64_t>(info.st_size);
  file->device_ = info.st_dev;
  file->inode_ = info.st_ino;
  file->changedSeconds_ = info.st_mtim.tv_sec;
  file->changedNanoseconds_ = info.st_mtim.tv_nsec;
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

InputFile::~InputFile() {
  ::close(fd_);
}

std::int64_t InputFile::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd_, to + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return done > 0 ? static_cast<std::int64_t>(done) : -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

std::int64_t InputFile::readAt(std::uint64_t offset, char* to, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd_, to + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::int64_t>(done);
}

bool InputFile::unchanged() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return false;
  return info.st_dev == device_ && info.st_ino == inode_ &&
         static_cast<std::uint64_t>(info.st_size) == size_ &&
         info.st_mtim.tv_sec == changedSeconds_ && info.st_mtim.tv_nsec == changedNanoseconds_;
}

}  // namespace ridgeline
