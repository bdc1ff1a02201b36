#include <algorithm>

#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/main_window.h"
#include "app/desktop/wiring.h"

using namespace ridgeline;

/// The window as a whole, with all its panels.
class TestMainWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();

  void aNarrowWindowCutsNoNameOfAPanel();

 private:
  QTemporaryDir dir_;
};

void TestMainWindow::initTestCase() {
  QVERIFY(dir_.isValid());
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, dir_.path());
  QApplication::setOrganizationName(QStringLiteral("ridgeline-test"));
}

void TestMainWindow::aNarrowWindowCutsNoNameOfAPanel() {
  MainWindow window;
  wire(window);
  window.resize(1000, 700);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  const auto bars = window.findChildren<QTabBar*>();
  const auto widest = std::max_element(bars.begin(), bars.end(),
                                       [](auto* a, auto* b) { return a->count() < b->count(); });
  QVERIFY(widest != bars.end());
  QVERIFY((*widest)->count() > 8);
  for (int i = 0; i < (*widest)->count(); ++i) {
    const int name = (*widest)->fontMetrics().horizontalAdvance((*widest)->tabText(i));
    QVERIFY2((*widest)->tabRect(i).width() >= name, qPrintable((*widest)->tabText(i)));
  }
}

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
