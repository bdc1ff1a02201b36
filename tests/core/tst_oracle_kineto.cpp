// The tables of the TensorBoard plugin of kineto on the two ResNet-50 recordings that came with it
// (its golden file and reports), against ours: step costs in its own step extent, operators,
// kernels. All in µs.

#include <array>

#include <QtTest>

#include "core/analysis/kernel_groups.h"
#include "tests/support/oracle_kineto.h"
#include "tests/support/oracle_trace.h"

using namespace ridgeline;
using namespace ridgeline::test;

namespace {

constexpr std::array kFiles = {
    "pytorch__kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "pytorch__kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"};

struct StepRow {
  int file;
  int step;
  TimeNs kernel, memcpy, memset, runtime, dataLoader, cpu, other;
};
constexpr std::array kSteps = {
    StepRow{0, 5, 98598, 1941, 90, 2796, 69317, 14091, 1115},
    StepRow{0, 6, 98570, 1947, 89, 2762, 57669, 12968, 1148},
    StepRow{0, 7, 98596, 1931, 91, 2877, 61257, 13768, 1213},
    StepRow{0, 8, 98623, 1938, 89, 2841, 56453, 13420, 1200},
    StepRow{0, 9, 98504, 1937, 87, 2788, 62690, 15025, 1141},
    StepRow{0, 10, 98641, 1798, 88, 3381, 48185, 12773, 1117},
    StepRow{1, 5, 99778, 3606, 98, 41028, 4341, 27460, 5995},
    StepRow{1, 6, 99208, 2948, 98, 3406, 0, 16404, 4119},
    StepRow{1, 7, 99114, 2949, 98, 3417, 6, 19521, 2076},
    StepRow{1, 8, 99021, 2975, 97, 3544, 0, 15464, 1978},
    StepRow{1, 9, 98791, 3596, 97, 8275, 1370, 43905, 7427},
    StepRow{1, 10, 98956, 2885, 98, 3714, 1400, 13235, 3910},
};

struct OpRow {
  int file;
  const char* name;
  std::size_t calls;
  TimeNs deviceSelf, deviceTotal, hostSelf, hostTotal;
};
constexpr std::array kOps = {
    OpRow{0, "aten::cudnn_convolution_backward_weight", 318, 142461, 142461, 22804, 40246},
    OpRow{0, "aten::cudnn_convolution_backward_input", 312, 130967, 130967, 29324, 41445},
    OpRow{0, "aten::cudnn_convolution", 318, 126619, 126619, 33121, 56998},
    OpRow{0, "aten::cudnn_batch_norm_backward", 318, 61939, 61939, 12238, 30460},
    OpRow{0, "aten::cudnn_batch_norm", 318, 34245, 34245, 19843, 71527},
    OpRow{0, "aten::threshold_backward", 294, 27298, 27298, 6090, 9482},
    OpRow{0, "aten::add_", 2994, 24098, 24098, 51013, 78125},
    OpRow{0, "aten::clamp_min", 294, 17860, 17860, 7106, 10311},
    OpRow{0, "aten::add", 414, 16038, 16038, 14329, 19289},
    OpRow{0, "aten::copy_", 588, 11492, 11492, 40255, 52853},
    OpRow{0, "aten::max_pool2d_with_indices_backward", 6, 3822, 4677, 176, 411},
    OpRow{0, "aten::mul_", 966, 2409, 2409, 20515, 29081},
    OpRow{0, "aten::fill_", 978, 1887, 1887, 9879, 17059},
    OpRow{0, "aten::max_pool2d_with_indices", 6, 1420, 1420, 477, 562},
    OpRow{1, "aten::cudnn_convolution_backward_weight", 318, 141300, 141300, 30672, 60712},
    OpRow{1, "aten::cudnn_convolution_backward_input", 312, 133494, 133494, 31902, 47359},
    OpRow{1, "aten::cudnn_convolution", 318, 128683, 128683, 35632, 64167},
    OpRow{1, "aten::cudnn_batch_norm_backward", 318, 61899, 61899, 15118, 36641},
    OpRow{1, "aten::cudnn_batch_norm", 318, 34315, 34315, 23800, 87823},
    OpRow{1, "aten::threshold_backward", 294, 27280, 27280, 7820, 12062},
    OpRow{1, "aten::add_", 2994, 24052, 24052, 62385, 97540},
    OpRow{1, "aten::copy_", 12, 18959, 18959, 230, 56915},
    OpRow{1, "aten::clamp_min", 294, 17862, 17862, 8409, 12503},
    OpRow{1, "aten::add", 414, 16026, 16026, 17808, 23831},
    OpRow{1, "aten::max_pool2d_with_indices_backward", 6, 3838, 4695, 213, 493},
    OpRow{1, "aten::mul_", 966, 2395, 2395, 24617, 35389},
    OpRow{1, "aten::fill_", 978, 1888, 1888, 9660, 17657},
    OpRow{1, "aten::max_pool2d_with_indices", 6, 1422, 1422, 325, 422},
};

/// Names as far as the report prints them.
struct KernelRow {
  int file;
  const char* name;
  std::uint64_t calls;
  TimeNs total, mean, longest, shortest;
  double blocksPerSm, occupancy;  ///< means weighted by duration; per cent
};
constexpr std::array kKernels = {
    KernelRow{0, "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int", 162,
              80756, 498, 1017, 323, 42.25, 29.97},
    KernelRow{0, "void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 5", 156,
              66472, 426, 745, 345, 9.78, 38.0},
    KernelRow{0, "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(", 264,
              59642, 226, 915, 45, 4.34, 67.98},
    KernelRow{0, "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunct", 3090,
              39814, 13, 378, 1, 641.54, 92.32},
    KernelRow{0, "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, fal", 90,
              36957, 411, 748, 347, 12.34, 50.0},
    KernelRow{0, "void at::native::vectorized_elementwise_kernel<4, at::native::threshol", 294,
              27298, 93, 377, 13, 653.06, 100.0},
    KernelRow{0, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudn", 150,
              27060, 180, 452, 53, 3.12, 64.06},
    KernelRow{0, "void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, fals", 60,
              25782, 430, 729, 352, 3.9, 42.09},
    KernelRow{0, "volta_sgemm_64x64_nt", 102, 21084, 207, 279, 184, 10.24, 19.38},
    KernelRow{0, "volta_scudnn_128x128_stridedB_splitK_small_nn_v1", 48, 20448, 426, 676, 307, 6.83,
              25.0},
    KernelRow{1, "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int", 180,
              86855, 483, 1023, 323, 45.33, 30.04},
    KernelRow{1, "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(", 264,
              59568, 226, 923, 45, 4.33, 67.92},
    KernelRow{1, "void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 5", 90,
              43471, 483, 742, 363, 8.18, 38.0},
    KernelRow{1, "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunct", 3090,
              39753, 13, 376, 1, 641.51, 92.35},
    KernelRow{1, "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, fal", 90,
              37016, 411, 735, 346, 12.39, 50.0},
    KernelRow{1, "void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, fals", 72,
              35106, 488, 822, 350, 3.83, 41.64},
    KernelRow{1, "void at::native::vectorized_elementwise_kernel<4, at::native::threshol", 294,
              27280, 93, 377, 13, 653.26, 100.0},
    KernelRow{1, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudn", 150,
              27084, 181, 454, 53, 3.12, 64.02},
    KernelRow{1, "volta_scudnn_128x128_stridedB_splitK_medium_nn_v1", 72, 25342, 352, 629, 323,
              3.21, 25.0},
    KernelRow{1, "volta_sgemm_64x64_nt", 102, 21125, 207, 281, 184, 10.28, 19.38},
};

std::shared_ptr<const Workload> recording(int index) {
  return realWorkload(kFiles[static_cast<std::size_t>(index)]);
}

double mean(TimeNs a, std::optional<double> ofA, TimeNs b, std::optional<double> ofB) {
  const auto weightA = static_cast<double>(a), weightB = static_cast<double>(b);
  return (weightA * ofA.value_or(qQNaN()) + weightB * ofB.value_or(qQNaN())) / (weightA + weightB);
}

/// By name. A group of ours is a name and a class (a GEMM kernel within a convolution is a group of
/// its own): the plugin's row is the sum of them.
std::map<std::string, KernelGroup> kernelTable(const Workload& w) {
  std::map<std::string, KernelGroup> out;
  for (const KernelGroup& group : kernelGroups(w, wholeDeviceWindow(w)).groups) {
    const auto [it, isNew] = out.try_emplace(std::string(w.trace->text(group.name)), group);
    if (isNew) continue;
    KernelGroup& sum = it->second;
    sum.blocksPerSm = mean(sum.total, sum.blocksPerSm, group.total, group.blocksPerSm);
    sum.occupancy = mean(sum.total, sum.occupancy, group.total, group.occupancy);
    sum.calls += group.calls;
    sum.total += group.total;
    sum.longest = std::max(sum.longest, group.longest);
    sum.shortest = std::min(sum.shortest, group.shortest);
  }
  return out;
}

/// Whole µs, as the recordings have them.
TimeNs us(TimeNs t) {
  return t / 1000;
}

}  // namespace

class TestOracleKineto : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepCostsAgree();
  void operatorsAgree();
  void kernelsAgree();
  void metricsOfTheDeviceAgree();
};

void TestOracleKineto::stepCostsAgree() {
  if (!recording(0)) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  for (const StepRow& row : kSteps) {
    const auto w = recording(row.file);
    const auto& steps = w->steps.steps;
    const auto step = std::find_if(steps.begin(), steps.end(),
                                   [&](const Step& s) { return s.number == row.step; });
    QVERIFY(step != steps.end());
    const auto extents = kineto::extents(*w);
    const kineto::StepCosts ours =
        kineto::costsOf(*w, extents[static_cast<std::size_t>(step - steps.begin())]);
    QCOMPARE(us(ours.kernel), row.kernel);
    QCOMPARE(us(ours.memcpy), row.memcpy);
    QCOMPARE(us(ours.memset), row.memset);
    QCOMPARE(us(ours.runtime), row.runtime);
    QCOMPARE(us(ours.dataLoader), row.dataLoader);
    QCOMPARE(us(ours.cpu), row.cpu);
    QCOMPARE(us(ours.other), row.other);
    QCOMPARE(ours.communication, TimeNs{0});
  }
}

void TestOracleKineto::operatorsAgree() {
  if (!recording(0)) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  for (const int file : {0, 1}) {
    const auto table = kineto::opTable(*recording(file));
    for (const OpRow& row : kOps) {
      if (row.file != file) continue;
      const auto it = table.find(row.name);
      QVERIFY2(it != table.end(), row.name);
      QCOMPARE(it->second.calls, row.calls);
      QCOMPARE(us(it->second.deviceSelf), row.deviceSelf);
      QCOMPARE(us(it->second.deviceTotal), row.deviceTotal);
      QCOMPARE(us(it->second.hostSelf), row.hostSelf);
      QCOMPARE(us(it->second.hostTotal), row.hostTotal);
    }
  }
}

void TestOracleKineto::kernelsAgree() {
  if (!recording(0)) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  for (const int file : {0, 1}) {
    const auto w = recording(file);
    const auto kernels = kernelTable(*w);
    for (const KernelRow& row : kKernels) {
      if (row.file != file) continue;
      const auto it = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) {
        return kernel.first.rfind(row.name, 0) == 0 && kernel.second.calls == row.calls;
      });
      QVERIFY2(it != kernels.end(), row.name);
      const KernelGroup& ours = it->second;
      QCOMPARE(us(ours.total), row.total);
      QCOMPARE(static_cast<TimeNs>(
                   std::llround(microseconds(ours.total) / static_cast<double>(ours.calls))),
               row.mean);
      QCOMPARE(us(ours.longest), row.longest);
      QCOMPARE(us(ours.shortest), row.shortest);
      // Printed with two decimals; ours are kept to 15 bits.
      QVERIFY2(std::abs(ours.blocksPerSm.value_or(-1) - row.blocksPerSm) <
                   0.0051 + row.blocksPerSm / 32768,
               row.name);
      QVERIFY2(std::abs(ours.occupancy.value_or(-1) * 100 - row.occupancy) < 0.0051, row.name);
    }
  }
}

void TestOracleKineto::metricsOfTheDeviceAgree() {
  if (!recording(0)) QSKIP("needs the real traces beside the checkout (../shared/traces)");
  struct Metrics {
    double utilisation, smEfficiency, occupancy;  ///< per cent, of all steps together
  };
  constexpr std::array kMetrics = {Metrics{55.51, 54.68, 49.13}, Metrics{70.27, 69.22, 48.91}};
  for (const int file : {0, 1}) {
    const auto w = recording(file);
    // The plugin's metrics hold from the first step's begin to the last one's end.
    const auto extents = kineto::extents(*w);
    const AnalysisWindow window = spanWindow({extents.front().begin, extents.back().end});
    const DeviceTime ours = deviceTimes(*w, window).devices.front();
    const auto percent = [&](TimeNs part) {
      return 100 * static_cast<double>(part) / static_cast<double>(ours.span);
    };
    const Metrics& theirs = kMetrics[static_cast<std::size_t>(file)];
    QVERIFY(std::abs(percent(ours.compute) - theirs.utilisation) < 0.0051);
    QVERIFY(std::abs(percent(ours.fill.filled) - theirs.smEfficiency) < 0.0051);
    QVERIFY(std::abs(ours.fill.occupancy.value_or(-1) * 100 - theirs.occupancy) < 0.0051);
  }
}

QTEST_GUILESS_MAIN(TestOracleKineto)
#include "tst_oracle_kineto.moc"
