#pragma once

#include <QElapsedTimer>
#include <QObject>

namespace ridgeline {

class MainWindow;

/// For measuring: ends the program as soon as the timeline has painted the trace that was opened
/// at the start, and prints how long that took since main() began.
class FirstFrame : public QObject {
  Q_OBJECT

 public:
  FirstFrame(MainWindow& window, const QElapsedTimer& sinceMain);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QElapsedTimer sinceMain_;
};

}  // namespace ridgeline
