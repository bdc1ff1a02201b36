#pragma once

#include <QString>
#include <QStringList>
#include <QtGlobal>

namespace ridgeline::test {

/// Fails whoever asks when Qt warned about anything while it lived: connections to nothing, null
/// pixmaps, painters on dead devices. Install one per test program and check it after each test.
class QtWarningGuard {
 public:
  QtWarningGuard() { previous_ = qInstallMessageHandler(&QtWarningGuard::handle); }
  ~QtWarningGuard() { qInstallMessageHandler(previous_); }
  QtWarningGuard(const QtWarningGuard&) = delete;
  QtWarningGuard& operator=(const QtWarningGuard&) = delete;

  /// What was warned of since the last call.
  static QStringList take() { return std::exchange(warnings(), QStringList()); }

 private:
  static QStringList& warnings() {
    static QStringList list;
    return list;
  }
  static void handle(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    // The offscreen platform says this of any window that is activated; it means nothing.
    const bool harmless = text.contains(QStringLiteral("This plugin does not support"));
    if (type != QtDebugMsg && type != QtInfoMsg && !harmless) warnings() << text;
    if (previous_ != nullptr) previous_(type, context, text);
  }
  static inline QtMessageHandler previous_ = nullptr;
};

}  // namespace ridgeline::test
