#include "core/analysis/run_info.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/base/bytes_text.h"
#include "core/trace/producer.h"
#include "core/trace/recording_advice.h"
#include "core/workload/op_shapes.h"

namespace ridgeline {

namespace {

using Json = nlohmann::json;
using Group = RunFact::Group;

Json parsed(const Trace& trace, std::string_view key) {
  const std::string_view text = trace.info().metadataText(key);
  if (text.empty()) return {};
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

/// A recorded value as text: strings without quotes, everything else as it stands.
std::string textOf(const Json& json) {
  if (json.is_null()) return {};
  return json.is_string() ? json.get<std::string>() : json.dump();
}

class Facts {
 public:
  explicit Facts(const Trace& trace) : trace_(trace) {}

  RunInfo take() {
    software();
    devices();
    distributed();
    profiler();
    shapes();
    return std::move(info_);
  }

 private:
  void add(Group group, std::string key, std::string title, std::string value, std::string source) {
    info_.facts.push_back(
        {group, std::move(key), std::move(title), std::move(value), std::move(source)});
  }

  void software() {
    add(Group::software, "producer", "producer", producerOf(trace_), "events of the recording");
    const auto version = [&](const char* key, const char* name, const char* title,
                             std::string (*text)(std::int64_t)) {
      const Json json = parsed(trace_, key);
      if (!json.is_null())
        add(Group::software, name, title,
            text != nullptr && json.is_number_integer() ? text(json.get<std::int64_t>())
                                                        : textOf(json),
            key);
    };
    version("cuda_runtime_version", "cuda_runtime", "CUDA runtime", cudaVersionText);
    version("cuda_driver_version", "cuda_driver", "CUDA driver", cudaVersionText);
    version("cupti_version", "cupti", "CUPTI (API version)", nullptr);
    version("CUPTI version", "cupti", "CUPTI (API version)", nullptr);
    version("hip_runtime_version", "hip_runtime", "HIP runtime", hipVersionText);
    version("hip_driver_version", "hip_driver", "HIP driver", hipVersionText);
    version("roctracer_version", "roctracer", "roctracer", nullptr);
    version("rocprofiler_version", "rocprofiler", "rocprofiler", nullptr);
    for (const char* key :
         {"pytorch_version", "torch_version", "PT_version", "python_version", "framework_version"})
      version(key, key, key, nullptr);
    version("host_name", "host", "host", nullptr);
    if (info_.facts.size() == 1)
      add(Group::software, "versions", "versions", "", "none recorded in this file");
  }

  void devices() {
    for (const Device& device : trace_.devices()) {
      if (device.streams.empty()) continue;
      std::string text = device.name.empty() ? "name not recorded" : device.name;
      if (device.smCount) text += ", " + std::to_string(*device.smCount) + " multiprocessors";
      if (device.totalMemory) text += ", " + bytesText(*device.totalMemory);
      if (device.computeMajor && device.computeMinor)
        text += ", compute capability " + std::to_string(*device.computeMajor) + "." +
                std::to_string(*device.computeMinor);
      const std::string ordinal =
          device.ordinal == EventArgs::kAbsent ? "" : ' ' + std::to_string(device.ordinal);
      add(Group::device, "device", device.kind + ordinal, text,
          device.name.empty() ? "events of the recording" : "deviceProperties");
    }
    if (trace_.devices().empty())
      add(Group::device, "device", "device", "", "no device work in this recording");
  }

  void distributed() {
    const Json json = parsed(trace_, "distributedInfo");
    const auto field = [&](const char* key) {
      return json.is_object() && json.contains(key) ? textOf(json[key]) : std::string();
    };
    const TraceInfo& info = trace_.info();
    add(Group::distributed, "rank", "rank", info.rank ? std::to_string(*info.rank) : "",
        "distributedInfo, or the name of the file");
    add(Group::distributed, "world_size", "world size",
        info.worldSize ? std::to_string(*info.worldSize) : "", "distributedInfo");
    for (const auto& [key, title] : {std::pair{"backend", "backend"}, {"nccl_version", "NCCL"}})
      if (const std::string text = field(key); !text.empty())
        add(Group::distributed, key, title, text, "distributedInfo");
    if (json.is_object() && json.contains("pg_config") && json["pg_config"].is_array()) {
      for (const Json& one : json["pg_config"]) addGroup(one);
    } else {
      groupsOfCollectives();
    }
    if (!info_.groups.empty())
      add(Group::distributed, "process_groups", "process groups",
          std::to_string(info_.groups.size()), "distributedInfo, or args of collectives");
  }

  void addGroup(const Json& json) {
    if (!json.is_object()) return;
    const auto field = [&](const char* key) {
      return json.contains(key) ? textOf(json[key]) : std::string();
    };
    ProcessGroup group{
        field("pg_name"), field("pg_desc"), field("backend_config"), {}, field("ranks")};
    for (const char* key : {"pg_size", "group_count"})
      if (json.contains(key) && json[key].is_number_integer() && !group.size)
        group.size = json[key].get<std::int64_t>();
    info_.groups.push_back(std::move(group));
  }

  void groupsOfCollectives() {
    std::map<std::string, ProcessGroup> groups;
    const auto text = [&](StringId id) {
      return id.valid() ? std::string(trace_.text(id)) : std::string();
    };
    for (const CollectiveArgs& args : trace_.collectives()) {
      ProcessGroup group{text(args.group), text(args.groupDescription), {}, {}, text(args.ranks)};
      if (args.groupSize != EventArgs::kAbsent) group.size = args.groupSize;
      if (!group.name.empty() || !group.ranks.empty())
        groups.try_emplace(group.name + '/' + group.ranks, std::move(group));
    }
    for (auto& [key, group] : groups) info_.groups.push_back(std::move(group));
  }

  void profiler() {
    const SliceTable& s = trace_.slices();
    bool stacks = false, sync = false;
    for (const Category c : s.category) {
      stacks = stacks || c == Category::pythonFunction;
      sync = sync || c == Category::sync;
    }
    if (recordedBy(trace_) != RecordedBy::pytorch) {  // the others have no such options
      add(Group::profiler, "python_frames", "Python frames", stacks ? "recorded" : "none",
          "events of the recording");
      return;
    }
    const auto option = [&](const char* key, const char* title, bool seen, bool evidence) {
      const Json json = parsed(trace_, key);
      std::string value, source = key;
      if (!json.is_null()) {
        const bool on =
            json.is_boolean() ? json.get<bool>() : json.is_number() && json.get<double>() != 0;
        value = on ? "on" : "off";
      } else if (evidence) {
        value = seen ? "on" : "off, or nothing to record";
        source = "events of the recording";
      }
      add(Group::profiler, key, title, value, source);
    };
    option("record_shapes", "record_shapes", !trace_.shapes().empty(), true);
    option("with_stack", "with_stack", stacks, true);
    option("profile_memory", "profile_memory", !trace_.memory().empty(), true);
    option("with_flops", "with_flops", false, false);
    option("with_modules", "with_modules", false, false);
    add(Group::profiler, "sync_events", "enable_cuda_sync_events",
        sync ? "on" : "off, or nothing to record", "events of the recording");
  }

  /// The first dimension that means the batch, and the one that means the sequence.
  struct Reading {
    const char* op;
    std::size_t argument;
    std::size_t rank;
    const char* what;  ///< how to read the dimensions
    int batch, sequence;
  };

  void shapes() {
    static constexpr Reading kReadings[] = {
        {"aten::embedding", 1, 2, "token ids", 0, 1},
        {"aten::_scaled_dot_product_flash_attention", 0, 4, "queries", 0, 2},
        {"aten::_scaled_dot_product_efficient_attention", 0, 4, "queries", 0, 2},
        {"aten::_scaled_dot_product_cudnn_attention", 0, 4, "queries", 0, 2},
        {"aten::scaled_dot_product_attention", 0, 4, "queries", 0, 2},
        {"aten::convolution", 0, 4, "images", 0, -1},
        {"aten::conv2d", 0, 4, "images", 0, -1}};
    if (trace_.shapes().empty()) {
      add(Group::shapes, "shapes", "batch and sequence", "",
          "no shapes recorded: " + howToRecord(recordedBy(trace_), Lacking::shapes));
      return;
    }
    const SliceTable& s = trace_.slices();
    for (const Reading& reading : kReadings) {
      std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> seen;
      for (std::size_t i = 0; i < s.size(); ++i) {
        if (!s.shape[i].valid() || trace_.text(s.name[i]) != reading.op) continue;
        const ShapeTexts& texts = trace_.shapes()[s.shape[i].index()];
        const auto shapes = parseOpShapes(texts.dims.valid() ? trace_.text(texts.dims) : "", "");
        if (!shapes) continue;
        const ArgShape& arg = shapes->arg(reading.argument);
        if (arg.dims.size() != reading.rank) continue;
        ++seen[{arg.dims[static_cast<std::size_t>(reading.batch)],
                reading.sequence < 0 ? -1 : arg.dims[static_cast<std::size_t>(reading.sequence)]}];
      }
      if (!seen.empty()) addReading(reading, seen);
    }
  }

  void addReading(const Reading& reading,
                  const std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t>& seen) {
    const auto most = std::max_element(
        seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string text = "batch " + std::to_string(most->first.first);
    if (reading.sequence >= 0) text += ", length " + std::to_string(most->first.second);
    if (seen.size() > 1)
      text += " (most often; " + std::to_string(seen.size()) + " different ones)";
    add(Group::shapes, std::string("shapes_of_") + reading.op, reading.what, text,
        std::string("Input Dims of ") + reading.op);
  }

  const Trace& trace_;
  RunInfo info_;
};

}  // namespace

std::string_view name(RunFact::Group group) {
  switch (group) {
    case Group::software:
      return "software";
    case Group::device:
      return "device";
    case Group::distributed:
      return "ranks";
    case Group::profiler:
      return "profiler";
    case Group::shapes:
      return "shapes";
  }
  return "";
}

std::string cudaVersionText(std::int64_t version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

std::string hipVersionText(std::int64_t version) {
  return std::to_string(version / 10'000'000) + '.' + std::to_string(version / 100'000 % 100) +
         '.' + std::to_string(version % 100'000);
}

RunInfo runInfo(const Trace& trace) {
  return Facts(trace).take();
}

}  // namespace ridgeline
