#pragma once

// Figures of TraceLens' reference reports (gpu_timeline.csv and the sheets by kind of op), as its
// own regression tests compare them. Facts only.

#include <array>

namespace ridgeline::test::tracelens {

/// Which calls a row is about: TraceLens reports recomputed work (activation checkpointing) apart.
enum class Part : char { all, first, recomputed };

/// Times in ms, in the printed precision of six digits.
struct TimeRow {
  const char* file;
  Part part;
  double total, busy, computation, exposedComm, exposedMemcpy, idle, totalComm, totalMemcpy;
};
inline constexpr const char* kH100Qwen =
    "AMD-AGI__TraceLens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
inline constexpr const char* kH100Bert =
    "AMD-AGI__TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz";
inline constexpr const char* kMi300Qwen =
    "AMD-AGI__TraceLens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
inline constexpr const char* kMi300Bert =
    "AMD-AGI__TraceLens/mi300/gaunernst_bert-small-uncased__1016001.json.gz";
inline constexpr const char* kResnet = "AMD-AGI__TraceLens/mi300/resnet_act_checkpoint.json.gz";
inline constexpr const char* kNorms =
    "AMD-AGI__TraceLens/perf_model/normalization/normalization_layer_test.json.gz";
inline constexpr const char* kTriton = "AMD-AGI__TraceLens/torch_compile_triton/trace.json.gz";

inline constexpr std::array kTimes = {
    TimeRow{kH100Qwen, Part::all, 34.8924, 31.9055, 31.9031, 0, 0.00236792, 2.98694, 0, 0.00236792},
    TimeRow{kH100Bert, Part::all, 3.90782, 0.309438, 0.307198, 0, 0.00223999, 3.59839, 0,
            0.00223999},
    TimeRow{kMi300Qwen, Part::all, 33.1313, 29.7439, 29.7432, 0, 0.000759766, 3.38741, 0,
            0.000759766},
    TimeRow{kMi300Bert, Part::all, 3.49598, 0.390749, 0.388345, 0, 0.00240381, 3.10523, 0,
            0.00240381},
    TimeRow{kResnet, Part::first, 56.5176, 55.0387, 15.1119, 38.3432, 1.58363, 1.47889, 47.2003,
            1.63343},
    TimeRow{kResnet, Part::recomputed, 41.7742, 4.12224, 4.12224, 0, 0, 37.652, 0, 0},
    TimeRow{kNorms, Part::all, 1068.78, 0.991991, 0.991991, 0, 0, 1067.79, 0, 0},
    TimeRow{kTriton, Part::all, 12.549, 12.549, 12.549, 0, 0, 1.12305e-05, 0, 0},
};

/// One op × shape: recorded dims begin with `dims` (and types with `types`, where given).
struct OpRow {
  const char* file;
  const char* op;
  const char* dims;
  const char* types;  ///< "" = any
  Part part;
  std::size_t calls;
  double gigaflops, mebibytes;  ///< of one call
  double kernelTime;            ///< µs: union of the kernels of all calls
};

inline constexpr const char* kBrain = "[\"c10::BFloat16\",\"c10::BFloat16\"";
inline constexpr std::array kOps = {
    OpRow{kH100Qwen, "aten::mm", "[[8944,1024],[1024,2816]", kBrain, Part::all, 48, 51.5815506,
          71.0078125, 4055.252},
    OpRow{kH100Qwen, "aten::addmm", "[[1024],[8944,1024],[1024,1024]", kBrain, Part::all, 72,
          18.7660861, 36.9394531, 2329.076},
    OpRow{kH100Qwen, "aten::mm", "[[8944,2816],[2816,1024]", kBrain, Part::all, 24, 51.5815506,
          71.0078125, 1835.287},
    OpRow{kH100Qwen, "aten::mm", "[[8944,1024],[1024,1024]", kBrain, Part::all, 24, 18.7569275,
          36.9375, 778.1421},
    OpRow{kH100Qwen, "aten::_scaled_dot_product_flash_attention", "[[16,16,559,64],[16,16,559,64]",
          kBrain, Part::all, 24, 10.2393774, 69.875, 2722.704},
    OpRow{kH100Qwen, "aten::copy_", "[[16,16,559,64],[16,16,559,64]", kBrain, Part::all, 72,
          0.009158656, 34.9375, 2108.188},
    OpRow{kH100Qwen, "aten::add", "[[16,16,559,64],[16,16,559,64]", kBrain, Part::all, 48,
          0.009158656, 52.40625, 1671.096},
    OpRow{kH100Bert, "aten::addmm", "[[512],[141,512],[512,512]", kBrain, Part::all, 17, 0.0739968,
          0.776367188, 98.71802},
    OpRow{kH100Bert, "aten::addmm", "[[30522],[141,512],[512,30522]", kBrain, Part::all, 1,
          4.41119205, 38.2110214, 41.28003},
    OpRow{kH100Bert, "aten::addmm", "[[512],[141,2048],[2048,512]", kBrain, Part::all, 4,
          0.295770624, 2.68945312, 33.08911},
    OpRow{kH100Bert, "aten::addmm", "[[2048],[141,512],[512,2048]", kBrain, Part::all, 4, 0.2959872,
          2.69238281, 24.51099},
    OpRow{kH100Bert, "aten::_scaled_dot_product_flash_attention", "[[1,8,141,64],[1,8,141,64]",
          kBrain, Part::all, 4, 0.040716288, 0.55078125, 37.4082},
    OpRow{kH100Bert, "aten::layer_norm", "[[1,141,512],[],[512],[512]", "", Part::all, 10,
          0.000364032, 0.28125, 30.91211},
    OpRow{kH100Bert, "aten::native_layer_norm", "[[1,141,512],[],[512],[512]", "", Part::all, 10,
          0.000364032, 0.28125, 30.91211},
    OpRow{kH100Bert, "aten::add", "[[1,141,512],[1,141,512]", kBrain, Part::all, 9, 7.2192e-05,
          0.413085938, 14.75269},
    OpRow{kMi300Qwen, "aten::mm", "[[8944,1024],[1024,2816]", kBrain, Part::all, 48, 51.5815506,
          71.0078125, 5308.273},
    OpRow{kMi300Qwen, "aten::addmm", "[[1024],[8944,1024],[1024,1024]", kBrain, Part::all, 72,
          18.7660861, 36.9394531, 2954.763},
    OpRow{kMi300Qwen, "aten::mm", "[[8944,2816],[2816,1024]", kBrain, Part::all, 24, 51.5815506,
          71.0078125, 2374.794},
    OpRow{kMi300Qwen, "aten::mm", "[[8944,1024],[1024,1024]", kBrain, Part::all, 24, 18.7569275,
          36.9375, 980.5479},
    OpRow{kMi300Qwen, "aten::_scaled_dot_product_flash_attention", "[[16,16,559,64],[16,16,559,64]",
          kBrain, Part::all, 24, 10.2393774, 69.875, 4016.343},
    OpRow{kMi300Qwen, "aten::copy_", "[[16,16,559,64],[16,16,559,64]", kBrain, Part::all, 72,
          0.009158656, 34.9375, 1088.185},
    OpRow{kMi300Qwen, "aten::mul", "[[16,559,1024],[16,559,1]", "[\"float\",\"float\"", Part::all,
          49, 0.009158656, 69.9091187, 1154.166},
    OpRow{kMi300Bert, "aten::addmm", "[[512],[141,512],[512,512]", kBrain, Part::all, 17, 0.0739968,
          0.776367188, 85.73633},
    OpRow{kMi300Bert, "aten::addmm", "[[2048],[141,512],[512,2048]", kBrain, Part::all, 4,
          0.2959872, 2.69238281, 33.79443},
    OpRow{kMi300Bert, "aten::addmm", "[[512],[141,2048],[2048,512]", kBrain, Part::all, 4,
          0.295770624, 2.68945312, 29.06299},
    OpRow{kMi300Bert, "aten::addmm", "[[30522],[141,512],[512,30522]", kBrain, Part::all, 1,
          4.41119205, 38.2110214, 25.53711},
    OpRow{kMi300Bert, "aten::_scaled_dot_product_flash_attention", "[[1,8,141,64],[1,8,141,64]",
          kBrain, Part::all, 4, 0.040716288, 0.55078125, 113.6558},
    OpRow{kMi300Bert, "aten::layer_norm", "[[1,141,512],[],[512],[512]", "", Part::all, 10,
          0.000364032, 0.28125, 39.51904},
    OpRow{kMi300Bert, "aten::native_layer_norm", "[[1,141,512],[],[512],[512]", "", Part::all, 10,
          0.000364032, 0.28125, 39.51904},
    OpRow{kMi300Bert, "aten::add", "[[1,141,512],[1,141,512]", kBrain, Part::all, 9, 7.2192e-05,
          0.413085938, 19.31543},
    OpRow{kResnet, "aten::mm", "[[10,1000],[1000,512]", kBrain, Part::first, 3, 0.01024, 1.00540161,
          26.59717},
    OpRow{kResnet, "aten::mm", "[[1000,10],[10,512]", kBrain, Part::first, 3, 0.01024, 1.00540161,
          17.87744},
    OpRow{kResnet, "aten::addmm", "[[1000],[10,512],[512,1000]", kBrain, Part::first, 3, 0.01025,
          1.00730896, 16.59668},
    OpRow{kResnet, "aten::convolution", "[[10,64,56,56],[64,64,3,3]", kBrain, Part::first, 12,
          2.31211008, 7.7265625, 532.9775},
    OpRow{kResnet, "aten::convolution", "[[10,64,56,56],[64,64,3,3]", kBrain, Part::recomputed, 12,
          2.31211008, 7.7265625, 474.3018},
    OpRow{kResnet, "aten::convolution", "[[10,512,7,7],[512,512,3,3]", kBrain, Part::first, 9,
          2.31211008, 5.45703125, 474.2622},
    OpRow{kResnet, "aten::convolution_backward", "[[10,64,56,56],[10,64,56,56],[64,64,3,3]", kBrain,
          Part::first, 12, 4.62422016, 15.453125, 1164.01},
    OpRow{kResnet, "aten::convolution_backward", "[[10,512,7,7],[10,512,7,7],[512,512,3,3]", kBrain,
          Part::first, 9, 4.62422016, 10.9140625, 917.2178},
    OpRow{kResnet, "aten::native_batch_norm_backward", "[[10,64,112,112],[10,64,112,112]", kBrain,
          Part::first, 3, 0.07225344, 45.9379883, 1197.629},
    OpRow{kResnet, "aten::native_batch_norm_backward", "[[10,64,56,56],[10,64,56,56]", kBrain,
          Part::first, 12, 0.01806336, 11.4848633, 1023.863},
    OpRow{kResnet, "aten::batch_norm", "[[10,64,56,56],[64]", kBrain, Part::first, 12, 0.010035584,
          7.65698242, 679.0391},
    OpRow{kResnet, "aten::copy_", "[[128],[128]", kBrain, Part::first, 60, 1.28e-07, 0.00048828125,
          281.6997},
    OpRow{kResnet, "aten::add_", "[[],[],[]]", "[\"longint\",\"longint\"", Part::first, 60, 1e-09,
          2.28881836e-05, 274.6187},
    OpRow{kNorms, "aten::batch_norm", "[[8,16,32,32],", "", Part::all, 6, 0.000655456, 1.00036621,
          118.5552},
    OpRow{kNorms, "aten::native_layer_norm_backward",
          "[[8,16,32,32],[8,16,32,32],[],[8,1,1,1],[8,1,1,1],[16,32,32]", "", Part::all, 3,
          0.001179648, 1.75, 97.81934},
    OpRow{kNorms, "aten::instance_norm", "[[8,16,32,32],", "", Part::all, 6, 0.000655456,
          1.00036621, 85.06787},
    OpRow{kNorms, "aten::copy_", "[[8,16],[8,16]", "[\"float\",\"float\"", Part::all, 6, 1.28e-07,
          0.0009765625, 20.66455},
    OpRow{kNorms, "aten::add_", "[[16],[16]", "[\"float\",\"float\"", Part::all, 12, 1.6e-08,
          0.000183105469, 22.62012},
    OpRow{kTriton, "aten::mm", "[[32768,2048],[2048,8192]", kBrain, Part::all, 2, 1099.51163, 672,
          3749.165},
    OpRow{kTriton, "aten::mm", "[[32768,2048],[2048,2048]", kBrain, Part::all, 4, 274.877907, 264,
          2246.691},
    OpRow{kTriton, "aten::mm", "[[32768,8192],[8192,2048]", kBrain, Part::all, 1, 1099.51163, 672,
          2033.699},
    OpRow{kTriton, "aten::_scaled_dot_product_flash_attention", "[[8,16,4096,128],[8,16,4096,128]",
          kBrain, Part::all, 1, 1099.51163, 512, 3683.509},
};

}  // namespace ridgeline::test::tracelens
