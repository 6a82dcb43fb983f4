#include "base/id.hpp"
#include "base/json.hpp"
#include "base/json_write.hpp"

#include <catch2/catch.hpp>

using namespace callboard;
using namespace std::string_literals;
using Catch::Matchers::Contains;
using type = json_value::type;

namespace {

std::optional<json_document> read(std::string_view text) {
  std::string why;
  auto doc = json_document::parse(text, why);
  INFO(why);
  REQUIRE(doc.has_value() == why.empty());
  return doc;
}

bool is_read(std::string_view text) { return read(text).has_value(); }

std::string complaint(std::string_view text) {
  std::string why = "accepted";
  if (json_document::parse(text, why))
    return "accepted";
  return why;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string array_of(std::size_t items) {
  std::string out = "[";
  for (std::size_t i = 0; i < items; ++i)
    out += i == 0 ? "0" : ",0";
  return out + ']';
}

/// The number in `{"x":…}`, if it is read as an integer.
std::optional<std::int64_t> integer(const std::string& text) {
  const auto doc = read("{\"x\":" + text + '}');
  if (!doc)
    return std::nullopt;
  const auto x = doc->root().find("x").value();
  return x.kind() == type::integer ? std::optional{x.integer()} : std::nullopt;
}

bool is_string(const std::string& inside) { return is_read("{\"x\":\"" + inside + "\"}"); }

}  // namespace

TEST_CASE("an object or an array is read, with blanks around it") {
  REQUIRE(is_read("{}"));
  REQUIRE(is_read("[]"));
  REQUIRE(is_read(" \t\r\n{ \"a\" : [ 1 , 2 ] } \n"));
}

TEST_CASE("a bare scalar is refused") {
  for (const auto* text : {"1", "\"a\"", "true", "null", "-1.5", " false "}) {
    INFO(text);
    REQUIRE_FALSE(is_read(text));
  }
}

TEST_CASE("malformed JSON is refused") {
  for (const auto* text :
       {"",      " ",          "{",      "}",         "[1,]",        "{\"a\":}", "{\"a\" 1}", "{a:1}", "{'a':1}",
        "[1 2]", "{\"a\":1,}", "[01]",   "[+1]",      "[.5]",        "[1.]",     "[1e]",      "[0x1]", "[tru]",
        "[\"a]", "// c\n{}",   "{/**/}", "[\"\\x\"]", "[\"\\u12\"]", "[\"\t\"]", "[\"\n\"]"}) {
    INFO(text);
    REQUIRE_FALSE(is_read(text));
  }
}

TEST_CASE("NaN and infinity are no numbers") {
  for (const auto* text : {"[NaN]", "[nan]", "[Infinity]", "[-Infinity]", "[1e999]", "[-1e999]"}) {
    INFO(text);
    REQUIRE_FALSE(is_read(text));
  }
}

TEST_CASE("bytes behind the value are refused") {
  REQUIRE_FALSE(is_read("{}{}"));
  REQUIRE_FALSE(is_read("{} x"));
  REQUIRE_FALSE(is_read("[]]"));
  REQUIRE_FALSE(is_read("{}\0"s));
  REQUIRE_FALSE(is_read("{\"a\":1}\0{\"a\":2}"s));
}

TEST_CASE("nesting goes down to 32 and no deeper") {
  REQUIRE(is_read(nested(32)));
  REQUIRE_FALSE(is_read(nested(33)));
  REQUIRE_FALSE(is_read(std::string(1'000'000, '[')));
  std::string objects = "1";
  for (int i = 0; i < 32; ++i)
    objects = "{\"a\":" + objects + '}';
  REQUIRE(is_read(objects));
  REQUIRE_FALSE(is_read("{\"a\":" + objects + '}'));
  // Depth is counted where one is, not over all.
  REQUIRE(is_read("[" + nested(31) + ',' + nested(31) + ']'));
}

TEST_CASE("ten thousand values are read and not one more") {
  REQUIRE(is_read(array_of(9'999)));  // and the array itself
  REQUIRE_FALSE(is_read(array_of(10'000)));
  std::string why;
  REQUIRE(json_document::parse(array_of(50'000), why, {.depth = 32, .values = SIZE_MAX}));
}

TEST_CASE("a key comes once in an object") {
  REQUIRE_FALSE(is_read(R"({"a":1,"a":2})"));
  REQUIRE_FALSE(is_read(R"({"a":1,"b":2,"a":1})"));
  REQUIRE_FALSE(is_read(R"({"a":1,"\u0061":2})"));
  REQUIRE_FALSE(is_read(R"([{"x":{"b":{},"b":[]}}])"));
  REQUIRE_FALSE(is_read(R"({"":1,"":2})"));
  REQUIRE(is_read(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}],"A":1})"));
}

TEST_CASE("NUL is refused in strings and keys, written either way") {
  REQUIRE_FALSE(is_string("a\\u0000b"));
  REQUIRE_FALSE(is_string("a\0b"s));
  REQUIRE_FALSE(is_read("{\"a\\u0000\":1}"));
  REQUIRE_FALSE(is_read("{\"a\0\":1}"s));
  REQUIRE(is_string("a\\u0001b"));
}

TEST_CASE("a byte order mark is refused") {
  REQUIRE_FALSE(is_read("\xEF\xBB\xBF{}"));
  REQUIRE_FALSE(is_read(" \xEF\xBB\xBF{}"));
  REQUIRE_FALSE(is_read("\xFF\xFE{\0}\0"s));
  REQUIRE(is_string("\xEF\xBB\xBF"));  // inside a string it is a character like any other
}

TEST_CASE("only UTF-8 is read") {
  REQUIRE(is_string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xAD\xF4\x8F\xBF\xBF"));
  for (const auto* bad : {"\x80", "\xBF", "\xC3", "\xC3(", "\xE2\x82", "\xE2\x28\xA1", "\xF0\x9F\x8E", "\xFF", "\xFE",
                          "\xC0\xAF", "\xC1\x81", "\xE0\x80\x80", "\xF0\x80\x80\x80",  // longer than needed
                          "\xED\xA0\x80", "\xED\xBF\xBF",                              // surrogates
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {                   // beyond U+10FFFF
    REQUIRE_FALSE(is_string(bad));
    REQUIRE_FALSE(is_read("{\"" + std::string{bad} + "\":1}"));
  }
}

TEST_CASE("surrogates come in pairs") {
  const auto doc = read(R"({"x":"\ud83c\udfad"})");
  REQUIRE(doc->root().find("x")->string() == "\xF0\x9F\x8E\xAD");
  for (const auto* bad : {"\\ud83c", "\\udfad", "\\ud83c\\ud83c", "\\udfad\\ud83c", "\\ud83cx", "\\ud83c\\n"}) {
    INFO(bad);
    REQUIRE_FALSE(is_string(bad));
  }
}

TEST_CASE("integers may be written 1, 1.0 or 1e0") {
  for (const auto* one : {"1", "1.0", "1e0", "1E0", "1.000", "10e-1", "0.1e1", "1e+0"}) {
    INFO(one);
    REQUIRE(integer(one) == 1);
  }
  REQUIRE(integer("0") == 0);
  REQUIRE(integer("-0") == 0);
  REQUIRE(integer("-0.0") == 0);
  REQUIRE(integer("-12e2") == -1200);
}

TEST_CASE("what has a fraction or quotes is no integer") {
  REQUIRE_FALSE(integer("1.5"));
  REQUIRE_FALSE(integer("-0.1"));
  REQUIRE_FALSE(integer("\"1\""));
  REQUIRE_FALSE(integer("true"));
  REQUIRE(read(R"({"x":1.5})")->root().find("x")->real() == 1.5);
}

TEST_CASE("integers reach to 2^53 - 1 on either side") {
  REQUIRE(id_max == 9'007'199'254'740'991);
  REQUIRE(integer("9007199254740991") == id_max);
  REQUIRE(integer("-9007199254740991") == -id_max);
  REQUIRE(integer("9007199254740991.0") == id_max);
  REQUIRE(integer("9007199254740991e0") == id_max);
  for (const auto* beyond : {"9007199254740992", "-9007199254740992", "9007199254740993", "9007199254740992.0", "1e16",
                             "-1e300", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                             "18446744073709551615", "18446744073709551616", "123456789012345678901234567890"}) {
    INFO(beyond);
    REQUIRE_FALSE(is_read("{\"x\":"s + beyond + '}'));
  }
}

TEST_CASE("a document is walked in the order it was written") {
  const auto doc = read(R"({"a":[1,"two",[3],{}],"b":null,"c":{"d":true}})");
  const auto a = doc->root().first().value();
  REQUIRE(a.key() == "a");
  REQUIRE(a.kind() == type::array);
  auto item = a.first();
  REQUIRE(item->integer() == 1);
  item = item->next();
  REQUIRE(item->string() == "two");
  REQUIRE(item->key().empty());
  item = item->next();
  REQUIRE(item->first()->integer() == 3);
  REQUIRE_FALSE(item->first()->next());
  item = item->next();
  REQUIRE(item->kind() == type::object);
  REQUIRE_FALSE(item->first());
  REQUIRE_FALSE(item->next());
  REQUIRE(a.next()->key() == "b");
  REQUIRE(a.next()->is_null());
  REQUIRE(doc->root().find("c")->find("d")->boolean());
  REQUIRE_FALSE(doc->root().find("d"));
  REQUIRE_FALSE(a.find("a"));
  REQUIRE(doc->root().dump() == R"({"a":[1,"two",[3],{}],"b":null,"c":{"d":true}})");
}

TEST_CASE("a complaint says what is wrong without quoting what was sent") {
  REQUIRE_THAT(complaint("{\"password\":hunter2}"), !Contains("hunter2"));
  REQUIRE_THAT(complaint(nested(33)), Contains("32"));
  REQUIRE_THAT(complaint(array_of(10'000)), Contains("10000"));
  REQUIRE_THAT(complaint(R"({"a":1,"a":2})"), Contains("duplicate"));
}

TEST_CASE("strings are written with what JSON asks to escape") {
  REQUIRE(to_json("plain"s) == "\"plain\"");
  REQUIRE(to_json(""s) == "\"\"");
  REQUIRE(to_json("a\"b\\c"s) == R"("a\"b\\c")");
  REQUIRE(to_json("\n\r\t"s) == R"("\n\r\t")");
  REQUIRE(to_json("\x01\x1f\0"s) == R"("\u0001\u001f\u0000")");
  REQUIRE(to_json("\xC3\xA9\xF0\x9F\x8E\xAD/"s) == "\"\xC3\xA9\xF0\x9F\x8E\xAD/\"");
}

TEST_CASE("every character that is written is read again") {
  std::string all;
  for (int c = 1; c < 128; ++c)
    all += static_cast<char>(c);
  all += "\xC3\xA9\xE2\x80\xA8\xF0\x9F\x8E\xAD";
  const auto doc = read("[" + to_json(all) + "]");
  REQUIRE(doc->root().first()->string() == all);
}

TEST_CASE("numbers, lists and absent values are written plainly") {
  REQUIRE(to_json(std::int64_t{-9'007'199'254'740'991}) == "-9007199254740991");
  REQUIRE(to_json(12.5) == "12.5");
  REQUIRE(to_json(std::nan("")) == "null");
  REQUIRE(to_json(std::optional<std::int64_t>{}) == "null");
  REQUIRE(to_json(std::vector<std::int64_t>{}) == "[]");
  REQUIRE(to_json(std::vector<std::int64_t>{1, 2}) == "[1,2]");
  REQUIRE(to_json(true) == "true");
  REQUIRE(to_json(raw_json{}) == "null");
  REQUIRE(to_json(raw_json{"{\"a\":1}"}) == "{\"a\":1}");
}
