#pragma once

#include "core/documents/json_fields.h"
#include "core/documents/notes.h"

namespace ridgeline::documents {

[[nodiscard]] Json noteToJson(const Note& note);
/// `what` says which note it is, for the error: "note 3".
[[nodiscard]] Result<Note> noteFromJson(const Json& json, const std::string& what,
                                        const std::string& where);

}  // namespace ridgeline::documents
