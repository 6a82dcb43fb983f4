#include "actors/verify.hpp"

#include "actors/kinds.hpp"
#include "persistence/verify.hpp"

namespace callboard::actors {
namespace {

void print(std::ostream& out, const persistence::difference& d) {
  out << d.kind;
  if (!d.key.empty())
    out << ' ' << d.key;
  if (d.seq > 0)
    out << " at seq " << d.seq;
  out << ": " << d.where << ' ' << d.what << '\n';
}

}  // namespace

int verify_all(persistence::store& store, std::ostream& out) {
  const auto from = store.open_reader();
  const persistence::difference_sink sink = [&](const persistence::difference& d) { print(out, d); };
  std::int64_t differences = 0;
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    const auto found = persistence::verify<Kind>(*from, sink);
    differences += found.differences;
    out << Kind::name << ": " << found.entities << " entities, " << found.events << " events, " << found.differences
        << " differences";
    if (found.moving > 0)
      out << ", " << found.moving << " changed too fast to be compared";
    out << '\n';
  });
  return differences == 0 ? 0 : 1;
}

}  // namespace callboard::actors
