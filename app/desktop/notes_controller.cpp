#include "app/desktop/notes_controller.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "app/desktop/main_window.h"
#include "core/documents/atomic_file.h"
#include "widgets/common/message_bar.h"

namespace ridgeline {

namespace {

constexpr int kRestMs = 250;

std::string encoded(const QString& path) {
  return QFile::encodeName(path).toStdString();
}

/// Whether they differ in nothing but where labels stand.
bool onlyMoved(const NotesDocument& a, const NotesDocument& b) {
  const auto still = [](NotesDocument document) {
    for (Note& note : document.notes) note.offsetX = note.offsetY = 0;
    return document;
  };
  return still(a) == still(b);
}

}  // namespace

NotesController::NotesController(MainWindow& window, NotesModel& notes)
    : QObject(&window), window_(window), notes_(notes) {
  delay_.setSingleShot(true);
  delay_.setInterval(kRestMs);
  connect(&delay_, &QTimer::timeout, this, &NotesController::flush);
  connect(qApp, &QCoreApplication::aboutToQuit, this, &NotesController::flush);
  connect(&notes_, &NotesModel::changed, this, &NotesController::changed);
  connect(&window_.session(), &Session::documentChanged, this, &NotesController::load);
  if (window_.session().hasDocument()) load();
}

NotesController::~NotesController() {
  ending_ = true;
  flush();
}

QString NotesController::fallbackPath(const QString& tracePath) {
  const QString absolute = QFileInfo(tracePath).absoluteFilePath();
  const QByteArray hash =
      QCryptographicHash::hash(absolute.toUtf8(), QCryptographicHash::Sha256).toHex().left(12);
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
         QStringLiteral("/notes/") + QFileInfo(tracePath).fileName() + QLatin1Char('-') +
         QString::fromLatin1(hash) + QStringLiteral(".ridgeline.json");
}

void NotesController::load() {
  flush();  // of the document before
  const Session& session = window_.session();
  trace_.clear();
  file_.reset();
  last_ = saved_ = {};
  besideFailed_ = false;
  if (!session.hasDocument()) return;
  trace_ = QFile::decodeName(session.trace(0).info().path.c_str());
  if (trace_.isEmpty()) return;
  file_.emplace(NotesFile::pathBeside(encoded(trace_)));
  NotesDocument document;
  auto beside = file_->load();
  if (beside.ok()) document = beside.value();
  if (beside.failed()) report(beside.error());
  // What could not be saved beside the trace is the newer one, as long as it is there.
  const QString own = fallbackPath(trace_);
  if (QFileInfo::exists(own)) {
    auto kept = NotesFile(encoded(own)).load();
    if (kept.ok()) document = kept.value();
    if (kept.failed()) report(kept.error());
  }
  last_ = saved_ = document;
  notes_.setDocument(std::move(document));
}

void NotesController::changed() {
  last_ = notes_.document();
  if (onlyMoved(last_, saved_))
    delay_.start();
  else
    flush();
}

bool NotesController::flush() {
  delay_.stop();
  if (!file_ || last_ == saved_) return true;
  if (!save()) return false;
  saved_ = last_;
  return true;
}

bool NotesController::save() {
  const QString own = fallbackPath(trace_);
  const Status beside = file_->save(last_);
  if (beside.ok()) {
    QFile::remove(own);
    besideFailed_ = false;
    return true;
  }
  QDir().mkpath(QFileInfo(own).path());
  const Status kept = NotesFile(encoded(own)).save(last_);
  if (!kept.ok()) {
    report({"notes can't be saved, neither beside the trace nor in your data folder: " +
                beside.error().what + "; " + kept.error().what,
            beside.error().where, "make room or permit writing there, then change a note"});
    return false;
  }
  if (!besideFailed_ && !ending_)
    window_.messages().showMessage(
        MessageBar::Kind::warning,
        tr("Notes can't be saved beside the trace: %1")
            .arg(QString::fromStdString(beside.error().text())),
        tr("They are kept in %1 and will be found there.").arg(QDir::toNativeSeparators(own)));
  besideFailed_ = true;
  return true;
}

void NotesController::report(const Error& error) {
  if (ending_) return;
  window_.messages().showMessage(
      MessageBar::Kind::error,
      QString::fromStdString(error.where.empty() ? error.what : error.where + ": " + error.what),
      QString::fromStdString(error.todo));
}

}  // namespace ridgeline
