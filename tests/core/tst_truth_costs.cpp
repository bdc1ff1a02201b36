// FLOPs and bytes per operator against the layers from which 200 jobs were laid out.
#include <cmath>
#include <map>
#include <string>

#include <QTest>

#include "core/analysis/roofline.h"
#include "tests/support/truth_job.h"

using namespace ridgeline;
using namespace ridgeline::test;
using simulator::Instruction;
using simulator::Program;

namespace {

struct Work {
  double flops = 0, bytes = 0;
};

/// The operator around each launch of a program: of each kind of device work, for a kind is
/// launched at one place only.
void noteOps(const simulator::Plan& plan, const Program& program,
             std::map<std::uint32_t, std::string>& opOf) {
  std::vector<std::pair<std::string, bool>> open;
  for (const Instruction& one : program) {
    if (one.code == Instruction::Code::open)
      open.emplace_back(plan.catalogue.texts.text(one.name), one.flag);
    if (one.code == Instruction::Code::close && !open.empty()) open.pop_back();
    if (one.code != Instruction::Code::launch || one.count != 1) continue;
    std::string& op = opOf[one.index];
    for (const auto& [name, annotation] : open)
      if (!annotation) op = name;
  }
}

std::map<std::uint32_t, std::string> opsOf(const simulator::Plan& plan) {
  std::map<std::uint32_t, std::string> opOf;
  const simulator::StepPrograms& p = plan.programs;
  for (const Program* program :
       {&p.begin, &p.batch, &p.front, &p.block, &p.head, &p.readBack, &p.headBackward,
        &p.blockBackward[0], &p.blockBackward[1], &p.frontBackward[0], &p.frontBackward[1],
        &p.backwardEnd, &p.normBlock, &p.optimizerBegin, &p.optimizerBlock, &p.optimizerEnd,
        &p.finish, &p.filler, &p.syncInForward})
    noteOps(plan, *program, opOf);
  return opOf;
}

/// How far the analysis may be from the layers, and why. Its formulas are those of an operator that
/// reads and writes each operand once; the generator's are those of the kernels that it launches.
struct Expected {
  double flopsLow, flopsHigh, bytesLow, bytesHigh;
};
constexpr double kRounding = 1e-9;
constexpr double kAny = 1e9;
constexpr Expected kEqual{1 - kRounding, 1 + kRounding, 1 - kRounding, 1 + kRounding};
/// Norms, softmax, activations: conventions count one to a dozen operations an element, which says
/// nothing; the bytes are what bounds them. Operands of a row or a column may be left out.
constexpr Expected kBytes{0, kAny, 0.98, 1.02};

const std::map<std::string, Expected>& expectations() {
  static const std::map<std::string, Expected> kExpected = {
      {"aten::mm", kEqual},
      {"aten::bmm", kEqual},
      {"aten::_flash_attention_forward", kEqual},
      {"aten::add", kEqual},
      {"aten::add_", kEqual},
      {"aten::mul", kEqual},
      {"aten::mul_", kEqual},
      {"aten::cudnn_convolution", {1 - kRounding, 1 + kRounding, 0.99, 1.01}},
      {"aten::convolution_backward", {1 - kRounding, 1 + kRounding, 0.99, 1.01}},
      // One addition an output, and the bias read: 1 / (2 K) of the FLOPs with K of 128 and more.
      {"aten::addmm", {1, 1.004, 1, 1.006}},
      // The generator adds what the two small kernels beside the big one do, and their traffic
      // between them: 30 bytes an element where the operator has 8 operands of 2.
      {"aten::_flash_attention_backward", {0.98, 1, 16.0 / 30 - kRounding, 16.0 / 30 + kRounding}},
      {"aten::_fused_adamw_", {0.98, 1, 0.98, 1}},  // biases and norms are in no list
      {"aten::_foreach_norm", {0, kAny, 0.98, 1}},
      // dy and x are read by each of its two kernels, by the operator once: 6 bytes for 10.
      {"aten::native_layer_norm_backward", {0, kAny, 0.6 - kRounding, 0.63}},
      // A few bytes a row. Its gradient is written whole, though nearly all of it is 0.
      {"aten::nll_loss_forward", {0, kAny, 0.2, 1}},
      {"aten::nll_loss_backward", {0, kAny, 0.95, 1.02}},
      // The zeros of the table are no part of its formula (ANALYSIS 3.5: rows that are touched).
      {"aten::embedding_dense_backward", {1, 1, 0, 1.02}},
      // Inductor's operators say what they read and write, not what they compute.
      {"triton_per_fused_native_layer_norm_0", {0, 0, 0.98, 1.02}},
      {"triton_red_fused_native_layer_norm_backward_0", {0, 0, 0.98, 1.02}},
      {"triton_poi_fused_add_0", {0, 0, 0.98, 1.02}},
      {"triton_poi_fused_gelu_0", {0, 0, 0.98, 1.02}},
      {"triton_poi_fused_AddBackward0_0", {0, 0, 0.98, 1.02}},
      {"triton_poi_fused_GeluBackward0_0", {0, 0, 0.98, 1.02}}};
  return kExpected;
}

std::string faultOf(const std::string& op, const Work& truth, const Work& found) {
  const auto known = expectations().find(op);
  const Expected e = known == expectations().end() ? kBytes : known->second;
  const double flops = truth.flops > 0 ? found.flops / truth.flops : 1;
  const double bytes = truth.bytes > 0 ? found.bytes / truth.bytes : 1;
  if (flops >= e.flopsLow && flops <= e.flopsHigh && bytes >= e.bytesLow && bytes <= e.bytesHigh)
    return {};
  return op + ": " + std::to_string(flops) + " of the FLOPs, " + std::to_string(bytes) +
         " of the bytes";
}

}  // namespace

class TestTruthCosts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void flopsAndBytesAreTheLayers();
};

void TestTruthCosts::flopsAndBytesAreTheLayers() {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= kTruthSeeds; ++seed) {
    const TruthJob job = drawnJob(scenarioOf(seed), seed, 2);
    if (job.plan().scenario.graph) continue;  // its kernels have no operators
    const auto opOf = opsOf(job.plan());
    std::map<std::string, Work> truth, found;
    for (const simulator::DeviceNode& node : job.nodes.back()) {
      const simulator::DeviceWork& work = job.plan().catalogue.works[node.work];
      if (work.category == simulator::DeviceCategory::memcpy || work.isCollective) continue;
      Work& op = truth[opOf.at(node.work)];
      op.flops += work.flops;
      op.bytes += work.category == simulator::DeviceCategory::memset
                      ? static_cast<double>(work.bytes)
                      : work.traffic;
    }
    const Roofline points = roofline(*job.workload, job.window());
    for (const RooflinePoint& point : points.points) {
      Work& op = found[point.op];
      op.flops += point.flops.value_or(0) * static_cast<double>(point.calls);
      op.bytes += point.bytes.value_or(0) * static_cast<double>(point.calls);
    }
    for (const auto& [op, work] : truth) {
      const auto fault = QString::fromStdString(faultOf(op, work, found[op]));
      QVERIFY2(fault.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(fault)));
      ++seen[op];
    }
  }
  for (const auto& [op, expected] : expectations()) QVERIFY2(seen[op] >= 10, op.c_str());
  QVERIFY(seen.size() > 35);
}

QTEST_GUILESS_MAIN(TestTruthCosts)
#include "tst_truth_costs.moc"
