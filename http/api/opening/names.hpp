#pragma once

#include "actors/opening/shown_event.hpp"
#include "messages/opening.hpp"
#include "persistence/store.hpp"

#include <string>
#include <vector>

/// Actors hold no names and no e-mails: what they answered is filled in from rows here, outside of them. Only what
/// never changes is filled in, and every row is committed when the answer arrives.
namespace callboard::http {

void fill_names(persistence::reader& from, opening::pipeline& p);
void fill_names(persistence::reader& from, opening::queue& q);

/// Job with its lists, and whether they were cut off; members without braces.
void write_pipeline_members(std::string& out, const opening::pipeline& p);
std::string to_text(const opening::pipeline& p);
std::string to_text(const opening::queue& q);

}  // namespace callboard::http
