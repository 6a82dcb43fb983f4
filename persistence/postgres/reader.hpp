#pragma once

#include "persistence/postgres/session.hpp"
#include "persistence/store.hpp"

#include <memory>
#include <string>

namespace callboard::persistence {

/// Connects at the first query, and again after a lost connection.
class postgres_reader final : public reader {
public:
  postgres_reader(std::string url, std::shared_ptr<watchdog> dog) : url_{std::move(url)}, dog_{std::move(dog)} {}

  void query(std::string_view sql, std::span<const sql_param> params, const row_sink& sink) override;

private:
  std::string url_;
  std::shared_ptr<watchdog> dog_;
  std::unique_ptr<postgres_session> session_;
};

}  // namespace callboard::persistence
