#pragma once

#include <string>
#include <string_view>

namespace ridgeline {

/// A kernel's name taken apart, so that rules can look at the function and at what it was
/// instantiated with separately (ANALYSIS.md 2.1: words of the whole name mislead).
struct KernelName {
  std::string base;     ///< qualified function name: no return type, templates or parameters
  std::string payload;  ///< longest top-level template argument text, or "" if there is none
};

/// Demangles if needed (a name that the C++ runtime cannot read, or a cut one, is taken apart by
/// its length-prefixed identifiers), drops the return type, anonymous namespaces, the parameter
/// list and launch suffixes. Any text is accepted.
KernelName splitKernelName(std::string_view name);

/// The readable form of a mangled name, other names unchanged.
std::string demangled(std::string_view name);

}  // namespace ridgeline
