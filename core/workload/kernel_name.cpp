#include "core/workload/kernel_name.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <vector>

namespace ridgeline {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void eraseAll(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.erase(at, what.size());
  }
}

void replaceAll(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

std::string runtimeDemangled(std::string mangled) {
  // Runtimes before GCC 13 do not know bfloat16. Any other builtin type keeps the numbering of
  // substitutions; which one does not matter for a class.
  replaceAll(mangled, "DF16b", "Dh");
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

// Reads "24add_rmsnorm_quant_kernel" at `at` and moves behind it; empty if there is none (then
// `at` stays). A cut name gives what is left of its last identifier.
std::string_view identifierAt(std::string_view text, std::size_t& at) {
  std::size_t digits = at;
  std::size_t length = 0;
  while (digits < text.size() && isDigit(text[digits]) && length < 10'000) {
    length = length * 10 + static_cast<std::size_t>(text[digits] - '0');
    ++digits;
  }
  if (digits == at || digits >= text.size() || length == 0 || !isNameStart(text[digits])) return {};
  const std::string_view found = text.substr(digits, length);
  at = digits + found.size();
  return found;
}

// What can be read of a mangled name without a full demangler: the identifiers before the first
// template argument list make the base, those in it the payload.
KernelName splitMangled(std::string_view mangled) {
  KernelName name;
  std::size_t at = mangled.starts_with("_ZTS") ? 4 : 2;
  bool inArguments = false;
  while (at < mangled.size()) {
    const char c = mangled[at];
    if (isDigit(c)) {
      const std::string_view identifier = identifierAt(mangled, at);
      if (identifier.empty()) {
        ++at;
        continue;
      }
      if (identifier.starts_with("_GLOBAL__N_")) continue;
      std::string& part = inArguments ? name.payload : name.base;
      if (!part.empty()) part += inArguments ? ", " : "::";
      part += identifier;
      // A function outside of any namespace ends here; what follows are its parameters.
      if (!inArguments && mangled.size() > 2 && mangled[2] != 'N' && at < mangled.size() &&
          mangled[at] != 'I') {
        return name;
      }
    } else if (c == 'I' && !name.base.empty()) {
      inArguments = true;
      ++at;
    } else if (c == 'E' && !inArguments && !name.base.empty()) {
      return name;  // the parameters of a function without templates
    } else if (c == 'L' && at + 1 < mangled.size() && mangled[at + 1] >= 'a' &&
               mangled[at + 1] <= 'z') {  // a literal such as Li256E
      const std::size_t end = mangled.find('E', at);
      at = end == std::string_view::npos ? mangled.size() : end + 1;
    } else if (c == 'S' || c == 'T') {  // a substitution such as S7_ or T0_
      ++at;
      while (at < mangled.size() && (isDigit(mangled[at]) || mangled[at] == '_')) {
        if (mangled[at++] == '_') break;
      }
    } else {
      ++at;
    }
  }
  return name;
}

// Walks over one character of a C++ name and keeps track of brackets. "<" and ">" that are not
// brackets (->, a comparison inside parentheses) do not confuse it.
class Brackets {
 public:
  // Returns false when `c` cannot open or close anything here.
  void take(char c, char before) {
    if (c == '(' || c == '[' || c == '{' || c == '<') {
      open_.push_back(c);
    } else if (c == ')' || c == ']' || c == '}') {
      const char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
      while (!open_.empty() && open_.back() != opener) open_.pop_back();
      if (!open_.empty()) open_.pop_back();
    } else if (c == '>' && before != '-' && !open_.empty() && open_.back() == '<') {
      open_.pop_back();
    }
  }
  [[nodiscard]] bool outside() const { return open_.empty(); }

 private:
  std::vector<char> open_;
};

bool endsInOperator(std::string_view text) {
  return text.ends_with("operator");
}

// The qualified name of a readable C++ signature and its template arguments.
KernelName splitReadable(std::string_view text) {
  KernelName name;
  Brackets brackets;
  std::size_t argumentsFrom = 0;
  char opener = ' ';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool wasOutside = brackets.outside();
    if (wasOutside && c == '(' && endsInOperator(name.base) && text.substr(at, 2) == "()") {
      name.base += "()";
      ++at;
      continue;
    }
    if (wasOutside && c == '(' && !name.base.empty()) break;  // the parameter list
    if (wasOutside && c == ' ') {
      // Return type and name are separated by a blank: the name is what comes last.
      name = KernelName();
      continue;
    }
    brackets.take(c, at > 0 ? text[at - 1] : ' ');
    if (wasOutside && !brackets.outside()) {
      argumentsFrom = at + 1;
      opener = c;
    } else if (!wasOutside && brackets.outside()) {
      const std::string_view inner = text.substr(argumentsFrom, at - argumentsFrom);
      if (opener == '<' && inner.size() > name.payload.size()) name.payload = inner;
    } else if (wasOutside) {
      name.base += c;
    }
  }
  if (!brackets.outside() && opener == '<') {  // a cut name
    const std::string_view inner = text.substr(argumentsFrom);
    if (inner.size() > name.payload.size()) name.payload = inner;
  }
  return name;
}

// "gemm_kernel [SIMD32 {8;1;1}]", "foo.kd", "foo [clone .kd]"
std::string_view withoutSuffix(std::string_view text) {
  for (const std::string_view suffix : {" [", "[SIMD"}) {
    const std::size_t at = text.find(suffix);
    if (at != std::string_view::npos && at > 0) text = text.substr(0, at);
  }
  if (text.ends_with(".kd")) text.remove_suffix(3);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

std::string demangled(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  const std::string text = runtimeDemangled(std::string(withoutSuffix(name)));
  if (!text.empty()) return text;
  const KernelName parts = splitMangled(name);
  return parts.payload.empty() ? parts.base : parts.base + "<" + parts.payload + ">";
}

KernelName splitKernelName(std::string_view raw) {
  const std::string_view trimmed = withoutSuffix(raw);
  std::string text(trimmed);
  if (trimmed.starts_with("_Z")) {
    text = runtimeDemangled(text);
    if (text.empty()) return splitMangled(trimmed);
  }
  if (text.starts_with("typeinfo name for ")) text.erase(0, 18);
  eraseAll(text, "(anonymous namespace)::");
  eraseAll(text, "(anonymous namespace)");
  // The word for a closure must not be read as the optimizer LAMB.
  replaceAll(text, "{lambda", "{closure");
  replaceAll(text, "operator ", "operator_");
  const bool looksLikeCode = text.find_first_of("<(:") != std::string::npos;
  if (!looksLikeCode) return KernelName{text, {}};
  KernelName name = splitReadable(text);
  if (name.base.empty()) name.base = text;
  return name;
}

}  // namespace ridgeline
