#pragma once

#include <string_view>

// Checks the syntax of textual options.
namespace callboard::config {

bool is_store(std::string_view written);
bool is_address(std::string_view written);
bool is_loopback(std::string_view address);
bool is_network(std::string_view written);
bool is_origin(std::string_view written);
bool is_type_and_ms(std::string_view written);
bool is_node_name(std::string_view written);
bool is_tag(std::string_view written);

bool has_password(std::string_view store);

}  // namespace callboard::config
