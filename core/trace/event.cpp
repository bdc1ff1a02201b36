#include "core/trace/event.h"

#include <array>

namespace ridgeline {

Category categoryOf(std::string_view cat) {
  struct Entry {
    std::string_view text;
    Category category;
  };
  // The capitalised spellings are those of Kineto before mid-2022.
  static constexpr std::array kEntries = {
      Entry{"cpu_op", Category::cpuOp},
      Entry{"Operator", Category::cpuOp},
      Entry{"kernel", Category::kernel},
      Entry{"Kernel", Category::kernel},
      Entry{"cuda_runtime", Category::runtime},
      Entry{"Runtime", Category::runtime},
      Entry{"cuda_driver", Category::runtime},
      Entry{"hip_runtime", Category::runtime},
      Entry{"hsa_runtime", Category::runtime},
      Entry{"rocdecode_api", Category::runtime},
      Entry{"rocjpeg_api", Category::runtime},
      Entry{"rccl_api", Category::cpuOp},  // holds the calls that launch the collective
      Entry{"xpu_runtime", Category::runtime},
      Entry{"xpu_driver", Category::runtime},
      Entry{"mtia_runtime", Category::runtime},
      Entry{"privateuse1_runtime", Category::runtime},
      Entry{"privateuse1_driver", Category::runtime},
      Entry{"hpu_op", Category::runtime},  // "HPU host side runtime event"
      Entry{"glow_runtime", Category::runtime},
      Entry{"python_function", Category::pythonFunction},
      Entry{"gpu_memcpy", Category::memcpy},
      Entry{"Memcpy", Category::memcpy},
      Entry{"gpu_memset", Category::memset},
      Entry{"Memset", Category::memset},
      Entry{"user_annotation", Category::userAnnotation},
      Entry{"gpu_user_annotation", Category::deviceAnnotation},
      Entry{"mtia_ccp_events", Category::kernel},
      Entry{"cuda_sync", Category::sync},
      Entry{"xpu_sync", Category::sync},
      Entry{"cuda_event", Category::sync},
      Entry{"overhead", Category::overhead},
      Entry{"Trace", Category::profilerSpan},
  };
  for (const Entry& entry : kEntries)
    if (entry.text == cat) return entry.category;
  return Category::other;
}

}  // namespace ridgeline
