#include "core/simulator/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include <zstd.h>

namespace ridgeline::simulator {
namespace {

/// The plain bytes: a temporary file that is renamed.
class PlainFile : public OutputFile {
 public:
  PlainFile(std::string path, std::string temporary, std::FILE* file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}
  ~PlainFile() override {
    if (file_) std::fclose(file_);
    if (!committed_) std::remove(temporary_.c_str());
  }

  void write(std::string_view text) override {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
  }

  Status commit() override {
    if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
    if (error_ != 0) {
      return Error{std::string("could not write: ") + std::strerror(error_), path_,
                   "Free some space or name another folder"};
    }
    committed_ = true;
    return Done{};
  }

 private:
  std::string path_, temporary_;
  std::FILE* file_;
  int error_ = 0;
  bool committed_ = false;
};

class GzipFile : public OutputFile {
 public:
  explicit GzipFile(std::unique_ptr<OutputFile> file) : file_(std::move(file)), out_(1 << 18) {
    constexpr int kLevel = 3;  // half the time of 6 for a tenth more bytes
    constexpr int kGzip = 15 + 16;
    deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY);
  }
  ~GzipFile() override { deflateEnd(&stream_); }

  void write(std::string_view text) override { run(text, Z_NO_FLUSH); }
  Status commit() override {
    run({}, Z_FINISH);
    return file_->commit();
  }

 private:
  void run(std::string_view text, int flush) {
    std::vector<Bytef> copy(text.begin(), text.end());
    stream_.next_in = copy.data();
    stream_.avail_in = static_cast<uInt>(copy.size());
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      deflate(&stream_, flush);
      const std::size_t made = out_.size() - stream_.avail_out;
      file_->write({reinterpret_cast<const char*>(out_.data()), made});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<OutputFile> file_;
  std::vector<Bytef> out_;
  z_stream stream_{};
};

class ZstdFile : public OutputFile {
 public:
  explicit ZstdFile(std::unique_ptr<OutputFile> file)
      : file_(std::move(file)),
        context_(ZSTD_createCCtx(), ZSTD_freeCCtx),
        out_(ZSTD_CStreamOutSize()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view text) override { run(text, ZSTD_e_continue); }
  Status commit() override {
    run({}, ZSTD_e_end);
    return file_->commit();
  }

 private:
  void run(std::string_view text, ZSTD_EndDirective end) {
    ZSTD_inBuffer in{text.data(), text.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      file_->write({out_.data(), out.pos});
    } while (!ZSTD_isError(left) && (end == ZSTD_e_end ? left > 0 : in.pos < in.size));
  }

  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::vector<char> out_;
};

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    return Error{"it is a folder", path, "Name a file"};
  }
  const std::string temporary = path + ".part" + std::to_string(::getpid());
  std::FILE* raw = std::fopen(temporary.c_str(), "wb");
  if (!raw) {
    return Error{std::string("could not create the file: ") + std::strerror(errno), path,
                 "Check that the folder exists and may be written"};
  }
  std::unique_ptr<OutputFile> file = std::make_unique<PlainFile>(path, temporary, raw);
  if (path.ends_with(".gz")) file = std::make_unique<GzipFile>(std::move(file));
  if (path.ends_with(".zst")) file = std::make_unique<ZstdFile>(std::move(file));
  return file;
}

}  // namespace ridgeline::simulator
