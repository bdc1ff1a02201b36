#include "app/desktop/machine_actions.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleValidator>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

#include "app/desktop/main_window.h"
#include "core/documents/atomic_file.h"
#include "core/hardware/device_catalog.h"
#include "core/io/plain_text.h"
#include "widgets/common/analyses.h"
#include "widgets/common/message_bar.h"

namespace ridgeline {

namespace {

/// Lets the user choose a file and puts what `read` makes of its text into the settings; what is
/// wrong with it goes to the messages.
template <class Read, class Take>
void askForFile(MainWindow& window, Analyses& analyses, const QString& title, const QString& filter,
                Read read, Take take) {
  const QString path = QFileDialog::getOpenFileName(&window, title, QString(), filter);
  if (path.isEmpty()) return;
  const auto say = [&window](const Error& error) {
    window.messages().showMessage(MessageBar::Kind::error, QString::fromStdString(error.text()));
  };
  auto bytes = readFile(path.toStdString());
  if (bytes.failed()) return say(bytes.error());
  const auto text = plainText(std::move(bytes).value(), path.toStdString());
  if (text.failed()) return say(text.error());
  auto made = read(text.value(), path.toStdString());
  if (made.failed()) return say(made.error());
  WorkloadSettings settings = analyses.settings();
  take(settings, std::move(made).value());
  analyses.setSettings(settings);
}

void askForCollectives(MainWindow& window, Analyses& analyses) {
  askForFile(window, analyses, QObject::tr("Collective bandwidth"),
             QObject::tr("Output of nccl-tests or rccl-tests, or a table (*);;All files (*)"),
             CollectiveTable::fromText, [](WorkloadSettings& settings, CollectiveTable&& table) {
               settings.collectives = std::make_shared<const CollectiveTable>(std::move(table));
             });
}

void askForCounters(MainWindow& window, Analyses& analyses) {
  askForFile(window, analyses, QObject::tr("Kernel counters"),
             QObject::tr("Output of ncu --csv (*.csv *.txt *.log);;All files (*)"),
             KernelCounters::fromText, [](WorkloadSettings& settings, KernelCounters&& counters) {
               settings.counters = std::make_shared<const KernelCounters>(std::move(counters));
             });
}

/// A field for a number above zero, or nothing.
QLineEdit* numberField(QDialog& dialog, const QString& name, const std::optional<double>& value,
                       const QString& placeholder) {
  auto* field = new QLineEdit(&dialog);
  field->setObjectName(name);
  field->setPlaceholderText(placeholder);
  auto* validator = new QDoubleValidator(field);
  validator->setLocale(QLocale::c());
  validator->setBottom(0);
  field->setValidator(validator);
  if (value) field->setText(QLocale::c().toString(*value, 'g', 12));
  return field;
}

std::optional<double> valueOf(const QLineEdit& field) {
  bool good = false;
  const double value = QLocale::c().toDouble(field.text(), &good);
  return good && value > 0 ? std::optional(value) : std::nullopt;
}

void askForModel(MainWindow& window, Analyses& analyses) {
  QDialog dialog(&window);
  dialog.setObjectName(QStringLiteral("model_work"));
  dialog.setWindowTitle(QObject::tr("Work of the model"));
  const ModelWork& old = analyses.settings().model;
  auto* flops =
      numberField(dialog, QStringLiteral("flops"), old.flopsPerStep, QStringLiteral("4.2e13"));
  auto* parameters =
      numberField(dialog, QStringLiteral("parameters"), old.parameters, QStringLiteral("7e9"));
  auto* tokens =
      numberField(dialog, QStringLiteral("tokens"), old.tokensPerStep, QStringLiteral("8192"));
  auto* about = new QLabel(
      QObject::tr("MFU compares the useful FLOPs of a step with the peak; a trace cannot tell "
                  "them. Give them, or parameters and tokens: a training step then takes "
                  "6 × parameters × tokens. Everything for one step on one device."),
      &dialog);
  about->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* form = new QFormLayout(&dialog);
  form->addRow(about);
  form->addRow(QObject::tr("Useful FLOPs"), flops);
  form->addRow(QObject::tr("or parameters"), parameters);
  form->addRow(QObject::tr("and tokens"), tokens);
  form->addRow(buttons);
  // Half an answer is none: both figures, or neither.
  const auto check = [=] {
    const bool half = valueOf(*parameters).has_value() != valueOf(*tokens).has_value();
    buttons->button(QDialogButtonBox::Ok)->setEnabled(!half || valueOf(*flops).has_value());
  };
  for (QLineEdit* field : {flops, parameters, tokens})
    QObject::connect(field, &QLineEdit::textChanged, &dialog, check);
  if (dialog.exec() != QDialog::Accepted) return;
  WorkloadSettings settings = analyses.settings();
  settings.model = {valueOf(*flops), valueOf(*parameters), valueOf(*tokens)};
  analyses.setSettings(settings);
}

/// The second roof: what the user's device reaches at best.
void askForAchievable(MainWindow& window, Analyses& analyses) {
  QDialog dialog(&window);
  dialog.setObjectName(QStringLiteral("achievable_rates"));
  dialog.setWindowTitle(QObject::tr("Achievable rates"));
  const AchievableRates& old = analyses.settings().achievable;
  auto* flops = new QLineEdit(QString::fromStdString(achievableFlopsText(old)), &dialog);
  flops->setObjectName(QStringLiteral("achievable_flops"));
  flops->setPlaceholderText(QStringLiteral("bf16=640, fp32=50"));
  flops->setMinimumWidth(flops->fontMetrics().averageCharWidth() * 36);
  auto* bandwidth = numberField(dialog, QStringLiteral("achievable_bandwidth"),
                                old.bandwidth ? std::optional(*old.bandwidth / 1e9) : std::nullopt,
                                QStringLiteral("3000"));
  auto* about = new QLabel(
      QObject::tr("What your device reaches at best, drawn below the datasheet's peaks. Without "
                  "figures of yours the best calls of the trace are taken."),
      &dialog);
  auto* problem = new QLabel(&dialog);
  problem->setObjectName(QStringLiteral("achievable_problem"));
  for (QLabel* label : {about, problem}) label->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* form = new QFormLayout(&dialog);
  form->addRow(about);
  form->addRow(QObject::tr("TFLOP/s by type"), flops);
  form->addRow(QObject::tr("Memory, 10⁹ bytes/s"), bandwidth);
  form->addRow(problem);
  form->addRow(buttons);
  AchievableRates rates;
  const auto check = [&rates, flops, problem, buttons] {
    rates.flops.clear();
    const Status read = readAchievableFlops(flops->text().toStdString(), rates);
    problem->setText(read.failed() ? QString::fromStdString(read.error().text()) : QString());
    buttons->button(QDialogButtonBox::Ok)->setEnabled(read.ok());
  };
  QObject::connect(flops, &QLineEdit::textChanged, &dialog, check);
  check();
  if (dialog.exec() != QDialog::Accepted) return;
  WorkloadSettings settings = analyses.settings();
  settings.achievable = rates;
  if (const auto value = valueOf(*bandwidth)) settings.achievable.bandwidth = *value * 1e9;
  analyses.setSettings(settings);
}

}  // namespace

void askForPeaks(MainWindow& window, Analyses& analyses) {
  askForFile(
      window, analyses, QObject::tr("Device peaks"),
      QObject::tr("Device figures (*.json);;All files (*)"),
      [](const std::string& text, const std::string&) {
        return DeviceCatalog::builtin().withUserFile(text);
      },
      [](WorkloadSettings& settings, DeviceCatalog&& catalog) {
        settings.catalog = std::make_shared<const DeviceCatalog>(std::move(catalog));
      });
}

void addMachineActions(MainWindow& window, Analyses& analyses) {
  QMenu* file = window.fileMenu();
  const QList<QAction*> present = file->actions();
  QAction* before = present.size() >= 2 ? present[present.size() - 2] : nullptr;
  const auto add = [&](const QString& text, const QString& tip, const QString& name, auto ask) {
    auto* action = new QAction(text, &window);
    action->setObjectName(name);
    action->setStatusTip(tip);
    action->setToolTip(tip);
    QObject::connect(action, &QAction::triggered, &window,
                     [&window, &analyses, ask] { ask(window, analyses); });
    file->insertAction(before, action);
  };
  file->insertSeparator(before);
  add(QObject::tr("Device &peaks…"), QObject::tr("Figures of your device on top of the catalogue"),
      QStringLiteral("device_peaks"), askForPeaks);
  add(QObject::tr("Collective &bandwidth…"),
      QObject::tr("What collectives take on your machine: the output of nccl-tests or rccl-tests"),
      QStringLiteral("collective_bandwidth"), askForCollectives);
  add(QObject::tr("&Kernel counters…"),
      QObject::tr("FLOPs and memory traffic as Nsight Compute measured them: output of ncu --csv"),
      QStringLiteral("kernel_counters"), askForCounters);
  add(QObject::tr("&Achievable rates…"),
      QObject::tr("What your device reaches at best: a second roof below the peaks"),
      QStringLiteral("achievable_rates"), askForAchievable);
  add(QObject::tr("&Model work…"), QObject::tr("Useful FLOPs of a step, for MFU"),
      QStringLiteral("model_work"), askForModel);
  file->insertSeparator(before);
}

}  // namespace ridgeline
