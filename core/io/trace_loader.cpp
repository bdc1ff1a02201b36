#include "core/io/trace_loader.h"

#include <utility>

#include "core/base/release_later.h"
#include "core/io/folder_files.h"
#include "core/io/rocprof_reader.h"
#include "core/io/sqlite_reader.h"
#include "core/io/tar_members.h"
#include "core/io/trace_file.h"
#include "core/io/trace_reader.h"

namespace ridgeline {

namespace {

/// More ranks than that are in no job that one machine can show; a hostile archive has more.
constexpr std::size_t kMostInputs = 4096;

TraceReader readerOf(FileFormat format) {
  switch (format) {
    case FileFormat::traceEvents:
      return readTraceFile;
    case FileFormat::rocprof:
      return readRocprof;
    case FileFormat::sqlite:
    case FileFormat::nsight:
      return readDatabase;
    case FileFormat::tar:
    case FileFormat::unread:
      break;
  }
  return nullptr;
}

Error notRead(const FormatProbe& probe, const ByteSource& source) {
  const std::string& packed = source.compression();
  const std::string unpacked = packed.empty() ? "" : "once it is unpacked (" + packed + "), ";
  return {unpacked + "this is " + probe.name + ", which is not read here", source.name(),
          probe.todo.empty() ? "Open the file that the profiler exported." : probe.todo};
}

FormatProbe probeOf(ByteSource& source) {
  return probeFormat(source.peek(ByteSource::kPeekBytes), source.name());
}

/// A member as a path that could be a file's: notes are kept beside it.
std::string memberName(const std::string& archive, std::string name) {
  for (char& ch : name)
    if (ch == '/') ch = '!';
  return archive + "!" + name;
}

}  // namespace

TraceLoader::~TraceLoader() {
  if (!loaded_.empty()) releaseValueLater(std::move(loaded_));
}

void TraceLoader::note(Note note) {
  if (last_ == nullptr) {
    early_.push_back(std::move(note));
    return;
  }
  last_->log().note(note.key, note.sentence, true, ImportLog::kNoOffset, note.text);
}

bool TraceLoader::isFull() const {
  return inputs_ >= kMostInputs;
}

/// Turns what was read last into traces.
void TraceLoader::build() {
  if (last_ == nullptr) return;
  for (auto& trace : last_->finish(task_)) {
    auto index = std::make_shared<const TraceIndex>(trace, task_);
    loaded_.push_back({std::move(trace), std::move(index)});
    if (task_.cancelled()) break;
  }
  last_.reset();
}

Status TraceLoader::loadOne(ByteSource& source, const FormatProbe& probe) {
  const TraceReader read = readerOf(probe.format);
  if (read == nullptr) return notRead(probe, source);
  auto builder = std::make_unique<TraceBuilder>();
  TraceInfo& info = builder->info();
  info.path = source.name();
  info.format = probe.name;
  info.compression = source.compression();
  info.fileBytes = source.size();
  const Status done = read(source, *builder, task_, options_);
  if (!done.ok()) return done;
  build();
  last_ = std::move(builder);
  for (Note& early : std::exchange(early_, {})) note(std::move(early));
  return task_.cancelled() ? Status(Cancelled{}) : Status(Done{});
}

Status TraceLoader::takeOrSkip(const std::string& name, const Status& status) {
  ++inputs_;
  if (!status.failed()) return status;
  const std::string what = status.error().what;
  if (skipped_.empty()) skipped_ = name + ": " + what;
  note({"skipped_file", "files beside the traces that are none, or could not be read",
        name + ": " + what});
  return Done{};
}

Status TraceLoader::loadMembers(ByteSource& archive) {
  TarMembers members(archive);
  std::size_t told = 0;
  const auto tellDamage = [&] {
    for (; told < members.damage().size(); ++told)
      note({"damaged_archive", "the archive is damaged; what could be read was kept",
            members.damage()[told]});
  };
  while (auto member = members.next()) {
    if (isFull()) {
      note({"too_many_files", "more than 4,096 files: the rest was left out", archive.name()});
      break;
    }
    const std::string base = member->name.substr(member->name.find_last_of('/') + 1);
    // "._name" is what macOS keeps of a file's attributes.
    if (base.empty() || base.front() == '.') continue;
    const auto source = ByteSource::ofMember(archive, memberName(archive.name(), member->name),
                                             member->size, members.bytes());
    const FormatProbe probe = probeOf(*source);
    Status done = probe.format == FileFormat::tar
                      ? Status(Error{"an archive in an archive is not unpacked", source->name(),
                                     "Unpack it and open that."})
                      : loadOne(*source, probe);
    done = takeOrSkip(member->name, done);
    if (!done.ok()) return done;
    tellDamage();
    if (task_.cancelled()) return Cancelled{};
  }
  tellDamage();
  for (const SourceDamage& damage : archive.damage()) note({damage.key, damage.sentence, {}});
  return Done{};
}

Status TraceLoader::loadFile(const std::string& path) {
  auto opened = ByteSource::open(path);
  if (opened.failed()) return opened.error();
  ByteSource& source = *opened.value();
  const FormatProbe probe = probeOf(source);
  if (probe.format != FileFormat::tar) return loadOne(source, probe);
  const std::size_t before = loaded_.size() + (last_ != nullptr);
  const Status done = loadMembers(source);
  if (!done.ok() || loaded_.size() + (last_ != nullptr) > before) return done;
  return Error{"no trace is in this archive" + (skipped_.empty() ? "" : " (" + skipped_ + ")"),
               path, "Open an archive of the files that the profiler exported."};
}

Status TraceLoader::loadFolder(const std::string& path) {
  auto files = filesIn(path);
  if (files.failed()) return files.error();
  for (const std::string& file : files.value()) {
    if (file.ends_with(".ridgeline.json")) continue;  // notes of ours
    if (isFull()) {
      note({"too_many_files", "more than 4,096 files: the rest was left out", path});
      break;
    }
    const Status done = takeOrSkip(file, loadFile(file));
    if (!done.ok()) return done;
    if (task_.cancelled()) return Cancelled{};
  }
  if (!loaded_.empty() || last_ != nullptr) return Done{};
  return Error{"no trace is in this folder or the folders in it" +
                   (skipped_.empty() ? "" : " (" + skipped_ + ")"),
               path, "Open the folder that the profiler wrote its traces to."};
}

Result<std::vector<LoadedTrace>> TraceLoader::finish() {
  build();
  if (task_.cancelled()) return Cancelled{};
  return std::move(loaded_);
}

}  // namespace ridgeline
