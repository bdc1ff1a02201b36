#include "core/trace/trace_dialect.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/trace/trace_builder_state.h"

namespace ridgeline::build {

namespace {

std::int64_t numberOf(std::string_view text) {
  std::int64_t value = 0;
  static_cast<void>(std::from_chars(text.data(), text.data() + text.size(), value));
  return value;
}

/// Finds out which dialect a file speaks and translates it, in place. A file that speaks none of
/// them (Kineto's own, any other trace-event file) costs a look at its processes and lanes.
class Translator {
 public:
  Translator(Collected& c, const Task& task) : c_(c), poll_(task) {}

  void run() {
    findRoles();
    findOnnx();
    if (std::all_of(roles_.begin(), roles_.end(), [](Role r) { return r == Role::none; })) return;
    readSteps();
    translateTracks();
    translateSlices();
    if (c_.info.producer.empty()) c_.info.producer = producer();
  }

 private:
  [[nodiscard]] std::string_view text(StringId id) const {
    return id.valid() ? c_.strings.text(id) : std::string_view();
  }
  [[nodiscard]] const RawProcess& processOf(std::uint32_t track) const {
    return c_.processes[c_.lanes[c_.tracks[track].lane].process];
  }
  [[nodiscard]] Role roleOfTrack(std::uint32_t track) const {
    return roles_[c_.lanes[c_.tracks[track].lane].process];
  }
  [[nodiscard]] bool has(Role role) const {
    return std::find(roles_.begin(), roles_.end(), role) != roles_.end();
  }
  void findRoles();
  [[nodiscard]] std::optional<std::int64_t> graphStream(std::size_t process) const;
  void findBeside();
  void setAscendBeside(RawTrack& track);
  void findOnnx();
  void findRpd();
  void findMtia();
  void readSteps();
  void translateTracks();
  void setXlaTrack(RawTrack& track);
  void translateSlices();
  std::uint16_t categoryIndex(std::uint16_t old, Category kind);
  /// The only one; 0 where only copies were recorded.
  [[nodiscard]] std::int64_t gpuOfRocprof() const {
    const auto gpu = std::find(roles_.begin(), roles_.end(), Role::rpdDevice);
    return gpu == roles_.end() ? 0 : ordinals_[static_cast<std::size_t>(gpu - roles_.begin())];
  }
  void nameDevice(std::int64_t ordinal, std::string_view name);
  [[nodiscard]] std::string producer() const;

  Collected& c_;
  Poll poll_;
  std::vector<Role> roles_;             ///< by process
  std::vector<bool> hasStreams_;        ///< by process: lanes called "Stream #n"
  std::vector<bool> hasNames_;          ///< by process: some lane has a name
  bool graphStreams_ = false;           ///< a process of TensorFlow's timeline is one stream
  std::vector<std::int64_t> ordinals_;  ///< by process, of unitrace's devices
  std::vector<bool> summary_;           ///< by track
  std::vector<bool> isStep_;            ///< by slice; empty without any
  std::map<std::pair<std::uint16_t, Category>, std::uint16_t> indices_;
  std::set<std::int64_t> named_;  ///< ordinals of the devices that have a name
  bool cuda_ = false, rocm_ = false, deviceWork_ = false, jax_ = false;
};

/// The stream that a process of TensorFlow's timeline stands for.
std::optional<std::int64_t> Translator::graphStream(std::size_t process) const {
  static constexpr std::string_view kStream = "stream:";
  if (roles_[process] != Role::xlaDevice) return std::nullopt;
  const std::string_view line = graphLineOf(text(c_.processes[process].name));
  if (!line.starts_with(kStream) || line == "stream:all") return std::nullopt;
  return numberOf(line.substr(kStream.size()));
}

void Translator::findRoles() {
  roles_.resize(c_.processes.size());
  hasStreams_.resize(c_.processes.size());
  hasNames_.resize(c_.processes.size());
  ordinals_.resize(c_.processes.size(), EventArgs::kAbsent);
  std::map<std::int64_t, std::int64_t> devicesOfRank;
  for (std::size_t i = 0; i < c_.processes.size() && !poll_.stop(); ++i) {
    roles_[i] = roleOf(text(c_.processes[i].name), text(c_.processes[i].pid));
    graphStreams_ = graphStreams_ || graphStream(i);
    if (roles_[i] == Role::unitraceDevice || roles_[i] == Role::ascendDevice)
      ordinals_[i] = devicesOfRank[c_.processes[i].rank]++;
  }
  for (const RawLane& lane : c_.lanes) {
    if (poll_.stop()) return;
    if (xlaStream(text(lane.name))) hasStreams_[lane.process] = true;
    if (!text(lane.name).empty()) hasNames_[lane.process] = true;
  }
  findBeside();
  findRpd();
  findMtia();
}

/// Processes whose name says something only beside others: "CANN", "GPU0", "COPY".
void Translator::findBeside() {
  const bool ascend = has(Role::ascendDevice), rocprof = has(Role::rocprofHost);
  if (!ascend && !rocprof) return;
  std::size_t gpus = 0;
  for (std::size_t i = 0; i < c_.processes.size(); ++i) {
    const std::string_view name = text(c_.processes[i].name);
    if (ascend && name == "CANN") roles_[i] = Role::ascendHost;
    if (ascend && (name == "HCCL" || name == "Communication")) roles_[i] = Role::ascendHccl;
    if (ascend && name == "Overlap Analysis") roles_[i] = Role::ascendSummary;
    if (!rocprof || !gpuNumber(name)) continue;
    roles_[i] = Role::rpdDevice;
    ordinals_[i] = *gpuNumber(name);
    ++gpus;
  }
  // Which device copies is not recorded: of a single one there is no doubt.
  for (std::size_t i = 0; i < c_.processes.size() && rocprof && gpus <= 1; ++i)
    if (text(c_.processes[i].name) == "COPY") roles_[i] = Role::rocprofCopy;
}

/// ONNX Runtime's own profile is told by its categories. Nodes are operators on the host, whichever
/// provider runs them; device work are its "Kernel" events alone.
void Translator::findOnnx() {
  std::size_t node = c_.categoryTexts.size(), session = node;
  for (std::size_t i = 0; i < c_.categoryTexts.size(); ++i) {
    if (text(c_.categoryTexts[i]) == "Node") node = i;
    if (text(c_.categoryTexts[i]) == "Session") session = i;
  }
  if (node == c_.categoryTexts.size() || session == c_.categoryTexts.size()) return;
  c_.categoryKinds[node] = Category::cpuOp;
  c_.categoryKinds[session] = Category::userAnnotation;
  if (c_.info.producer.empty()) c_.info.producer = "ONNX Runtime";
  // Which device is not recorded; the process is none.
  for (RawTrack& track : c_.tracks)
    if (track.kind == TrackKind::stream) track.device = 0;
}

void Translator::findRpd() {
  std::vector<bool> hosts(c_.processes.size());
  bool any = false;
  for (const RawLane& lane : c_.lanes)
    if (text(lane.name).starts_with("Hip ")) any = hosts[lane.process] = true;
  if (!any) return;
  for (std::size_t i = 0; i < c_.processes.size(); ++i) {
    if (roles_[i] != Role::none) continue;
    if (hosts[i])
      roles_[i] = Role::rpdHost;
    else if (gpuNumber(text(c_.processes[i].name)))
      roles_[i] = Role::rpdDevice;
  }
}

void Translator::findMtia() {
  const auto known = std::find_if(c_.categoryTexts.begin(), c_.categoryTexts.end(),
                                  [this](StringId t) { return text(t) == "mtia_ccp_events"; });
  if (known == c_.categoryTexts.end()) return;
  for (const RawTrack& track : c_.tracks)
    if (track.kind == TrackKind::stream) roles_[c_.lanes[track.lane].process] = Role::mtiaDevice;
}

void Translator::readSteps() {
  const RawValues& values = c_.sparse.xla;
  if (values.slice.empty()) return;
  isStep_.resize(c_.slices.size());
  for (std::size_t i = 0; i < values.slice.size() && !poll_.stop(); ++i) {
    const XlaArgs& args = c_.xla[static_cast<std::size_t>(values.value[i])];
    isStep_[values.slice[i]] = args.step != EventArgs::kAbsent;
    jax_ = jax_ || text(args.module).starts_with("jit_") || text(args.module).starts_with("pmap_");
  }
}

void Translator::nameDevice(std::int64_t ordinal, std::string_view name) {
  if (name.empty() || !named_.insert(ordinal).second) return;
  Device device;
  device.ordinal = ordinal;
  device.name = name;
  c_.devices.push_back(std::move(device));
}

void Translator::setXlaTrack(RawTrack& track) {
  const RawLane& lane = c_.lanes[track.lane];
  const std::string_view process = text(c_.processes[lane.process].name);
  bool work = xlaLineOf(text(lane.name), hasStreams_[lane.process]) == XlaLine::work;
  track.stream = xlaStream(text(lane.name)).value_or(EventArgs::kAbsent);
  if (!hasNames_[lane.process]) {  // TensorFlow's timeline: processes are the lines
    const auto stream = graphStream(lane.process);
    work = stream || (!graphStreams_ && graphLineOf(process) != "memcpy");
    track.stream = stream.value_or(EventArgs::kAbsent);
  }
  track.kind = work ? TrackKind::stream : TrackKind::deviceAnnotation;
  track.device = xlaOrdinal(process).value_or(0);
}

/// A lane of a group of ranks holds its collectives, "hcom_allReduce__…", which no stream shows as
/// such: work of the device, where it is certain which. All other lanes tell the same time again.
void Translator::setAscendBeside(RawTrack& track) {
  const auto first = std::find(roles_.begin(), roles_.end(), Role::ascendDevice);
  const bool single = std::count(roles_.begin(), roles_.end(), Role::ascendDevice) == 1;
  const bool group = roles_[c_.lanes[track.lane].process] == Role::ascendHccl &&
                     text(c_.lanes[track.lane].name).starts_with("Group ");
  track.kind = single && group ? TrackKind::stream : TrackKind::deviceAnnotation;
  track.device = ordinals_[static_cast<std::size_t>(first - roles_.begin())];
}

void Translator::translateTracks() {
  summary_.resize(c_.tracks.size());
  for (const Device& device : c_.devices) named_.insert(device.ordinal);
  std::map<std::int64_t, std::int64_t> streamsOf;  // unitrace: numbered as they come, by device
  for (std::uint32_t i = 0; i < c_.tracks.size() && !poll_.stop(); ++i) {
    RawTrack& track = c_.tracks[i];
    if (track.kind != TrackKind::thread && track.kind != TrackKind::stream) continue;
    const RawProcess& process = processOf(i);
    const std::string_view tid = text(c_.lanes[track.lane].tid);
    switch (roleOfTrack(i)) {
      case Role::xlaDevice:
        setXlaTrack(track);
        summary_[i] = track.kind == TrackKind::deviceAnnotation;
        break;
      case Role::unitraceDevice:
        track.kind = TrackKind::stream;
        track.device = ordinals_[c_.lanes[track.lane].process];
        track.stream = streamsOf[track.device]++;
        nameDevice(track.device, unitraceDeviceName(text(process.name)));
        break;
      case Role::ascendDevice:
        track.kind = TrackKind::stream;
        track.device = ordinals_[c_.lanes[track.lane].process];
        track.stream = ascendStream(text(c_.lanes[track.lane].name)).value_or(numberOf(tid));
        break;
      case Role::ascendHccl:
      case Role::ascendSummary:
        setAscendBeside(track);
        summary_[i] = track.kind == TrackKind::deviceAnnotation;
        break;
      case Role::rocprofCopy:
        track.kind = TrackKind::stream;
        track.device = gpuOfRocprof();
        break;
      case Role::rpdDevice:
        track.kind = TrackKind::stream;
        track.device = gpuNumber(text(process.name)).value_or(0);
        track.stream = numberOf(tid);
        break;
      case Role::autogradDevice:
        track.kind = TrackKind::stream;
        track.device = numberOf(tid);
        break;
      default:
        break;
    }
  }
}

/// The index of the same text with another meaning.
std::uint16_t Translator::categoryIndex(std::uint16_t old, Category kind) {
  if (c_.categoryKinds[old] == kind) return old;
  const auto [it, isNew] = indices_.try_emplace({old, kind}, old);
  if (isNew && c_.categoryTexts.size() < 0xFFFF) {
    it->second = static_cast<std::uint16_t>(c_.categoryTexts.size());
    c_.categoryTexts.push_back(c_.categoryTexts[old]);
    c_.categoryKinds.push_back(kind);
  }
  return it->second;
}

void Translator::translateSlices() {
  RawSlices& s = c_.slices;
  std::map<std::tuple<Role, std::uint32_t, std::uint16_t, bool, bool>, std::uint16_t> known;
  for (std::size_t i = 0; i < s.size() && !poll_.stop(); ++i) {
    const std::uint32_t track = s.track[i];
    const Role role = roleOfTrack(track);
    const TrackKind kind = c_.tracks[track].kind;
    if (role == Role::none || kind == TrackKind::async) continue;
    const bool step = !isStep_.empty() && isStep_[i];
    const auto [it, isNew] =
        known.try_emplace({role, s.name[i], s.category[i], summary_[track], step}, s.category[i]);
    if (isNew) {
      const std::string_view name = text(StringId(s.name[i]));
      const Category category =
          categoryOf(role, {name, c_.categoryKinds[s.category[i]], summary_[track], step});
      it->second = categoryIndex(s.category[i], category);
      deviceWork_ = deviceWork_ || isDeviceWork(category);
      rocm_ = rocm_ || (category == Category::runtime && name.starts_with("hip"));
      cuda_ = cuda_ || (category == Category::runtime && name.starts_with("cu"));
      jax_ = jax_ || name.starts_with("PjitFunction");
    }
    s.category[i] = it->second;
  }
}

std::string Translator::producer() const {
  if (has(Role::unitraceHost) || has(Role::unitraceDevice)) return "Intel unitrace";
  if (has(Role::ascendDevice)) return "Ascend msprof";
  if (has(Role::rocprofHost)) return "rocprof (ROCm)";
  if (has(Role::rpdHost)) return "rocmProfileData (ROCm)";
  if (has(Role::autogradHost))
    return std::string("PyTorch autograd profiler (") + (deviceWork_ ? "CUDA)" : "CPU only)");
  if (!has(Role::xlaHost) && !has(Role::xlaDevice)) return {};
  std::string_view backEnd = "CPU only";
  if (rocm_ || cuda_) {
    backEnd = rocm_ ? "ROCm" : "CUDA";
  } else if (has(Role::xlaDevice)) {
    backEnd = "unknown device";
    for (const RawProcess& process : c_.processes) {
      if (text(process.name).starts_with("/device:TPU")) backEnd = "TPU";
      if (text(process.name).starts_with("/device:GPU")) backEnd = "GPU";
    }
  }
  return std::string(jax_ ? "JAX" : "TensorFlow or JAX") + " (XLA, " + std::string(backEnd) + ")";
}

}  // namespace

void recogniseDialect(Collected& c, const Task& task) {
  Translator(c, task).run();
}

}  // namespace ridgeline::build
