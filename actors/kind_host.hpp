#pragma once

#include "actors/environment.hpp"
#include "actors/kind.hpp"
#include "actors/request.hpp"

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace callboard::actors {

/// Everything the machinery must know of a kind to run its entities.
class kind_host {
public:
  virtual ~kind_host() = default;
  virtual std::string_view name() const = 0;
  virtual caf::actor spawn(std::string key, caf::actor supervisor, std::shared_ptr<resident_metrics> metrics) = 0;
  /// Takes a request on the owner's node: looks up what its decision needs and forwards it.
  virtual void admit(request_ptr r) = 0;
  /// A request with this command, which must be of this kind.
  virtual request_ptr make_request(std::string key, const std::any& command,
                                   std::function<void(std::variant<std::any, refusal>)> done) = 0;
  /// What the store's rows ask for; `ended` is called once for each request when it is over.
  virtual std::vector<request_ptr> maintenance(persistence::reader& from, instant now,
                                               std::function<void(bool accepted)> ended) = 0;
  /// The kind's front, of the type that `front_of` names; null without one.
  virtual void* front() { return nullptr; }
};

using kind_hosts = std::map<std::string_view, std::unique_ptr<kind_host>>;

/// Defined by actors/host.hpp, instantiated once per kind in actors/<kind>/actor.cpp.
template <class Kind>
std::unique_ptr<kind_host> make_host(environment& env, const settings_of<Kind>& settings);

}  // namespace callboard::actors
