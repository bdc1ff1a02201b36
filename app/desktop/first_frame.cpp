#include "app/desktop/first_frame.h"

#include <cstdio>

#include <QCoreApplication>
#include <QEvent>
#include <QTimer>

#include "app/desktop/main_window.h"
#include "widgets/timeline/timeline_view.h"

namespace ridgeline {

FirstFrame::FirstFrame(MainWindow& window, const QElapsedTimer& sinceMain)
    : QObject(&window), sinceMain_(sinceMain) {
  connect(&window, &MainWindow::openEnded, this, [this](bool ok) {
    if (ok)
      QCoreApplication::instance()->installEventFilter(this);
    else
      QCoreApplication::exit(1);
  });
}

bool FirstFrame::eventFilter(QObject* watched, QEvent* event) {
  // A scroll area's content is painted by its viewport.
  if (event->type() != QEvent::Paint || qobject_cast<TimelineView*>(watched->parent()) == nullptr)
    return false;
  QCoreApplication::instance()->removeEventFilter(this);
  // Behind the paint event itself and the flush to the screen.
  QTimer::singleShot(0, this, [this] {
    std::printf("first frame with the trace %lld ms after main() began\n",
                static_cast<long long>(sinceMain_.elapsed()));
    QCoreApplication::exit(0);
  });
  return false;
}

}  // namespace ridgeline
