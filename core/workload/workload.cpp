#include "core/workload/workload.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/seeded_hash.h"
#include "core/workload/op_call_costs.h"
#include "core/workload/op_owner.h"
#include "core/workload/xla_work.h"

namespace ridgeline {

namespace {

/// How many events are worked on between two looks at the stop token.
constexpr std::size_t kCancelStride = 1u << 16;

class WorkloadMaker {
 public:
  WorkloadMaker(std::shared_ptr<const Trace> trace, const WorkloadSettings& settings,
                const Task& task)
      : w_(std::make_shared<Workload>()),
        trace_(*trace),
        classifier_(settings.classifier ? *settings.classifier : KernelClassifier::builtin()),
        catalog_(settings.catalog ? *settings.catalog : DeviceCatalog::builtin()),
        task_(task) {
    w_->trace = std::move(trace);
    w_->settings = settings;
  }

  Result<std::shared_ptr<const Workload>> run() {
    collectDeviceWork();
    if (!findOps() || !labelAll() || !groupCalls()) return Cancelled{};
    matchDevices();
    if (task_.cancelled()) return Cancelled{};
    w_->steps = findSteps(trace_);
    if (task_.cancelled()) return Cancelled{};
    return std::shared_ptr<const Workload>(std::move(w_));
  }

 private:
  void collectDeviceWork();
  bool findOps();
  bool labelAll();
  bool groupCalls();
  void matchDevices();
  std::uint16_t indexOf(const KernelLabel& label);
  [[nodiscard]] std::string_view categoryWord(SliceId s) const;
  void labelByXla(SliceId s);
  template <class Visit>
  bool forEachWork(Visit&& visit);

  std::shared_ptr<Workload> w_;
  const Trace& trace_;
  const KernelClassifier& classifier_;
  const DeviceCatalog& catalog_;
  const Task& task_;
  using LabelKey = std::tuple<KernelClass, std::string_view, std::string_view, std::string_view,
                              MatrixUnit, bool>;
  std::map<LabelKey, std::uint16_t> labelIndices_;
  std::unordered_map<XlaId, std::uint16_t> labelOfXla_;
};

template <class Visit>
bool WorkloadMaker::forEachWork(Visit&& visit) {
  std::size_t n = 0;
  for (const SliceId s : w_->deviceWork) {
    if (++n % kCancelStride == 0 && task_.cancelled()) return false;
    visit(s);
  }
  return true;
}

void WorkloadMaker::collectDeviceWork() {
  const SliceTable& s = trace_.slices();
  w_->deviceWorkOf.resize(trace_.devices().size());
  for (const Track& track : trace_.tracks()) {
    if (track.kind != TrackKind::stream || !track.device.valid()) continue;
    std::vector<SliceId>& work = w_->deviceWorkOf[track.device.index()];
    for (std::uint32_t r = 0; r < track.rowCount; ++r) {
      const Row& row = trace_.rows()[track.firstRow.index() + r];
      for (std::uint32_t i = row.first; i < row.last; ++i)
        if (isDeviceWork(s.category[i])) work.push_back(SliceId(i));
    }
  }
  const auto earlier = [&](SliceId a, SliceId b) {
    return std::make_tuple(s.start[a.index()], s.end[a.index()], a) <
           std::make_tuple(s.start[b.index()], s.end[b.index()], b);
  };
  for (std::vector<SliceId>& work : w_->deviceWorkOf) {
    if (!std::is_sorted(work.begin(), work.end(), earlier))
      std::sort(work.begin(), work.end(), earlier);
    w_->deviceWork.insert(w_->deviceWork.end(), work.begin(), work.end());
  }
}

bool WorkloadMaker::findOps() {
  w_->opOf.assign(trace_.slices().size(), SliceId());
  OpOwner owner(trace_);
  return forEachWork([&](SliceId s) { w_->opOf[s.index()] = owner.of(s); });
}

std::uint16_t WorkloadMaker::indexOf(const KernelLabel& label) {
  const LabelKey key{label.kernelClass,    label.subclass,   label.rule,
                     label.oracleCategory, label.matrixUnit, label.byParentOp};
  const auto it = labelIndices_.find(key);
  if (it != labelIndices_.end()) return it->second;
  if (w_->labels.size() >= std::numeric_limits<std::uint16_t>::max()) return 0;
  const auto index = static_cast<std::uint16_t>(w_->labels.size());
  labelIndices_.emplace(key, index);
  w_->labels.push_back(label);
  return index;
}

/// The category's word in the way of Kineto, which the rules know.
std::string_view WorkloadMaker::categoryWord(SliceId s) const {
  switch (trace_.slices().category[s.index()]) {
    case Category::memcpy:
      return "gpu_memcpy";
    case Category::memset:
      return "gpu_memset";
    default:
      return trace_.categoryText(s);
  }
}

/// The compiler's words for a kernel whose name says nothing, or no more than "a fusion".
void WorkloadMaker::labelByXla(SliceId s) {
  if (trace_.xla().empty()) return;
  const KernelLabel& byName = w_->labels[w_->labelIndex[s.index()]];
  // An instruction's own name tells less than the compiler's category of it.
  const bool vague = byName.rule == "xla.fusion" || byName.rule.starts_with("xla.op.");
  const auto id = trace_.slices().xla.get(s);
  if (!id || (byName.kernelClass != KernelClass::unknown && !vague)) return;
  const XlaArgs& args = trace_.xla()[id->index()];
  if (vague && !args.category.valid()) return;
  const auto [it, isNew] = labelOfXla_.try_emplace(*id, std::uint16_t{0});
  if (isNew)
    it->second = indexOf(labelOfHlo(trace_.text(args.category), trace_.text(args.op),
                                    trace_.text(args.frameworkOp)));
  if (w_->labels[it->second].kernelClass == KernelClass::unknown) return;
  w_->labelByNameIndex[s.index()] = w_->labelIndex[s.index()] = it->second;
}

bool WorkloadMaker::labelAll() {
  const SliceTable& s = trace_.slices();
  indexOf(KernelLabel());
  w_->labelIndex.assign(s.size(), 0);
  w_->labelByNameIndex.assign(s.size(), 0);
  std::unordered_map<std::uint64_t, std::uint16_t, SeededHash> byName;
  std::unordered_map<std::uint64_t, std::uint16_t, SeededHash> byOp;
  return forEachWork([&](SliceId id) {
    const std::size_t i = id.index();
    const std::uint64_t nameKey = (std::uint64_t{s.name[i].value} << 16) | s.categoryText[i];
    auto name = byName.find(nameKey);
    if (name == byName.end())
      name =
          byName.emplace(nameKey, indexOf(classifier_.classify(trace_.name(id), categoryWord(id))))
              .first;
    w_->labelByNameIndex[i] = w_->labelIndex[i] = name->second;
    labelByXla(id);
    const SliceId op = w_->opOf[i];
    if (!op.valid()) return;
    const std::uint64_t opKey = (std::uint64_t{s.name[op.index()].value} << 16) | name->second;
    auto refined = byOp.find(opKey);
    if (refined == byOp.end()) {
      // A copy: indexOf may move the labels.
      const KernelLabel label = w_->labels[name->second];
      refined = byOp.emplace(opKey, indexOf(classifier_.refine(label, trace_.name(op)))).first;
    }
    w_->labelIndex[i] = refined->second;
  });
}

bool WorkloadMaker::groupCalls() {
  const SliceTable& s = trace_.slices();
  w_->opCallOf.assign(s.size(), Workload::kNone);
  // By slice, not in a map: that would miss the cache once more for every kernel.
  std::vector<std::uint32_t> callOfOp(s.size(), Workload::kNone);
  std::vector<SliceId> inTime = w_->deviceWork;
  if (w_->deviceWorkOf.size() > 1)
    std::stable_sort(inTime.begin(), inTime.end(),
                     [&](SliceId a, SliceId b) { return s.start[a.index()] < s.start[b.index()]; });
  OpCallCosts costs(trace_);
  std::size_t n = 0;
  for (const SliceId id : inTime) {
    if (++n % kCancelStride == 0 && task_.cancelled()) return false;
    const SliceId op = w_->opOf[id.index()];
    auto call = static_cast<std::uint32_t>(w_->opCalls.size());
    // What has no operator is a call of its own: nothing says what belongs together.
    if (op.valid()) {
      std::uint32_t& known = callOfOp[op.index()];
      if (known == Workload::kNone) known = call;
      call = known;
    }
    if (call == w_->opCalls.size()) w_->opCalls.push_back({op, costs.indexOf(op, id), {}});
    w_->opCalls[call].deviceWork.push_back(id);
    w_->opCallOf[id.index()] = call;
  }
  w_->costs = costs.takeCosts();
  return true;
}

VendorHint vendorOf(const Trace& trace) {
  struct Prefix {
    std::string_view text;
    VendorHint vendor;
  };
  static constexpr std::array kPrefixes = {
      Prefix{"hip", VendorHint::hip}, Prefix{"cuda", VendorHint::cuda},
      Prefix{"cu", VendorHint::cuda}, Prefix{"ze", VendorHint::xpu},
      Prefix{"ur", VendorHint::xpu},  Prefix{"pi", VendorHint::xpu},
      Prefix{"sycl", VendorHint::xpu}};
  std::unordered_map<StringId, std::size_t> calls;
  const SliceTable& s = trace.slices();
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s.category[i] == Category::runtime) ++calls[s.name[i]];
  std::array<std::size_t, 4> counts{};
  for (const auto& [id, count] : calls) {
    const std::string_view name = trace.text(id);
    for (const Prefix& prefix : kPrefixes)
      if (name.substr(0, prefix.text.size()) == prefix.text) {
        counts[static_cast<std::size_t>(prefix.vendor)] += count;
        break;
      }
  }
  const auto most = std::max_element(counts.begin() + 1, counts.end());
  return *most == 0 ? VendorHint::unknown : static_cast<VendorHint>(most - counts.begin());
}

void WorkloadMaker::matchDevices() {
  const VendorHint vendor = vendorOf(trace_);
  for (const Device& device : trace_.devices()) {
    DeviceQuery query;
    query.name = device.name;
    query.vendor = vendor;
    query.totalMemory = device.totalMemory.value_or(0);
    query.smCount = static_cast<int>(device.smCount.value_or(0));
    query.computeMajor = static_cast<int>(device.computeMajor.value_or(0));
    query.computeMinor = static_cast<int>(device.computeMinor.value_or(0));
    query.warpSize = static_cast<int>(device.warpSize.value_or(0));
    w_->peaks.push_back({catalog_.match(query), vendor});
  }
}

}  // namespace

const OpCost* Workload::costOfSlice(SliceId s) const {
  if (s.index() >= opCallOf.size() || opCallOf[s.index()] == kNone) return nullptr;
  return costOf(opCalls[opCallOf[s.index()]]);
}

Result<std::shared_ptr<const Workload>> makeWorkload(std::shared_ptr<const Trace> trace,
                                                     const WorkloadSettings& settings,
                                                     const Task& task) {
  return WorkloadMaker(std::move(trace), settings, task).run();
}

}  // namespace ridgeline
