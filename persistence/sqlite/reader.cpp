#include "persistence/sqlite/reader.hpp"

namespace callboard::persistence {

void sqlite_reader::query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) {
  const std::lock_guard lock{link_->mutex};
  if (!link_->db) {
    if (path_.empty())
      throw store_error("the store is not open");
    link_->db.emplace(path_, sqlite_connection::file::must_exist);
    sqlite3_db_config(link_->db->raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    link_->db->run("pragma query_only = on");
  }
  try {
    link_->db->query(sql, params, sink);
  } catch (const sqlite_failure& e) {
    const bool broken = e.primary() == SQLITE_IOERR || e.primary() == SQLITE_CANTOPEN || e.primary() == SQLITE_CORRUPT;
    if (broken && !path_.empty())
      link_->db.reset();
    throw;
  }
}

}  // namespace callboard::persistence
