#include "app/desktop/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "app/desktop/export_actions.h"
#include "app/desktop/main_window.h"

namespace ridgeline {

bool askForWishes(MainWindow& window, ExportWishes& wishes) {
  QDialog dialog(&window);
  dialog.setObjectName(QStringLiteral("export-dialog"));
  dialog.setWindowTitle(MainWindow::tr("Export picture"));
  auto* form = new QFormLayout(&dialog);
  auto* title = new QLineEdit(wishes.title, &dialog);
  title->setMinimumWidth(360);
  auto* width = new QSpinBox(&dialog);
  width->setRange(400, 20000);
  width->setSingleStep(100);
  width->setSuffix(MainWindow::tr(" px"));
  width->setValue(wishes.width);
  auto* scale = new QDoubleSpinBox(&dialog);
  scale->setRange(0.5, 8);
  scale->setSingleStep(0.5);
  scale->setPrefix(QStringLiteral("× "));
  scale->setDecimals(1);
  scale->setValue(wishes.scale);
  scale->setToolTip(
      MainWindow::tr("PNG: how many pixels for each; 2 is sharp in print and on "
                     "fine displays"));
  auto* theme = new QComboBox(&dialog);
  theme->addItems({MainWindow::tr("Light"), MainWindow::tr("Dark")});
  theme->setCurrentIndex(wishes.dark ? 1 : 0);
  auto* allRows = new QCheckBox(MainWindow::tr("All rows, also those out of sight"), &dialog);
  allRows->setChecked(wishes.allRows);
  auto* legend = new QCheckBox(MainWindow::tr("Legend of what occurs"), &dialog);
  legend->setChecked(wishes.legend);
  auto* caption = new QCheckBox(MainWindow::tr("Caption: file, step, window, device"), &dialog);
  caption->setChecked(wishes.caption);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, &dialog);
  buttons->addButton(MainWindow::tr("Export…"), QDialogButtonBox::AcceptRole)->setDefault(true);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  form->addRow(MainWindow::tr("&Title"), title);
  form->addRow(MainWindow::tr("&Width"), width);
  form->addRow(MainWindow::tr("&Scale"), scale);
  form->addRow(MainWindow::tr("T&heme"), theme);
  form->addRow(QString(), allRows);
  form->addRow(QString(), legend);
  form->addRow(QString(), caption);
  form->addRow(buttons);
  if (dialog.exec() != QDialog::Accepted) return false;
  wishes.title = title->text().trimmed();
  wishes.width = width->value();
  wishes.scale = scale->value();
  wishes.dark = theme->currentIndex() == 1;
  wishes.allRows = allRows->isChecked();
  wishes.legend = legend->isChecked();
  wishes.caption = caption->isChecked();
  return true;
}

}  // namespace ridgeline
