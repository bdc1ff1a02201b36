#pragma once

#include <memory>
#include <vector>

#include <QObject>
#include <QString>

#include "core/analysis/analysis_store.h"
#include "widgets/common/session.h"

namespace ridgeline {

/// The meaning and the analyses of what a Session shows, computed off the GUI thread: the workload
/// of each rank once, then the results of the chosen window. The newest request wins; until its
/// results are there the old ones stay (and `busy` says so). A job holds shared pointers to Traces,
/// never this object.
class Analyses : public QObject {
  Q_OBJECT

 public:
  explicit Analyses(Session& session, QObject* parent = nullptr);
  ~Analyses() override;

  /// Null while it is being computed.
  [[nodiscard]] std::shared_ptr<const Workload> workload(std::uint32_t rank) const;
  /// The results last computed for a rank; null before the first.
  [[nodiscard]] std::shared_ptr<const AnalysisResults> results(std::uint32_t rank) const;
  /// The rank that panels show: that of the active slice or item, else the one last shown.
  [[nodiscard]] std::uint32_t currentRank() const { return currentRank_; }
  void setCurrentRank(std::uint32_t rank);
  [[nodiscard]] std::shared_ptr<const AnalysisResults> current() const {
    return results(currentRank_);
  }
  [[nodiscard]] bool busy() const { return pending_ > 0; }
  /// Why there are no results, in words; empty when all is well.
  [[nodiscard]] QString problem() const { return problem_; }
  /// Rules or device figures of the user's; computes everything again.
  void setSettings(const WorkloadSettings& settings);
  [[nodiscard]] const WorkloadSettings& settings() const { return settings_; }

 Q_SIGNALS:
  void workloadChanged(quint32 rank);
  void resultsChanged(quint32 rank);
  /// The rank in the panels, or its results, are others.
  void currentChanged();
  void busyChanged(bool busy);

 private:
  struct PerRank {
    std::shared_ptr<const Workload> workload;
    std::shared_ptr<const AnalysisResults> results;
    std::uint64_t request = 0;  ///< of the newest job: an older one's outcome is thrown away
    std::stop_source stop;
  };

  void restart();
  void makeWorkloadOf(std::uint32_t rank);
  void computeResultsOf(std::uint32_t rank);
  void finished();
  [[nodiscard]] AnalysisWindow chosenWindow(std::uint32_t rank, const Workload& workload) const;

  Session& session_;
  std::shared_ptr<AnalysisStore> store_ = std::make_shared<AnalysisStore>();
  WorkloadSettings settings_;
  std::vector<PerRank> ranks_;
  std::uint64_t requests_ = 0;
  std::uint32_t currentRank_ = 0;
  int pending_ = 0;
  QString problem_;
};

}  // namespace ridgeline
