#include "core/analysis/what_if_change.h"

#include <cstdio>
#include <optional>

#include "core/analysis/what_if_names.h"
#include "core/base/decimal.h"
#include "core/base/real_number.h"

namespace ridgeline {

namespace {

using What = WhatIfChange::What;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::optional<PathCause> causeNamed(std::string_view name) {
  for (int i = 0; i < kPathCauseCount; ++i)
    if (word(static_cast<PathCause>(i)) == name) return static_cast<PathCause>(i);
  return std::nullopt;
}

Error wrong(std::string_view text, std::string what, std::string todo) {
  return Error{std::move(what), std::string(text), std::move(todo)};
}

constexpr std::string_view kForms =
    "Write class:NAME=K, op:NAME=K, kernel:NAME=K, event:ID=K, cause:NAME=K, collectives=K or "
    "launches=K; K is the factor on the time, 0 removes it";

std::string causes() {
  std::string list = "Causes are";
  for (int i = 0; i < kPathCauseCount; ++i)
    list.append(i == 0 ? " " : ", ").append(word(static_cast<PathCause>(i)));
  return list;
}

/// Those that are like a name that is none first.
std::string classes(std::string_view asked) {
  std::vector<std::string> all;
  for (int i = 0; i < kKernelClassCount; ++i) all.emplace_back(name(static_cast<KernelClass>(i)));
  std::string text;
  for (const std::string& alike : namesLike(asked, all).alike)
    text.append(text.empty() ? "Did you mean " : " or ").append(alike);
  text.append(text.empty() ? "" : "? ").append("Classes are");
  for (const std::string& one : all) text.append(&one == &all.front() ? " " : ", ").append(one);
  return text;
}

}  // namespace

Result<WhatIfChange> parseWhatIf(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos)
    return wrong(text, "a what-if has no factor", std::string(kForms));
  WhatIfChange change;
  const auto factor = parseReal(text.substr(equals + 1));
  if (!factor || *factor < 0 || *factor > WhatIfChange::kMostFactor)
    return wrong(text, "the factor of a what-if is a number from 0 to 1000", std::string(kForms));
  change.factor = *factor;
  const std::string_view thing = text.substr(0, equals);
  const std::size_t colon = thing.find(':');
  const std::string_view kind = thing.substr(0, colon);
  const std::string_view name =
      colon == std::string_view::npos ? std::string_view() : thing.substr(colon + 1);
  if (kind == "collectives" && colon == std::string_view::npos) {
    change.what = What::collectives;
  } else if (kind == "launches" && colon == std::string_view::npos) {
    change.what = What::launches;
  } else if (name.empty()) {
    return wrong(text, "a what-if names nothing that could change", std::string(kForms));
  } else if (kind == "class") {
    const auto found = kernelClassNamed(name);
    if (!found) return wrong(text, "there is no such class of kernels", classes(name));
    change.what = What::kernelClass;
    change.kernelClass = *found;
  } else if (kind == "cause") {
    const auto found = causeNamed(name);
    if (!found) return wrong(text, "there is no such cause", causes());
    change.what = What::cause;
    change.cause = *found;
  } else if (kind == "event") {
    const auto id = parseUnsigned(name);
    if (!id || *id >= SliceId::kNone)
      return wrong(text, "an event is named by its number", std::string(kForms));
    change.what = What::event;
    change.event = SliceId(*id);
  } else if (kind == "op" || kind == "kernel") {
    change.what = kind == "op" ? What::op : What::kernel;
    change.name = name;
  } else {
    return wrong(text, "a what-if of a kind that does not exist", std::string(kForms));
  }
  return change;
}

std::string textOf(const WhatIfChange& change) {
  const std::string factor = "=" + number(change.factor);
  switch (change.what) {
    case What::kernelClass:
      return "class:" + std::string(name(change.kernelClass)) + factor;
    case What::op:
      return "op:" + change.name + factor;
    case What::kernel:
      return "kernel:" + change.name + factor;
    case What::event:
      return "event:" + std::to_string(change.event.value) + factor;
    case What::cause:
      return "cause:" + std::string(word(change.cause)) + factor;
    case What::collectives:
      return "collectives" + factor;
    case What::launches:
      break;
  }
  return "launches" + factor;
}

std::string titleOf(const WhatIfChange& change) {
  std::string thing;
  switch (change.what) {
    case What::kernelClass:
      thing = std::string(name(change.kernelClass)) + " kernels";
      break;
    case What::op:
      thing = "kernels of " + change.name;
      break;
    case What::kernel:
      thing = change.name;
      break;
    case What::event:
      thing = "event " + std::to_string(change.event.value);
      break;
    case What::cause:
      thing = std::string(title(change.cause));
      break;
    case What::collectives:
      thing = "collectives";
      break;
    case What::launches:
      thing = "launches";
      break;
  }
  if (change.factor == 0)
    return change.what == What::collectives ? thing + " free" : "without " + thing;
  if (change.factor == 1) return thing + " as they are";
  if (change.factor < 1) return thing + " " + number(1 / change.factor) + "× faster";
  return thing + " " + number(change.factor) + "× as long";
}

}  // namespace ridgeline
