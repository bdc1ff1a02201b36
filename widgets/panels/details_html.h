#pragma once

#include <QString>
#include <QStringList>

#include "core/analysis/analysis_store.h"
#include "widgets/common/session.h"

namespace ridgeline {

/// Collects rows of the Details text: names left, values right, grouped under headings.
class DetailsHtml {
 public:
  explicit DetailsHtml(const QString& mutedColour) : muted_(mutedColour) {}

  void heading(const QString& text);
  /// `value` is plain text; empty values are left out.
  void row(const QString& name, const QString& value, const QString& tooltip = {});
  /// `html` is taken as it is.
  void rowHtml(const QString& name, const QString& html);
  void paragraph(const QString& text);
  [[nodiscard]] QString html() const;

  /// A link that selects the slice when it is clicked.
  [[nodiscard]] static QString linkTo(std::uint32_t rank, SliceId slice, const QString& text);

 private:
  QString muted_;
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
