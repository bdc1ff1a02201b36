#include "core/hardware/kernel_counters.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "core/hardware/counter_metrics.h"

namespace ridgeline {

namespace {

constexpr const char* kHowToCollect =
    "Collect them: ncu --csv --log-file FILE --metrics gpu__time_duration.sum,dram__bytes.sum,"
    "sm__sass_thread_inst_executed_op_fadd_pred_on.sum and so on for fmul, ffma, hadd, hmul, hfma, "
    "dadd, dmul, dfma, and sm__ops_path_tensor_src_bf16_dst_fp32.sum or what its tensor cores use; "
    "or: ncu --csv --page raw --set roofline.";

/// The records of a CSV text (RFC 4180: quoted values may hold commas, quotes and line breaks).
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  /// The next record; false at the end. `line` is its first one, from 1 on.
  bool next(std::vector<std::string>& values) {
    values.clear();
    closed = true;
    if (text_.empty()) return false;
    line = nextLine_;
    whole = text_.substr(0, text_.find_first_of("\r\n"));
    if (whole.starts_with("==")) {  // what the tool says meanwhile; it may hold single quotes
      text_.remove_prefix(whole.size());
      endLine();
      return true;
    }
    do values.push_back(value());
    while (take(','));
    endLine();
    return true;
  }

  std::size_t line = 0;
  std::string_view whole;  ///< the first line of the record
  bool closed = true;      ///< false: its last quotation mark is missing

 private:
  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string value() {
    std::string out;
    if (!take('"')) {
      const std::string_view plain = text_.substr(0, text_.find_first_of(",\r\n"));
      text_.remove_prefix(plain.size());
      return std::string(plain);
    }
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '"' && !take('"')) return out;
      if (c == '\n') ++nextLine_;
      out += c;
    }
    closed = false;
    return out;
  }

  /// What stands behind a closing quotation mark is no CSV and passed over.
  void endLine() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++nextLine_;
  }

  std::string_view text_;
  std::size_t nextLine_ = 1;
};

/// "(128, 1, 1)" or "128,1,1".
std::optional<std::array<long long, 3>> sizeIn(std::string_view text) {
  std::array<long long, 3> size{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t at = text.find_first_of("0123456789");
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at);
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), size[i]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
  return size;
}

bool isNotMeasured(std::string_view value) {
  return value.empty() || value == "n/a" || value == "N/A" || value == "nan" || value == "-nan" ||
         value == "inf" || value == "no data";
}

class CounterReader {
 public:
  explicit CounterReader(const std::string& name) : name_(name) {}

  Result<std::vector<CountedKernel>> read(std::string_view text) {
    CsvRecords records(text);
    std::vector<std::string> values;
    while (!error_ && records.next(values)) {
      line_ = records.line;
      if (values.empty()) continue;
      if (std::find(values.begin(), values.end(), "Kernel Name") != values.end())
        takeHeader(values);
      else if (!columns_.empty())
        takeRow(values, records);
    }
    if (error_) return *error_;
    return means();
  }

 private:
  struct Launch {
    std::string name;
    std::optional<LaunchSize> size;
    CounterMetrics metrics;
    std::size_t count = 1;
  };

  void fail(std::string what, std::string todo) {
    if (!error_)
      error_ = Error{std::move(what), name_ + ", line " + std::to_string(line_), std::move(todo)};
  }

  /// The same launches may be there on several pages, whose headers differ; the same header once
  /// more is that of another run.
  void takeHeader(const std::vector<std::string>& values) {
    if (!headers_.insert(values).second) {
      ++run_;
      headers_ = {values};
    }
    header_ = values;
    columns_.clear();
    units_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) columns_.emplace(values[i], i);
    useful_.clear();
    if (columns_.count("Metric Name") != 0) return;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (CounterMetrics::isUseful({}, values[i])) useful_.push_back(i);
  }

  [[nodiscard]] std::string_view cell(const std::vector<std::string>& values,
                                      std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string_view() : values[found->second];
  }

  void takeRow(const std::vector<std::string>& values, const CsvRecords& records) {
    if (values.size() != header_.size()) {
      // What the program printed stands in between when there was no --log-file.
      if (!records.whole.starts_with('"')) return;
      return fail(records.closed
                      ? "expected " + std::to_string(header_.size()) +
                            " values as in the header, found " + std::to_string(values.size())
                      : "the file ends within a quoted text",
                  "Write the file again with ncu --csv --log-file FILE.");
    }
    if (columns_.count("Metric Name") != 0) return takeMetric(values);
    if (cell(values, "ID").empty() && cell(values, "Kernel Name").empty()) {
      units_ = values;
      return;
    }
    Launch& launch = launchOf(values);
    for (const std::size_t i : useful_)
      takeValue(launch, {}, header_[i], units_.empty() ? std::string_view() : units_[i], values[i]);
  }

  void takeMetric(const std::vector<std::string>& values) {
    const std::string_view section = cell(values, "Section Name");
    const std::string_view metric = cell(values, "Metric Name");
    if (!CounterMetrics::isUseful(section, metric)) return;
    const bool summary = columns_.count("Metric Value") == 0;  // --print-summary
    const std::string_view value = cell(values, summary ? "Average" : "Metric Value");
    Launch& launch = launchOf(values);
    if (summary) {
      const auto count = counterNumber(cell(values, "Invocations"));
      launch.count = count && *count >= 1 ? static_cast<std::size_t>(std::min(*count, 1e12)) : 1;
    }
    takeValue(launch, section, metric, cell(values, "Metric Unit"), value);
  }

  Launch& launchOf(const std::vector<std::string>& values) {
    std::string key = std::to_string(run_) + "\n";
    for (const char* column :
         {"ID", "Process ID", "Host Name", "Kernel Name", "Grid Size", "Block Size"})
      key.append(cell(values, column)).append("\n");
    const auto [at, isNew] = launches_.try_emplace(std::move(key));
    Launch& launch = at->second;
    if (!isNew) return launch;
    launch.name = cell(values, "Kernel Name");
    const auto grid = sizeIn(cell(values, "Grid Size"));
    const auto block = sizeIn(cell(values, "Block Size"));
    if (grid && block) launch.size = LaunchSize{*grid, *block};
    return launch;
  }

  void takeValue(Launch& launch, std::string_view section, std::string_view metric,
                 std::string_view unit, std::string_view value) {
    if (isNotMeasured(value)) return;
    const auto number = counterNumber(value);
    if (!number || *number < 0)
      return fail("expected a number for " + std::string(metric) + ", found \"" +
                      std::string(value.substr(0, 40)) + "\"",
                  "Write the file again with LC_ALL=C ncu --csv (a point before the decimals).");
    if (!launch.metrics.take(section, metric, unit, *number))
      fail(unit.empty() ? "the unit of " + std::string(metric) + " is missing"
                        : "the unit of " + std::string(metric) +
                              " is not known, or no launch has so much: " +
                              std::string(value.substr(0, 40)) + " \"" + std::string(unit) + "\"",
           columns_.count("Metric Name") != 0
               ? "Keep the column Metric Unit as ncu --csv writes it."
               : "Keep the row of units below the header as ncu --csv --page raw writes it.");
  }

  /// The launches of a name and size become one, each figure the mean over those that have it.
  Result<std::vector<CountedKernel>> means() {
    if (header_.empty())
      return Error{"this is no output of ncu --csv: no line has a column \"Kernel Name\"", name_,
                   kHowToCollect};
    struct Sum {
      double total = 0, launches = 0;
    };
    struct Group {
      CountedKernel kernel;
      std::map<std::string, Sum> sums;
    };
    std::map<std::pair<std::string, std::optional<LaunchSize>>, Group> groups;
    for (const auto& [key, launch] : launches_) {
      const CountedKernel told = launch.metrics.told();
      Group& group = groups[{launch.name, launch.size}];
      const auto weight = static_cast<double>(launch.count);
      const auto add = [&](const std::string& what, double value) {
        Sum& sum = group.sums[what];
        sum.total += value * weight;
        sum.launches += weight;
      };
      group.kernel.launches += launch.count;
      group.kernel.matrixInstructions |= told.matrixInstructions;
      if (told.bytes) add("bytes", *told.bytes);
      if (told.seconds) add("seconds", *told.seconds);
      for (const auto& [type, flops] : told.vectorFlops) add("vector " + type, flops);
      for (const auto& [type, flops] : told.matrixFlops) add("matrix " + type, flops);
    }
    std::vector<CountedKernel> kernels;
    for (auto& [key, group] : groups) {
      CountedKernel& kernel = group.kernel;
      kernel.name = key.first;
      kernel.size = key.second;
      for (const auto& [what, sum] : group.sums) {
        const double mean = sum.total / sum.launches;
        if (what == "bytes") kernel.bytes = mean;
        if (what == "seconds") kernel.seconds = mean;
        if (what.starts_with("vector ")) kernel.vectorFlops[what.substr(7)] = mean;
        if (what.starts_with("matrix ")) kernel.matrixFlops[what.substr(7)] = mean;
      }
      kernels.push_back(std::move(kernel));
    }
    const bool any = std::any_of(kernels.begin(), kernels.end(), [](const CountedKernel& k) {
      return k.bytes || !k.vectorFlops.empty() || !k.matrixFlops.empty();
    });
    if (!any)
      return Error{"the file has neither FLOPs nor bytes of device memory for any kernel", name_,
                   kHowToCollect};
    return kernels;
  }

  std::string name_;
  std::size_t line_ = 0;
  std::optional<Error> error_;
  std::vector<std::string> header_, units_;
  std::set<std::vector<std::string>> headers_;  ///< of this run
  std::size_t run_ = 0;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::size_t> useful_;  ///< columns of metrics on the raw page
  std::map<std::string, Launch> launches_;
};

}  // namespace

Result<KernelCounters> KernelCounters::fromText(std::string_view text, const std::string& name) {
  auto kernels = CounterReader(name).read(text);
  if (!kernels.ok()) return kernels.error();
  KernelCounters made;
  made.kernels_ = std::move(kernels).value();
  return made;
}

bool KernelCounters::tellsSizes() const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [](const CountedKernel& kernel) { return kernel.size.has_value(); });
}

std::size_t KernelCounters::launches() const {
  std::size_t sum = 0;
  for (const CountedKernel& kernel : kernels_) sum += kernel.launches;
  return sum;
}

}  // namespace ridgeline
