// Notes and recipes: any text is read or refused with a sentence, and what was read is written
// and read again as the same.

#include "core/documents/notes.h"
#include "core/documents/picture_recipe.h"
#include "tests/fuzz/fuzz_support.h"

using namespace ridgeline;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text(data, size));
  const auto notes = notesFromJson(text, "notes.json");
  if (notes.ok()) {
    const auto again = notesFromJson(notesToJson(notes.value()), "again");
    fuzz::require(again.ok(), "written notes can be read");
    fuzz::require(again.value() == notes.value(), "and are the same");
  } else {
    fuzz::require(!notes.error().what.empty(), "an error says what is wrong");
  }
  const auto recipe = pictureRecipeFromJson(text, "/folder", "recipe.json");
  if (recipe.ok()) {
    const std::string once = pictureRecipeToJson(recipe.value());
    const auto again = pictureRecipeFromJson(once, "/folder", "again");
    fuzz::require(again.ok(), "a written recipe can be read");
    fuzz::require(pictureRecipeToJson(again.value()) == once, "and is the same");
  } else {
    fuzz::require(!recipe.error().what.empty(), "an error says what is wrong");
  }
  return 0;
}
