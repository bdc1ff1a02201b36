#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace ridgeline {

/// One line of news where the user looks, instead of a modal box: what happened and what to do.
/// Stays until closed or replaced.
class MessageBar : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { note, warning, error };
  explicit MessageBar(QWidget* parent = nullptr);
  void showMessage(Kind kind, const QString& text, const QString& todo = {});
  [[nodiscard]] QString text() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void colour();
  QLabel* label_;
  QToolButton* close_;
  Kind kind_ = Kind::note;
};

}  // namespace ridgeline
