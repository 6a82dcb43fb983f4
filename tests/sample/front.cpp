#include "tests/sample/front.hpp"

#include "tests/sample/load.hpp"

namespace callboard::sample {

void front::admit(std::shared_ptr<actors::request_to<kind>> r) {
  if (r->lookups == 0 || !std::holds_alternative<claim_name>(r->command))
    return env_.forward(std::move(r));
  if (settings_.lookups)
    ++*settings_.lookups;
  env_.lookups->submit([&env = env_, r](persistence::reader& from) {
    auto& claim = std::get<claim_name>(r->command);
    try {
      claim.taken_by = owner_of(from, claim.text);
    } catch (const persistence::store_error&) {
      return r->fail(code::not_applied);
    }
    env.forward(r);
  });
}

}  // namespace callboard::sample
