#include "core/io/event_fields.h"

#include <array>

#include "core/base/text_bits.h"

namespace ridgeline {

namespace {

constexpr ArgField number(std::string_view key, std::int64_t EventArgs::*member) {
  return {key, ArgField::Kind::number, member, nullptr, nullptr};
}
constexpr ArgField text(std::string_view key, std::string_view EventArgs::*member,
                        ArgField::Kind kind = ArgField::Kind::text) {
  return {key, kind, nullptr, member, nullptr};
}
constexpr ArgField real(std::string_view key, double EventArgs::*member) {
  return {key, ArgField::Kind::real, nullptr, nullptr, member};
}

constexpr std::array kFields = {
    number("correlation", &EventArgs::correlation),
    number("correlation_id", &EventArgs::correlation),
    number("model_flops", &EventArgs::modelFlops),
    number("flops", &EventArgs::modelFlops),
    number("bytes_accessed", &EventArgs::bytesAccessed),
    number("raw_bytes_accessed", &EventArgs::bytesAccessed),
    number("step_num", &EventArgs::stepNumber),
    number("External id", &EventArgs::externalId),
    number("external id", &EventArgs::externalId),
    number("device", &EventArgs::device),
    number("Device Id", &EventArgs::device),
    number("stream", &EventArgs::stream),
    number("bytes", &EventArgs::bytes),
    number("Bytes", &EventArgs::bytes),
    number("Sequence number", &EventArgs::sequence),
    number("Fwd thread id", &EventArgs::forwardThread),
    number("graph id", &EventArgs::graphId),
    number("graph node id", &EventArgs::graphNode),
    number("wait_on_stream", &EventArgs::waitOnStream),
    number("wait_on_cuda_event_record_corr_id", &EventArgs::waitOnRecordCorrelation),
    number("rank", &EventArgs::rank),
    number("sort_index", &EventArgs::sortIndex),
    number("Addr", &EventArgs::address),
    number("Total Allocated", &EventArgs::totalAllocated),
    number("Total Reserved", &EventArgs::totalReserved),
    number("Device Type", &EventArgs::deviceType),
    number("In msg nelems", &EventArgs::inElements),
    number("Out msg nelems", &EventArgs::outElements),
    number("Group size", &EventArgs::groupSize),
    real("blocks per SM", &EventArgs::blocksPerSm),
    real("est. achieved occupancy %", &EventArgs::occupancyPercent),
    number("Seq", &EventArgs::collectiveSequence),
    text("Input Dims", &EventArgs::inputDims, ArgField::Kind::rawJson),
    text("Input dims", &EventArgs::inputDims, ArgField::Kind::rawJson),
    text("Input type", &EventArgs::inputTypes, ArgField::Kind::rawJson),
    text("Concrete Inputs", &EventArgs::concreteInputs, ArgField::Kind::rawJson),
    text("Input Strides", &EventArgs::inputStrides, ArgField::Kind::rawJson),
    text("Collective name", &EventArgs::collectiveName),
    text("dtype", &EventArgs::collectiveDtype),
    text("Process Group Name", &EventArgs::processGroup),
    text("Process Group Description", &EventArgs::processGroupDescription),
    text("Process Group Ranks", &EventArgs::processGroupRanks),
    text("name", &EventArgs::metadataName),
    text("labels", &EventArgs::metadataName),
    text("hlo_category", &EventArgs::hloCategory),
    text("hlo_op", &EventArgs::hloOp),
    text("hlo_module", &EventArgs::hloModule),
    text("shape_with_layout", &EventArgs::hloShape),
    text("tf_op", &EventArgs::frameworkOp),
};
static_assert(kFields.size() < 64);

constexpr std::size_t kSlots = 512;

constexpr std::size_t slotOf(std::string_view key) {
  const auto c = [key](std::size_t i) { return static_cast<std::size_t>(key[i]) & 0xFF; };
  return (key.size() * 37 + c(0) * 5 + c(key.size() - 1) * 11 + c(key.size() / 2) * 67) % kSlots;
}

/// Open addressing by length and three characters, made at compile time.
constexpr std::array<std::uint8_t, kSlots> makeSlots() {
  std::array<std::uint8_t, kSlots> slots{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    std::size_t slot = slotOf(kFields[i].key);
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i + 1);
  }
  return slots;
}
constexpr auto kTable = makeSlots();

}  // namespace

const ArgField* argFieldOf(std::string_view key) {
  if (key.empty()) return nullptr;
  for (std::size_t slot = slotOf(key); kTable[slot] != 0; slot = (slot + 1) % kSlots) {
    const ArgField& field = kFields[kTable[slot] - 1u];
    if (sameText(field.key, key)) return &field;
  }
  return nullptr;
}

const ArgField& argFieldAt(std::size_t index) {
  return kFields[index];
}

std::size_t argFieldIndex(const ArgField* field) {
  return static_cast<std::size_t>(field - kFields.data());
}

}  // namespace ridgeline
