#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hardware/device_spec.h"

namespace ridgeline {

/// Which runtime launched the device's work, if the trace shows it (cuda*, hip*, ze*/sycl* calls).
enum class VendorHint : std::uint8_t { unknown, cuda, hip, xpu };

/// What a trace says of one device (Kineto's deviceProperties); 0 or empty = not said.
struct DeviceQuery {
  std::string name;
  VendorHint vendor = VendorHint::unknown;
  std::int64_t totalMemory = 0;  ///< bytes, as the runtime reports them (below the nominal size)
  int smCount = 0;
  int computeMajor = 0;  ///< AMD puts the gfx number here: 9.0 is gfx90a, not Hopper
  int computeMinor = 0;
  int warpSize = 0;  ///< 64 is AMD CDNA, 32 NVIDIA (or AMD RDNA)
};

/// The device a query means, or why there is none.
struct DeviceMatch {
  std::optional<DeviceSpec> spec;
  std::string how;     ///< "exact name", "name pattern", "capability, SMs and memory", "user file"
                       ///< and what had to be assumed; for people
  std::string whyNot;  ///< a sentence when there is no spec
  std::string todo;    ///< what the user can do then

  /// Both, as one text; empty when there is a spec.
  [[nodiscard]] std::string missing() const { return todo.empty() ? whyNot : whyNot + ' ' + todo; }
};

/// One row of the catalogue: a spec and what identifies it. Patterns are ECMAScript, searched
/// without case.
struct DeviceEntry {
  DeviceSpec spec;
  std::vector<std::string> names;     ///< exact names, compared without case; "*" = any (user file)
  std::vector<std::string> patterns;  ///< these names suffice
  std::vector<std::string> generic;   ///< these names leave several devices possible
  bool genericOnly = false;           ///< never to be identified by its numbers alone
  std::string capability;             ///< "9.0"; empty = not to be identified by numbers alone
  std::vector<int> smCounts;          ///< any of them; empty = any number
  double minMemoryBytes = 0;          ///< reported memory, inclusive; 0 = no limit
  double maxMemoryBytes = 0;
  std::string assume;  ///< why this row may be taken if the numbers that decide are missing
};

/// Knows the peaks of devices by name or by their numbers (ANALYSIS.md section 4). Order: vendor;
/// exact name; name pattern; (compute capability, SMs, memory). There is no default: a device that
/// fits nothing gets none and a reason; one that fits several rows gets the figures they share.
class DeviceCatalog {
 public:
  /// Reads texts in the format of resources/hardware/README.md.
  static Result<DeviceCatalog> fromJson(const std::vector<std::string_view>& texts);
  /// The catalogue compiled into the program.
  static const DeviceCatalog& builtin();

  /// The same catalogue with a user's file on top: an entry applies to the devices it names, or to
  /// all of them ("*"); figures it gives win, others stay as the catalogue has them.
  [[nodiscard]] Result<DeviceCatalog> withUserFile(std::string_view text) const;

  [[nodiscard]] DeviceMatch match(const DeviceQuery& query) const;
  [[nodiscard]] const std::vector<DeviceEntry>& entries() const { return entries_; }

 private:
  std::vector<DeviceEntry> entries_;
  std::vector<DeviceEntry> userEntries_;  ///< later ones win
};

}  // namespace ridgeline
