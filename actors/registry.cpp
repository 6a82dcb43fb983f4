#include "actors/registry.hpp"

#include "actors/effect.hpp"
#include "actors/kinds.hpp"
#include "persistence/history.hpp"

#include <array>

namespace callboard::actors {
namespace {

template <class Kind>
class past_of_kind final : public past {
public:
  past_of_kind(std::string key, std::optional<instant> until) : fold_{std::move(key), until} {}
  bool step(persistence::reader& from) override {
    return fold_.step(from, [](const auto&, const auto&, const auto&) {});
  }
  std::string state_text(persistence::reader& from, instant at) override {
    return Kind::state_text(from, fold_.state, at, fold_.seq);
  }
  std::int64_t seq() const override { return fold_.seq; }
  std::vector<std::string> unanswered() const override {
    std::vector<std::string> ids;
    if constexpr (has_outbox<Kind>)
      for (auto& e : Kind::outbox(fold_.state))
        ids.push_back(std::move(e.id));
    return ids;
  }

private:
  persistence::folding<Kind> fold_;
};

}  // namespace

std::span<const std::string_view> kind_names() {
  static constexpr auto names = []<class... Kinds>(std::type_identity<std::tuple<Kinds...>>) {
    return std::array{std::string_view{Kinds::name}...};
  }(std::type_identity<all_kinds>{});
  return names;
}

std::unique_ptr<past> past_of(std::string_view kind, std::string key, std::optional<instant> until) {
  std::unique_ptr<past> out;
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (Kind::name == kind)
      out = std::make_unique<past_of_kind<Kind>>(key, until);
  });
  return out;
}

}  // namespace callboard::actors
