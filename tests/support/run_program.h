#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

namespace ridgeline::test {

/// What a program answered; code -1 if it crashed or hung.
struct Outcome {
  int code = -1;
  QByteArray out;
  QByteArray err;
  [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

struct RunOptions {
  QString folder;        ///< to run in; empty: this program's
  QByteArray input;      ///< for its standard input
  bool display = false;  ///< an offscreen one; else there is none at all
};

/// Runs a program of this build to its end.
inline Outcome runProgram(const char* program, const QStringList& words,
                          const RunOptions& options = {}) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    environment.remove(QLatin1String(name));
  if (options.display)
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
  process.setProcessEnvironment(environment);
  if (!options.folder.isEmpty()) process.setWorkingDirectory(options.folder);
  process.start(qEnvironmentVariable("RIDGELINE_BIN") + u'/' + QLatin1String(program), words);
  process.write(options.input);
  process.closeWriteChannel();
  if (!process.waitForFinished(300'000) || process.exitStatus() != QProcess::NormalExit) {
    process.kill();
    process.waitForFinished();
    return {-1, {}, "crashed or hung: " + process.readAllStandardError()};
  }
  return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

/// "report job.json" as two words.
inline QStringList wordsOf(const char* line) {
  return QString::fromUtf8(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

}  // namespace ridgeline::test
