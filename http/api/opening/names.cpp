#include "http/api/opening/names.hpp"

namespace callboard::http {

job_with_pipeline shown(opening::pipeline p) {
  const auto cut = p.next ? cut_off_at({p.next->live, p.next->rank}) : cut_off{};
  return {std::move(p.job), std::move(p.active), std::move(p.waitlist), cut};
}

shown_queue shown(opening::queue q) {
  const auto cut = q.next ? cut_off_at({q.next->live, q.next->rank}) : cut_off{};
  return {std::move(q), cut};
}

}  // namespace callboard::http
