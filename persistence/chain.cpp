#include "persistence/chain.hpp"

#include "base/digest.hpp"

namespace callboard::persistence {

std::string chain_hash(std::string_view previous, std::string_view kind, std::string_view key, std::int64_t seq,
                       std::string_view type, instant at, const std::optional<std::string>& subject, const origin& by,
                       std::string_view data) {
  digest d;
  d.add(previous).add(kind).add(key).add(seq).add(type).add(to_ms(at));
  // A missing subject and an empty one must not hash alike.
  d.add(std::int64_t{subject.has_value()}).add(subject ? std::string_view{*subject} : std::string_view{});
  d.add(by.actor_type).add(by.actor_id).add(by.reason).add(by.trace).add(by.request).add(data);
  return d.take();
}

}  // namespace callboard::persistence
