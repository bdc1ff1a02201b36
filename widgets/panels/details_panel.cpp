#include "widgets/panels/details_panel.h"

#include <QDesktopServices>

#include "widgets/panels/cells.h"
#include "widgets/panels/details_html.h"

namespace ridgeline {

DetailsPanel::DetailsPanel(Session& session, Analyses& analyses, QWidget* parent)
    : Panel(QStringLiteral("details"), tr("Details"), session, analyses, parent),
      view_(new QTextBrowser(this)) {
  view_->setOpenLinks(false);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setPlaceholderText(tr("Click a slice or a gap to see what is known of it."));
  setContent(view_);
  connect(view_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const QStringList parts = url.toString().split(u':');
    if (parts.size() == 2 && parts[0] == QStringLiteral("finding")) {
      Q_EMIT findingRequested(parts[1]);
      return;
    }
    if (parts.size() != 3 || parts[0] != QStringLiteral("slice")) return;
    const SliceRef slice{parts[1].toUInt(), SliceId(parts[2].toUInt())};
    if (slice.rank >= this->session().ranks().size()) return;
    this->session().setActive(slice);
    this->session().requestReveal(slice);
  });
}

void DetailsPanel::fill(const std::shared_ptr<const AnalysisResults>& results) {
  results_ = results;
  selectionChanged();
}

void DetailsPanel::selectionChanged() {
  if (session().active().valid()) {
    view_->setHtml(sliceHtml(session().active()));
  } else if (session().activeItem().kind == QStringLiteral("idle_gaps")) {
    view_->setHtml(gapHtml(session().activeItem()));
  } else if (session().activeItem().kind == QStringLiteral("steps")) {
    view_->setHtml(stepHtml(session().activeItem()));
  } else if (!session().selection().empty()) {
    view_->setPlainText(tr("Selected: %1").arg(session().selection().reason));
  } else {
    view_->clear();
  }
}

QString DetailsPanel::sliceHtml(SliceRef slice) {
  const Trace& trace = session().trace(slice.rank);
  const auto results = analyses().results(slice.rank);
  DetailsHtml out(Palette::of(palette()), results.get());
  const QString fullName = cells::fromView(trace.name(slice.id));
  out.heading(shortKernelName(fullName));
  addTimes(out, session(), slice);
  if (results) {
    if (exposureOf_ != results->workload) {
      exposureOf_ = results->workload;
      exposure_ = std::make_unique<Exposure>(*exposureOf_);
    }
    if (const auto exposed = exposure_->exposedTime(*exposureOf_, slice.id))
      out.row(tr("Exposed"), formatDuration(*exposed),
              tr("The part that no computing kernel hides"));
    addOp(out, *results->workload, slice);
    addRoofline(out, *results, slice);
    addCriticalPath(out, *results, slice);
  }
  addLaunch(out, session(), slice);
  addArgs(out, trace, slice.id);
  if (fullName != shortKernelName(fullName)) {
    out.heading(tr("Full name"));
    out.paragraph(fullName);
  }
  return out.html();
}

QString DetailsPanel::gapHtml(const ItemRef& item) const {
  const auto results = analyses().results(item.rank);
  if (!results || static_cast<std::size_t>(item.index) >= results->idleGaps.gaps.size()) return {};
  const IdleGap& gap = results->idleGaps.gaps[static_cast<std::size_t>(item.index)];
  const Trace& trace = *results->workload->trace;
  DetailsHtml out(Palette::of(palette()), results.get());
  out.heading(tr("Idle gap: %1").arg(cells::fromView(ridgeline::title(gap.cause))),
              QStringLiteral("idle_gaps"));
  out.row(tr("Length"), formatDuration(gap.span.length()) + QStringLiteral("  (") +
                            formatExact(gap.span.length()) + u')');
  out.row(tr("Start"), formatDuration(gap.span.begin), tr("Since the start of the recording"));
  out.paragraph(QString::fromStdString(gap.why));
  out.paragraph(cells::fromView(explanation(gap.cause)));
  out.heading(tr("Evidence"));
  const auto link = [&](const QString& what, SliceId slice) {
    if (slice.valid())
      out.rowHtml(what, DetailsHtml::linkTo(item.rank, slice,
                                            shortKernelName(cells::fromView(trace.name(slice)))));
    else
      out.row(what, QStringLiteral("—"));
  };
  link(tr("Kernel before"), gap.before);
  link(tr("Kernel after"), gap.after);
  link(tr("Its launch"), gap.launch);
  link(tr("Host did"), gap.hostEvent);
  return out.html();
}

QString DetailsPanel::stepHtml(const ItemRef& item) const {
  const auto workload = analyses().workload(item.rank);
  if (!workload || static_cast<std::size_t>(item.index) >= workload->steps.steps.size()) return {};
  const Step& step = workload->steps.steps[static_cast<std::size_t>(item.index)];
  const auto results = analyses().results(item.rank);
  DetailsHtml out(Palette::of(palette()), results.get());
  out.heading(QString::fromStdString(step.name), QStringLiteral("steps"));
  out.row(tr("Length"), formatDuration(step.window.length()),
          tr("Of its %1 extent").arg(cells::fromView(name(workload->steps.extent))));
  out.row(tr("Host"), formatDuration(step.host.length()));
  out.row(tr("Device"), step.device.empty() ? tr("— (no device work was launched in it)")
                                            : formatDuration(step.device.length()));
  out.row(tr("State"),
          step.steady ? (step.slow ? tr("steady, slow") : tr("steady")) : tr("left out"));
  if (!step.why.empty()) out.paragraph(QString::fromStdString(step.why));
  return out.html();
}

}  // namespace ridgeline
