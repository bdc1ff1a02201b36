#include "widgets/panels/compiled_panel.h"

#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

using Results = std::shared_ptr<const AnalysisResults>;
using T = QObject;

std::size_t index(int row) {
  return static_cast<std::size_t>(row);
}

/// A row of a table below the programs: the program and what of it.
struct Place {
  std::size_t program = 0;
  std::size_t item = 0;
};
using Places = std::shared_ptr<const std::vector<Place>>;

QString programName(const CompiledProgram& program) {
  return QString::fromStdString(program.name);
}

std::vector<ResultColumn> programColumns(const Results& r) {
  const auto at = [r](int row) -> const CompiledProgram& {
    return r->compiled.programs[index(row)];
  };
  std::vector<ResultColumn> columns;
  ResultColumn program = cells::text(
      T::tr("Program"), T::tr("The key of Inductor's graph, the region, the graph, the module"),
      [at](int row) { return programName(at(row)); });
  columns.push_back(std::move(program));
  columns.push_back(cells::text(T::tr("Kind"), T::tr("How the recording marks it"),
                                [at](int row) { return cells::fromView(name(at(row).kind)); }));
  columns.push_back(
      cells::text(T::tr("Region"), T::tr("The Torch-Compiled Region around it"), [at](int row) {
        const std::string& region = at(row).region;
        return region.empty() ? QStringLiteral("—") : QString::fromStdString(region);
      }));
  ResultColumn runs = cells::count(
      T::tr("Runs"), T::tr("Calls of it in the window; — where the recording does not mark them"),
      [at](int row) { return static_cast<qint64>(at(row).runs.size()); });
  runs.text = [at](int row) -> QString {
    return at(row).runs.empty() ? QStringLiteral("—")
                                : formatCount(static_cast<qint64>(at(row).runs.size()));
  };
  columns.push_back(std::move(runs));
  columns.push_back(cells::count(T::tr("Kernels"), T::tr("Different kernels"), [at](int row) {
    return static_cast<qint64>(at(row).kernels.size());
  }));
  columns.push_back(cells::count(T::tr("Calls"), T::tr("Device events of it in the window"),
                                 [at](int row) { return static_cast<qint64>(at(row).calls); }));
  columns.push_back(cells::duration(T::tr("Total"), T::tr("Sum of durations; overlaps count each"),
                                    [at](int row) { return at(row).total; }));
  columns.push_back(cells::share(T::tr("Share"), T::tr("Of all device time in the window"),
                                 [at](int row) { return at(row).share; }));
  return columns;
}

QString opsText(const CompiledKernel& kernel) {
  QStringList ops;
  for (const std::string& op : kernel.sourceOps) ops << QString::fromStdString(op);
  return ops.isEmpty() ? QStringLiteral("—") : ops.join(QStringLiteral(", "));
}

/// Where the kernel's source stands, with all that the recording tells on hover.
ResultColumn sourceColumn(const std::function<const CompiledKernel&(int)>& at) {
  ResultColumn column = cells::text(
      T::tr("Source"), T::tr("File of the generated kernel, or line of the model, as recorded"),
      [at](int row) -> QString {
        const CompiledKernel& k = at(row);
        if (!k.sourceLine.empty()) return QString::fromStdString(k.sourceLine);
        if (k.file.empty()) return QStringLiteral("—");
        return QString::fromStdString(k.file.substr(k.file.rfind('/') + 1));
      });
  column.hover = [at](int row) -> QString {
    const CompiledKernel& k = at(row);
    QStringList lines;
    const auto add = [&](const QString& what, const std::string& value) {
      if (!value.empty()) lines << what + QStringLiteral(": ") + QString::fromStdString(value);
    };
    add(T::tr("File"), k.file);
    add(T::tr("Hash"), k.hash);
    add(T::tr("Backend"), k.backend);
    add(T::tr("Line"), k.sourceLine);
    add(T::tr("Instruction"), k.instruction);
    return lines.isEmpty() ? T::tr("The recording holds no file or line of this kernel")
                           : lines.join(u'\n');
  };
  return column;
}

std::vector<ResultColumn> kernelColumns(const Results& r, const Places& places) {
  const auto at = [r, places](int row) -> const CompiledKernel& {
    const Place place = (*places)[index(row)];
    return r->compiled.programs[place.program].kernels[place.item];
  };
  const Results& results = r;
  std::vector<ResultColumn> columns;
  ResultColumn name = cells::text(
      T::tr("Kernel"), T::tr("A click selects its instances in the timeline"),
      [results, at](int row) {
        return shortKernelName(cells::fromView(results->workload->trace->text(at(row).name)));
      });
  name.hover = [results, at](int row) {
    return cells::fromView(results->workload->trace->text(at(row).name));
  };
  columns.push_back(std::move(name));
  ResultColumn ops = cells::text(
      T::tr("Source ops"),
      T::tr("Operators fused in it: read from Inductor's name, or as XLA recorded them"),
      [at](int row) { return opsText(at(row)); });
  ops.hover = [at](int row) { return opsText(at(row)); };
  columns.push_back(std::move(ops));
  columns.push_back(cells::text(
      T::tr("Kind"), T::tr("Of Inductor's kernels; — for kernels of libraries"), [at](int row) {
        const std::string_view kind = inductorKindText(at(row).kind);
        return kind.empty() ? QStringLiteral("—") : cells::fromView(kind);
      }));
  columns.push_back(cells::count(T::tr("Calls"), T::tr("Within the window"),
                                 [at](int row) { return static_cast<qint64>(at(row).calls); }));
  columns.push_back(cells::duration(T::tr("Total"), T::tr("Sum of durations; overlaps count each"),
                                    [at](int row) { return at(row).total; }));
  columns.push_back(cells::share(T::tr("Share"), T::tr("Of all device time in the window"),
                                 [at](int row) { return at(row).share; }));
  columns.push_back(sourceColumn(at));
  columns.push_back(
      cells::text(T::tr("Program"), T::tr("What it belongs to"), [results, places](int row) {
        return programName(results->compiled.programs[(*places)[index(row)].program]);
      }));
  return columns;
}

std::vector<ResultColumn> runColumns(const Results& r, const Places& places) {
  const auto at = [r, places](int row) -> const ProgramRun& {
    const Place place = (*places)[index(row)];
    return r->compiled.programs[place.program].runs[place.item];
  };
  const auto& results = r;
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Program"), T::tr("What ran"), [results, places](int row) {
    return programName(results->compiled.programs[(*places)[index(row)].program]);
  }));
  columns.push_back(
      cells::duration(T::tr("Start"), T::tr("Of the call or range, from the start of the trace"),
                      [results, at](int row) {
                        return results->workload->trace->slices().start[at(row).mark.index()];
                      }));
  columns.push_back(
      cells::duration(T::tr("Call took"), T::tr("Duration of the range or the graph launch itself"),
                      [results, at](int row) {
                        return results->workload->trace->slices().duration(at(row).mark);
                      }));
  columns.push_back(cells::count(T::tr("Device events"),
                                 T::tr("Kernels, copies and sets that this run started"),
                                 [at](int row) { return static_cast<qint64>(at(row).pieces); }));
  columns.push_back(cells::duration(T::tr("Device time"), T::tr("Sum of their durations"),
                                    [at](int row) { return at(row).total; }));
  return columns;
}

std::vector<ResultColumn> compileColumns(const Results& r) {
  const auto at = [r](int row) -> const CompileSpan& { return r->compiled.compiling[index(row)]; };
  const auto stepOf = [r, at](int row) -> const Step* {
    return at(row).step ? &r->workload->steps.steps[*at(row).step] : nullptr;
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(
      T::tr("What"), T::tr("The outermost range that compiles, loads or tunes code"),
      [r, at](int row) { return cells::fromView(r->workload->trace->name(at(row).slice)); }));
  columns.push_back(cells::duration(
      T::tr("Start"), T::tr("From the start of the trace"),
      [r, at](int row) { return r->workload->trace->slices().start[at(row).slice.index()]; }));
  columns.push_back(cells::duration(T::tr("Took"), T::tr("On the host"), [r, at](int row) {
    return r->workload->trace->slices().duration(at(row).slice);
  }));
  columns.push_back(
      cells::text(T::tr("Step"), T::tr("The step that it begins in"), [stepOf](int row) {
        const Step* step = stepOf(row);
        return step == nullptr ? QStringLiteral("—") : QString::fromStdString(step->name);
      }));
  columns.push_back(cells::text(
      T::tr("Steady steps"), T::tr("Why the step does not count among the steady ones"),
      [stepOf](int row) {
        const Step* step = stepOf(row);
        if (step == nullptr) return QStringLiteral("—");
        return step->steady ? T::tr("counted")
                            : T::tr("left out: %1").arg(QString::fromStdString(step->why));
      }));
  return columns;
}

Places placesOf(const CompiledPrograms& compiled, bool kernels) {
  auto places = std::make_shared<std::vector<Place>>();
  for (std::size_t p = 0; p < compiled.programs.size(); ++p) {
    const CompiledProgram& program = compiled.programs[p];
    const std::size_t n = kernels ? program.kernels.size() : program.runs.size();
    for (std::size_t i = 0; i < n; ++i) places->push_back({p, i});
  }
  if (kernels)
    std::stable_sort(places->begin(), places->end(), [&](Place a, Place b) {
      return compiled.programs[a.program].kernels[a.item].total >
             compiled.programs[b.program].kernels[b.item].total;
    });
  return places;
}

}  // namespace

CompiledPanel::CompiledPanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("compiled"), tr("Compiled"), session, analyses, parent) {}

void CompiledPanel::fill(const Results& results) {
  const CompiledPrograms& compiled = results->compiled;
  if (!compiled.missing.empty()) {
    showEmpty(QString::fromStdString(compiled.missing));
    return;
  }
  setSentence(QString::fromStdString(compiled.sentence));
  const Places kernels = placesOf(compiled, true);
  const Places runs = placesOf(compiled, false);
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  const auto set = [](View& view, const QString& title, const QString& tooltip,
                      std::vector<ResultColumn> columns, int rows) {
    view.title = title;
    view.tooltip = tooltip;
    view.columns = std::move(columns);
    view.rows = rows;
  };
  std::vector<View> views(4);
  set(views[0], tr("Programs"), tr("One row a region, graph or module"), programColumns(results),
      count(compiled.programs));
  views[0].slices = [results](int row) {
    std::vector<SliceId> all;
    for (const CompiledKernel& kernel : results->compiled.programs[index(row)].kernels)
      all.insert(all.end(), kernel.instances.begin(), kernel.instances.end());
    return all;
  };
  set(views[1], tr("Kernels"), tr("One row a kernel of a program"), kernelColumns(results, kernels),
      count(*kernels));
  views[1].slices = [results, kernels](int row) {
    const Place place = (*kernels)[index(row)];
    return results->compiled.programs[place.program].kernels[place.item].instances;
  };
  set(views[2], tr("Runs"), tr("One row a call of a region or a replay of a graph"),
      runColumns(results, runs), count(*runs));
  views[2].slice = [results, runs](int row) {
    const Place place = (*runs)[index(row)];
    return results->compiled.programs[place.program].runs[place.item].mark;
  };
  set(views[3], tr("Compile time"), tr("Where the host compiled, in the whole recording"),
      compileColumns(results), count(compiled.compiling));
  views[3].slice = [results](int row) { return results->compiled.compiling[index(row)].slice; };
  // A table without rows says nothing.
  std::erase_if(views, [](const View& view) { return view.rows == 0; });
  setViews(std::move(views));
}

}  // namespace ridgeline
