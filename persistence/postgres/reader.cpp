#include "persistence/postgres/reader.hpp"

#include "persistence/postgres/errors.hpp"

namespace callboard::persistence {

void postgres_reader::query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) {
  try {
    if (!session_)
      session_ = std::make_unique<postgres_session>(url_, postgres_session::role::reader, dog_);
    session_->query(sql, params, sink);
  } catch (const pqxx::pqxx_exception& e) {
    const auto failure = failure_of(e.base());
    if (ends_session(failure) || (session_ && !session_->connection().is_open()))
      session_.reset();
    throw store_error(loggable(failure));
  }
}

}  // namespace callboard::persistence
