#include "widgets/panels/step_share_texts.h"

#include <QCoreApplication>

#include "widgets/panels/cells.h"

namespace ridgeline {

bool isIdle(StepPart part) {
  return part >= StepPart::input;
}

QColor colourOf(StepPart part, const Palette& colours) {
  switch (part) {
    case StepPart::compute:
      return colours.of(KernelClass::matmul);
    case StepPart::memory:
      return colours.of(KernelClass::elementwise);
    case StepPart::latency:
      return colours.of(KernelClass::softmax);
    case StepPart::kernels:
      return colours.of(KernelClass::unknown);
    case StepPart::collectives:
      return colours.of(KernelClass::collective);
    case StepPart::hostCopies:
      return colours.of(KernelClass::memcpy);
    case StepPart::otherCopies:
      return colours.of(KernelClass::memset);
    default:
      return colours.idleGap;
  }
}

std::vector<ShareBar::Part> barParts(const StepShares& shares, const Palette& colours) {
  std::vector<ShareBar::Part> parts;
  for (const StepShares::Share& one : shares.shares)
    parts.push_back({cells::fromView(title(one.part)), formatShare(shares.share(one)),
                     QCoreApplication::translate("StepShares", "%1 of each %2 step (mean).\n%3")
                         .arg(formatDuration(one.perStep), formatDuration(shares.step),
                              cells::fromView(explanation(one.part))),
                     shares.share(one), colourOf(one.part, colours), isIdle(one.part)});
  return parts;
}

}  // namespace ridgeline
