#pragma once

#include "persistence/store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace callboard::simulation {

/// A store whose faults stay until the test clears them.
class store_faults final : public persistence::store {
public:
  /// Replaces a commit; nullopt commits on the store behind.
  using influence =
      std::function<std::optional<persistence::commit_outcome>(const persistence::batch&, persistence::store&)>;

  explicit store_faults(std::unique_ptr<persistence::store> behind) : behind_{std::move(behind)} {}

  influence on_commit;
  bool unreachable = false;  ///< nothing can be read, written or connected

  void stays(persistence::commit_status how) {
    on_commit = [how](const persistence::batch&, persistence::store&) { return outcome(how); };
  }
  void clears() {
    on_commit = nullptr;
    unreachable = false;
  }
  static persistence::commit_outcome outcome(persistence::commit_status how) {
    return {.how = how, .why = "injected fault"};
  }

  persistence::store& behind() { return *behind_; }

  std::int64_t open(std::string_view node) override { return behind_->open(node); }
  persistence::commit_outcome commit(const persistence::batch& b) override {
    if (unreachable)
      return outcome(persistence::commit_status::down);
    if (on_commit)
      if (auto o = on_commit(b, *behind_))
        return *o;
    return behind_->commit(b);
  }
  void write(std::string_view sql, std::span<const persistence::sql_param> params,
             const persistence::reader::row_sink& sink) override {
    check();
    behind_->write(sql, params, sink);
  }
  std::int64_t reconnect() override {
    check();
    return behind_->reconnect();
  }
  std::unique_ptr<persistence::reader> open_reader() override {
    return std::make_unique<reader>(*this, behind_->open_reader());
  }
  instant now(persistence::reader& on) override { return behind_->now(on); }
  std::string_view name() const override { return behind_->name(); }
  std::string_view durability() const override { return behind_->durability(); }

private:
  class reader final : public persistence::reader {
  public:
    reader(store_faults& of, std::unique_ptr<persistence::reader> inner) : of_{of}, inner_{std::move(inner)} {}
    void query(std::string_view sql, std::span<const persistence::sql_param> params, const row_sink& sink) override {
      of_.check();
      inner_->query(sql, params, sink);
    }

  private:
    store_faults& of_;
    std::unique_ptr<persistence::reader> inner_;
  };

  void check() const {
    if (unreachable)
      throw persistence::store_error("injected fault");
  }

  std::unique_ptr<persistence::store> behind_;
};

}  // namespace callboard::simulation
