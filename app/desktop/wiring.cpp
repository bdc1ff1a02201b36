#include "app/desktop/wiring.h"

#include <QDockWidget>
#include <QSettings>
#include <QTimer>

#include "app/desktop/export_actions.h"
#include "app/desktop/machine_actions.h"
#include "app/desktop/main_window.h"
#include "app/desktop/notes_actions.h"
#include "app/desktop/step_picker.h"
#include "widgets/common/analyses.h"
#include "widgets/common/what_if_model.h"
#include "widgets/overlays/critical_path_overlay.h"
#include "widgets/overlays/curves_overlay.h"
#include "widgets/overlays/idle_gaps_overlay.h"
#include "widgets/overlays/kernel_groups_overlay.h"
#include "widgets/overlays/links_overlay.h"
#include "widgets/overlays/selection_overlay.h"
#include "widgets/overlays/steps_overlay.h"
#include "widgets/overlays/what_if_overlay.h"
#include "widgets/panels/collectives_panel.h"
#include "widgets/panels/compiled_panel.h"
#include "widgets/panels/critical_path_panel.h"
#include "widgets/panels/details_panel.h"
#include "widgets/panels/device_time_panel.h"
#include "widgets/panels/headline_bar.h"
#include "widgets/panels/idle_gaps_panel.h"
#include "widgets/panels/kernels_panel.h"
#include "widgets/panels/launches_panel.h"
#include "widgets/panels/memory_panel.h"
#include "widgets/panels/problems_panel.h"
#include "widgets/panels/recording_panel.h"
#include "widgets/panels/roofline_panel.h"
#include "widgets/panels/steps_panel.h"
#include "widgets/panels/what_if_panel.h"
#include "widgets/timeline/timeline_pane.h"

namespace ridgeline {

namespace {

void addPanels(MainWindow& window, Analyses& analyses, WhatIfModel& whatIf) {
  Session& session = window.session();
  const auto add = [&](Panel* panel, Qt::DockWidgetArea area) {
    return window.addPanel(panel->id(), panel->title(), panel, area);
  };
  QDockWidget* details = add(new DetailsPanel(session, analyses), Qt::RightDockWidgetArea);
  auto* rooflinePanel = new RooflinePanel(session, analyses);
  QObject::connect(rooflinePanel, &RooflinePanel::peaksWanted, &window,
                   [&window, &analyses] { askForPeaks(window, analyses); });
  QDockWidget* roofline = add(rooflinePanel, Qt::RightDockWidgetArea);
  // Side by side, not as tabs: a click on a kernel answers in both.
  window.splitDockWidget(details, roofline, Qt::Vertical);
  QDockWidget* steps = add(new StepsPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new DeviceTimePanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new KernelsPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new CriticalPathPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new WhatIfPanel(session, analyses, whatIf), Qt::BottomDockWidgetArea);
  add(new IdleGapsPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new LaunchesPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new CompiledPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new MemoryPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new RecordingPanel(session, analyses), Qt::BottomDockWidgetArea);
  add(new CollectivesPanel(session, analyses), Qt::BottomDockWidgetArea);
  auto* problems = new ProblemsPanel(session, analyses);
  add(problems, Qt::BottomDockWidgetArea);
  for (Panel* panel : window.findChildren<Panel*>())
    QObject::connect(panel, &Panel::findingRequested, problems,
                     [&window, problems](const QString& key) {
                       window.showPanel(problems->id());
                       problems->showFinding(key);
                     });
  window.showPanel(QStringLiteral("steps"));
  // The timeline gets the room; sizes hold only once the window is laid out. restoreLayout() knows
  // better where somebody has moved the docks.
  if (QSettings().contains(QStringLiteral("window/docks"))) return;
  QTimer::singleShot(0, &window, [&window, details, roofline, steps] {
    window.resizeDocks({steps}, {240}, Qt::Vertical);
    window.resizeDocks({details, roofline}, {450, 450}, Qt::Horizontal);
    window.resizeDocks({details, roofline}, {210, 560}, Qt::Vertical);
  });
}

void addOverlays(MainWindow& window, Analyses& analyses, WhatIfModel& whatIf) {
  Session& session = window.session();
  TimelineView& view = window.timeline().view();
  view.addOverlay(new KernelGroupsOverlay(session, analyses));
  view.addOverlay(new StepsOverlay(session, analyses));
  view.addOverlay(new QueueDepthOverlay(session, analyses));
  view.addOverlay(new MemoryOverlay(session, analyses));
  view.addOverlay(new IdleGapsOverlay(session, analyses));
  view.addOverlay(new CriticalPathOverlay(session, analyses));
  view.addOverlay(new WhatIfOverlay(session, whatIf));
  view.addOverlay(new LinksOverlay);
  view.addOverlay(new SelectionOverlay);
  addNotes(window);
  window.listOverlays();
}

}  // namespace

Analyses* wire(MainWindow& window) {
  auto* analyses = new Analyses(window.session(), &window);
  auto* whatIf = new WhatIfModel(*analyses, &window);
  addOverlays(window, *analyses, *whatIf);
  addPanels(window, *analyses, *whatIf);
  auto* headline = new HeadlineBar(window.session(), *analyses);
  QObject::connect(headline, &HeadlineBar::panelRequested, &window,
                   [&window](const QString& id) { window.showPanel(id); });
  auto* problems = window.findChild<ProblemsPanel*>();
  QObject::connect(headline, &HeadlineBar::findingRequested, problems,
                   [&window, problems](const QString& key) {
                     window.showPanel(problems->id());
                     problems->showFinding(key);
                   });
  window.setHeadline(headline);
  window.addToToolBar(new StepPicker(window.session(), *analyses));
  addMachineActions(window, *analyses);
  addExportActions(window, analyses);
  return analyses;
}

}  // namespace ridgeline
