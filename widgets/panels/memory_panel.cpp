#include "widgets/panels/memory_panel.h"

#include "core/base/bytes_text.h"
#include "widgets/panels/cells.h"

namespace ridgeline {

namespace {

using Results = std::shared_ptr<const AnalysisResults>;
using T = QObject;

std::size_t indexOf(int row) {
  return static_cast<std::size_t>(row);
}

/// Bytes: shown short, sorted exactly, exact on hover; "—" where not known.
ResultColumn bytesColumn(const QString& title, const QString& tooltip,
                         const std::function<std::optional<std::int64_t>(int)>& value) {
  return {title,
          tooltip,
          ResultColumn::Align::right,
          [value](int row) {
            const auto bytes = value(row);
            return bytes ? QString::fromStdString(bytesText(*bytes)) : QStringLiteral("—");
          },
          [value](int row) { return QVariant(static_cast<qlonglong>(value(row).value_or(-1))); },
          [value](int row) {
            const auto bytes = value(row);
            return bytes ? T::tr("%1 bytes").arg(formatCount(*bytes)) : T::tr("not known");
          },
          {}};
}

std::vector<ResultColumn> poolColumns(const Results& r) {
  const auto at = [r](int row) -> const MemoryPool& { return r->memory.pools[indexOf(row)]; };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Memory of"), T::tr("Device, or the host"),
                                [at](int row) { return QString::fromStdString(at(row).name); }));
  columns.push_back(bytesColumn(
      T::tr("Peak"),
      T::tr("Largest amount in blocks that tensors use, within the window; where totals are not "
            "recorded, above the start of the recording"),
      [at](int row) { return std::optional(at(row).peak); }));
  columns.push_back(cells::duration(T::tr("At"), T::tr("First time of the peak"),
                                    [at](int row) { return at(row).peakTime; }));
  columns.push_back(bytesColumn(T::tr("Reserved"),
                                T::tr("Largest amount that the allocator held of the device"),
                                [at](int row) { return at(row).reservedPeak; }));
  columns.push_back(bytesColumn(T::tr("Capacity"), T::tr("Of the device, as recorded"),
                                [at](int row) { return at(row).capacity; }));
  columns.push_back(bytesColumn(
      T::tr("Older"),
      T::tr("Part of the peak that was allocated before the recording began: parameters, optimizer "
            "state. Computed: peak − known blocks alive at it"),
      [at](int row) { return at(row).aliveBefore; }));
  columns.push_back(
      cells::count(T::tr("Allocations"), T::tr("Blocks allocated within the window"),
                   [at](int row) { return static_cast<qint64>(at(row).allocations); }));
  columns.push_back(bytesColumn(T::tr("Allocated in all"), T::tr("Sum of these blocks"),
                                [at](int row) { return std::optional(at(row).allocatedBytes); }));
  return columns;
}

/// A row of one of several pools.
template <class Item>
using Rows = std::shared_ptr<std::vector<std::pair<const MemoryPool*, const Item*>>>;

template <class Item>
Rows<Item> rowsOf(const MemoryUse& memory, std::vector<Item> MemoryPool::*items) {
  auto rows = std::make_shared<std::vector<std::pair<const MemoryPool*, const Item*>>>();
  for (const MemoryPool& pool : memory.pools)
    for (const Item& item : pool.*items) rows->emplace_back(&pool, &item);
  return rows;
}

std::vector<ResultColumn> opColumns(const Results& r, const Rows<MemoryOp>& rows) {
  const auto at = [r, rows](int row) -> const MemoryOp& { return *(*rows)[indexOf(row)].second; };
  std::vector<ResultColumn> columns;
  columns.push_back(
      cells::text(T::tr("Allocated by"), T::tr("The innermost operator around it"), [at](int row) {
        return at(row).op.empty() ? T::tr("(no operator recorded)")
                                  : QString::fromStdString(at(row).op);
      }));
  columns.push_back(cells::text(
      T::tr("Memory of"), T::tr("Device, or the host"),
      [r, rows](int row) { return QString::fromStdString((*rows)[indexOf(row)].first->name); }));
  columns.push_back(bytesColumn(
      T::tr("Alive at peak"), T::tr("Its blocks that were alive at the peak of the window"),
      [rows, at](int row) {
        return (*rows)[indexOf(row)].first->addresses ? std::optional(at(row).aliveBytes)
                                                      : std::nullopt;
      }));
  columns.push_back(cells::count(T::tr("Blocks"), T::tr("Alive at the peak"), [at](int row) {
    return static_cast<qint64>(at(row).aliveBlocks);
  }));
  columns.push_back(cells::count(T::tr("Allocations"), T::tr("Within the window"), [at](int row) {
    return static_cast<qint64>(at(row).allocations);
  }));
  columns.push_back(bytesColumn(T::tr("Allocated in all"), T::tr("Within the window"),
                                [at](int row) { return std::optional(at(row).bytes); }));
  return columns;
}

std::vector<ResultColumn> blockColumns(const Results& r, const Rows<MemoryBlock>& rows) {
  const auto at = [r, rows](int row) -> const MemoryBlock& {
    return *(*rows)[indexOf(row)].second;
  };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Allocated by"), T::tr("The innermost operator around it"),
                                [r, at](int row) {
                                  const SliceId op = at(row).op;
                                  return op.valid() ? cells::fromView(r->workload->trace->name(op))
                                                    : T::tr("(no operator recorded)");
                                }));
  columns.push_back(cells::text(
      T::tr("Memory of"), T::tr("Device, or the host"),
      [r, rows](int row) { return QString::fromStdString((*rows)[indexOf(row)].first->name); }));
  columns.push_back(bytesColumn(T::tr("Size"), T::tr("Of the block"),
                                [at](int row) { return std::optional(at(row).bytes); }));
  columns.push_back(cells::duration(T::tr("Since"), T::tr("When it was allocated"),
                                    [at](int row) { return at(row).since; }));
  columns.push_back(cells::text(T::tr("Address"), T::tr("As recorded"), [at](int row) {
    return QStringLiteral("0x%1").arg(static_cast<qulonglong>(at(row).address), 0, 16);
  }));
  return columns;
}

std::vector<ResultColumn> callColumns(const Results& r) {
  const auto at = [r](int row) -> const AllocatorCall& { return r->memory.calls[indexOf(row)]; };
  std::vector<ResultColumn> columns;
  columns.push_back(cells::text(T::tr("Call"), T::tr("To the driver"), [r, at](int row) {
    return cells::fromView(r->workload->trace->name(at(row).call));
  }));
  columns.push_back(cells::text(
      T::tr("Does"),
      T::tr("Allocate and release device memory: each may wait for the device. Host memory: pinned "
            "buffers. Other: queries"),
      [at](int row) { return cells::fromView(name(at(row).kind)); }));
  columns.push_back(cells::duration(T::tr("Took"), T::tr("Host time"), [r, at](int row) {
    return r->workload->trace->slices().duration(at(row).call);
  }));
  columns.push_back(cells::duration(
      T::tr("Start"), T::tr("Since the start of the recording"),
      [r, at](int row) { return r->workload->trace->slices().span(at(row).call).begin; }));
  return columns;
}

}  // namespace

MemoryPanel::MemoryPanel(Session& session, Analyses& analyses, QWidget* parent)
    : TablesPanel(QStringLiteral("memory"), tr("Memory"), session, analyses, parent) {}

void MemoryPanel::fill(const Results& results) {
  const MemoryUse& m = results->memory;
  if (m.pools.empty() && m.calls.empty()) {
    showEmpty(QString::fromStdString(m.missing));
    return;
  }
  setSentence(
      QString::fromStdString(m.missing.empty() ? m.sentence : m.missing + ' ' + m.thrashWhy));
  std::vector<View> views;
  if (!m.pools.empty()) {
    const auto ops = rowsOf(m, &MemoryPool::ops);
    const auto blocks = rowsOf(m, &MemoryPool::alive);
    views.push_back({tr("By device"),
                     tr("One row a device, and one for the host"),
                     poolColumns(results),
                     static_cast<int>(m.pools.size()),
                     [results](int row) {
                       const TimeNs t = results->memory.pools[indexOf(row)].peakTime;
                       return TimeSpan{t, t + 1};
                     },
                     {}});
    if (!ops->empty())
      views.push_back({tr("By operator"),
                       tr("Who allocated what was alive at the peak"),
                       opColumns(results, ops),
                       static_cast<int>(ops->size()),
                       {},
                       [ops](int row) { return (*ops)[indexOf(row)].second->example; }});
    if (!blocks->empty())
      views.push_back({tr("Alive at the peak"), tr("Blocks that were allocated while recording"),
                       blockColumns(results, blocks), static_cast<int>(blocks->size()),
                       [blocks](int row) {
                         const TimeNs t = (*blocks)[indexOf(row)].second->since;
                         return TimeSpan{t, t + 1};
                       },
                       [blocks](int row) { return (*blocks)[indexOf(row)].second->op; }});
  }
  if (!m.calls.empty())
    views.push_back({tr("Allocator calls"),
                     tr("Calls to the driver for memory, within the window"),
                     callColumns(results),
                     static_cast<int>(m.calls.size()),
                     {},
                     [results](int row) { return results->memory.calls[indexOf(row)].call; }});
  setViews(std::move(views));
}

}  // namespace ridgeline
