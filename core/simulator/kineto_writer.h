#pragma once

#include <cstdint>
#include <vector>

#include "core/simulator/engine.h"
#include "core/simulator/json_text.h"
#include "core/simulator/output_file.h"

namespace ridgeline::simulator {

/// One rank's recording as the text that PyTorch 2.3 to 2.9 writes: the CPU's part (operators,
/// annotations, [memory], fwdbwd flows), then the device's (launch calls, device work, ac2g flows),
/// the device's annotations, the metadata. As in real files the events are not sorted by time.
class KinetoWriter {
 public:
  KinetoWriter(const Plan& plan, int rank, OutputFile& file);

  void header();
  void hostPart(const Records& records);
  void devicePart(const Records& records);
  void footer(TimeSpan recording, std::string_view traceName);
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  void begin(std::string_view phaseAndCategory, std::string_view name);
  void place(std::int64_t process, std::int64_t thread, TimeNs begin, TimeNs end);
  void flow(char phase, std::uint64_t id, std::int64_t process, std::int64_t thread, TimeNs at,
            std::string_view category);
  void op(const OpRecord& record);
  void memory(const MemoryRecord& record);
  void overhead(const OverheadRecord& record);
  void call(const CallRecord& record);
  void deviceWork(const CallRecord& call, const DeviceRecord& record, std::uint32_t piece);
  void sync(const CallRecord& call);
  void annotation(const AnnotationRecord& record);
  void metadata(std::string_view kind, std::int64_t process, std::int64_t thread,
                std::string_view key, std::string_view value);
  void processes();
  void threads();
  void deviceProperties();
  void distributedInfo();
  void flushIfFull();
  [[nodiscard]] std::int64_t threadId(Thread thread) const {
    return thread == Thread::main ? process_ : process_ + 2213;
  }
  [[nodiscard]] std::string_view text(StringId id) const { return plan_.catalogue.texts.text(id); }

  const Plan& plan_;
  int rank_;
  OutputFile& file_;
  JsonText out_;
  std::uint64_t events_ = 0;
  std::uint64_t index_ = 0;  // "Ev Idx"
  std::int64_t process_;
  int device_;
  TimeNs offset_;
  std::vector<AnnotationRecord> annotations_;
};

}  // namespace ridgeline::simulator
