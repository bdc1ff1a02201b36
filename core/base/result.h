#pragma once

#include <string>
#include <utility>
#include <variant>

namespace ridgeline {

/// What went wrong, in words for the person in front of the program.
struct Error {
  std::string what;   ///< "expected ',' or ']' after an event, found 'x'"
  std::string where;  ///< file and place: "worker0.json, byte 123,456"
  std::string todo;   ///< what to do next: "record the trace again, or …"; may be empty

  /// One line: "where: what. todo".
  [[nodiscard]] std::string text() const;
};

/// The third outcome beside a value and an error: somebody asked to stop.
struct Cancelled {};

/// A value, an error, or "cancelled"; never to be ignored, no exceptions involved.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit
  Result(Cancelled) : state_(std::in_place_index<2>) {}                      // NOLINT: implicit

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] bool failed() const { return state_.index() == 1; }
  [[nodiscard]] bool cancelled() const { return state_.index() == 2; }

  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error, Cancelled> state_;
};

/// A Result without a value: `return Done{};`
using Done = std::monostate;
using Status = Result<Done>;

}  // namespace ridgeline
