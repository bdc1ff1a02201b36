#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include "core/io/load_trace.h"

namespace ridgeline {

/// Opens trace files beside the GUI: nothing that is on screen changes until all of them are
/// loaded. Several files become the ranks of one job, by rank number, copies left out. One open at
/// a time: the newest wins. After cancel() the GUI is free at once; the workers notice within
/// milliseconds and their outcome is dropped.
class OpenJob : public QObject {
  Q_OBJECT

 public:
  explicit OpenJob(QObject* parent = nullptr);
  ~OpenJob() override;

  void start(const QStringList& paths);
  void cancel();
  [[nodiscard]] bool running() const { return current_ != nullptr; }
  [[nodiscard]] const QStringList& paths() const { return paths_; }
  /// Of what was opened last: sentences on files that hold the same events as one before them and
  /// are therefore no ranks.
  [[nodiscard]] const QStringList& copies() const { return copies_; }

 Q_SIGNALS:
  void started();
  /// `share` 0…1, or negative while unknown; `text` says bytes, events and time left.
  void progressed(double share, const QString& text);
  /// `firstView`: the part of the first rank that is worth the first look, its own time.
  void finished(const std::vector<ridgeline::LoadedTrace>& ranks, ridgeline::TimeSpan firstView);
  void failed(const ridgeline::Error& error);
  void cancelled();

 private:
  struct Shared;
  void poll();
  void done();

  QStringList paths_, copies_;
  std::shared_ptr<Shared> current_;
  QTimer pollTimer_;
  QElapsedTimer elapsed_;
};

/// The part of a recording that is worth the first look: the first steady step with a little of its
/// neighbours. Without steps the device work, where that takes less than a quarter of the time (as
/// when JAX' profiler took seconds to start); else all of it. Trace time.
[[nodiscard]] TimeSpan firstViewOf(const Trace& trace);

}  // namespace ridgeline
