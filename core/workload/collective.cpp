#include "core/workload/collective.h"

#include <algorithm>

#include "core/workload/kernel_class.h"
#include "core/workload/op_shapes.h"

namespace ridgeline {

namespace {

bool says(std::string_view kind) {
  return !kind.empty() && kind != "generic";
}

/// What was recorded with the kernel or, in older recordings, with an operator around its launch.
const CollectiveArgs* argsOf(const Trace& trace, SliceId kernel) {
  const SliceTable& s = trace.slices();
  if (const auto own = s.collective.get(kernel)) return &trace.collectives()[own->index()];
  for (SliceId p = trace.launchOf(kernel); p.valid(); p = s.parent[p.index()])
    if (const auto found = s.collective.get(p)) return &trace.collectives()[found->index()];
  return nullptr;
}

std::string kindOf(const Workload& w, SliceId kernel, const CollectiveArgs* args) {
  const Trace& trace = *w.trace;
  if (args != nullptr && args->name.valid()) {
    const std::string_view recorded = collectiveKind(trace.text(args->name));
    if (says(recorded)) return std::string(recorded);
  }
  if (const std::string_view byName = w.label(kernel).subclass; says(byName))
    return std::string(byName);
  const SliceTable& s = trace.slices();
  for (SliceId p = trace.launchOf(kernel); p.valid(); p = s.parent[p.index()]) {
    const std::string_view kind = collectiveKind(trace.name(p));
    if (trace.name(p).find(':') != std::string_view::npos && says(kind)) return std::string(kind);
  }
  return "generic";
}

std::optional<double> bytesOf(const Workload& w, SliceId kernel, std::string_view kind,
                              const CollectiveArgs* args) {
  if (args != nullptr && args->dtype.valid()) {
    const int size = byteSize(scalarTypeFromText(w.trace->text(args->dtype)));
    const std::int64_t elements = kind == "all-gather" ? args->outElements : args->inElements;
    if (size > 0 && elements != EventArgs::kAbsent && elements > 0)
      return static_cast<double>(elements) * size;
  }
  // The formulas of collective operators count the message.
  const OpCost* cost = w.costOfSlice(kernel);
  if (cost != nullptr && cost->family == OpFamily::Collective && cost->bytes && *cost->bytes > 0)
    return cost->bytes;
  return std::nullopt;
}

}  // namespace

std::vector<CollectiveCall> collectiveCalls(const Workload& w) {
  std::vector<CollectiveCall> calls;
  for (std::size_t device = 0; device < w.deviceWorkOf.size(); ++device)
    for (const SliceId kernel : w.deviceWorkOf[device]) {
      if (w.trace->slices().category[kernel.index()] != Category::kernel ||
          w.classOf(kernel) != KernelClass::collective)
        continue;
      const CollectiveArgs* args = argsOf(*w.trace, kernel);
      CollectiveCall call;
      call.kernel = kernel;
      call.device = DeviceId(device);
      call.kind = kindOf(w, kernel, args);
      call.bytes = bytesOf(w, kernel, call.kind, args);
      if (args != nullptr) {
        call.group = args->group;
        if (args->groupSize != EventArgs::kAbsent && args->groupSize > 0)
          call.ranks = static_cast<int>(std::min<std::int64_t>(args->groupSize, 1 << 24));
      }
      calls.push_back(std::move(call));
    }
  return calls;
}

}  // namespace ridgeline
