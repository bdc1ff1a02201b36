#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/qt_warning_guard.h"
#include "tests/support/row_trace.h"
#include "widgets/overlays/notes_tool.h"
#include "widgets/timeline/timeline_pane.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

std::vector<LoadedTrace> smallJob() {
  std::vector<MadeSlice> slices;
  for (int i = 0; i < 4; ++i) slices.push_back({i * 1'000'000, 600'000, "step", "cpu_op"});
  slices.push_back({1'200'000, 300'000, "kernel", "kernel", "0", "7", 0, 7});
  slices.push_back({2'500'000, 300'000, "kernel", "kernel", "0", "7", 0, 7});
  auto trace = makeTrace(slices);
  return {{trace, std::make_shared<const TraceIndex>(trace)}};
}

SliceRef kernel(const Session& session, int nth = 0) {
  const Trace& trace = session.trace(0);
  for (std::size_t i = 0; i < trace.slices().size(); ++i)
    if (trace.name(SliceId(i)) == "kernel" && nth-- == 0) return {0, SliceId(i)};
  return {};
}

}  // namespace

/// Notes with the mouse and the keys of a real timeline.
class TestNotesInTimeline : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();

  void aCalloutIsMadeAtTheSelectedSlice();
  void aBracketMeasuresTheMarkedSpan();
  void draggingALabelMovesItAndIsOneStep();
  void aClickOnALabelDoesNotSelectWhatIsBelow();
  void aDoubleClickEditsTheText();
  void escapeLeavesTheTextAsItWas();
  void enterEndsTheTextAndDoesNotZoom();
  void theMenuOfANoteEditsAndDeletesIt();
  void deleteRemovesTheChosenNote();
  void undoAndRedoGoThroughEverything();
  void notesOfAnotherRankAreKeptButNotShown();

 private:
  [[nodiscard]] TimelineView& view() const { return pane_->view(); }
  [[nodiscard]] QWidget* viewport() const { return view().viewport(); }
  [[nodiscard]] const Note& note() const { return notes_->document().notes.front(); }
  [[nodiscard]] QPoint labelMiddle() const {
    return overlay_->labelRect(note(), view().geometry())->center().toPoint();
  }
  void click(const QPoint& at) { QTest::mouseClick(viewport(), Qt::LeftButton, {}, at); }
  void addCallout(const QString& text) {
    session_->setActive(kernel(*session_));
    tool_->addNoteHere();
    QVERIFY(tool_->editor() != nullptr);
    tool_->editor()->clear();
    QTest::keyClicks(tool_->editor(), text);
    QTest::keyClick(tool_->editor(), Qt::Key_Return);
    QVERIFY(tool_->editor() == nullptr);
  }

  QtWarningGuard guard_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<TimelinePane> pane_;
  std::unique_ptr<NotesModel> notes_;
  NotesOverlay* overlay_ = nullptr;
  NotesTool* tool_ = nullptr;
};

void TestNotesInTimeline::init() {
  QtWarningGuard::take();
  session_ = std::make_unique<Session>();
  pane_ = std::make_unique<TimelinePane>(*session_);
  notes_ = std::make_unique<NotesModel>(*session_);
  overlay_ = new NotesOverlay(*session_, *notes_);
  view().addOverlay(overlay_);
  tool_ = new NotesTool(view(), *notes_, *overlay_);
  pane_->resize(1000, 400);
  pane_->show();
  QVERIFY(QTest::qWaitForWindowExposed(pane_.get()));
  session_->open(smallJob(), QStringLiteral("small"));
  QCoreApplication::processEvents();
}

void TestNotesInTimeline::cleanup() {
  pane_.reset();
  notes_.reset();
  session_.reset();
  QCOMPARE(QtWarningGuard::take(), QStringList());
}

void TestNotesInTimeline::aCalloutIsMadeAtTheSelectedSlice() {
  const QPoint at = view().geometry().sliceRect(kernel(*session_))->center().toPoint();
  click(at);
  QCOMPARE(session_->active(), kernel(*session_));
  QSignalSpy changed(notes_.get(), &NotesModel::changed);
  addCallout(QStringLiteral("slow here"));
  QCOMPARE(note().kind, NoteKind::callout);
  QCOMPARE(note().text, std::string("slow here"));
  QCOMPARE(notes_->eventOf(note()), kernel(*session_));
  QVERIFY(changed.count() >= 1);
  const auto label = overlay_->labelRect(note(), view().geometry());
  QVERIFY(label);
  QVERIFY(!label->intersects(*view().geometry().sliceRect(kernel(*session_))));
}

void TestNotesInTimeline::aBracketMeasuresTheMarkedSpan() {
  session_->setMarked(TimeSpan{1'500'000, 2'500'000});
  tool_->addBracketHere();
  QVERIFY(tool_->editor() != nullptr);
  QTest::keyClick(tool_->editor(), Qt::Key_Return);
  QCOMPARE(note().kind, NoteKind::bracket);
  QCOMPARE(note().span, (TimeSpan{1'500'000, 2'500'000}));
  const auto hit = overlay_->hitTest(labelMiddle(), view().geometry());
  QVERIFY(hit);
  QVERIFY2(hit->text.startsWith(QStringLiteral("1.00 ms")), qPrintable(hit->text));
}

void TestNotesInTimeline::draggingALabelMovesItAndIsOneStep() {
  addCallout(QStringLiteral("here"));
  const QPoint from = labelMiddle();
  const QPoint to = from + QPoint(120, -30);
  const TimeSpan shown = session_->view().span();
  const int steps = notes_->undoStack().count();
  QTest::mousePress(viewport(), Qt::LeftButton, {}, from);
  for (int i = 1; i <= 10; ++i) QTest::mouseMove(viewport(), from + (to - from) * i / 10);
  QTest::mouseRelease(viewport(), Qt::LeftButton, {}, to);
  QVERIFY(std::abs(labelMiddle().x() - to.x()) <= 1);
  QCOMPARE(session_->view().span(), shown);  // the timeline was not dragged along
  QCOMPARE(notes_->undoStack().count(), steps + 1);
  notes_->undoStack().undo();
  QCOMPARE(labelMiddle(), from);
}

void TestNotesInTimeline::aClickOnALabelDoesNotSelectWhatIsBelow() {
  addCallout(QStringLiteral("here"));
  session_->clearSelection();
  click(labelMiddle());
  QVERIFY(!session_->active().valid());
  QCOMPARE(session_->activeItem().kind, QStringLiteral("notes"));
}

void TestNotesInTimeline::aDoubleClickEditsTheText() {
  addCallout(QStringLiteral("before"));
  QTest::mouseDClick(viewport(), Qt::LeftButton, {}, labelMiddle());
  QVERIFY(tool_->editor() != nullptr);
  QCOMPARE(tool_->editor()->text(), QStringLiteral("before"));
  QTest::keyClick(tool_->editor(), Qt::Key_A, Qt::ControlModifier);
  QTest::keyClicks(tool_->editor(), QStringLiteral("after"));
  QTest::keyClick(tool_->editor(), Qt::Key_Return);
  QCOMPARE(note().text, std::string("after"));
}

void TestNotesInTimeline::escapeLeavesTheTextAsItWas() {
  addCallout(QStringLiteral("before"));
  QTest::mouseDClick(viewport(), Qt::LeftButton, {}, labelMiddle());
  QTest::keyClicks(tool_->editor(), QStringLiteral("after"));
  QTest::keyClick(tool_->editor(), Qt::Key_Escape);
  QVERIFY(tool_->editor() == nullptr);
  QCOMPARE(note().text, std::string("before"));
}

void TestNotesInTimeline::enterEndsTheTextAndDoesNotZoom() {
  session_->setActive(kernel(*session_));
  const TimeSpan shown = session_->view().span();
  for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
    tool_->addNoteHere();
    QVERIFY(tool_->editor() != nullptr);
    QTest::keyClick(tool_->editor(), Qt::Key_Down);
    QTest::keyClick(tool_->editor(), key);
    QVERIFY(tool_->editor() == nullptr);
    QCOMPARE(session_->view().span(), shown);
    QCOMPARE(session_->active(), kernel(*session_));
  }
}

void TestNotesInTimeline::theMenuOfANoteEditsAndDeletesIt() {
  addCallout(QStringLiteral("here"));
  click(labelMiddle());
  QMenu menu;
  tool_->addContextActions(menu);
  QCOMPARE(menu.actions().size(), 2);
  menu.actions()[0]->trigger();
  QVERIFY(tool_->editor() != nullptr);
  QTest::keyClick(tool_->editor(), Qt::Key_Escape);
  menu.actions()[1]->trigger();
  QVERIFY(notes_->document().notes.empty());
  notes_->undoStack().undo();
  QCOMPARE(note().text, std::string("here"));
}

void TestNotesInTimeline::deleteRemovesTheChosenNote() {
  addCallout(QStringLiteral("here"));
  click(labelMiddle());
  QTest::keyClick(&view(), Qt::Key_Delete);
  QVERIFY(notes_->document().notes.empty());
  QVERIFY(!session_->activeItem().valid());
}

void TestNotesInTimeline::undoAndRedoGoThroughEverything() {
  addCallout(QStringLiteral("one"));
  session_->setMarked(TimeSpan{0, 1'000'000});
  tool_->addBandHere();
  QTest::keyClicks(tool_->editor(), QStringLiteral("two"));
  QTest::keyClick(tool_->editor(), Qt::Key_Return);
  notes_->remove(note().id);
  const NotesDocument last = notes_->document();
  QCOMPARE(last.notes.size(), std::size_t(1));
  while (notes_->undoStack().canUndo()) notes_->undoStack().undo();
  QVERIFY(notes_->document().notes.empty());
  while (notes_->undoStack().canRedo()) notes_->undoStack().redo();
  QVERIFY(notes_->document() == last);
}

void TestNotesInTimeline::notesOfAnotherRankAreKeptButNotShown() {
  Note other;
  other.kind = NoteKind::band;
  other.rank = 5;
  other.span = {0, 1000};
  notes_->addNote(other);
  QVERIFY(!overlay_->labelRect(note(), view().geometry()));
  viewport()->grab();
  QCOMPARE(notes_->document().notes.size(), std::size_t(1));
}

QTEST_MAIN(TestNotesInTimeline)
#include "tst_notes.moc"
