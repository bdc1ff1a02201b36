#include "core/simulator/op_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace ridgeline::simulator {
namespace {

using Code = Instruction::Code;

constexpr std::int32_t kOpenNs = 900;   // dispatch up to the start of an op's own record
constexpr std::int32_t kCloseNs = 600;  // return from it
constexpr std::int32_t kLaunchNs = 4300;

std::string list(const Dims& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(value);
  }
  return text + ']';
}

Dims rowMajor(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

/// "[a, b]" from a member of each argument.
template <class Member>
std::string joined(const std::vector<Arg>& args, Member member, bool quoted) {
  std::string text = "[";
  for (const Arg& arg : args) {
    if (text.size() > 1) text += ", ";
    if (quoted) text += '"';
    text += arg.*member;
    if (quoted) text += '"';
  }
  return text + ']';
}

}  // namespace

Arg tensor(const Dims& dims, std::string_view type) {
  return {list(dims), list(rowMajor(dims)), std::string(type), ""};
}

Arg transposed(std::int64_t rows, std::int64_t columns, std::string_view type) {
  return {list({rows, columns}), list({1, rows}), std::string(type), ""};
}

Arg tensorList(const std::vector<Dims>& dims, std::string_view) {
  Arg arg{"[", "[", "TensorList", ""};
  for (const Dims& one : dims) {
    const std::string_view comma = arg.dims.size() > 1 ? ", " : "";
    arg.dims.append(comma) += list(one);
    arg.strides.append(comma) += list(rowMajor(one));
  }
  arg.dims += ']';
  arg.strides += ']';
  return arg;
}

Arg scalar(std::string_view value) {
  return {"[]", "[]", "Scalar", std::string(value)};
}
Arg scalarList(const Dims& values) {
  return {"[]", "[]", "ScalarList", list(values)};
}
Arg none() {
  return {};
}

std::string argsText(const std::vector<Arg>& args) {
  return "\"Concrete Inputs\": " + joined(args, &Arg::concrete, true) +
         ", \"Input type\": " + joined(args, &Arg::type, true) +
         ", \"Input Strides\": " + joined(args, &Arg::strides, false) +
         ", \"Input Dims\": " + joined(args, &Arg::dims, false) + ", ";
}

std::int32_t OpBuilder::scaled(std::int32_t ns) const {
  return static_cast<std::int32_t>(std::lround(ns * hostScale_));
}

void OpBuilder::openText(std::string_view name, std::string_view args) {
  Instruction instruction;
  instruction.code = Code::open;
  instruction.activity = activity_;
  instruction.ns = scaled(kOpenNs);
  instruction.name = intern(name);
  instruction.args = intern(args);
  emit(instruction);
}

void OpBuilder::open(std::string_view name, const std::vector<Arg>& args, Sequence sequence) {
  openText(name, argsText(args));
  if (!inference_) program_.back().sequence = sequence;
}

void OpBuilder::openPlain(std::string_view name, Sequence sequence) {
  openText(name, "");
  if (!inference_) program_.back().sequence = sequence;
}

void OpBuilder::openAnnotation(std::string_view name) {
  openText(name, "");
  program_.back().flag = true;
}

void OpBuilder::close() {
  Instruction instruction;
  instruction.code = Code::close;
  instruction.activity = activity_;
  instruction.ns = scaled(kCloseNs);
  emit(instruction);
}

void OpBuilder::leaf(std::string_view name, const std::vector<Arg>& args, std::int32_t ns) {
  open(name, args);
  host(ns);
  close();
}

void OpBuilder::host(std::int32_t ns) {
  Instruction instruction;
  instruction.activity = activity_;
  instruction.ns = scaled(ns);
  emit(instruction);
}

void OpBuilder::python(std::int32_t ns) {
  host(ns);
  if (activity_ == Activity::hostOp) program_.back().activity = Activity::hostGap;
}

void OpBuilder::launch(std::uint32_t work, Call call) {
  Instruction instruction;
  instruction.code = Code::launch;
  instruction.activity = Activity::launchCall;
  instruction.call = call;
  instruction.ns = scaled(kLaunchNs);
  instruction.stream = stream_;
  instruction.index = work;
  emit(instruction);
}

void OpBuilder::copy(std::string_view kind, std::int64_t bytes, double bytesPerSecond,
                     bool blocking) {
  DeviceWork work;
  work.name = intern(kind);
  work.category = DeviceCategory::memcpy;
  work.pathCause = TruthPathCause::memcpy;
  work.bytes = bytes;
  work.duration =
      1400 + static_cast<TimeNs>(std::llround(static_cast<double>(bytes) / bytesPerSecond * 1e9));
  launch(add(work), Call::memcpyAsync);
  program_.back().ns = scaled(blocking ? 9000 : 6200);
  program_.back().flag = blocking;
  if (activity_ == Activity::input) program_.back().activity = Activity::input;
}

void OpBuilder::memset(std::int64_t bytes) {
  DeviceWork work;
  work.name = intern("Memset (Device)");
  work.category = DeviceCategory::memset;
  work.pathCause = TruthPathCause::memset;
  work.bytes = bytes;
  work.duration = kernelTime(machine_, {.flops = 0, .bytes = static_cast<double>(bytes)}) - 500;
  launch(add(work), Call::memsetAsync);
}

void OpBuilder::call(Call call, std::int32_t ns) {
  Instruction instruction;
  instruction.code = Code::call;
  instruction.activity = activity_;
  instruction.call = call;
  instruction.ns = scaled(ns);
  emit(instruction);
}

void OpBuilder::alloc(std::int64_t bytes) {
  Instruction instruction;
  instruction.code = Code::alloc;
  instruction.activity = activity_;
  instruction.ns = scaled(300);
  instruction.bytes = (bytes + 511) / 512 * 512;
  emit(instruction);
  ++allocated_;
}

void OpBuilder::release(int count) {
  Instruction instruction;
  instruction.code = Code::release;
  instruction.activity = activity_;
  instruction.ns = scaled(250);
  for (int i = 0; i < count; ++i) emit(instruction);
  allocated_ -= count;
}

void OpBuilder::record(Stream stream, std::uint32_t event) {
  Instruction instruction;
  instruction.code = Code::record;
  instruction.activity = activity_;
  instruction.call = Call::eventRecord;
  instruction.stream = stream;
  instruction.index = event;
  instruction.ns = scaled(900);
  emit(instruction);
}

void OpBuilder::wait(Stream stream, std::uint32_t event) {
  Instruction instruction;
  instruction.code = Code::wait;
  instruction.activity = activity_;
  instruction.call = Call::streamWaitEvent;
  instruction.stream = stream;
  instruction.index = event;
  instruction.ns = scaled(700);
  emit(instruction);
}

void OpBuilder::synchronize(Stream stream) {
  Instruction instruction;
  instruction.code = Code::synchronize;
  instruction.activity = Activity::syncWait;
  instruction.call = Call::streamSynchronize;
  instruction.stream = stream;
  instruction.ns = scaled(1500);
  emit(instruction);
}

void OpBuilder::emptyTensor(std::int64_t bytes, const Dims& dims, int typeCode) {
  open("aten::empty", {scalarList(dims), scalar(std::to_string(typeCode)), scalar("0"), none(),
                       scalar("False"), none()});
  alloc(bytes);
  close();
}

void OpBuilder::view(std::string_view name, const std::vector<Arg>& args) {
  open(name, args);
  leaf("aten::as_strided", {args.front(), none(), none(), none()}, 500);
  close();
}

void OpBuilder::transposeOp(const Dims& dims) {
  open("aten::t", {tensor(dims)});
  view("aten::transpose", {tensor(dims), scalar("0"), scalar("1")});
  close();
}

std::uint32_t OpBuilder::add(DeviceWork work) {
  catalogue_.works.push_back(work);
  return static_cast<std::uint32_t>(catalogue_.works.size() - 1);
}

std::uint32_t OpBuilder::kernel(std::string_view name, TruthPathCause pathCause,
                                const KernelWork& work, std::int64_t blocks, int threads,
                                int registers, int shared) {
  const double sms = machine_.sms;
  const double perSm = static_cast<double>(blocks) / sms;
  const double warps = perSm * std::ceil(threads / 32.0);
  const double resident = std::min(64.0, 65536.0 / (registers * 32.0));
  const int occupancy = static_cast<int>(std::min(warps, resident) / 64.0 * 100);
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(),
                "\"registers per thread\": %d, \"shared memory\": %d, \"blocks per SM\": %.6f, "
                "\"warps per SM\": %.6f, \"grid\": [%lld, 1, 1], \"block\": [%d, 1, 1], "
                "\"est. achieved occupancy %%\": %d",
                registers, shared, perSm, warps,
                static_cast<long long>(std::max<std::int64_t>(1, blocks)), threads, occupancy);
  DeviceWork device;
  device.name = intern(name);
  device.args = intern(text.data());
  device.pathCause = pathCause;
  device.memoryBound = isMemoryBound(machine_, work);
  device.duration = kernelTime(machine_, work);
  device.flops = work.flops;
  device.traffic = work.bytes;
  return add(device);
}

}  // namespace ridgeline::simulator
