#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/simulator/machine.h"
#include "core/simulator/program.h"

namespace ridgeline::simulator {

using Dims = std::vector<std::int64_t>;

/// One argument of an operator as record_shapes writes it.
struct Arg {
  std::string dims = "[]";
  std::string strides = "[]";
  std::string type;
  std::string concrete;
};

/// A dense tensor in row-major order; `type` as PyTorch names it.
[[nodiscard]] Arg tensor(const Dims& dims, std::string_view type = "c10::BFloat16");
/// A 2-d view of a row-major (columns, rows) tensor: strides [1, rows].
[[nodiscard]] Arg transposed(std::int64_t rows, std::int64_t columns,
                             std::string_view type = "c10::BFloat16");
[[nodiscard]] Arg tensorList(const std::vector<Dims>& dims, std::string_view type);
[[nodiscard]] Arg scalar(std::string_view value);
[[nodiscard]] Arg scalarList(const Dims& values);
[[nodiscard]] Arg none();
/// The JSON of "Concrete Inputs" to "Input Dims".
[[nodiscard]] std::string argsText(const std::vector<Arg>& args);

/// Writes one program: operators with their host time, and the device work that they start. Host
/// times are those of eager PyTorch with the profiler on, on a server CPU of today.
class OpBuilder {
 public:
  OpBuilder(Catalogue& catalogue, const Machine& machine)
      : catalogue_(catalogue), machine_(machine) {}

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Program take() { return std::move(program_); }

  /// What the host's time from here on is spent on; launch calls and waits keep their own.
  void setActivity(Activity activity) { activity_ = activity; }
  /// Scales the host time of all that follows (a slow host: > 1).
  void setHostScale(double scale) { hostScale_ = scale; }
  /// Without autograd: no sequence numbers.
  void setInference(bool inference = true) { inference_ = inference; }
  /// Where kernels and copies are launched from here on.
  void setStream(Stream stream) { stream_ = stream; }

  void open(std::string_view name, const std::vector<Arg>& args,
            Sequence sequence = Sequence::none);
  void openPlain(std::string_view name, Sequence sequence = Sequence::none);
  /// With ready-made JSON for its args.
  void openText(std::string_view name, std::string_view args);
  void openAnnotation(std::string_view name);
  void close();
  /// An op without children or device work.
  void leaf(std::string_view name, const std::vector<Arg>& args, std::int32_t ns = 1100);
  /// Python between operators.
  void python(std::int32_t ns);
  void host(std::int32_t ns);

  void launch(std::uint32_t work, Call call = Call::launchKernel);
  void copy(std::string_view kind, std::int64_t bytes, double bytesPerSecond, bool blocking);
  void memset(std::int64_t bytes);
  void call(Call call, std::int32_t ns);
  void alloc(std::int64_t bytes);
  void release(int count = 1);
  /// Whatever is allocated and not released (inference: when a part of the model is left).
  void releaseAll() { release(allocated_); }
  [[nodiscard]] int allocated() const { return allocated_; }
  /// An event after the work of `stream` so far, and a stream that waits for one.
  void record(Stream stream, std::uint32_t event);
  void wait(Stream stream, std::uint32_t event);
  void synchronize(Stream stream);
  void emptyTensor(std::int64_t bytes, const Dims& dims, int typeCode = 15);
  /// `aten::as_strided` inside a view op of the given name.
  void view(std::string_view name, const std::vector<Arg>& args);
  void transposeOp(const Dims& dims);

  /// A kind of kernel: its name, class, work and launch geometry.
  std::uint32_t kernel(std::string_view name, TruthPathCause pathCause, const KernelWork& work,
                       std::int64_t blocks, int threads, int registers = 32, int shared = 0);
  std::uint32_t add(DeviceWork work);
  StringId intern(std::string_view text) { return catalogue_.texts.intern(text); }
  void emit(const Instruction& instruction) { program_.push_back(instruction); }
  [[nodiscard]] std::int32_t scaled(std::int32_t ns) const;
  [[nodiscard]] Activity activity() const { return activity_; }

 private:
  Catalogue& catalogue_;
  const Machine& machine_;
  Program program_;
  Activity activity_ = Activity::hostOp;
  double hostScale_ = 1;
  bool inference_ = false;
  Stream stream_ = Stream::compute;
  int allocated_ = 0;  // less what was released
};

}  // namespace ridgeline::simulator
