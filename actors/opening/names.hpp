#pragma once

#include "messages/opening.hpp"
#include "persistence/store.hpp"

/// Actors hold no names and no e-mails: what they answered is filled in from rows outside of them. Only what never
/// changes is filled in, and every row is committed when the answer arrives.
namespace callboard::opening {

void fill_names(persistence::reader& from, pipeline& p);
void fill_names(persistence::reader& from, queue& q);

}  // namespace callboard::opening
