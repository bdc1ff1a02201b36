#include <iostream>

#include "core/io/load_trace.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto loaded = ridgeline::loadTrace(argv[i]);
    if (loaded.failed()) {
      std::cerr << loaded.error().text() << '\n';
      continue;
    }
    for (const auto& one : loaded.value()) {
      const auto& log = one.trace->importLog();
      std::cout << argv[i] << ": read " << log.read << " slices " << log.slices << " table "
                << one.trace->slices().size() << " links " << log.links << " made "
                << one.trace->links().size() << " balanced " << log.balanced() << '\n';
      for (const auto& [key, p] : log.problems)
        std::cout << "   " << key << " " << p.count << " " << p.sentence << '\n';
    }
  }
  return 0;
}
