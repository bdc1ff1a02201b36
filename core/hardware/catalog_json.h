#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/hardware/device_catalog.h"

namespace ridgeline {

/// Reads one file in the format of resources/hardware/README.md. A user's file may leave out ids
/// and sources. Unknown keys, figures that are not positive and patterns that do not compile are
/// errors that name the device: a misspelt key must not be a silently missing roof.
Result<std::vector<DeviceEntry>> readDeviceEntries(std::string_view text, bool userFile);

}  // namespace ridgeline
