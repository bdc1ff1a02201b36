#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QObject>

#include "widgets/common/analyses.h"

namespace ridgeline {

/// The what-if that is being looked at: asked for by the panel, drawn by the overlay. Replayed off
/// the GUI thread; the newest question wins. Without an answer when nothing is asked, and from a
/// change of the results on until the answer in them is there.
class WhatIfModel : public QObject {
  Q_OBJECT

 public:
  /// A piece of device work at its new place.
  struct Ghost {
    RowId row;
    TimeSpan span;
    [[nodiscard]] bool operator<(const Ghost& other) const {
      return row != other.row ? row < other.row : span.begin < other.span.begin;
    }
  };
  struct Answer {
    std::shared_ptr<const AnalysisResults> results;
    std::uint32_t rank = 0;
    WhatIf whatIf;
    std::vector<Ghost> ghosts;     ///< by row, then begin
    TimeNs begin = 0, newEnd = 0;  ///< of the step, on the clock of its Trace
  };

  explicit WhatIfModel(Analyses& analyses, QObject* parent = nullptr);
  ~WhatIfModel() override { stop_.request_stop(); }

  void ask(const std::optional<WhatIfChange>& change);
  [[nodiscard]] const std::optional<WhatIfChange>& asked() const { return asked_; }
  /// Null while there is none.
  [[nodiscard]] std::shared_ptr<const Answer> answer() const { return answer_; }

 Q_SIGNALS:
  void answerChanged();

 private:
  void compute();

  Analyses& analyses_;
  std::optional<WhatIfChange> asked_;
  /// Whose event the change may speak of.
  std::weak_ptr<const Trace> askedIn_;
  std::shared_ptr<const Answer> answer_;
  std::uint64_t request_ = 0;
  std::stop_source stop_;  ///< of the replay that is under way
};

}  // namespace ridgeline
