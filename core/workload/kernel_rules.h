#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/workload/kernel_class.h"
#include "core/workload/name_pattern.h"

namespace ridgeline {

/// A word with the patterns that mean it; the first in a list that matches wins.
struct NamedPatterns {
  std::string name;
  std::vector<NamePattern> patterns;
};

/// One rule about names.
struct NameRule {
  std::string id;
  KernelClass kernelClass = KernelClass::unknown;
  std::string subclass;
  std::string category;  ///< word of the reference list
  bool onRawName = false;
  bool asksPayload = false;  ///< a generic launcher: the payload rules decide, this is the rest
  MatrixUnit matrixUnit = MatrixUnit::unknown;
  std::vector<std::string> eventCategories;  ///< lower case
  std::vector<NamePattern> patterns;
  std::vector<NamePattern> exceptions;
  std::vector<NamedPatterns> subclasses;  ///< of base and payload together
};

/// One rule about the operator around a launch.
struct ParentRule {
  std::string id;
  std::vector<KernelClass> from;  ///< classes by name that it may change
  std::vector<NamePattern> operators;
  KernelClass kernelClass = KernelClass::unknown;
  std::string subclass;
  std::string category;
  bool takesCollectiveKind = false;  ///< the class stays; the operator names the collective
};

/// The content of resources/rules/kernel_classes.json.
struct KernelRules {
  std::vector<NameRule> rules;
  std::vector<NameRule> payloadRules;
  std::vector<ParentRule> parentRules;
  std::vector<NamedPatterns> collectiveKinds;
  std::vector<NamePattern> onMatrixUnit;
  std::vector<NamePattern> notOnMatrixUnit;
  std::vector<MatrixUnit> classMatrixUnit;  ///< by class, where the name does not say
};

/// Reads the file format of resources/rules/README.md; an error names the rule.
Result<KernelRules> readKernelRules(std::string_view text);

}  // namespace ridgeline
