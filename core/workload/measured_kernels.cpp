#include "core/workload/measured_kernels.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <nlohmann/json.hpp>

#include "core/workload/kernel_name.h"

namespace ridgeline {

namespace {

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// Without the parameter list: the last bracket that is open at top level and closes at the end.
std::string_view withoutParameters(std::string_view text) {
  const std::size_t close = text.find_last_not_of(' ');
  if (close == text.npos || text[close] != ')') return text;
  int depth = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0)
      return at == 0 || text.substr(0, at).ends_with("operator") ? text : text.substr(0, at);
  }
  return text;
}

/// Without what stands before the name: the last blank outside of all brackets.
std::string_view withoutReturnType(std::string_view text) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' && at > 0 && text[at - 1] != '-') || c == ')' || c == ']' || c == '}') --depth;
    if (c == ' ' && depth == 0) begin = at + 1;
  }
  return text.substr(begin);
}

/// "(int)4" → "4", "(at::Kind)1" → "1": only casts of numbers.
std::string withoutCasts(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool castFirst = text[at] == '(' && (at == 0 || !isWord(text[at - 1]));
    const std::size_t close = castFirst ? text.find_first_of("()<>,", at + 1) : text.npos;
    if (close != text.npos && text[close] == ')' && close + 1 < text.size()) {
      const char next = text[close + 1];
      const bool negative = next == '-' && close + 2 < text.size() && isDigit(text[close + 2]);
      if (isDigit(next) || negative) {
        at = close;
        continue;
      }
    }
    out += text[at];
  }
  return out;
}

/// "3ul" → "3", "true" → "1".
std::string plainLiterals(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && isWord(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    std::string_view word = text.substr(at, end - at);
    if (isDigit(word.front()))
      while (!word.empty() &&
             (word.back() == 'u' || word.back() == 'l' || word.back() == 'U' || word.back() == 'L'))
        word.remove_suffix(1);
    out += word == "true" ? "1" : word == "false" ? "0" : word;
    at = end;
  }
  return out;
}

/// What `ncu --print-kernel-base function` prints: no namespaces either.
std::string_view lastPart(std::string_view base) {
  const std::size_t at = base.rfind("::");
  return at == base.npos ? base : base.substr(at + 2);
}

std::optional<std::array<long long, 3>> sizeIn(const nlohmann::json& args, const char* key) {
  const auto found = args.find(key);
  if (found == args.end() || !found->is_array() || found->size() != 3) return std::nullopt;
  std::array<long long, 3> size{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*found)[i].is_number_integer()) return std::nullopt;
    size[i] = (*found)[i].get<long long>();
  }
  return size;
}

CountedKernel meanOf(const std::vector<const CountedKernel*>& sizes) {
  CountedKernel mean;
  mean.name = sizes.front()->name;
  const auto weighted = [&](auto value) -> std::optional<double> {
    double sum = 0, launches = 0;
    for (const CountedKernel* kernel : sizes)
      if (const std::optional<double> v = value(*kernel)) {
        sum += *v * static_cast<double>(kernel->launches);
        launches += static_cast<double>(kernel->launches);
      }
    return launches > 0 ? std::optional(sum / launches) : std::nullopt;
  };
  std::set<std::string> vector, matrix;
  for (const CountedKernel* kernel : sizes) {
    mean.launches += kernel->launches;
    mean.matrixInstructions = mean.matrixInstructions || kernel->matrixInstructions;
    for (const auto& [type, flops] : kernel->vectorFlops) vector.insert(type);
    for (const auto& [type, flops] : kernel->matrixFlops) matrix.insert(type);
  }
  mean.bytes = weighted([](const CountedKernel& k) { return k.bytes; });
  mean.seconds = weighted([](const CountedKernel& k) { return k.seconds; });
  using ByType = std::map<std::string, double> CountedKernel::*;
  const auto fill = [&](ByType member, const std::set<std::string>& types) {
    for (const std::string& type : types)
      (mean.*member)[type] = weighted([&](const CountedKernel& k) -> std::optional<double> {
                               const auto found = (k.*member).find(type);
                               if (found == (k.*member).end()) return std::nullopt;
                               return found->second;
                             }).value_or(0);
  };
  fill(&CountedKernel::vectorFlops, vector);
  fill(&CountedKernel::matrixFlops, matrix);
  return mean;
}

std::string withCount(std::size_t count, std::string_view what) {
  return std::to_string(count).append(" ").append(what);
}

}  // namespace

std::string comparableKernelName(std::string_view name) {
  std::string text = demangled(name);
  for (const std::string_view unnamed :
       {"<unnamed>::", "(anonymous namespace)::", "<unnamed>", "(anonymous namespace)"})
    replaceAll(text, unnamed, "");
  text = withoutReturnType(withoutParameters(text));
  text = plainLiterals(withoutCasts(text));
  std::erase(text, ' ');
  // Closures: "[lambda(float)(instance1)]" is "{lambda(float)#1}".
  for (std::size_t at = text.find("[lambda("); at != text.npos; at = text.find("[lambda(", at)) {
    const std::size_t instance = text.find("(instance", at);
    const std::size_t end = instance == text.npos ? text.npos : text.find(")]", instance);
    if (end == text.npos) break;
    text.replace(end, 2, "}");
    text.replace(instance, 9, "#");
    text[at++] = '{';
  }
  return text;
}

/// A name of the file in the forms that are compared.
struct MeasuredKernels::FileName {
  std::string comparable, base;
  bool hasArguments = false;
  std::vector<const CountedKernel*> sizes;
  bool used = false;
};

MeasuredKernels::MeasuredKernels(const Workload& w) : w_(w) {
  std::set<std::uint32_t> seen;
  std::vector<StringId> traceNames;
  const SliceTable& s = w.trace->slices();
  for (const SliceId slice : w.deviceWork)
    if (s.category[slice.index()] == Category::kernel &&
        seen.insert(s.name[slice.index()].value).second)
      traceNames.push_back(s.name[slice.index()]);
  matchAll(traceNames);
  for (auto& [name, entry] : byName_)
    if (entry.sizes.size() > 1) {
      entry.mean = means_.size();
      means_.push_back(meanOf(entry.sizes));
    }
}

void MeasuredKernels::matchAll(const std::vector<StringId>& traceNames) {
  std::map<std::string, FileName> files;  // by the name in the file
  for (const CountedKernel& kernel : w_.settings.counters->kernels()) {
    FileName& file = files[kernel.name];
    file.sizes.push_back(&kernel);
    if (file.sizes.size() > 1) continue;
    file.comparable = comparableKernelName(kernel.name);
    file.base = splitKernelName(file.comparable).base;
    file.hasArguments = file.comparable.find('<') != std::string::npos;
  }
  std::map<std::string_view, std::vector<FileName*>> byComparable, byBase;
  for (auto& [name, file] : files) {
    byComparable[file.comparable].push_back(&file);
    byBase[lastPart(file.base)].push_back(&file);
  }
  struct TraceName {
    StringId id;
    std::string comparable, base;
  };
  std::vector<TraceName> names;
  std::map<std::string, std::size_t> sameComparable, sameLast;
  for (const StringId id : traceNames) {
    TraceName name{id, comparableKernelName(w_.trace->text(id)), {}};
    name.base = splitKernelName(name.comparable).base;
    ++sameComparable[name.comparable];
    ++sameLast[std::string(lastPart(name.base))];
    names.push_back(std::move(name));
  }
  const auto accept = [](Entry& entry, FileName& file, Match match) {
    entry.match = match;
    entry.sizes = file.sizes;
    file.used = true;
  };
  for (const TraceName& name : names) {
    Entry& entry = byName_[name.id.value];
    if (const auto same = files.find(std::string(w_.trace->text(name.id))); same != files.end()) {
      accept(entry, same->second, Match::whole);
      continue;
    }
    if (const auto found = byComparable.find(name.comparable); found != byComparable.end()) {
      // Overloads differ in their parameters alone, which demanglers write in different ways.
      if (found->second.size() == 1 && sameComparable[name.comparable] == 1)
        accept(entry, *found->second.front(), Match::whole);
      else
        entry.match = Match::ambiguous;
      continue;
    }
    const bool hasArguments = name.comparable.find('<') != std::string::npos;
    std::vector<FileName*> candidates;
    if (const auto found = byBase.find(lastPart(name.base)); found != byBase.end())
      for (FileName* file : found->second)
        if ((!file->hasArguments || !hasArguments) &&
            (file->base == name.base || file->base.find("::") == file->base.npos ||
             name.base.find("::") == name.base.npos))
          candidates.push_back(file);
    if (candidates.empty()) continue;
    if (candidates.size() == 1 && sameLast[std::string(lastPart(name.base))] == 1)
      accept(entry, *candidates.front(), Match::baseName);
    else
      entry.match = Match::ambiguous;
  }
  names_.all = names.size();
  for (const auto& [id, entry] : byName_) {
    names_.whole += entry.match == Match::whole;
    names_.baseName += entry.match == Match::baseName;
    names_.ambiguous += entry.match == Match::ambiguous;
    names_.none += entry.match == Match::none;
  }
  for (const auto& [name, file] : files) names_.notInTrace += !file.used;
}

std::optional<LaunchSize> MeasuredKernels::sizeOf(SliceId kernel) const {
  const auto text = w_.trace->readArgs(kernel);
  if (!text.ok()) return std::nullopt;
  const auto args = nlohmann::json::parse(text.value(), nullptr, false);
  if (!args.is_object()) return std::nullopt;
  const auto grid = sizeIn(args, "grid"), block = sizeIn(args, "block");
  if (!grid || !block) return std::nullopt;
  return LaunchSize{*grid, *block};
}

MeasuredKernels::Found MeasuredKernels::of(SliceId kernel) const {
  Found found;
  const auto at = byName_.find(w_.trace->slices().name[kernel.index()].value);
  if (at == byName_.end()) return found;
  const Entry& entry = at->second;
  found.match = entry.match;
  if (entry.sizes.empty()) return found;
  const auto mean = [&] {
    found.meanOfSizes = true;
    found.kernel = entry.sizes.size() > 1 ? &means_[entry.mean] : entry.sizes.front();
    return found;
  };
  const bool sized = std::all_of(entry.sizes.begin(), entry.sizes.end(),
                                 [](const CountedKernel* k) { return k->size.has_value(); });
  if (!sized) return mean();
  const auto size = sizeOf(kernel);
  if (!size) return mean();
  for (const CountedKernel* measured : entry.sizes)
    if (measured->size == size) found.kernel = measured;
  found.otherSize = found.kernel == nullptr;
  return found;
}

std::string MeasuredKernels::sentence() const {
  std::string text = "Nsight Compute measured " + std::to_string(names_.whole + names_.baseName) +
                     " of " +
                     withCount(names_.all, names_.all == 1 ? "kernel name of this trace"
                                                           : "kernel names of this trace");
  std::string rest;
  const auto add = [&rest](std::size_t count, std::string_view what) {
    if (count > 0) rest += (rest.empty() ? "" : ", ") + withCount(count, what);
  };
  add(names_.whole, "by their whole name");
  add(names_.baseName, "by their base name alone");
  add(names_.ambiguous, "left out because several kernels share their base name");
  add(names_.none, "not in the file");
  if (!rest.empty()) text += ": " + rest;
  if (names_.notInTrace > 0)
    text += "; " + withCount(names_.notInTrace, names_.notInTrace == 1
                                                    ? "name of the file is not used"
                                                    : "names of the file are not used");
  if (!w_.settings.counters->tellsSizes())
    text +=
        "; it tells no grid and block sizes, so the mean of a name stands for all its launch sizes";
  return text + ".";
}

}  // namespace ridgeline
