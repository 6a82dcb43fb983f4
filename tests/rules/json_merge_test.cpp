#include "base/json_merge.hpp"

#include <catch2/catch.hpp>

using callboard::merged_json;

TEST_CASE("objects merge key by key at every depth, anything else replaces, null removes") {
  REQUIRE(merged_json("", R"({"a":1})") == R"({"a":1})");
  REQUIRE(merged_json(R"({"a":1})", "{}") == R"({"a":1})");
  REQUIRE(merged_json(R"({"a":1,"b":2})", R"({"b":3,"c":4})") == R"({"a":1,"b":3,"c":4})");
  REQUIRE(merged_json(R"({"a":1,"b":2})", R"({"a":null})") == R"({"b":2})");
  REQUIRE(merged_json(R"({"a":{"x":1,"y":{"z":2}}})", R"({"a":{"y":{"z":null,"w":3}}})") ==
          R"({"a":{"x":1,"y":{"w":3}}})");
  REQUIRE(merged_json(R"({"a":[1,2]})", R"({"a":[3]})") == R"({"a":[3]})");
  REQUIRE(merged_json(R"({"a":[1]})", R"({"a":{"b":1}})") == R"({"a":{"b":1}})");
  REQUIRE(merged_json(R"({"a":{"b":1}})", R"({"a":"text"})") == R"({"a":"text"})");
}

TEST_CASE("null inside something new is no key either, but stays inside an array") {
  REQUIRE(merged_json("", R"({"a":{"b":null,"c":1},"d":null})") == R"({"a":{"c":1}})");
  REQUIRE(merged_json("", R"({"a":[null,{"b":null}]})") == R"({"a":[null,{"b":null}]})");
}

TEST_CASE("merging is idempotent and keeps what needs escapes") {
  const std::string before = R"({"a\"b":"ü\n","n":-1.5,"t":true})";
  const std::string change = R"({"k":{"deep":{"er":["x",{"y":0}]}}})";
  const auto once = merged_json(before, change);
  REQUIRE(once == R"({"a\"b":"ü\n","n":-1.5,"t":true,"k":{"deep":{"er":["x",{"y":0}]}}})");
  REQUIRE(merged_json(once, change) == once);
}

TEST_CASE("what is no object cannot be merged") {
  REQUIRE_THROWS(merged_json("[1]", "{}"));
  REQUIRE_THROWS(merged_json("{}", "[1]"));
  REQUIRE_THROWS(merged_json("{}", "nonsense"));
}
