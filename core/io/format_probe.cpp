#include "core/io/format_probe.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace ridgeline {

namespace {

using namespace std::string_view_literals;

bool isSpace(char ch) {
  return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r';
}

bool endsWith(std::string_view name, std::string_view suffix) {
  if (name.size() < suffix.size()) return false;
  const std::string_view tail = name.substr(name.size() - suffix.size());
  return std::equal(tail.begin(), tail.end(), suffix.begin(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  });
}

/// "[" or "{" and what may follow it: a key, an event, or the end.
bool looksLikeJson(std::string_view head) {
  std::size_t at = 0;
  if (head.starts_with("\xEF\xBB\xBF"sv)) at = 3;
  while (at < head.size() && isSpace(head[at])) ++at;
  if (at == head.size() || (head[at] != '{' && head[at] != '[')) return false;
  for (++at; at < head.size() && isSpace(head[at]);) ++at;
  return at == head.size() || head[at] == '"' || head[at] == '{' || head[at] == '}' ||
         head[at] == ']' || head[at] == '[';
}

/// {"rocprofiler-sdk-tool": …
bool isRocprof(std::string_view head) {
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < head.size() && isSpace(head[at])) ++at;
  };
  skip();
  if (at == head.size() || head[at] != '{') return false;
  ++at;
  skip();
  return head.substr(at).starts_with("\"rocprofiler-sdk-tool\""sv);
}

/// Zeros and other bytes that no text has.
bool isBinary(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char ch) {
    return static_cast<unsigned char>(ch) < 0x20 && !isSpace(ch) && ch != '\f' && ch != '\x1b';
  });
}

bool isUtf16(std::string_view head) {
  return head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv) ||
         (head.size() >= 4 && head[0] == '\0' && head[1] != '\0' && head[2] == '\0') ||
         (head.size() >= 4 && head[1] == '\0' && head[0] != '\0' && head[3] == '\0');
}

/// A header block of POSIX or GNU tar; of older ones the checksum is all there is to go by.
bool isTar(std::string_view head) {
  constexpr std::size_t kBlock = 512;
  if (head.size() < kBlock) return false;
  const std::string_view magic = head.substr(257, 5);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(head[i]);
  std::int64_t recorded = 0;
  bool digits = false;
  for (const char ch : head.substr(148, 8)) {
    if (ch >= '0' && ch <= '7') {
      recorded = recorded * 8 + (ch - '0');
      digits = true;
    } else if (digits) {
      break;
    }
  }
  return (digits && recorded == sum && head[0] != '\0') || magic == "ustar";
}

/// A number in base 128, as protobuf writes it.
std::optional<std::uint64_t> varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

/// The first message of a protobuf file whose top level is a list in field 1: a Perfetto trace's
/// packets, an XSpace's planes. Cut off where the head is.
std::optional<std::string_view> firstMessage(std::string_view head) {
  if (head.empty() || head[0] != '\x0a') return std::nullopt;
  head.remove_prefix(1);
  const auto length = varint(head);
  if (!length || *length == 0 || head.empty()) return std::nullopt;
  const std::string_view message =
      head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(*length, head.size())));
  const auto tag = static_cast<unsigned char>(message[0]);
  const bool wire = (tag & 7) <= 2 || (tag & 7) == 5;
  return wire && (tag >> 3) != 0 ? std::optional(message) : std::nullopt;
}

/// An XPlane has its name ("/host:CPU", "/device:GPU:0") in field 2, after at most its id.
bool isPlane(std::string_view message) {
  if (message[0] == '\x08') {
    message.remove_prefix(1);
    if (!varint(message)) return false;
  }
  if (message.empty() || message[0] != '\x12') return false;
  message.remove_prefix(1);
  const auto length = varint(message);
  if (!length || *length > 256) return false;
  const std::string_view name = message.substr(0, static_cast<std::size_t>(*length));
  return name.starts_with("/") || name == "Task Environment" || name.starts_with("#");
}

std::string quoted(std::string_view fileName) {
  std::string text = "'";
  for (const char ch : fileName) text += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return text + "'";
}

FormatProbe unread(std::string name, std::string todo) {
  return {FileFormat::unread, std::move(name), std::move(todo)};
}

/// Formats that are told by how they begin.
std::optional<FormatProbe> byMagic(std::string_view head, const std::string& file) {
  if (head.starts_with("version https://git-lfs.github.com/"sv))
    return unread("a Git LFS pointer instead of the file",
                  "Fetch it: git lfs pull --include " + file + ", then open it again.");
  if (head.starts_with("PK\x03\x04"sv) || head.starts_with("PK\x05\x06"sv))
    return unread("a zip archive", "Unpack it: unzip " + file + ", then open the traces in it.");
  // One stage, or two, are unpacked before anybody looks here.
  if (head.starts_with("\x1f\x8b"sv))
    return unread("compressed with gzip more than twice",
                  "Unpack it: gunzip -c < " + file + " > unpacked.gz, then open unpacked.gz.");
  if (head.starts_with("\x28\xb5\x2f\xfd"sv))
    return unread(
        "compressed with zstd more than twice",
        "Unpack one layer of " + file + " (gunzip -c or zstd -dc), then open the result.");
  if (head.starts_with("7z\xBC\xAF\x27\x1C"sv))
    return unread("a 7-Zip archive", "Unpack it: 7z x " + file + ", then open the traces in it.");
  if (head.starts_with("\xFD"
                       "7zXZ\0"sv))
    return unread("compressed with xz", "Unpack it: xz -dk " + file + ", then open the result.");
  if (head.starts_with("BZh"sv) && head.size() > 3 && head[3] >= '1' && head[3] <= '9')
    return unread("compressed with bzip2",
                  "Unpack it: bunzip2 -k " + file + ", then open the result.");
  if (head.starts_with("\x04\x22\x4D\x18"sv))
    return unread("compressed with lz4", "Unpack it: lz4 -dk " + file + ", then open the result.");
  if (head.starts_with("NVR\0"sv))
    return unread("an Nsight Compute report",
                  "It holds single kernels and no timeline. Record one with Nsight Systems or the "
                  "PyTorch profiler.");
  if (head.starts_with("PERFILE2"sv))
    return unread("a perf recording",
                  "It holds samples of the host only. Record the run with a device profiler.");
  if (head.starts_with("\x10\x00\x04\x46\x78\x54\x16\x00"sv))
    return unread("a Fuchsia trace",
                  "Convert it: traceconv json " + file + " trace.json, then open trace.json.");
  if (head.starts_with("\x89HDF\r\n\x1a\n"sv))
    return unread("an HDF5 file",
                  "If Nsight Systems wrote it, export again: nsys export --type sqlite REPORT, "
                  "then open the .sqlite file.");
  if (head.starts_with("PAR1"sv) || head.starts_with("ARROW1"sv))
    return unread("a Parquet or Arrow table",
                  "If Nsight Systems wrote it, export again: nsys export --type sqlite REPORT, "
                  "then open the .sqlite file.");
  return std::nullopt;
}

std::optional<FormatProbe> nsightReport(std::string_view fileName, const std::string& file) {
  if (endsWith(fileName, ".nsys-rep") || endsWith(fileName, ".qdrep"))
    return unread("an Nsight Systems report",
                  "Export it: nsys export --type sqlite " + file + ", then open the .sqlite file.");
  if (endsWith(fileName, ".qdstrm"))
    return unread("a raw Nsight Systems stream",
                  "Import it: QdstrmImporter -i " + file +
                      ", then export the report: nsys export --type sqlite REPORT.");
  return std::nullopt;
}

std::optional<FormatProbe> byText(std::string_view head, const std::string& file) {
  std::string start;
  std::size_t at = head.starts_with("\xEF\xBB\xBF"sv) ? 3 : 0;
  while (at < head.size() && isSpace(head[at])) ++at;
  for (const char ch : head.substr(at, 16))
    start += ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + ('a' - 'A')) : ch;
  if (start.starts_with("<!doctype html") || start.starts_with("<html"))
    return unread("a web page",
                  "If it is a systrace or a report with a trace inside: open it in a browser and "
                  "save the trace from there as JSON.");
  if (start.starts_with("<?xml"))
    return unread("an XML file", "Export the trace as JSON from the tool that wrote it.");
  if (start.starts_with("# tracer:"))
    return unread("a kernel trace of ftrace",
                  "Convert it: traceconv json " + file + " trace.json, then open trace.json.");
  return std::nullopt;
}

}  // namespace

FormatProbe probeFormat(std::string_view head, std::string_view fileName) {
  const std::string file = quoted(fileName);
  if (head.starts_with("SQLite format 3\0"sv))
    return {FileFormat::sqlite, "an SQLite database", {}};
  if (auto known = byMagic(head, file)) return *known;
  if (isTar(head)) return {FileFormat::tar, "a tar archive", {}};
  if (isRocprof(head)) return {FileFormat::rocprof, "rocprofv3 JSON", {}};
  const FormatProbe json{FileFormat::traceEvents, "Chrome trace-event JSON", {}};
  if (looksLikeJson(head) || isUtf16(head)) return json;
  if (auto known = byText(head, file)) return *known;
  if (isBinary(head)) {
    if (const auto message = firstMessage(head)) {
      if (isPlane(*message))
        return unread("an XPlane protobuf of JAX or TensorFlow",
                      "Open the trace.json.gz beside it, or convert it: python -c \"from "
                      "xprof.convert.raw_to_tool_data import xspace_to_tool_data as x; "
                      "print(x([\\\"" +
                          std::string(fileName) + "\\\"], 'trace_viewer', {})[0])\" > trace.json.");
      if (!nsightReport(fileName, file))
        return unread("a Perfetto trace (protobuf)",
                      "Convert it: traceconv json " + file + " trace.json, then open trace.json.");
    }
    if (auto known = nsightReport(fileName, file)) return *known;
  }
  return json;
}

FormatProbe probeTables(const std::vector<std::string>& tables, std::string_view fileName) {
  const auto any = [&](auto&& fits) { return std::any_of(tables.begin(), tables.end(), fits); };
  const bool nsight = any([](std::string_view t) {
    return t.starts_with("CUPTI_ACTIVITY_KIND_") || t == "NVTX_EVENTS" || t == "OSRT_API" ||
           t == "META_DATA_EXPORT" || t == "EXPORT_META_DATA" || t == "TARGET_INFO_GPU";
  });
  const bool strings = any([](std::string_view t) { return t == "StringIds"; });
  const bool nvprof = any([](std::string_view t) { return t == "StringTable"; });
  if (nsight && (strings || !nvprof))
    return {FileFormat::nsight, "an Nsight Systems SQLite export", {}};
  const std::string file = quoted(fileName);
  if (nsight)
    return unread("an nvprof database",
                  "Record the run again with Nsight Systems (nsys profile), then: nsys export "
                  "--type sqlite REPORT.nsys-rep.");
  if (any([](std::string_view t) { return t.starts_with("rocpd_"); }))
    return unread("a ROCm recording (rocpd database)",
                  "Convert it: rpd2tracing.py " + file +
                      " trace.json (rocmProfileData), or rocpd2pftrace for rocprofv3; or record "
                      "with rocprofv3 --output-format json.");
  return unread(tables.empty() ? "an SQLite database without tables"
                               : "an SQLite database of no known profiler",
                "Open an export of Nsight Systems: nsys export --type sqlite REPORT.nsys-rep.");
}

}  // namespace ridgeline
