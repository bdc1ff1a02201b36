#include "core/io/sqlite_reader.h"

#include <sys/stat.h>

#include "core/io/format_probe.h"
#include "core/io/nsight_args.h"
#include "core/io/nsight_import.h"
#include "core/io/spooled_file.h"
#include "core/io/sqlite_file.h"

namespace ridgeline {

namespace {

constexpr std::size_t kHeaderBytes = 100;  // of an SQLite database

bool isFilled(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_size > 0;
}

std::uint64_t bigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char ch : bytes) value = value << 8 | static_cast<unsigned char>(ch);
  return value;
}

/// What the header and the files beside it tell (https://www.sqlite.org/fileformat.html).
void noteState(std::string_view header, const InputFile& file, ImportLog& log) {
  if (isFilled(file.path() + "-wal"))
    log.note("write_ahead_log",
             "a write-ahead log lies beside the database; what is only in there was not read: "
             "close the program that writes it, then open the file again",
             true, ImportLog::kNoOffset);
  if (isFilled(file.path() + "-journal"))
    log.note("rollback_journal",
             "a journal lies beside the database: it is still being written, or its export was "
             "interrupted",
             true, ImportLog::kNoOffset);
  if (header.size() < kHeaderBytes) return;
  std::uint64_t pageBytes = bigEndian(header.substr(16, 2));
  if (pageBytes == 1) pageBytes = 65536;
  const std::uint64_t pages = bigEndian(header.substr(28, 4));
  // The count is only right where whoever changed the file last also wrote it.
  if (header.substr(24, 4) == header.substr(92, 4) && pages * pageBytes > file.size())
    log.note("database_cut_off", "the database is shorter than its header says", true,
             ImportLog::kNoOffset,
             std::to_string(file.size()) + " of " + std::to_string(pages * pageBytes) + " bytes");
}

Result<std::shared_ptr<const InputFile>> fileOf(ByteSource& source, const Task& task) {
  if (source.file() != nullptr && source.compression().empty())
    return std::shared_ptr<const InputFile>(source.file());
  return spool(source, task);
}

}  // namespace

Status readDatabase(ByteSource& source, TraceBuilder& builder, const Task& task,
                    const LoadOptions& options) {
  static_cast<void>(options);
  const std::string header(source.peek(kHeaderBytes));
  auto found = fileOf(source, task);
  if (found.failed()) return found.error();
  if (found.cancelled()) return Cancelled{};
  const std::shared_ptr<const InputFile> file = found.value();
  auto opened = SqliteFile::open(file->path(), source.name(), &task);
  if (opened.failed()) return opened.error();
  if (opened.cancelled()) return Cancelled{};
  SqliteFile& database = *opened.value();
  const FormatProbe probe = probeTables(database.tables(), source.name());
  if (probe.format != FileFormat::nsight)
    return Error{"this is " + probe.name + ", which is not read here", source.name(), probe.todo};
  noteState(header, *file, builder.log());
  NsightImport import(database, builder, task, file->size());
  const Status done = import.run();
  if (!done.ok()) return done;
  builder.info().textBytes = file->size();
  builder.setArgs(std::make_shared<const NsightArgs>(file, import.argsTables(), import.domains()));
  for (const SourceDamage& damage : source.damage()) {
    ++builder.log().repaired;
    builder.log().note(damage.key, damage.sentence, damage.lost, damage.offset);
  }
  return Done{};
}

}  // namespace ridgeline
