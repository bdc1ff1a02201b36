#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QWidget>

#include "widgets/common/analyses.h"
#include "widgets/common/session.h"
#include "widgets/panels/quality_badge.h"

namespace ridgeline {

/// A dockable view of one analysis: a sentence that says what matters, then the chart or table.
/// Without a result it says what is missing and how to record it. Fills itself only while it is
/// visible; dimmed while a newer result is being computed. Its numbers, and those of its tables,
/// carry a badge when a finding on the data touches them.
class Panel : public QWidget {
  Q_OBJECT

 public:
  Panel(const QString& id, const QString& title, Session& session, Analyses& analyses,
        QWidget* parent = nullptr);

  /// The word of the analysis: "idle_gaps". Also the dock's object name.
  [[nodiscard]] QString id() const { return id_; }
  [[nodiscard]] QString title() const { return title_; }
  [[nodiscard]] QString sentence() const { return sentence_->text(); }
  /// True while the panel shows why there is nothing to see.
  [[nodiscard]] bool isEmptyState() const { return stack_->currentWidget() == empty_; }
  [[nodiscard]] QString emptyText() const { return empty_->text(); }
  [[nodiscard]] QualityBadge& badge() const { return *badge_; }

 Q_SIGNALS:
  /// A check of the data is to be shown: its key.
  void findingRequested(const QString& key);

 protected:
  /// Fills the panel from `results`, the current rank's; called on the GUI thread, only while the
  /// panel is visible and never with null.
  virtual void fill(const std::shared_ptr<const AnalysisResults>& results) = 0;
  /// The active slice, item or selection is another; only while visible.
  virtual void selectionChanged() {}

  void setContent(QWidget* content);
  void setSentence(const QString& text);
  void showEmpty(const QString& whyAndHow);
  void showContent();
  [[nodiscard]] Session& session() const { return session_; }
  [[nodiscard]] Analyses& analyses() const { return analyses_; }
  [[nodiscard]] std::uint32_t rank() const { return analyses_.currentRank(); }

  void showEvent(QShowEvent* event) override;
  /// Colours of tables and bars come from the theme: another theme fills the panel anew.
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  void showFindings();

  const QString id_;
  const QString title_;
  Session& session_;
  Analyses& analyses_;
  QLabel* sentence_;
  QualityBadge* badge_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QWidget* content_ = nullptr;
  std::shared_ptr<const AnalysisResults> shown_;
  bool stale_ = true;
};

}  // namespace ridgeline
