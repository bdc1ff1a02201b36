#pragma once

// Private to the reader of Nsight Systems exports.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/task.h"
#include "core/io/nsight_args.h"
#include "core/io/nsight_rows.h"
#include "core/io/sqlite_file.h"
#include "core/trace/trace_builder.h"

namespace ridgeline {

/// Turns the tables of one export into events. A row of a table that is read is one input event of
/// the import log.
class NsightImport {
 public:
  NsightImport(SqliteFile& file, TraceBuilder& builder, const Task& task, std::uint64_t fileBytes)
      : file_(file), builder_(builder), task_(task), fileBytes_(fileBytes), strings_(file) {}

  /// Everything; Cancelled, or Done whatever damage there was.
  Status run();
  /// The tables that args spans point into, by their numbers.
  [[nodiscard]] std::vector<std::string> argsTables() const { return tables_; }
  [[nodiscard]] NsightArgs::Domains domains() const { return domains_; }

 private:
  struct Process {
    std::string pid;
    std::string name;
    std::int64_t rank = EventArgs::kAbsent;
    std::int64_t number = 0;  ///< in order of appearance; correlations are unique with it
    bool used = false;        ///< on the host
  };
  struct Thread {
    Process* process = nullptr;
    std::string tid;
    std::string name;
    bool used = false;
  };
  /// What was recorded of a CUDA event: who recorded it, where.
  struct EventRecord {
    std::int64_t correlation, stream;
  };

  // nsight_import.cpp: what is known of the recording as a whole
  void about();
  void warnings();
  void devices();
  void namesOfProcesses();
  void namesOfThreads();
  void findRanks();
  void emitNames();
  void nameTables();

  // nsight_events.cpp: what happened
  void eventRecords();
  void deviceTable(const char* table, void (NsightImport::*describe)(NsightRows&, Event&));
  void describeKernel(NsightRows& rows, Event& event);
  void describeCopy(NsightRows& rows, Event& event);
  void describeFill(NsightRows& rows, Event& event);
  void describeGraph(NsightRows& rows, Event& event);
  void describeSync(NsightRows& rows, Event& event);
  void hostTable(const char* table, const char* category);
  void nvtxTable();
  void nvtxRow(NsightRows& rows);
  void metricsTable();
  void memoryTable();

  void eachRow(const std::string& table, const std::function<void(NsightRows&)>& row);
  bool setTimes(NsightRows& rows, Event& event);
  void drop(NsightRows& rows, std::string_view key, std::string_view sentence);
  void setDevice(NsightRows& rows, Event& event);
  /// Sets pid, tid and rank; false (and dropped) when the row names no thread.
  bool setThread(NsightRows& rows, Event& event);
  [[nodiscard]] Process& processOf(std::optional<std::int64_t> globalId);
  [[nodiscard]] Thread& threadOf(std::int64_t globalTid);
  [[nodiscard]] std::int64_t correlationOf(NsightRows& rows, const Process& process);
  void metadata(const Process& process, std::string_view tid, std::string_view what,
                std::string_view text);

  SqliteFile& file_;
  TraceBuilder& builder_;
  const Task& task_;
  const std::uint64_t fileBytes_;
  NsightStrings strings_;
  std::vector<std::string> tables_;            ///< read so far
  std::map<std::int64_t, Process> processes_;  ///< by vm and pid, see processOf
  std::map<std::int64_t, Thread> threads_;     ///< by globalTid
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> laneNames_;  ///< context, stream
  std::map<std::int64_t, std::string> deviceNames_;                         ///< "GPU 0"
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<EventRecord>>
      records_;  ///< by process, context and event
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
      firstContext_;  ///< by process and device
  NsightArgs::Domains domains_;
  std::string text_, id_;  ///< of the event at hand
  bool cancelled_ = false;
};

}  // namespace ridgeline
