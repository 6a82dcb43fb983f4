#include "actors/opening/front.hpp"

namespace callboard::opening {

void front::admit(std::shared_ptr<actors::request_to<kind>> r) {
  const auto* c = std::get_if<apply>(&r->command);
  if (!c)
    return env_.forward(std::move(r));
  auto& env = env_;
  if (!c->in_public)
    return env.find_applicant(c->applicant, [&env, r](std::variant<std::optional<applicant>, code> found) {
      if (const auto* why = std::get_if<code>(&found))
        return r->fail(*why);
      std::get<apply>(r->command).known = std::get<0>(found).has_value();
      env.forward(r);
    });
  // A row that the command has already lost its e-mail to somebody else's id.
  env.find_or_create_person(c->in_public->name, c->in_public->email, c->person,
                            [&env, r](std::variant<actors::person, code> found) {
                              if (const auto* why = std::get_if<code>(&found))
                                return r->fail(*why);
                              auto& who = std::get<actors::person>(found);
                              auto& applying = std::get<apply>(r->command);
                              applying.applicant = who.id;
                              applying.person = std::move(who.row);
                              env.forward(r);
                            });
}

}  // namespace callboard::opening
