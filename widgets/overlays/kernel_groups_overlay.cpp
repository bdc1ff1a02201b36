#include "widgets/overlays/kernel_groups_overlay.h"

#include <algorithm>

#include "widgets/common/format.h"

namespace ridgeline {

KernelGroupsOverlay::KernelGroupsOverlay(Session& session, Analyses& analyses, QObject* parent)
    : Overlay(parent), session_(session), analyses_(analyses) {
  connect(&analyses_, &Analyses::workloadChanged, this, &KernelGroupsOverlay::recolour);
  connect(&analyses_, &Analyses::resultsChanged, this, &Overlay::changed);
  connect(&session_, &Session::documentChanged, this, [this] { exposure_.clear(); });
  connect(&session_, &Session::overlaySwitched, this, [this](const QString& which) {
    if (which != id()) return;
    for (std::uint32_t rank = 0; rank < session_.ranks().size(); ++rank) recolour(rank);
  });
}

void KernelGroupsOverlay::recolour(std::uint32_t rank) {
  const Trace& trace = session_.trace(rank);
  auto keys =
      std::make_shared<std::vector<ColourKey>>(colourKeysByCategory(trace.slices().category));
  const auto workload = analyses_.workload(rank);
  if (workload && session_.isOverlayOn(id()))
    for (const SliceId slice : workload->deviceWork)
      (*keys)[slice.index()] = colourKeyOf(workload->classOf(slice));
  session_.setColourKeys(rank, std::move(keys));
  Q_EMIT changed();
}

void KernelGroupsOverlay::paint(QPainter& painter, const TimelineGeometry& geometry) const {
  Q_UNUSED(painter)
  Q_UNUSED(geometry)
}

QString KernelGroupsOverlay::sliceText(SliceRef slice) const {
  const auto workload = analyses_.workload(slice.rank);
  if (!workload || !isDeviceWork(workload->trace->slices().category[slice.id.index()])) return {};
  auto known = exposure_.find(slice.rank);
  if (known == exposure_.end() || known->second.first != workload) {
    exposure_.erase(slice.rank);
    known = exposure_.emplace(slice.rank, std::make_pair(workload, Exposure(*workload))).first;
  }
  const KernelLabel& label = workload->label(slice.id);
  const std::string_view className = name(label.kernelClass);
  QString text = QString::fromUtf8(className.data(), static_cast<qsizetype>(className.size()));
  if (!label.subclass.empty())
    text += u" · " +
            QString::fromUtf8(label.subclass.data(), static_cast<qsizetype>(label.subclass.size()));
  const auto exposed = known->second.second.exposedTime(*workload, slice.id);
  if (!exposed) return text;
  if (*exposed == 0) return text + tr(", hidden behind compute");
  return text + tr(", exposed for %1").arg(formatDuration(*exposed));
}

std::vector<LegendEntry> KernelGroupsOverlay::legend(const TimelineGeometry& geometry) const {
  const auto results = analyses_.current();
  if (!results || !session_.isOverlayOn(id())) return {};
  std::vector<TimeNs> time(kKernelClassCount, 0);
  for (const KernelGroup& group : results->kernelGroups.groups)
    time[static_cast<std::size_t>(group.kernelClass)] += group.total;
  std::vector<LegendEntry> entries;
  for (int c = 0; c < kKernelClassCount; ++c) {
    if (time[static_cast<std::size_t>(c)] == 0) continue;
    const auto kernelClass = static_cast<KernelClass>(c);
    entries.push_back({geometry.palette().of(kernelClass), LegendEntry::Look::fill,
                       colourKeyName(colourKeyOf(kernelClass))});
  }
  return entries;
}

}  // namespace ridgeline
