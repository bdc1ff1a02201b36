#include "widgets/panels/recording_panel.h"

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

using Results = std::shared_ptr<const AnalysisResults>;
using T = QObject;

QString known(const std::string& text) {
  return text.empty() ? QStringLiteral("—") : QString::fromStdString(text);
}

std::vector<ResultColumn> factColumns(const Results& r) {
  const auto at = [r](int row) -> const RunFact& {
    return r->run->facts[static_cast<std::size_t>(row)];
  };
  return {cells::text(T::tr("About"), T::tr("What it belongs to"),
                      [at](int row) { return cells::fromView(name(at(row).group)); }),
          cells::text(T::tr("What"), T::tr("Software, device, option …"),
                      [at](int row) { return QString::fromStdString(at(row).name); }),
          cells::text(T::tr("Value"), T::tr("As recorded; — where it is not"),
                      [at](int row) { return known(at(row).value); }),
          cells::text(T::tr("From"), T::tr("Key of the file, or what it is told from"),
                      [at](int row) { return QString::fromStdString(at(row).source); })};
}

std::vector<ResultColumn> groupColumns(const Results& r) {
  const auto at = [r](int row) -> const ProcessGroup& {
    return r->run->groups[static_cast<std::size_t>(row)];
  };
  return {cells::text(T::tr("Group"), T::tr("Name of the process group"),
                      [at](int row) { return known(at(row).name); }),
          cells::text(T::tr("Description"), T::tr("As recorded"),
                      [at](int row) { return known(at(row).description); }),
          cells::text(T::tr("Backend"), T::tr("As recorded"),
                      [at](int row) { return known(at(row).backend); }),
          cells::text(T::tr("Size"), T::tr("Number of its ranks"),
                      [at](int row) {
                        return at(row).size ? formatCount(*at(row).size) : QStringLiteral("—");
                      }),
          cells::text(T::tr("Ranks"), T::tr("As recorded"),
                      [at](int row) { return known(at(row).ranks); })};
}

std::vector<ResultColumn> costColumns(const Results& r) {
  const auto index = [](int row) { return static_cast<std::size_t>(row); };
  const auto at = [r, index](int row) -> const RecordingCost& {
    return r->profilerCost.spans[index(row)];
  };
  const auto most = [at](int row) { return at(row).atMost; };
  return {cells::text(T::tr("Step"), T::tr("Step or span of the window"),
                      [r, index](int row) {
                        return QString::fromStdString(r->profilerCost.spanNames[index(row)]);
                      }),
          cells::duration(T::tr("At least"), T::tr("Measured: the profiler's own events"),
                          [at](int row) { return at(row).recorded; }),
          {T::tr("Estimated"),
           T::tr("That, and for each record of the busiest host thread as much as the shortest "
                 "tenth of the innermost host events take, most of which is their recording"),
           ResultColumn::Align::right,
           [most](int row) { return most(row) ? formatDuration(*most(row)) : QStringLiteral("—"); },
           [most](int row) { return QVariant(static_cast<qlonglong>(most(row).value_or(-1))); },
           {},
           {}},
          cells::count(T::tr("Records"), T::tr("Of the host thread with most of them"),
                       [at](int row) { return static_cast<qint64>(at(row).records); }),
          cells::count(T::tr("Python frames"), T::tr("Of these: recorded by with_stack=True"),
                       [at](int row) { return static_cast<qint64>(at(row).stackFrames); })};
}

std::vector<ResultColumn> overheadColumns(const Results& r) {
  const auto at = [r](int row) -> const OverheadKind& {
    return r->profilerCost.kinds[static_cast<std::size_t>(row)];
  };
  return {cells::text(T::tr("Event"), T::tr("As the profiler calls its own work"),
                      [at](int row) { return QString::fromStdString(at(row).name); }),
          cells::count(T::tr("Count"), T::tr("In the recording"),
                       [at](int row) { return static_cast<qint64>(at(row).count); }),
          cells::duration(T::tr("Time"), T::tr("In the recording"),
                          [at](int row) { return at(row).total; }),
          cells::duration(T::tr("In the window"), T::tr("Of that: within the window"),
                          [at](int row) { return at(row).inWindow; })};
}

}  // namespace

RecordingPanel::RecordingPanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("recording"), tr("Recording"), session, analyses, parent) {}

void RecordingPanel::fill(const Results& results) {
  setSentence(QString::fromStdString(results->profilerCost.sentence));
  const auto index = [](int row) { return static_cast<std::size_t>(row); };
  std::vector<View> views;
  views.push_back({tr("The run"),
                   tr("What is known of the run, to compare it with another"),
                   factColumns(results),
                   static_cast<int>(results->run->facts.size()),
                   {},
                   {}});
  if (!results->run->groups.empty())
    views.push_back({tr("Process groups"),
                     tr("Groups of ranks that talk to each other"),
                     groupColumns(results),
                     static_cast<int>(results->run->groups.size()),
                     {},
                     {}});
  views.push_back(
      {tr("What recording cost"),
       tr("By step of the window"),
       costColumns(results),
       static_cast<int>(results->profilerCost.spans.size()),
       [results, index](int row) { return results->profilerCost.window.spans[index(row)]; },
       {}});
  if (!results->profilerCost.kinds.empty())
    views.push_back(
        {tr("The profiler's events"),
         tr("What the profiler says of its own work"),
         overheadColumns(results),
         static_cast<int>(results->profilerCost.kinds.size()),
         {},
         [results, index](int row) { return results->profilerCost.kinds[index(row)].longest; }});
  setViews(std::move(views));
}

}  // namespace ridgeline
