#include "tests/faults/faulty_store.hpp"

namespace callboard::persistence {

class faulty_reader final : public reader {
public:
  faulty_reader(faulty_store& of, std::unique_ptr<reader> inner) : of_{of}, inner_{std::move(inner)} {}

  void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) override {
    if (of_.takes(of_.failing_reads_))
      throw store_error("a read that fails by the script");
    inner_->query(sql, params, sink);
  }
  reader& inner() { return *inner_; }

private:
  faulty_store& of_;
  std::unique_ptr<reader> inner_;
};

/// A copy of a batch with everything that it points to; outlives the appends it was built from.
class faulty_store::late_batch {
public:
  explicit late_batch(const batch& b) : copy_{b} {
    for (auto& h : copy_.heads) {
      h.entity = keep(entities_, *h.entity);
      h.hash = keep(texts_, *h.hash);
    }
    for (auto& l : copy_.lines) {
      l.entity = keep(entities_, *l.entity);
      l.type = *keep(texts_, std::string{l.type});
      if (l.subject != nullptr)
        l.subject = keep(subjects_, *l.subject);
      l.by = keep(origins_, *l.by);
      l.data = keep(texts_, *l.data);
      l.hash = keep(texts_, *l.hash);
    }
    for (auto& t : copy_.tables) {
      for (auto& r : t.upserts)
        r = keep(rows_, *r);
      for (auto& r : t.erasures)
        r = keep(rows_, *r);
    }
  }
  const batch& get() const { return copy_; }

private:
  template <class T>
  static const T* keep(std::deque<T>& in, const T& x) {
    return &in.emplace_back(x);
  }

  batch copy_;
  std::deque<entity_id> entities_;
  std::deque<std::string> texts_;
  std::deque<std::optional<std::string>> subjects_;
  std::deque<origin> origins_;
  std::deque<row> rows_;
};

faulty_store::faulty_store(std::unique_ptr<store> inner) : inner_{std::move(inner)} {}

faulty_store::~faulty_store() = default;

void faulty_store::next(fault f, int times) {
  const std::lock_guard lock{mutex_};
  for (int i = 0; i < times; ++i)
    script_.push_back(f);
}

void faulty_store::fails(commit_status how, int times) {
  next([how](const batch&, store&) { return commit_outcome{.how = how, .why = "by the script"}; }, times);
}

void faulty_store::loses_reply(int times) {
  next(
      [](const batch& b, store& inner) {
        inner.commit(b);
        return commit_outcome{.how = commit_status::unknown, .why = "the reply was lost"};
      },
      times);
}

void faulty_store::commits_late(int times) {
  next(
      [this](const batch& b, store&) {
        const std::lock_guard lock{mutex_};
        late_.push_back(std::make_unique<late_batch>(b));
        return commit_outcome{.how = commit_status::unknown, .why = "the statement is still under way"};
      },
      times);
}

void faulty_store::moves_head(const entity_id& entity) {
  next([kind = std::string{entity.kind}, key = entity.key](const batch& b, store& inner) {
    const sql_param params[] = {kind, key};
    inner.write("update heads set seq = seq + 1 where kind = $1 and key = $2", params, [](const result_row&) {});
    return inner.commit(b);
  });
}

void faulty_store::fails_reconnects(int times) {
  const std::lock_guard lock{mutex_};
  failing_reconnects_ = times;
}

void faulty_store::fails_reads(int times) {
  const std::lock_guard lock{mutex_};
  failing_reads_ = times;
}

void faulty_store::settle() {
  for (;;) {
    std::unique_ptr<late_batch> late;
    {
      const std::lock_guard lock{mutex_};
      if (late_.empty())
        return;
      late = std::move(late_.front());
      late_.pop_front();
    }
    inner_->commit(late->get());
  }
}

int faulty_store::commits() const {
  const std::lock_guard lock{mutex_};
  return commits_;
}

int faulty_store::reconnects() const {
  const std::lock_guard lock{mutex_};
  return reconnects_;
}

bool faulty_store::takes(int& left) {
  const std::lock_guard lock{mutex_};
  return left > 0 && left-- > 0;
}

commit_outcome faulty_store::commit(const batch& b) {
  fault f;
  {
    const std::lock_guard lock{mutex_};
    ++commits_;
    if (!script_.empty()) {
      f = std::move(script_.front());
      script_.pop_front();
    }
  }
  return f ? f(b, *inner_) : inner_->commit(b);
}

void faulty_store::write(std::string_view sql, std::span<const sql_param> params, const reader::row_sink& sink) {
  inner_->write(sql, params, sink);
}

std::int64_t faulty_store::reconnect() {
  {
    const std::lock_guard lock{mutex_};
    ++reconnects_;
  }
  if (takes(failing_reconnects_))
    throw store_error("a reconnect that fails by the script");
  settle();
  return inner_->reconnect();
}

std::unique_ptr<reader> faulty_store::open_reader() {
  return std::make_unique<faulty_reader>(*this, inner_->open_reader());
}

instant faulty_store::now(reader& on) {
  auto* mine = dynamic_cast<faulty_reader*>(&on);
  return inner_->now(mine != nullptr ? mine->inner() : on);
}

}  // namespace callboard::persistence
