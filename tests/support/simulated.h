#pragma once

#include <string>
#include <vector>
#include <zlib.h>

#include <QtGlobal>

#include "core/simulator/simulator.h"

namespace ridgeline::test {

/// The text of a file, plain or gzip.
inline std::string readAll(const std::string& path) {
  // gzread passes plain files through.
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (int n = 0; file && (n = gzread(file, buffer.data(), 1 << 16)) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  if (file) gzclose(file);
  return text;
}

/// A simulated job; aborts the test when there is no such scenario.
inline Simulation simulated(const std::string& scenario, std::uint64_t seed, int ranks = 1,
                            std::uint64_t events = 0, int steps = 3) {
  SimulationOptions options;
  options.scenario = scenario;
  options.seed = seed;
  options.ranks = ranks;
  options.events = events;
  options.steps = steps;
  Result<Simulation> result = simulate(options);
  if (!result.ok()) qFatal("%s", result.error().text().c_str());
  return std::move(result).value();
}

}  // namespace ridgeline::test
