#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ridgeline {

/// What kind of work a device event does: first level of ANALYSIS.md 2.1, one colour each.
enum class KernelClass : std::uint8_t {
  matmul,
  attention,
  convolution,
  normalization,
  softmax,
  elementwise,
  reduction,
  indexing,
  copy,
  rng,
  optimizer,
  triton,
  moe,
  collective,
  memcpy,
  memset,
  sync,
  unknown
};
inline constexpr int kKernelClassCount = static_cast<int>(KernelClass::unknown) + 1;

/// The word of the enumerator: "matmul".
std::string_view name(KernelClass kernelClass);
std::optional<KernelClass> kernelClassNamed(std::string_view word);

/// Whether a name tells that the kernel computes on matrix units (Tensor Core, MFMA, XMX).
enum class MatrixUnit : std::uint8_t { unknown, no, yes };

/// What a name says about a device event. The views live as long as any copy of the classifier
/// that made the label (for the built-in one: as long as the program).
struct KernelLabel {
  KernelClass kernelClass = KernelClass::unknown;
  std::string_view subclass;        ///< "gemm", "fwd", "all-reduce", "HtoD"; may be empty
  std::string_view rule;            ///< id of the rule that decided; empty = no rule fits
  std::string_view oracleCategory;  ///< category word of the reference list; "other" if unknown
  MatrixUnit matrixUnit = MatrixUnit::unknown;
  bool byParentOp = false;  ///< refined by the operator around the launch, not by name alone
};

/// Classifies device events by name with ordered rules (resources/rules/kernel_classes.json, format
/// in resources/rules/README.md; method of ANALYSIS.md 2.1). Immutable and safe to share between
/// threads; a call costs some 0.1 ms, so classify distinct names, not events.
class KernelClassifier {
 public:
  static Result<KernelClassifier> fromJson(std::string_view text);
  /// The rules compiled into the program.
  static const KernelClassifier& builtin();

  /// The same rules with a user's on top: {"version":1, "rules":[{"id", "regex", "class",
  /// "subclass"}]}, ordered, searched without case in the whole name; the first that fits wins.
  [[nodiscard]] Result<KernelClassifier> withUserRules(std::string_view text) const;

  /// `eventCategory` is the trace's own word ("kernel", "gpu_memcpy", "gpu_memset"), if there is
  /// one.
  [[nodiscard]] KernelLabel classify(std::string_view name,
                                     std::string_view eventCategory = {}) const;

  /// A second opinion from the operator that launched it ("aten::convolution"): a gemm below a
  /// convolution is a convolution. Returns the label unchanged where the operator adds nothing;
  /// keep both to show "by name" and "by op".
  [[nodiscard]] KernelLabel refine(const KernelLabel& byName, std::string_view parentOp) const;

  /// See the free function of the same name.
  [[nodiscard]] std::string_view collectiveKind(std::string_view name) const;

 private:
  struct Rules;
  explicit KernelClassifier(std::shared_ptr<const Rules> rules);
  std::shared_ptr<const Rules> rules_;
};

/// KernelClassifier::builtin().refine().
KernelLabel refine(const KernelLabel& byName, std::string_view parentOp);

/// Which collective a kernel, an operator or a recorded collective name means: "all-reduce",
/// "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "gather", "scatter",
/// "send-recv", "dispatch", "combine", "barrier"; "generic" when the name does not say.
std::string_view collectiveKind(std::string_view name);

/// One line for `ridgeline-cli classify`: category, class, subclass and rule, tab-separated.
std::string classifyLine(std::string_view name);

}  // namespace ridgeline
