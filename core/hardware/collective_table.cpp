#include "core/hardware/collective_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <Eigen/Dense>

#include "core/base/real_number.h"
namespace ridgeline {

namespace {

struct Named {
  std::string_view part, kind;
};
/// Names of the tests' programs and of rows of a table; the more special ones first.
constexpr std::array kNames{
    Named{"all_reduce", "all-reduce"},
    Named{"allreduce", "all-reduce"},
    Named{"all-reduce", "all-reduce"},
    Named{"all_gather", "all-gather"},
    Named{"allgather", "all-gather"},
    Named{"all-gather", "all-gather"},
    Named{"reduce_scatter", "reduce-scatter"},
    Named{"reducescatter", "reduce-scatter"},
    Named{"reduce-scatter", "reduce-scatter"},
    Named{"alltoall", "all-to-all"},
    Named{"all_to_all", "all-to-all"},
    Named{"all-to-all", "all-to-all"},
    Named{"sendrecv", "send-recv"},
    Named{"send_recv", "send-recv"},
    Named{"send-recv", "send-recv"},
    Named{"broadcast", "broadcast"},
    Named{"gather", "gather"},
    Named{"scatter", "scatter"},
    Named{"reduce", "reduce"},
};

std::string_view kindIn(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const Named& name : kNames)
    if (lower.find(name.part) != std::string::npos) return name.kind;
  return {};
}

std::vector<std::string_view> words(std::string_view line, std::string_view separators) {
  std::vector<std::string_view> found;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(separators);
    if (begin == line.npos) break;
    const std::size_t end = std::min(line.find_first_of(separators, begin), line.size());
    found.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return found;
}

/// The lines of a text with their numbers, from 1 on.
template <class Visit>
void eachLine(std::string_view text, Visit&& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!visit(line, number)) return;
  }
}

/// nccl-tests prints a comment block, then rows: size, count, type, [redop,] [root,] and twice (out
/// of place, in place) time (µs), algbw, busbw, #wrong.
class TestsOutput {
 public:
  explicit TestsOutput(const std::string& name) : name_(name) {}

  void take(std::string_view line) {
    const auto parts = words(line, " \t");
    if (parts.empty()) return;
    if (parts[0] == "#") {
      // A log may hold several runs; each begins with one of these lines.
      if (line.find("test starting") != line.npos || (parts.size() > 1 && parts[1] == "nThread"))
        closeRun();
      if (parts.size() > 2 && parts[1] == "Rank") ++ranks_;
      if (line.find("test starting") != line.npos) kind_ = kindIn(line.substr(line.find(':') + 1));
      return;
    }
    const auto size = parseReal(parts[0]);
    if (!size || parts.size() < 8) {
      // What the shell echoed: the program's name in the command.
      if (line.find("_perf") != line.npos) {
        closeRun();
        if (kind_.empty()) kind_ = kindIn(line);
      }
      return;
    }
    takeRow(*size, parts);
  }

  [[nodiscard]] Result<std::vector<CollectiveSample>> done() {
    closeRun();
    if (error_) return *error_;
    if (samples_.empty())
      return Error{"no measurement of collectives is in this file", name_,
                   "Give the output of nccl-tests or rccl-tests, or a table with the header "
                   "collective,ranks,bytes,time_us."};
    return samples_;
  }

 private:
  /// The rows since the last run become samples; nothing happens before the first row of a run.
  void closeRun() {
    if (rows_.empty()) return;
    if (kind_.empty()) kind_ = kindIn(name_.substr(name_.find_last_of('/') + 1));
    if (!error_ && (ranks_ == 0 || kind_.empty()))
      error_ = Error{ranks_ == 0 ? "the output does not say how many ranks took part"
                                 : "the output does not say which collective was measured",
                     name_,
                     ranks_ == 0 ? "Keep the lines that begin with \"# Rank\"."
                                 : "Name the file after the test, such as all_reduce_perf.txt."};
    for (const auto& [bytes, seconds] : rows_)
      samples_.push_back({std::string(kind_), ranks_, bytes, seconds});
    rows_.clear();
    kind_ = {};
    ranks_ = 0;
  }

  void takeRow(double size, const std::vector<std::string_view>& parts) {
    // The columns in front differ by test and version; those at the end do not: two groups of
    // time, algbw, busbw, #wrong (a number or N/A).
    double best = 0;
    for (const std::size_t fromEnd : {std::size_t{8}, std::size_t{4}}) {
      const auto time = parseReal(parts[parts.size() - fromEnd]);
      if (time && *time > 0 && (best == 0 || *time < best)) best = *time;
    }
    if (size > 0 && best > 0) rows_.emplace_back(size, best * 1e-6);
  }

  std::string name_;
  std::string_view kind_;
  int ranks_ = 0;
  std::vector<std::pair<double, double>> rows_;  ///< of the run being read: bytes, seconds
  std::vector<CollectiveSample> samples_;
  std::optional<Error> error_;
};

Result<std::vector<CollectiveSample>> samplesOfTable(std::string_view text,
                                                     const std::string& name) {
  std::vector<CollectiveSample> samples;
  std::optional<Error> error;
  std::vector<std::string_view> header;
  eachLine(text, [&](std::string_view line, std::size_t number) {
    const auto parts = words(line, ",;\t ");
    if (parts.empty() || parts[0].starts_with('#')) return true;
    if (header.empty()) return header = parts, true;
    CollectiveSample sample;
    for (std::size_t i = 0; i < parts.size() && i < header.size(); ++i) {
      const double value = parseReal(parts[i]).value_or(0);
      if (header[i] == "collective") sample.kind = kindIn(parts[i]);
      if (header[i] == "ranks") sample.ranks = static_cast<int>(std::clamp(value, 0.0, 1e7));
      if (header[i] == "bytes") sample.bytes = value;
      if (header[i] == "time_us") sample.seconds = value * 1e-6;
    }
    if (sample.kind.empty() || sample.ranks < 1 || !(sample.bytes > 0) || !(sample.seconds > 0) ||
        parts.size() != header.size()) {  // an empty cell would shift those behind it
      error = Error{"expected a collective's name, its ranks, bytes and time_us above zero",
                    name + ", line " + std::to_string(number), "Correct or remove that line."};
      return false;
    }
    samples.push_back(std::move(sample));
    return true;
  });
  if (error) return *error;
  return samples;
}

CollectiveFit fitted(const std::string& kind, int ranks,
                     const std::vector<const CollectiveSample*>& samples) {
  CollectiveFit fit{kind, ranks, 0, 0, samples.size(), samples.front()->bytes, 0};
  Eigen::MatrixXd a(static_cast<Eigen::Index>(samples.size()), 2);
  double slope = 0;  // through the origin: where one size is all there is
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const CollectiveSample& s = *samples[i];
    const auto row = static_cast<Eigen::Index>(i);
    a(row, 0) = 1 / s.seconds;
    a(row, 1) = s.bytes / s.seconds;
    fit.smallest = std::min(fit.smallest, s.bytes);
    fit.largest = std::max(fit.largest, s.bytes);
    slope += s.seconds / s.bytes / static_cast<double>(samples.size());
  }
  fit.bytesPerSecond = 1 / slope;
  if (fit.smallest == fit.largest) return fit;
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(a.rows());
  const Eigen::Vector2d x = a.colPivHouseholderQr().solve(one);
  if (x(1) <= 0) {  // the size does not matter: all of it is fixed cost
    fit.fixedSeconds = a.col(0).sum() / a.col(0).squaredNorm();
    fit.bytesPerSecond = std::numeric_limits<double>::infinity();
    return fit;
  }
  if (x(0) < 0) {  // a line through the origin fits best
    fit.bytesPerSecond = a.col(1).squaredNorm() / a.col(1).sum();
    return fit;
  }
  fit.fixedSeconds = x(0);
  fit.bytesPerSecond = 1 / x(1);
  return fit;
}

}  // namespace

double busFactor(std::string_view kind, int ranks) {
  if (ranks < 2) return 1;
  const double n = ranks;
  if (kind == "all-reduce") return 2 * (n - 1) / n;
  if (kind == "all-gather" || kind == "reduce-scatter" || kind == "all-to-all") return (n - 1) / n;
  return 1;
}

std::vector<CollectiveFit> fitCollectives(const std::vector<CollectiveSample>& samples) {
  std::map<std::tuple<std::string, int>, std::vector<const CollectiveSample*>> groups;
  for (const CollectiveSample& sample : samples)
    groups[{sample.kind, sample.ranks}].push_back(&sample);
  std::vector<CollectiveFit> fits;
  for (const auto& [key, group] : groups)
    fits.push_back(fitted(std::get<0>(key), std::get<1>(key), group));
  return fits;
}

Result<CollectiveTable> CollectiveTable::fromText(std::string_view text, const std::string& name) {
  bool table = false;
  eachLine(text, [&](std::string_view line, std::size_t) {
    const auto parts = words(line, ",;\t ");
    if (parts.empty() || parts[0].starts_with('#')) return true;
    table = std::find(parts.begin(), parts.end(), "time_us") != parts.end();
    return false;
  });
  Result<std::vector<CollectiveSample>> samples = std::vector<CollectiveSample>();
  if (table) {
    samples = samplesOfTable(text, name);
  } else {
    TestsOutput output(name);
    eachLine(text, [&](std::string_view line, std::size_t) { return output.take(line), true; });
    samples = output.done();
  }
  if (!samples.ok()) return samples.error();
  CollectiveTable made;
  made.samples_ = std::move(samples).value();
  made.fits_ = fitCollectives(made.samples_);
  return made;
}

const CollectiveFit* CollectiveTable::find(std::string_view kind, int ranks) const {
  for (const CollectiveFit& fit : fits_)
    if (fit.kind == kind && fit.ranks == ranks) return &fit;
  return nullptr;
}

}  // namespace ridgeline
