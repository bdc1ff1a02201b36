#include "core/hardware/counter_metrics.h"

#include <algorithm>
#include <array>

#include "core/base/real_number.h"

namespace ridgeline {

namespace {

constexpr double kMostOfALaunch = 1e18;  // FLOPs, bytes, 1/s
constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr std::string_view kBytes = "dram__bytes.sum";
constexpr std::string_view kBytesRead = "dram__bytes_read.sum";
constexpr std::string_view kBytesWritten = "dram__bytes_write.sum";
constexpr std::string_view kPerSecond = ".per_second";
constexpr std::string_view kPerCycle = ".per_cycle_elapsed";
constexpr std::string_view kCycleRate = "smsp__cycles_elapsed.avg.per_second";
constexpr std::string_view kThreadOp = "sass_thread_inst_executed_op_";
constexpr std::string_view kDerived = "derived__smsp__sass_thread_inst_executed_op_";
constexpr std::string_view kMatrixOps = "sm__ops_path_tensor_src_";
constexpr std::string_view kMatrixInstructions = "inst_executed_pipe_tensor";

struct Precision {
  char letter;  ///< of SASS: FFMA, HFMA, DFMA
  const char* type;
  /// Numbers that one thread's instruction works on. Half instructions are packed (HFMA2); a scalar
  /// one is counted as two, as in Nsight Compute's own roofline (…_hadd_pred_on_x2, …_hfma_…_x4).
  double lanes;
};
constexpr std::array kPrecisions{Precision{'f', "fp32", 1}, Precision{'h', "fp16", 2},
                                 Precision{'d', "fp64", 1}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// The name by which a metric is kept: the details page shows labels, other versions another
/// sub-unit of the same sum.
std::string keptName(std::string_view section, std::string_view metric) {
  if (metric == "Duration" || metric == "gpu__time_duration.avg") return std::string(kDuration);
  // MemoryWorkloadAnalysis.section; the same label means a percentage in other sections.
  if (metric == "Memory Throughput" && section == "Memory Workload Analysis")
    return std::string(kBytes).append(kPerSecond);
  if (metric.starts_with("smsp__sass_thread_inst") ||
      metric.starts_with("smsp__inst_executed_pipe"))
    return "sm__" + std::string(metric.substr(6));
  return std::string(metric);
}

bool isVectorOp(std::string_view kept) {
  const std::size_t at = kept.find(kThreadOp);
  if (at == kept.npos) return false;
  if (kept.starts_with(kDerived)) return kept.find("_pred_on_x") != kept.npos;
  return at == 4 && kept.starts_with("sm__") &&
         (kept.ends_with("_pred_on.sum") || kept.ends_with("_pred_on.sum.per_cycle_elapsed"));
}

bool isMatrixOps(std::string_view kept) {
  return kept.starts_with(kMatrixOps) &&
         (kept.ends_with(".sum") || kept.ends_with(".sum.per_cycle_elapsed"));
}

bool isMatrixInstructions(std::string_view kept) {
  return kept.find(kMatrixInstructions) != kept.npos && kept.find(".sum") != kept.npos;
}

std::optional<double> decimalPrefix(std::string_view prefix) {
  if (prefix.empty()) return 1;
  if (prefix == "k") return 1e3;
  if (prefix == "m") return 1e6;
  if (prefix == "g") return 1e9;
  if (prefix == "t") return 1e12;
  return std::nullopt;
}

/// "usecond", "us": how many seconds one is.
std::optional<double> secondsOf(std::string_view unit) {
  std::string text = lower(unit);
  if (text.ends_with("second")) text.resize(text.size() - 5);
  if (text == "s") return 1;
  if (text == "ms") return 1e-3;
  if (text == "us") return 1e-6;
  if (text == "ns") return 1e-9;
  return std::nullopt;
}

std::optional<double> bytesOf(std::string_view unit) {
  std::string text = lower(unit);
  if (text.ends_with("bytes")) text.pop_back();
  if (!text.ends_with("byte")) return std::nullopt;
  return decimalPrefix(std::string_view(text).substr(0, text.size() - 4));
}

/// "Ghz", "cycle/nsecond": how many a second.
std::optional<double> rateOf(std::string_view unit) {
  const std::string text = lower(unit);
  if (text.ends_with("hz")) return decimalPrefix(std::string_view(text).substr(0, text.size() - 2));
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto below = secondsOf(std::string_view(text).substr(slash + 1));
  return below ? std::optional(1 / *below) : std::nullopt;
}

/// "", "inst", "inst/cycle", "Kinst": counts scale by a capital letter, if at all.
double countScale(std::string_view unit) {
  if (unit.size() < 2 || unit[1] < 'a' || unit[1] > 'z') return 1;
  if (unit[0] != 'K' && unit[0] != 'M' && unit[0] != 'G' && unit[0] != 'T') return 1;
  return decimalPrefix(lower(unit.substr(0, 1))).value_or(1);
}

std::optional<double> scaleOf(std::string_view kept, std::string_view unit) {
  if (kept == kDuration) return secondsOf(unit);
  if (kept == kCycleRate) return rateOf(unit);
  if (!kept.starts_with("dram__")) return countScale(unit);
  if (!kept.ends_with(kPerSecond)) return bytesOf(unit);
  const std::size_t slash = unit.find('/');
  if (slash == unit.npos) return std::nullopt;
  const auto above = bytesOf(unit.substr(0, slash));
  const auto below = secondsOf(unit.substr(slash + 1));
  return above && below ? std::optional(*above / *below) : std::nullopt;
}

bool isUsefulKept(std::string_view kept) {
  if (kept == kDuration || kept == kCycleRate) return true;
  for (const std::string_view bytes : {kBytes, kBytesRead, kBytesWritten})
    if (kept == bytes || (kept.starts_with(bytes) && kept.substr(bytes.size()) == kPerSecond))
      return true;
  return isVectorOp(kept) || isMatrixOps(kept) || isMatrixInstructions(kept);
}

}  // namespace

bool CounterMetrics::isUseful(std::string_view section, std::string_view metric) {
  return isUsefulKept(keptName(section, metric));
}

bool CounterMetrics::take(std::string_view section, std::string_view metric, std::string_view unit,
                          double value) {
  std::string kept = keptName(section, metric);
  if (!isUsefulKept(kept)) return true;
  const auto scale = scaleOf(kept, unit);
  // No launch does or moves so much: the unit, or the number, is not what it seems.
  if (!scale || value * *scale > kMostOfALaunch) return false;
  values_.emplace(std::move(kept), value * *scale);  // the first of several sections
  return true;
}

std::optional<double> CounterMetrics::get(std::string_view metric) const {
  const auto found = values_.find(metric);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> CounterMetrics::seconds() const {
  return get(kDuration);
}

/// The sum itself, else its rate times the time: what the roofline sections collect.
std::optional<double> CounterMetrics::bytes() const {
  const auto sum = [this](std::string_view metric) -> std::optional<double> {
    if (const auto whole = get(metric)) return whole;
    const auto rate = get(std::string(metric).append(kPerSecond));
    return rate && seconds() ? std::optional(*rate * *seconds()) : std::nullopt;
  };
  if (const auto all = sum(kBytes)) return all;
  const auto read = sum(kBytesRead), written = sum(kBytesWritten);
  return read && written ? std::optional(*read + *written) : std::nullopt;
}

/// `times` × the thread instructions of an operation ("ffma"). Per cycle they count on all
/// sub-partitions together; × cycles/s × s gives how many.
std::optional<double> CounterMetrics::count(std::string_view operation, double times) const {
  const std::string metric =
      std::string("sm__").append(kThreadOp).append(operation).append("_pred_on");
  if (const auto sum = get(metric + ".sum")) return *sum * times;
  const auto rate = get(kCycleRate);
  if (!rate || !seconds()) return std::nullopt;
  if (const auto perCycle = get(std::string(metric).append(".sum").append(kPerCycle)))
    return *perCycle * times * *rate * *seconds();
  // Nsight Compute's own multiples: …_ffma_pred_on_x2, …_hfma_pred_on_x4.
  const std::string derived = std::string(kDerived).append(operation).append("_pred_on_x");
  const auto found = values_.lower_bound(derived);
  if (found == values_.end() || !found->first.starts_with(derived)) return std::nullopt;
  return found->second * *rate * *seconds();
}

/// Metrics of a type count in all, by the type of the result, and with and without sparsity; each
/// operation is in several of them. The widest that was collected is taken.
void CounterMetrics::addMatrixFlops(CountedKernel& kernel) const {
  std::map<std::string, std::array<std::optional<double>, 3>> byType;
  for (const auto& [metric, value] : values_) {
    if (!isMatrixOps(metric)) continue;
    double number = value;
    if (std::string_view(metric).ends_with(kPerCycle)) {
      const auto rate = get(kCycleRate);
      if (!rate || !seconds()) continue;
      number = value * *rate * *seconds();
    }
    const std::string_view rest = std::string_view(metric).substr(kMatrixOps.size());
    const std::string type(rest.substr(0, rest.find_first_of("_.")));
    const std::size_t detail = rest.find("_sparsity_") != rest.npos ? 2
                               : rest.find("_dst_") != rest.npos    ? 1
                                                                    : 0;
    auto& sum = byType[type][detail];
    sum = sum.value_or(0) + number;
  }
  for (const auto& [type, sums] : byType)
    for (const auto& sum : sums)
      if (sum) {
        kernel.matrixFlops[type] = *sum;
        break;
      }
}

CountedKernel CounterMetrics::told() const {
  CountedKernel kernel;
  kernel.launches = 1;
  kernel.seconds = seconds();
  kernel.bytes = bytes();
  for (const Precision& precision : kPrecisions) {
    const std::string letter(1, precision.letter);
    const auto add = count(letter + "add", precision.lanes);
    const auto multiply = count(letter + "mul", precision.lanes);
    const auto fused = count(letter + "fma", 2 * precision.lanes);
    if (add && multiply && fused) kernel.vectorFlops[precision.type] = *add + *multiply + *fused;
  }
  addMatrixFlops(kernel);
  for (const auto& [metric, value] : values_)
    if (isMatrixInstructions(metric) && value > 0) kernel.matrixInstructions = true;
  return kernel;
}

std::optional<double> counterNumber(std::string_view text) {
  std::string digits;
  std::size_t group = 0;  // digits since the last comma
  bool grouped = false, fraction = false;
  for (const char c : text) {
    if (c == ',') {
      if (fraction || (grouped ? group != 3 : group == 0 || group > 3)) return std::nullopt;
      grouped = true;
      group = 0;
      continue;
    }
    if (c < '0' || c > '9') {
      if (grouped && !fraction && group != 3) return std::nullopt;
      fraction = fraction || c == '.' || c == 'e' || c == 'E';
    } else if (!fraction) {
      ++group;
    }
    digits += c;
  }
  if (grouped && !fraction && group != 3) return std::nullopt;
  return parseReal(digits);
}

std::optional<double> CountedKernel::flops(bool usesMatrixUnit) const {
  double sum = 0, matrix = 0;
  for (const auto& [type, flops] : matrixFlops) matrix += flops;
  for (const auto& [type, flops] : vectorFlops) sum += flops;
  if (vectorFlops.empty() && matrix <= 0) return std::nullopt;
  // A matrix kernel without operations: those of its type were not among the metrics.
  if (matrix <= 0 && (usesMatrixUnit || matrixInstructions)) return std::nullopt;
  return sum + matrix;
}

std::pair<std::string, bool> CountedKernel::mostUsedType() const {
  std::pair<std::string, bool> found;
  double most = 0;
  for (const bool matrix : {true, false})
    for (const auto& [type, flops] : matrix ? matrixFlops : vectorFlops)
      if (flops > most) {
        most = flops;
        found = {type, matrix};
      }
  return found;
}

}  // namespace ridgeline
