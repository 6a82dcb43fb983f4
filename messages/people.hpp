#pragma once

#include "base/described.hpp"
#include "base/id.hpp"
#include "base/instant.hpp"
#include "base/sql.hpp"

#include <memory>
#include <string>

namespace callboard {

using applicant_id = id<struct applicant_tag>;

/// One person who applies; the row behind an e-mail address, payload to every kind.
struct applicant {
  applicant_id id;
  std::string name;
  std::string email;
  instant created_at;

  static constexpr auto fields =
      std::tuple{field{"id", &applicant::id}, field{"name", &applicant::name}, field{"email", &applicant::email},
                 field{"createdAt", &applicant::created_at}};
};

/// The same person as a row. The e-mail is a name: it belongs to the id that came first.
struct applicant_row {
  applicant_id id;
  std::string name;
  std::string email;
  instant created_at;

  static constexpr std::string_view table_name = "applicants";
  static constexpr std::size_t key_columns = 1;
  static constexpr std::string_view conflict = "email";
  static constexpr std::size_t name_column = 2;
  static constexpr std::string_view owner_predicate = "t.id = excluded.id";
  static constexpr bool first_writer_wins = true;
  static constexpr columns_range owner_columns{0, 1};
  static constexpr bool resolve_on_conflict = true;
  static constexpr auto fields =
      std::tuple{field{"id", &applicant_row::id}, field{"name", &applicant_row::name},
                 field{"email", &applicant_row::email}, field{"created_at", &applicant_row::created_at}};
};

/// The row of an applicant who may not be stored yet, shared by every command and append that names them.
using new_applicant = std::shared_ptr<const applicant_row>;

/// An applicant who is known by e-mail only.
struct public_applicant {
  std::string name;
  std::string email;
  static constexpr auto fields = std::tuple{field{"name", &public_applicant::name, text{1, 200}},
                                            field{"email", &public_applicant::email, email_address{}}};
};

/// POST /applicants.
struct register_applicant {
  std::string name;
  std::string email;
  static constexpr auto fields = std::tuple{field{"name", &register_applicant::name, text{1, 200}},
                                            field{"email", &register_applicant::email, email_address{}}};
};

/// POST /applicants/login.
struct login {
  std::string email;
  static constexpr auto fields = std::tuple{field{"email", &login::email, email_address{}}};
};

}  // namespace callboard
