#include "core/analysis/measured_work.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ridgeline {

namespace {

/// Launch sizes stand in the events' args; of more launches of one name this many are looked at.
constexpr std::size_t kMostLookedAt = 256;

struct Sum {
  double total = 0;
  bool known = true;
  void add(std::optional<double> value, double times) {
    known = known && value.has_value();
    total += value.value_or(0) * times;
  }
};

DType typeOfPeak(std::string_view key) {
  if (key == "fp64") return DType::Float64;
  if (key == "fp32" || key == "tf32") return DType::Float32;
  if (key == "fp16") return DType::Float16;
  if (key == "bf16") return DType::BFloat16;
  if (key == "fp8") return DType::Float8E4M3;
  if (key == "fp4") return DType::Float4x2;
  if (key == "int8") return DType::Int8;
  return DType::Unknown;
}

bool isProduct(KernelClass c) {
  return c == KernelClass::matmul || c == KernelClass::attention || c == KernelClass::convolution;
}

/// The measured work of all kernels of one point.
class PointSum {
 public:
  PointSum(const Workload& w, const MeasuredKernels& kernels, const RooflinePoint& point)
      : w_(w), kernels_(kernels), point_(point) {}

  void addAll() {
    std::map<std::uint32_t, std::vector<SliceId>> byName;
    for (const SliceId slice : point_.slices)
      byName[w_.trace->slices().name[slice.index()].value].push_back(slice);
    for (const auto& [name, slices] : byName) addName(slices);
  }

  [[nodiscard]] std::optional<MeasuredWork> work() const {
    if (!any_) return std::nullopt;
    MeasuredWork work;
    const auto calls = static_cast<double>(point_.calls);
    if (flops_.known) work.flops = flops_.total / calls;
    if (bytes_.known) work.bytes = bytes_.total / calls;
    if (seconds_.known) work.seconds = seconds_.total / calls;
    work.how = work.flops || work.bytes ? "measured by Nsight Compute" : "not measured whole";
    work.how += ": " + std::to_string(launches_) + (launches_ == 1 ? " launch" : " launches");
    if (baseName_) work.how += "; told by its base name alone";
    if (mean_) work.how += "; mean over all launch sizes of the name";
    if (unmatched_) work.how += "; some of its kernels are not in the file, so sums are not known";
    if (otherSize_) work.how += "; launches of this size were not measured";
    if (mixed_) work.how += "; its launches differ in size";
    if (noMatrixOps_)
      work.how +=
          "; FLOPs not known: the operations of the tensor cores were not counted "
          "(sm__ops_path_tensor_src_…)";
    else if (!work.flops && !unmatched_ && !otherSize_ && !mixed_)
      work.how += "; FLOPs were not counted whole (add, mul and fma of a type)";
    return work;
  }

  /// The type most of the FLOPs were done in, by the kernel that did most.
  [[nodiscard]] std::pair<std::string, bool> type() const { return type_; }

 private:
  void addName(const std::vector<SliceId>& slices) {
    const std::size_t stride = (slices.size() + kMostLookedAt - 1) / kMostLookedAt;
    std::vector<MeasuredKernels::Found> found;
    bool same = true;
    for (std::size_t i = 0; i < slices.size(); i += stride) {
      found.push_back(kernels_.of(slices[i]));
      same = same && found.back().kernel == found.front().kernel;
      if (found.back().match == MeasuredKernels::Match::none ||
          found.back().match == MeasuredKernels::Match::ambiguous)
        break;  // so are all of its name
    }
    const KernelLabel& label = w_.label(slices.front());
    if (same) return add(found.front(), label, static_cast<double>(slices.size()));
    mixed_ = mixed_ || stride > 1;
    for (const auto& one : found) add(one, label, 1);
    if (stride == 1) return;
    flops_.known = bytes_.known = seconds_.known = false;
  }

  void add(const MeasuredKernels::Found& found, const KernelLabel& label, double times) {
    const CountedKernel* kernel = found.kernel;
    if (kernel == nullptr) {
      any_ = any_ || found.otherSize;
      (found.otherSize ? otherSize_ : unmatched_) = true;
      flops_.known = bytes_.known = seconds_.known = false;
      return;
    }
    any_ = true;
    launches_ += std::exchange(counted_[kernel], true) ? 0 : kernel->launches;
    baseName_ = baseName_ || found.match == MeasuredKernels::Match::baseName;
    mean_ = mean_ || found.meanOfSizes;
    const bool matrix =
        label.matrixUnit == MatrixUnit::yes ||
        (label.matrixUnit == MatrixUnit::unknown &&
         (point_.matrixUnit || (isProduct(label.kernelClass) && kernel->matrixFlops.empty())));
    const auto flops = kernel->flops(matrix);
    noMatrixOps_ = noMatrixOps_ || (!flops && (matrix || kernel->matrixInstructions));
    if (flops.value_or(0) * times > mostFlops_) {
      mostFlops_ = *flops * times;
      type_ = kernel->mostUsedType();
    }
    flops_.add(flops, times);
    bytes_.add(kernel->bytes, times);
    seconds_.add(kernel->seconds, times);
  }

  const Workload& w_;
  const MeasuredKernels& kernels_;
  const RooflinePoint& point_;
  Sum flops_, bytes_, seconds_;
  std::map<const CountedKernel*, bool> counted_;
  std::size_t launches_ = 0;
  double mostFlops_ = 0;
  std::pair<std::string, bool> type_;
  bool any_ = false, baseName_ = false, mean_ = false, unmatched_ = false, otherSize_ = false;
  bool mixed_ = false, noMatrixOps_ = false;
};

}  // namespace

void addMeasuredWork(const Workload& w, const MeasuredKernels& kernels, RooflinePoint& point) {
  if (point.kernelClass == KernelClass::collective || point.calls == 0) return;
  PointSum sum(w, kernels, point);
  sum.addAll();
  point.measured = sum.work();
  if (!point.measured) return;
  const MeasuredWork& work = *point.measured;
  if (work.flops) point.flops = work.flops;
  if (work.bytes) point.bytes = work.bytes;
  const auto& [type, matrix] = sum.type();
  if (work.flops && !type.empty()) {
    if (point.computeType == DType::Unknown) point.computeType = typeOfPeak(type);
    point.matrixUnit = matrix;
  }
  if (!work.flops || !work.bytes) return;
  point.missing.clear();  // shapes that are no longer needed
  point.inferred = point.upperBound = false;
}

}  // namespace ridgeline
