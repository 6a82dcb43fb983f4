#include "actors/opening/shown_event.hpp"

namespace callboard::opening {
namespace {

/// The members of one event's metadata, behind jobId.
class metadata {
public:
  explicit metadata(std::string_view job) { (text_ += R"({"jobId":)") += job; }

  template <class T>
  metadata& with(std::string_view name, const T& value) {
    ((text_ += ",\"") += name) += "\":";
    write_json(text_, value);
    return *this;
  }
  raw_json done() { return {std::move(text_) + '}'}; }

private:
  std::string text_;
};

/// What an event moved, and what there is to say about it.
struct showing {
  const persistence::journal_entry& entry;
  const std::optional<std::string>& reason;
  shown_event& out;

  void moved(application_id a, std::optional<status> from, status to) {
    out.application = a;
    out.from = from;
    out.to = to;
  }
  metadata about() const { return metadata{entry.key}; }

  void operator()(const created&) { out.metadata = about().with("changes", raw_json{entry.data}).done(); }
  void operator()(const updated&) { out.metadata = about().with("changes", raw_json{entry.data}).done(); }
  void operator()(const applied& e) {
    moved(e.application, std::nullopt, e.status);
    out.metadata = about().with("applicantId", e.applicant).with("position", e.position).done();
  }
  void operator()(const promoted& e) {
    moved(e.application, status::waitlist, status::pending_acknowledgment);
    out.metadata = about().with("acknowledgeDeadline", e.acknowledge_deadline).done();
  }
  void operator()(const acknowledged& e) {
    moved(e.application, status::pending_acknowledgment, status::active);
    out.metadata = about().with("acknowledgedAt", entry.at).done();
  }
  void operator()(const withdrawn& e) {
    moved(e.application, e.from, status::inactive);
    auto m = about().with("by", e.by);
    if (reason)
      m.with("reason", *reason);
    out.metadata = m.done();
  }
  void operator()(const declined& e) {
    moved(e.application, status::pending_acknowledgment, status::inactive);
    out.metadata = about().done();
  }
  void operator()(const decayed& e) {
    moved(e.application, status::pending_acknowledgment, status::waitlist);
    out.metadata =
        about().with("penaltyCount", e.penalty_count).with("newPosition", e.new_position).with("rank", e.rank).done();
  }
};

}  // namespace

shown_event shown(const persistence::journal_entry& entry, const event& e, const std::optional<std::string>& reason) {
  shown_event out;
  out.id = entry.position;
  out.type = entry.type;
  out.created_at = entry.at;
  std::visit(showing{entry, reason, out}, e);
  return out;
}

}  // namespace callboard::opening
