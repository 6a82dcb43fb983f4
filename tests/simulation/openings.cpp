#include "openings.hpp"

namespace callboard::simulation {
namespace {

std::unordered_map<std::string, applicant_id> emails(persistence::reader& from, std::vector<std::string> wanted) {
  std::unordered_map<std::string, applicant_id> out;
  from.query("select email, id from applicants where email = any($1::text[])", {std::move(wanted)},
             [&](const persistence::result_row& r) { out.emplace(r.text(0), applicant_id{r.integer(1)}); });
  return out;
}

class people final : public extra_actors {
public:
  people(node_parts& of, int& questions)
      : known_{of.readers, emails}, directory{of.system.spawn<actors::directory>(of.env, known_, of.ids)} {
    of.env.find_or_create_person = [this, &questions](std::string name, std::string email, new_applicant lost,
                                                      actors::environment::person_sink sink) {
      ++questions;
      if (!directory)
        return;  // the process is dying
      caf::anon_send(directory, std::make_shared<actors::directory::question>(actors::directory::question{
                                    std::move(name), std::move(email), std::move(lost), std::move(sink)}));
    };
  }
  void stop() override {
    caf::anon_send_exit(directory, caf::exit_reason::kill);
    directory = nullptr;
  }

private:
  actors::known_emails known_;

public:
  caf::actor directory;
};

node_setup openings_and_people(int& questions) {
  return {hosting<opening::kind>(), {"openings", "applicants"}, [&questions](node_parts& of) {
            return std::make_unique<people>(of, questions);
          }};
}

}  // namespace

opening_world::opening_world(unsigned seed)
    : world{persistence::make_store("sqlite::memory:"), seed, openings_and_people(questions)} {}

caf::actor opening_world::directory() const { return static_cast<people&>(*node->extra).directory; }

std::shared_ptr<opening_probe> opening_world::send_create(opening::create c, std::string key) {
  auto p = std::make_shared<opening_probe>();
  address(*p, {opening::kind::name, std::to_string(node->ids.next("openings", node->writer).value())}, {});
  p->command = std::move(c);
  p->creates = true;
  if (!key.empty())  // a create has no entity yet: its key is one of the whole kind
    p->key = the_key(key);
  dispatch(p);
  return p;
}

std::string opening_world::create(opening::create c, std::string key) {
  const auto p = send_create(std::move(c), std::move(key));
  settle();
  return p->target.key;
}

std::shared_ptr<opening_probe> opening_world::send_public(const std::string& job, std::string email, std::string key) {
  auto p = std::make_shared<opening_probe>();
  address(*p, {opening::kind::name, job}, std::move(key));
  opening::apply command;
  command.in_public = {"Somebody", std::move(email)};
  p->command = std::move(command);
  node->env.send(p);
  return p;
}

std::shared_ptr<registration_probe> opening_world::send_registration(std::string name, std::string email,
                                                                     std::string key) {
  auto p = std::make_shared<registration_probe>();
  address(*p, {"people", {}}, std::move(key));
  p->command = {std::move(name), std::move(email)};
  p->accept(steady());
  caf::anon_send(directory(), std::shared_ptr<actors::registration>{p});
  return p;
}

}  // namespace callboard::simulation
