#include "widgets/panels/roofline_texts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <QCoreApplication>

#include "core/analysis/missing_work.h"
#include "core/trace/recording_advice.h"
#include "widgets/panels/cells.h"

namespace ridgeline::rooflinetexts {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RooflinePanel", text);
}

QString joined(const std::vector<std::string>& parts) {
  QStringList list;
  for (const std::string& part : parts) list << QString::fromStdString(part);
  return list.join(QStringLiteral("; "));
}

const Roofline::PerDevice* deviceOf(const Roofline& roofline, DeviceId device) {
  for (const Roofline::PerDevice& per : roofline.devices)
    if (per.device == device) return &per;
  return nullptr;
}

QString shareText(TimeNs part, TimeNs whole) {
  return formatShare(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

/// The missing input that costs most kernel time its roof, collectives apart.
std::pair<QString, TimeNs> mostMissed(const Roofline& roofline, DeviceId device) {
  std::map<std::string, TimeNs> byReason;
  for (const RooflinePoint& p : roofline.points) {
    if (p.device != device || p.ofRoof || p.kernelClass == KernelClass::collective) continue;
    for (const std::string& reason : p.missing) byReason[reason] += p.time;
  }
  const auto most =
      std::max_element(byReason.begin(), byReason.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == byReason.end()) return {QString(), 0};
  return {QString::fromStdString(most->first), most->second};
}

QString boundText(const RooflinePoint& p) {
  switch (p.bound) {
    case RooflineBound::compute:
      return tr("compute-bound");
    case RooflineBound::memory:
      return tr("memory-bound");
    case RooflineBound::latency:
      return tr("latency-bound");
    case RooflineBound::unknown:
      break;
  }
  return tr("unknown");
}

QString figure(double value) {
  return QString::number(value, 'g', 3);
}

const RooflineRoof* computeRoof(const Roofline& roofline, const RooflinePoint& p) {
  if (const auto* per = deviceOf(roofline, p.device))
    for (const RooflineRoof& roof : per->compute)
      if (roof.key == p.peakKey) return &roof;
  return nullptr;
}

/// "bf16 989 TFLOP/s (assumed (catalogue): …)", one a line.
QString roofTexts(const std::vector<RooflineRoof>& roofs) {
  QStringList lines;
  for (const RooflineRoof& roof : roofs)
    lines << QString::fromStdString(roof.label + " (" + roof.source + ")");
  return lines.join(u'\n');
}

using PointAt = std::function<const RooflinePoint&(int)>;

/// A number that may be unknown: a dash with the reason on hover, sorted last.
ResultColumn number(const PointAt& at, const QString& title, const QString& tooltip,
                    std::optional<double> RooflinePoint::*member,
                    const std::function<QString(double)>& shown) {
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [at, member, shown](int row) {
            const auto value = at(row).*member;
            return value ? shown(*value) : QStringLiteral("—");
          },
          [at, member](int row) { return QVariant((at(row).*member).value_or(-1)); },
          [at, member](int row) {
            const auto value = at(row).*member;
            return value ? QString::number(*value, 'g', 12)
                         : tr("Missing: %1").arg(joined(at(row).missing));
          },
          {}};
}

QString whyNoLeastTime(const RooflinePoint& p, bool communication) {
  if (communication && p.kernelClass != KernelClass::collective) return tr("It is no collective.");
  return tr("Missing: %1")
      .arg(communication ? QString::fromStdString(p.communicationFrom) : joined(p.missing));
}

/// Seconds that all calls of an op need at least, as people read them.
ResultColumn leastTime(const PointAt& at, const QString& title, const QString& tooltip,
                       std::optional<double> RooflinePoint::*member) {
  const bool communication = member == &RooflinePoint::communicationTime;
  const auto all = [at, member](int row) -> std::optional<TimeNs> {
    const auto ofCall = at(row).*member;
    if (!ofCall) return std::nullopt;
    return std::llround(*ofCall * static_cast<double>(at(row).calls) * 1e9);
  };
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [all](int row) {
            const auto time = all(row);
            return time ? formatDuration(*time) : QStringLiteral("—");
          },
          [all](int row) { return QVariant(static_cast<qlonglong>(all(row).value_or(-1))); },
          [at, all, communication](int row) {
            const auto time = all(row);
            if (!time) return whyNoLeastTime(at(row), communication);
            return communication ? formatExact(*time) + tr(", by ") +
                                       QString::fromStdString(at(row).communicationFrom)
                                 : formatExact(*time);
          },
          {}};
}

/// "; computed from shapes: 2 MFLOP": what stands beside a measured figure.
QString computedText(bool measured, const std::optional<double>& computed,
                     QString (*shown)(double)) {
  if (!measured) return {};
  return computed
             ? tr(", measured by Nsight Compute (computed from shapes: %1)").arg(shown(*computed))
             : tr(", measured by Nsight Compute (nothing computed: no shapes)");
}

QString notesOf(const RooflinePoint& p) {
  QStringList notes;
  if (p.aboveRoof) notes << tr("above its roof");
  if (p.measured) notes << QString::fromStdString(p.measured->how);
  if (p.inferred) notes << tr("inferred");
  if (p.upperBound) notes << tr("upper bound");
  if (!p.missing.empty()) notes << tr("missing: ") + joined(p.missing);
  return notes.join(QStringLiteral("; "));
}

}  // namespace

QString nameOf(const RooflinePoint& p) {
  QString text = shortKernelName(QString::fromStdString(p.op));
  if (!p.shape.empty()) text += QStringLiteral("  ") + QString::fromStdString(p.shape);
  if (!p.dtype.empty()) text += QStringLiteral("  ") + QString::fromStdString(p.dtype);
  return text;
}

QString brief(const RooflinePoint& p) {
  QStringList parts;
  parts << (p.calls == 1 ? tr("1 call")
                         : tr("%1 calls").arg(formatCount(static_cast<qint64>(p.calls))));
  parts << formatDuration(p.time);
  if (p.intensity && !p.movesOnly()) parts << figure(*p.intensity) + tr(" FLOP/byte");
  if (p.performance && !p.movesOnly())
    parts << formatRate(*p.performance, QStringLiteral("FLOP/s"));
  if (p.movesOnly()) parts << tr("moves bytes only, no arithmetic");
  if (p.movesOnly() && p.bandwidth) parts << formatRate(*p.bandwidth, QStringLiteral("B/s"));
  if (p.ofRoof) parts << tr("%1 of its roof").arg(formatShare(*p.ofRoof)) << boundText(p);
  if (!p.missing.empty()) parts << tr("missing: %1").arg(joined(p.missing));
  return parts.join(QStringLiteral(" · "));
}

QString hover(const Roofline& roofline, const RooflinePoint& p) {
  QStringList lines;
  lines << nameOf(p) << QString();
  const auto* per = deviceOf(roofline, p.device);
  lines << tr("%1 calls, %2 in kernels (%3 of kernel time)")
               .arg(formatCount(static_cast<qint64>(p.calls)), formatDuration(p.time),
                    shareText(p.time, per != nullptr ? per->kernelTime : 0));
  const bool flopsMeasured = p.measured && p.measured->flops;
  const bool bytesMeasured = p.measured && p.measured->bytes;
  if (p.flops)
    lines << tr("%1 a call%2%3")
                 .arg(formatRate(*p.flops, QStringLiteral("FLOP")),
                      p.formula.empty() || flopsMeasured
                          ? QString()
                          : QStringLiteral(" = ") + QString::fromStdString(p.formula),
                      computedText(flopsMeasured, p.computedFlops, [](double value) {
                        return formatRate(value, QStringLiteral("FLOP"));
                      }));
  if (p.bytes)
    lines << tr("%1 a call%2%3")
                 .arg(formatBytes(*p.bytes), bytesMeasured ? QString() : tr(", each operand once"),
                      computedText(bytesMeasured, p.computedBytes,
                                   [](double value) { return formatBytes(value); }));
  if (p.measured) lines << QString::fromStdString(p.measured->how);
  if (p.measured && p.measured->seconds)
    lines << tr("%1 a call while it was counted (other clocks and caches)")
                 .arg(formatDuration(std::llround(*p.measured->seconds * 1e9)));
  if (p.intensity) lines << tr("%1 FLOP/byte").arg(figure(*p.intensity));
  if (p.performance && p.bandwidth)
    lines << tr("%1, %2 achieved")
                 .arg(formatRate(*p.performance, QStringLiteral("FLOP/s")),
                      formatRate(*p.bandwidth, QStringLiteral("B/s")));
  if (p.ofRoof) {
    lines << tr("%1 of its roof, %2").arg(formatShare(*p.ofRoof), boundText(p));
    if (const RooflineRoof* roof = computeRoof(roofline, p))
      lines << tr("peak: %1 (%2)")
                   .arg(QString::fromStdString(roof->label), QString::fromStdString(roof->source));
    if (per != nullptr && per->memory)
      lines << tr("memory: %1 (%2)")
                   .arg(QString::fromStdString(per->memory->label),
                        QString::fromStdString(per->memory->source));
  }
  if (p.ofAchievable)
    lines << tr("%1 of what is known to be reached").arg(formatShare(*p.ofAchievable));
  if (p.aboveRoof) lines << QString::fromStdString(whyAbove(p));
  if (p.communicationTime)
    lines << tr("T communication %1 a call, by %2")
                 .arg(formatDuration(std::llround(*p.communicationTime * 1e9)),
                      QString::fromStdString(p.communicationFrom));
  if (p.upperBound) lines << tr("An upper bound: the record does not tell what was left out.");
  if (p.inferred) lines << tr("Inferred: a size or type was taken from a neighbouring record.");
  if (!p.missing.empty()) lines << tr("Missing: %1").arg(joined(p.missing));
  return lines.join(u'\n');
}

QString whyEmpty(const Workload& workload, const Roofline& roofline, DeviceId device) {
  const auto* per = deviceOf(roofline, device);
  if (per == nullptr || per->kernelTime == 0)
    return tr("No kernel ran in this window. Choose another step, or, if none has any: %1.")
        .arg(QString::fromStdString(howToRecord(recordedBy(*workload.trace), Lacking::deviceWork)));
  for (const RooflinePoint& p : roofline.points)
    if (p.device == device && p.flops && p.bytes) return {};
  const auto [reason, time] = mostMissed(roofline, device);
  if (reason.isEmpty())
    return tr("Only communication ran in this window: it is bound by links, not by a roofline.");
  return tr("No kernel has a place on the roofline: FLOPs and bytes come from the recorded shapes "
            "of operators. Missing for %1 of kernel time: %2.\n\nNeeded: %3.")
      .arg(shareText(time, per->kernelTime), reason,
           QString::fromStdString(missingShapes(workload)));
}

QString whyNoRoofs(const Roofline& roofline, DeviceId device) {
  const auto* per = deviceOf(roofline, device);
  if (per == nullptr || (per->why.empty() && per->memory)) return {};
  return tr("No roofs: %1 Its figures can be set in a peaks file (--peaks FILE); the format is in "
            "resources/hardware/README.md.")
      .arg(per->why.empty() ? tr("the memory bandwidth of this device is not known.")
                            : QString::fromStdString(per->why));
}

QString sentence(const Roofline& roofline, DeviceId device) {
  const auto* per = deviceOf(roofline, device);
  if (per == nullptr || per->kernelTime == 0) return {};
  std::vector<std::pair<TimeNs, QString>> parts{{per->memoryBound, tr("memory-bound")},
                                                {per->computeBound, tr("compute-bound")},
                                                {per->latencyBound, tr("latency-bound")},
                                                {per->communication, tr("communication")}};
  std::erase_if(parts, [](const auto& part) { return part.first == 0; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  QString text;
  for (const auto& [time, name] : parts)
    text += (text.isEmpty() ? tr("%1 of kernel time is %2") : tr(", %1 %2"))
                .arg(shareText(time, per->kernelTime), name);
  if (per->unknownBound > 0) {
    const auto [reason, time] = mostMissed(roofline, device);
    text += (text.isEmpty() ? tr("%1 of kernel time has no roof (mostly missing: %2)")
                            : tr("; %1 has no roof (mostly missing: %2)"))
                .arg(shareText(per->unknownBound, per->kernelTime), reason);
  }
  for (const RooflinePoint& p : roofline.points) {  // largest time first
    if (p.device != device || p.kernelClass == KernelClass::collective || !p.flops) continue;
    const QString at = p.ofRoof        ? tr("%1 of its roof").arg(formatShare(*p.ofRoof))
                       : p.performance ? formatRate(*p.performance, QStringLiteral("FLOP/s"))
                                       : QString();
    if (at.isEmpty()) continue;
    text += tr(". Largest: %1 at %2").arg(nameOf(p), at);
    break;
  }
  if (roofline.measured)
    text += QStringLiteral(". ") + QString::fromStdString(roofline.measured->sentence).chopped(1);
  return text + u'.';
}

std::vector<RooflineLine> roofLines(const Roofline& roofline, DeviceId device) {
  std::vector<RooflineLine> lines;
  const auto* per = deviceOf(roofline, device);
  if (per == nullptr) return lines;
  const auto add = [&lines](RooflineLine::Kind kind, const RooflineRoof& roof, bool achievable) {
    const QString label = QString::fromStdString(roof.label);
    lines.push_back({kind, roof.value, QString::fromStdString(roof.key).replace(u'_', u' '),
                     achievable ? tr("achievable %1").arg(label) : label, achievable,
                     tr("%1: %2\n%3")
                         .arg(achievable ? tr("Achievable") : tr("Peak"), label,
                              QString::fromStdString(roof.source))});
  };
  for (const RooflineRoof& roof : per->compute) add(RooflineLine::Kind::compute, roof, false);
  if (per->memory) add(RooflineLine::Kind::memory, *per->memory, false);
  for (const RooflineRoof& roof : per->achievable) add(RooflineLine::Kind::compute, roof, true);
  if (per->achievableMemory) add(RooflineLine::Kind::memory, *per->achievableMemory, true);
  return lines;
}

std::vector<ResultColumn> columns(std::shared_ptr<const AnalysisResults> results,
                                  std::shared_ptr<const std::vector<int>> rows,
                                  const Palette& colours) {
  const PointAt at = [results, rows](int row) -> const RooflinePoint& {
    const int index = (*rows)[static_cast<std::size_t>(row)];
    return results->roofline.points[static_cast<std::size_t>(index)];
  };
  std::vector<ResultColumn> all;
  ResultColumn op = cells::text(
      tr("Op"), tr("The operator that launched the kernels"),
      [at](int row) -> QString { return shortKernelName(QString::fromStdString(at(row).op)); });
  op.swatch = [at, &colours](int row) { return colours.of(at(row).kernelClass); };
  op.hover = [at, results](int row) { return hover(results->roofline, at(row)); };
  all.push_back(std::move(op));
  all.push_back(cells::text(tr("Shape"), tr("Sizes of its operands"), [at](int row) -> QString {
    return QString::fromStdString(at(row).shape);
  }));
  all.push_back(
      cells::text(tr("Type"), tr("Element type of its operands"),
                  [at](int row) -> QString { return QString::fromStdString(at(row).dtype); }));
  all.push_back(cells::count(tr("Calls"), tr("How often it ran in the window"),
                             [at](int row) { return static_cast<qint64>(at(row).calls); }));
  all.push_back(cells::duration(tr("Time"), tr("Sum over its calls of the union of their kernels"),
                                [at](int row) { return at(row).time; }));
  all.push_back(leastTime(at, tr("T math"),
                          tr("What its calls need at least for their FLOPs: FLOPs / peak"),
                          &RooflinePoint::computeTime));
  all.push_back(leastTime(at, tr("T memory"),
                          tr("What its calls need at least for their bytes: bytes / bandwidth. The "
                             "larger of the two is its roof; collectives are bound by links "
                             "instead, and have neither"),
                          &RooflinePoint::memoryTime));
  all.push_back(leastTime(at, tr("T comm."),
                          tr("T communication: what the calls of a collective need at least, from "
                             "the bandwidth that you measured, else the shortest call of each size "
                             "in the trace"),
                          &RooflinePoint::communicationTime));
  all.push_back(number(at, tr("FLOP/byte"), tr("FLOPs / bytes, from the recorded shapes"),
                       &RooflinePoint::intensity, figure));
  all.push_back(number(at, tr("FLOP/s"), tr("FLOPs of its calls / time"),
                       &RooflinePoint::performance,
                       [](double v) { return formatRate(v, QStringLiteral("FLOP/s")); }));
  all.push_back(number(at, tr("Of roof"),
                       tr("max(FLOPs / peak, bytes / bandwidth) / time; the peaks are assumed"),
                       &RooflinePoint::ofRoof, formatShare));
  all.push_back(cells::text(
      tr("Bound"),
      tr("What the roof is made of; latency: under 25 % of the roof and kernels under 10 µs"),
      [at](int row) -> QString { return cells::fromView(word(at(row).bound)); }));
  all.push_back(cells::text(tr("Notes"), tr("What is missing, inferred or out of the ordinary"),
                            [at](int row) { return notesOf(at(row)); }));
  return all;
}

/// "; MFU 29.6 %, HFU 31.0 % of bf16": what of the arithmetic peak is used.
static QString usedText(const AnalysisResults& results, DeviceId device) {
  for (const Utilisation& u : results.utilisation) {
    if (u.device != device || !u.hfu) continue;
    const QString hfu = (u.coverage < 0.995 ? tr("HFU at least %1 of %2") : tr("HFU %1 of %2"))
                            .arg(formatShare(*u.hfu), QString::fromStdString(u.peakKey));
    if (!u.mfu) return tr("; %1 (MFU needs File > Model work…)").arg(hfu);
    if (*u.mfu > 1)
      return tr("; MFU %1: impossible, the model's figures are of another step; %2")
          .arg(formatShare(*u.mfu), hfu);
    return tr("; MFU %1, %2").arg(formatShare(*u.mfu), hfu);
  }
  return {};
}

bool fillBounds(BoundsBars& bars, const AnalysisResults& results, DeviceId device,
                const Palette& colours) {
  const auto found = std::find_if(results.bounds.begin(), results.bounds.end(),
                                  [device](const Bounds& b) { return b.device == device; });
  if (found == results.bounds.end() || found->measured <= 0) return false;
  const Bounds& b = *found;
  const auto share = [&b](const std::optional<TimeNs>& bound) {
    return bound ? static_cast<double>(*bound) / static_cast<double>(b.measured) : -1.0;
  };
  const auto value = [&](const std::optional<TimeNs>& bound) {
    return bound
               ? QStringLiteral("≥ %1 (%2)").arg(formatDuration(*bound), formatShare(share(bound)))
               : tr("unknown");
  };
  const QString missing =
      b.missing.empty() ? QString() : tr("\nMissing: %1").arg(joined(b.missing));
  const QString coverage = tr("\nCounted for %1 of kernel time; the rest would only raise it.%2")
                               .arg(formatShare(b.coverage), missing);
  const auto* per = deviceOf(results.roofline, device);
  const QString peaks = per != nullptr ? roofTexts(per->compute) : QString();
  const QString bandwidth = per != nullptr && per->memory ? roofTexts({*per->memory}) : QString();
  const bool several = results.window.spans.size() > 1;
  const auto floor = b.floor();
  QString heading =
      several ? tr("%1 measured, the mean of %2 steps")
                    .arg(formatDuration(b.measured))
                    .arg(results.window.spans.size())
              : tr("%1 measured (%2)")
                    .arg(formatDuration(b.measured), QString::fromStdString(results.window.label));
  if (floor && *floor > 0)
    heading += tr("; at least %1 (%2)").arg(formatDuration(*floor), cells::fromView(b.floorName()));
  heading += usedText(results, device);
  heading += tr(". The bounds overlap; they do not add up.");
  bars.setBars(
      heading,
      {BoundsBars::Bar{tr("compute"), value(b.compute),
                       tr("Σ FLOPs / peak of their type: %1\n%2%3")
                           .arg(formatRate(b.flops, QStringLiteral("FLOP")), peaks, coverage),
                       share(b.compute), colours.of(KernelClass::matmul)},
       BoundsBars::Bar{tr("memory"), value(b.memory),
                       tr("Σ bytes / memory bandwidth: %1, each operand once\n%2%3")
                           .arg(formatBytes(b.bytes), bandwidth, coverage),
                       share(b.memory), colours.of(KernelClass::elementwise)},
       BoundsBars::Bar{
           tr("communication"),
           b.communication == 0 ? tr("none in this window") : value(b.communication),
           tr("Σ of what the collectives take at least%1%2")
               .arg(b.communicationFrom.empty()
                        ? QString()
                        : tr(", by %1").arg(QString::fromStdString(b.communicationFrom)),
                    missing),
           share(b.communication), colours.of(KernelClass::collective)}},
      share(floor));
  return true;
}

}  // namespace ridgeline::rooflinetexts
