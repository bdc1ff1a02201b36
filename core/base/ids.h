#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace ridgeline {

/// A dense index 0…n-1 into one table of one Trace; meaningless in another Trace.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  constexpr auto operator<=>(const Id&) const = default;
};

using StringId = Id<struct StringTag>;
using SliceId = Id<struct SliceTag>;
using InstantId = Id<struct InstantTag>;
using TrackId = Id<struct TrackTag>;
using RowId = Id<struct RowTag>;
using ProcessId = Id<struct ProcessTag>;
using DeviceId = Id<struct DeviceTag>;
using ShapeId = Id<struct ShapeTag>;
using CollectiveId = Id<struct CollectiveTag>;
using XlaId = Id<struct XlaTag>;
using StepId = Id<struct StepTag>;
using LinkId = Id<struct LinkTag>;

}  // namespace ridgeline

template <class Tag>
struct std::hash<ridgeline::Id<Tag>> {
  std::size_t operator()(ridgeline::Id<Tag> id) const noexcept { return id.value; }
};
