#include "widgets/panels/details_html.h"

#include <QJsonDocument>
#include <QJsonObject>

#include "core/analysis/critical_path.h"
#include "widgets/panels/cells.h"
#include "widgets/panels/quality_badge.h"

namespace ridgeline {

namespace {
QString tr(const char* text) {
  return QObject::tr(text);
}
}  // namespace

void DetailsHtml::heading(const QString& text, const QString& panelId) {
  if (inTable_) body_ += QStringLiteral("</table>");
  inTable_ = false;
  QString mark;
  if (results_ != nullptr && !panelId.isEmpty())
    if (const auto findings = findingsOf(*results_, panelId); !findings.empty())
      mark =
          QStringLiteral(
              "&nbsp;<a href='finding:%1' title='%2' "
              "style='text-decoration:none;color:%3'>▲</a>")
              .arg(QString::fromStdString(findings.front()->key),
                   findingsText(findings).toHtmlEscaped().replace(u'\'', QStringLiteral("&#39;")),
                   warning_);
  body_ += QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b>%2</p>")
               .arg(text.toHtmlEscaped(), mark);
}

void DetailsHtml::row(const QString& name, const QString& value, const QString& tooltip) {
  if (value.isEmpty()) return;
  const QString shown = tooltip.isEmpty()
                            ? value.toHtmlEscaped()
                            : QStringLiteral("<span title='%1'>%2</span>")
                                  .arg(tooltip.toHtmlEscaped(), value.toHtmlEscaped());
  rowHtml(name, shown);
}

void DetailsHtml::rowHtml(const QString& name, const QString& html) {
  if (!inTable_) body_ += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
  inTable_ = true;
  body_ += QStringLiteral("<tr><td style='color:%1;padding-right:10px'>%2</td><td>%3</td></tr>")
               .arg(muted_, name.toHtmlEscaped(), html);
}

void DetailsHtml::paragraph(const QString& text) {
  if (inTable_) body_ += QStringLiteral("</table>");
  inTable_ = false;
  body_ += QStringLiteral("<p style='margin:2px 0'>%1</p>").arg(text.toHtmlEscaped());
}

QString DetailsHtml::html() const {
  return body_ + (inTable_ ? QStringLiteral("</table>") : QString());
}

QString DetailsHtml::linkTo(std::uint32_t rank, SliceId slice, const QString& text) {
  return QStringLiteral("<a href='slice:%1:%2'>%3</a>")
      .arg(rank)
      .arg(slice.value)
      .arg(text.toHtmlEscaped());
}

void addTimes(DetailsHtml& out, const Session& session, SliceRef slice) {
  const Trace& trace = session.trace(slice.rank);
  const TimeSpan span = trace.slices().span(slice.id);
  out.row(tr("Duration"), formatDuration(span.length()) + QStringLiteral("  (") +
                              formatExact(span.length()) + u')');
  out.row(tr("Start"),
          formatDuration(span.begin) + QStringLiteral("  (") + formatExact(span.begin) + u')',
          tr("Since the start of the recording"));
  out.row(tr("Track"), QString::fromStdString(trace.track(trace.trackOf(slice.id)).displayName));
  out.row(tr("Category"), cells::fromView(trace.categoryText(slice.id)));
  if ((trace.slices().flags[slice.id.index()] & SliceTable::kUnfinished) != 0)
    out.row(tr("Note"), tr("Its end is not in the recording"));
  if (trace.rowOf(slice.id).spill)
    out.row(tr("Note"), tr("Overlaps its neighbours without nesting; drawn on a row of its own"));
  const SliceId parent = trace.slices().parent[slice.id.index()];
  if (parent.valid())
    out.rowHtml(tr("Inside"),
                DetailsHtml::linkTo(slice.rank, parent,
                                    shortKernelName(cells::fromView(trace.name(parent)))));
}

void addLaunch(DetailsHtml& out, const Session& session, SliceRef slice) {
  const Trace& trace = session.trace(slice.rank);
  const SliceTable& slices = trace.slices();
  if (isDeviceWork(slices.category[slice.id.index()])) {
    out.heading(tr("Launch"), QStringLiteral("launches"));
    const SliceId launch = trace.launchOf(slice.id);
    if (!launch.valid()) {
      out.paragraph(
          tr("Its launch is not in the recording (launched before it began, or the record "
             "was dropped)."));
      return;
    }
    out.rowHtml(tr("Call"),
                DetailsHtml::linkTo(slice.rank, launch, cells::fromView(trace.name(launch))));
    const TimeNs latency = slices.start[slice.id.index()] - slices.end[launch.index()];
    out.row(tr("From call's end"), formatDuration(latency),
            tr("Launch latency: device start − launch end; negative when the kernel started inside "
               "its launch call or clocks differ"));
    out.row(tr("Thread"), QString::fromStdString(trace.track(trace.trackOf(launch)).displayName));
    return;
  }
  const auto outgoing = trace.links().outgoing(slice.id);
  if (outgoing.empty()) return;
  out.heading(tr("Leads to"));
  std::size_t shown = 0;
  for (const Link& link : outgoing) {
    if (++shown > 8) {
      out.paragraph(tr("… and %1 more").arg(outgoing.size() - 8));
      break;
    }
    const QString kind = link.kind == LinkKind::launch            ? tr("Launches")
                         : link.kind == LinkKind::forwardBackward ? tr("Backward")
                                                                  : tr("Flow");
    out.rowHtml(kind, DetailsHtml::linkTo(slice.rank, link.to,
                                          shortKernelName(cells::fromView(trace.name(link.to)))));
  }
}

void addOp(DetailsHtml& out, const Workload& workload, SliceRef slice) {
  const Trace& trace = *workload.trace;
  if (!isDeviceWork(trace.slices().category[slice.id.index()])) return;
  out.heading(tr("Work"), QStringLiteral("kernels"));
  const KernelLabel& label = workload.label(slice.id);
  QString className = cells::fromView(name(label.kernelClass));
  if (!label.subclass.empty()) className += u" · " + cells::fromView(label.subclass);
  if (label.byParentOp) className += tr(" (by its op)");
  out.row(tr("Class"), className,
          label.rule.empty() ? tr("No rule fits its name")
                             : tr("Rule %1").arg(cells::fromView(label.rule)));
  const SliceId op = workload.opOf[slice.id.index()];
  if (op.valid())
    out.rowHtml(tr("Op"), DetailsHtml::linkTo(slice.rank, op, cells::fromView(trace.name(op))));
  else
    out.row(tr("Op"), tr("— (no op around its launch)"));
  const OpCost* cost = workload.costOfSlice(slice.id);
  if (cost == nullptr) return;
  out.row(tr("Shape"), QString::fromStdString(cost->shape));
  if (cost->computeType != DType::Unknown)
    out.row(tr("Data type"), cells::fromView(name(cost->computeType)));
  const QString computed = tr("computed: %1%2")
                               .arg(QString::fromStdString(cost->formula),
                                    cost->inferred ? tr(", sizes inferred") : QString());
  if (cost->flops) out.row(tr("FLOPs"), formatRate(*cost->flops, tr("FLOP")), computed);
  if (cost->bytes)
    out.row(tr("Bytes"), formatBytes(*cost->bytes),
            computed + tr("; each operand once: a lower bound"));
  if (cost->inferred)
    out.row(tr("Note"), tr("Sizes inferred from the op that consumes the result"));
  QStringList missing;
  for (const std::string& what : cost->missing) missing << QString::fromStdString(what);
  out.row(tr("Missing"), missing.join(QStringLiteral("; ")));
}

void addRoofline(DetailsHtml& out, const AnalysisResults& results, SliceRef slice) {
  for (const RooflinePoint& p : results.roofline.points) {
    if (!std::binary_search(p.slices.begin(), p.slices.end(), slice.id) &&
        std::find(p.slices.begin(), p.slices.end(), slice.id) == p.slices.end())
      continue;
    out.heading(tr("Roofline (%1 calls together)").arg(formatCount(static_cast<qint64>(p.calls))),
                QStringLiteral("roofline"));
    if (p.intensity)
      out.row(tr("Intensity"), QString::number(*p.intensity, 'g', 3) + tr(" FLOP/byte"));
    if (p.performance) out.row(tr("Achieved"), formatRate(*p.performance, tr("FLOP/s")));
    if (p.bandwidth) out.row(tr("Bandwidth"), formatRate(*p.bandwidth, tr("B/s")));
    if (p.ofRoof)
      out.row(tr("Of its roof"), formatShare(*p.ofRoof),
              tr("Time at the roof / measured time; the roof is a datasheet figure"));
    out.row(tr("Bound by"), cells::fromView(word(p.bound)));
    if (p.ofAchievable)
      out.row(tr("Of the achievable"), formatShare(*p.ofAchievable),
              tr("The same against what is known to be reached"));
    if (p.measured) {
      const QString how = QString::fromStdString(p.measured->how);
      if (p.measured->flops)
        out.row(tr("Measured FLOPs"), formatRate(*p.measured->flops, tr("FLOP")), how);
      if (p.measured->bytes) out.row(tr("Measured bytes"), formatBytes(*p.measured->bytes), how);
      if (!p.measured->flops && !p.measured->bytes) out.row(tr("Measured"), how);
    }
    if (p.communicationTime)
      out.row(tr("T communication"), formatDuration(std::llround(*p.communicationTime * 1e9)),
              QString::fromStdString(p.communicationFrom));
    if (p.aboveRoof) out.row(tr("Note"), QString::fromStdString(whyAbove(p)));
    QStringList missing;
    for (const std::string& what : p.missing) missing << QString::fromStdString(what);
    out.row(tr("Missing"), missing.join(QStringLiteral("; ")));
    return;
  }
}

void addCriticalPath(DetailsHtml& out, const AnalysisResults& results, SliceRef slice) {
  const TimeSpan span = results.workload->trace->slices().span(slice.id);
  bool covered = false;
  for (const CriticalPath& path : results.criticalPaths.paths) {
    if (!path.window.intersects(span)) continue;
    covered = true;
    for (const PathSegment& segment : path.segments) {
      if (segment.event != slice.id) continue;
      out.heading(tr("Critical path"), QStringLiteral("critical_path"));
      out.row(tr("On it for"), formatDuration(segment.span.length()) + QStringLiteral(" · ") +
                                   cells::fromView(title(segment.cause)));
      out.row(tr("Because"),
              segment.edge == PathEdge::windowEnd || segment.edge == PathEdge::none
                  ? cells::fromView(title(segment.edge))
                  : tr("this %1, the next on the path").arg(cells::fromView(title(segment.edge))));
      return;
    }
  }
  if (!covered) return;
  out.heading(tr("Critical path"), QStringLiteral("critical_path"));
  out.paragraph(tr("Not on it: making this faster would not shorten the step by itself."));
}

void addArgs(DetailsHtml& out, const Trace& trace, SliceId slice) {
  const auto args = trace.readArgs(slice);
  if (args.failed()) {
    out.heading(tr("Arguments"));
    out.paragraph(QString::fromStdString(args.error().text()));
    return;
  }
  if (!args.ok() || args.value().empty()) return;
  out.heading(tr("Arguments"));
  const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(args.value()));
  if (!document.isObject()) {
    out.paragraph(QString::fromStdString(args.value()));
    return;
  }
  const QJsonObject object = document.object();
  for (auto it = object.begin(); it != object.end(); ++it) {
    QString value;
    if (it->isString()) {
      value = it->toString();
    } else if (it->isDouble()) {
      const auto whole = it->toInteger();
      value = static_cast<double>(whole) == it->toDouble() ? QString::number(whole)
                                                           : QString::number(it->toDouble());
    } else {
      QJsonObject wrapper{{QStringLiteral("v"), *it}};
      value = QString::fromUtf8(QJsonDocument(wrapper).toJson(QJsonDocument::Compact));
      value = value.mid(5, value.size() - 6);
    }
    out.row(it.key(), value);
  }
}

}  // namespace ridgeline
