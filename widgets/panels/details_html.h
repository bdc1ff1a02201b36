#pragma once

#include <QString>
#include <QStringList>

#include "core/analysis/analysis_store.h"
#include "widgets/common/palette.h"
#include "widgets/common/session.h"

namespace ridgeline {

/// Collects rows of the Details text: names left, values right, grouped under headings.
class DetailsHtml {
 public:
  /// `results`: whose findings on the data mark the headings; null while they are being computed.
  DetailsHtml(const Palette& palette, const AnalysisResults* results)
      : muted_(palette.mutedText.name()), warning_(palette.warning.name()), results_(results) {}

  /// `panelId`: the panel whose numbers stand below. Where a finding touches them, a mark tells so
  /// on hover and links to "finding:KEY".
  void heading(const QString& text, const QString& panelId = {});
  /// `value` is plain text; empty values are left out.
  void row(const QString& name, const QString& value, const QString& tooltip = {});
  /// `html` is taken as it is.
  void rowHtml(const QString& name, const QString& html);
  void paragraph(const QString& text);
  [[nodiscard]] QString html() const;

  /// A link that selects the slice when it is clicked.
  [[nodiscard]] static QString linkTo(std::uint32_t rank, SliceId slice, const QString& text);

 private:
  QString muted_, warning_;
  const AnalysisResults* results_;
  QString body_;
  bool inTable_ = false;
};

/// The parts of a slice's details, each added only where something is known.
void addTimes(DetailsHtml& out, const Session& session, SliceRef slice);
void addLaunch(DetailsHtml& out, const Session& session, SliceRef slice);
void addOp(DetailsHtml& out, const Workload& workload, SliceRef slice);
void addRoofline(DetailsHtml& out, const AnalysisResults& results, SliceRef slice);
void addCriticalPath(DetailsHtml& out, const AnalysisResults& results, SliceRef slice);
void addArgs(DetailsHtml& out, const Trace& trace, SliceId slice);

}  // namespace ridgeline
