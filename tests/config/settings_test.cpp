#include "config/options.hpp"
#include "config/settings.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace callboard;
using namespace callboard::config;
using Catch::Matchers::Contains;

namespace {

using strings = std::vector<std::string>;

settings given(const strings& arguments, const environment& variables = {}) {
  return read_settings(arguments, variables, "/nonexistent/callboard.conf");
}

// The text of the error, or "accepted".
std::string complaint(const strings& arguments, const environment& variables = {}) {
  try {
    given(arguments, variables);
    return "accepted";
  } catch (const usage_error& error) {
    return error.what();
  }
}

class written_file {
public:
  explicit written_file(std::string_view text) {
    std::string name = (std::filesystem::temp_directory_path() / "callboard-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    path = directory_ / "some.conf";
    std::ofstream{path} << text;
  }
  written_file(const written_file&) = delete;
  written_file& operator=(const written_file&) = delete;
  ~written_file() { std::filesystem::remove_all(directory_); }

  std::string argument() const { return "--config=" + path.string(); }

  std::filesystem::path path;

private:
  std::filesystem::path directory_;
};

std::string complaint_about_file(std::string_view text) {
  const written_file file{text};
  auto message = complaint({file.argument()});
  const auto at = message.find(file.path.string());
  return at == std::string::npos ? message : message.replace(at, file.path.string().size(), "FILE");
}

}  // namespace

TEST_CASE("without any source the defaults apply") {
  const auto chosen = given({});
  CHECK(chosen.store == "sqlite:data/callboard.db");
  CHECK(chosen.http_address == "127.0.0.1");
  CHECK(chosen.http_port == 8080);
  CHECK(chosen.command_deadline_ms == 10000);
  CHECK(chosen.writer_patience_ms == 5000);
  CHECK(chosen.http_cors_origins.empty());
  CHECK(chosen.warnings.empty());
  CHECK(chosen.file.empty());
  CHECK_FALSE(chosen.help_wanted);
}

TEST_CASE("every option accepts its own default and is spelt once") {
  std::set<std::string> names;
  const settings defaults;
  for (const auto& each : options()) {
    INFO(each.name);
    settings other;
    CHECK(each.assign(other, each.shown(defaults)));
    CHECK(each.shown(other) == each.shown(defaults));
    CHECK(names.insert(each.variable()).second);
    CHECK(each.help.ends_with('.'));
    CHECK(find_option(each.name) == &each);
  }
}

TEST_CASE("arguments are written with an equals sign or as two arguments") {
  CHECK(given({"--http.port=18080"}).http_port == 18080);
  CHECK(given({"--http.port", "18080", "--node.name", "b"}).node_name == "b");
  CHECK(given({"--store=postgresql://u@h/db?a=b"}).store == "postgresql://u@h/db?a=b");
}

TEST_CASE("arguments that are no options are refused") {
  CHECK(complaint({"now"}) == "argument \"now\": not an option; options are written --name=value");
  CHECK_THAT(complaint({"--"}), Contains("not an option"));
  CHECK_THAT(complaint({"-p", "1"}), Contains("argument \"-p\": not an option"));
  CHECK_THAT(complaint({"--http.port=1", "8080"}), Contains("argument \"8080\""));
}

TEST_CASE("an argument without its value is refused") {
  CHECK(complaint({"--http.port"}) == "argument --http.port: needs a value");
  CHECK(complaint({"--http.port", "--store=x"}) == "argument --http.port: needs a value");
  CHECK_THAT(complaint({"--config="}), Contains("expected the path of a configuration file"));
}

TEST_CASE("an argument given twice is refused") {
  CHECK(complaint({"--http.port=1", "--http.port", "2"}) == "argument --http.port: given twice");
}

TEST_CASE("a misspelt argument is refused with a suggestion") {
  CHECK(complaint({"--http.prot=1"}) == "argument --http.prot: no such option; did you mean --http.port?");
  CHECK_THAT(complaint({"--port=1"}), Contains("did you mean --http.port?"));
  CHECK_THAT(complaint({"--http-port=1"}), Contains("did you mean --http.port?"));
  CHECK_THAT(complaint({"--stor=x"}), Contains("did you mean --store?"));
  CHECK(complaint({"--frobnicate=1"}) == "argument --frobnicate: no such option; --help lists them all");
}

TEST_CASE("whole numbers are whole, complete and in range") {
  const std::string expected = "argument --http.port: expected a whole number from 0 to 65535, got \"";
  for (const std::string wrong : {"", "x", "80x", "8080.0", "1e3", "+1", "-1", " 80", "65536", "99999999999999999999"})
    CHECK(complaint({"--http.port=" + wrong}) == expected + wrong + "\"");
  CHECK(given({"--http.port=0"}).http_port == 0);
  CHECK(given({"--http.port=65535"}).http_port == 65535);
  CHECK_THAT(complaint({"--command.deadline_ms=99"}), Contains("from 100 to 600000"));
  CHECK_THAT(complaint({"--http.threads", "-5"}), Contains("from 1 to 64, got \"-5\""));
}

TEST_CASE("a choice is one of those listed") {
  CHECK(given({"--log.level=debug"}).log_level == "debug");
  CHECK(complaint({"--log.level=loud"}) ==
        "argument --log.level: expected one of debug, info, warn, error, got \"loud\"");
  CHECK(complaint({"--auth.mode=keys"}) == "argument --auth.mode: expected open, got \"keys\"");
}

TEST_CASE("a list is separated by commas and may be empty") {
  CHECK(given({"--http.cors_origins=https://a.example, http://localhost:3000"}).http_cors_origins ==
        strings{"https://a.example", "http://localhost:3000"});
  CHECK(given({"--http.trusted_proxies=10.0.0.0/8,::1,192.0.2.7"}).http_trusted_proxies ==
        strings{"10.0.0.0/8", "::1", "192.0.2.7"});
  CHECK(given({"--http.cors_origins="}).http_cors_origins.empty());
}

TEST_CASE("each item of a list is checked") {
  for (const std::string wrong : {"*", "a.example", "https://a.example/", "https://", "ftp://a",
                                  "https://a.example,,https://b.example", "https://a,"})
    CHECK_THAT(complaint({"--http.cors_origins=" + wrong}), Contains("origins such as https://"));
  for (const std::string wrong : {"proxy", "10.0.0.0/33", "10.0.0.0/", "::/129", "10.0.0.0/-1"})
    CHECK_THAT(complaint({"--http.trusted_proxies=" + wrong}), Contains("addresses or networks"));
}

TEST_CASE("a store is a SQLite file, memory or PostgreSQL") {
  for (const std::string right : {"sqlite:x.db", "sqlite:/var/lib/x.db", "sqlite::memory:", "postgresql://h/db",
                                  "postgres://u:p@h:1/db?sslmode=require"})
    CHECK(given({"--store=" + right}).store == right);
  for (const std::string wrong :
       {"", "x.db", "sqlite:", "sqlite::memory", "sqlite:///x.db", "postgresql://", "mysql://h/db"})
    CHECK_THAT(complaint({"--store=" + wrong}), Contains("argument --store: expected sqlite:PATH"));
}

TEST_CASE("a password in an argument is warned about, elsewhere it is not") {
  for (const std::string url :
       {"postgresql://u:secret@h/db", "postgres://h/db?password=secret", "postgres://h/db?user=u&sslpassword=secret"}) {
    const auto warned = given({"--store=" + url}).warnings;
    REQUIRE(warned.size() == 1);
    CHECK_THAT(warned[0], Contains("argument --store holds a password"));
    CHECK_THAT(warned[0], !Contains("secret"));
    CHECK(given({}, {{"CALLBOARD_STORE", url}}).warnings.empty());
    CHECK(given({}, {{"DATABASE_URL", url}}).warnings.empty());
  }
  CHECK(given({"--store=postgresql://u@h/db"}).warnings.empty());
  CHECK(given({"--store=postgresql://u:@h:5432/db"}).warnings.empty());
}

TEST_CASE("no message shows a password") {
  CHECK(without_password("postgresql://u:p/a@s@h/db?password=x&sslpassword=y&a=b") ==
        "postgresql://u:***@h/db?password=***&sslpassword=***&a=b");
  CHECK(without_password("postgresql://u@h:5432/db") == "postgresql://u@h:5432/db");
  CHECK(without_password("sqlite:a:b@c.db") == "sqlite:a:b@c.db");
  CHECK_THAT(complaint({"--store=mysql://u:secret@h/db"}), Contains("mysql://u:***@h/db"));
  CHECK_THAT(complaint({"postgresql://u:secret@h/db"}), !Contains("secret"));
}

TEST_CASE("the environment spells options in capitals with underscores") {
  CHECK(given({}, {{"CALLBOARD_HTTP_PORT", "18080"}}).http_port == 18080);
  CHECK(given({}, {{"CALLBOARD_WRITER_BATCH_BYTES_MAX_KIB", "512"}}).writer_batch_bytes_max_kib == 512);
  CHECK(complaint({}, {{"CALLBOARD_HTTP_PORT", "many"}}) ==
        "environment variable CALLBOARD_HTTP_PORT: expected a whole number from 0 to 65535, got "
        "\"many\"");
}

TEST_CASE("a misspelt environment variable is refused") {
  CHECK(complaint({}, {{"CALLBOARD_HTTP_PROT", "1"}}) ==
        "environment variable CALLBOARD_HTTP_PROT: no such option; did you mean "
        "CALLBOARD_HTTP_PORT?");
  CHECK_THAT(complaint({}, {{"CALLBOARD_HTTP_WHATEVER_THIS_IS", "1"}}), Contains("no such option"));
  CHECK_THAT(complaint({}, {{"CALLBOARD_HTPP_PORT", "1"}}), Contains("CALLBOARD_HTTP_PORT?"));
  CHECK_THAT(complaint({}, {{"CALLBOARD_STOER", "x"}}), Contains("CALLBOARD_STORE?"));
}

TEST_CASE("variables that an orchestrator sets for a service named callboard only warn") {
  const auto chosen = given({}, {{"CALLBOARD_PORT", "tcp://10.0.0.1:80"}, {"CALLBOARD_SERVICE_HOST", "10.0.0.1"}});
  CHECK(chosen.http_port == 8080);
  REQUIRE(chosen.warnings.size() == 2);
  CHECK(chosen.warnings[0] == "environment variable CALLBOARD_PORT is not an option and has no effect");
}

TEST_CASE("variables of the test runner and unrelated ones are ignored") {
  CHECK(given({}, {{"CALLBOARD_BIN", "x"}, {"CALLBOARD_TEST_POSTGRES", "x"}, {"HOME", "/"}}).warnings.empty());
}

TEST_CASE("DATABASE_URL and PORT are read as aliases") {
  CHECK(given({}, {{"DATABASE_URL", "postgres://h/db"}}).store == "postgres://h/db");
  CHECK(given({}, {{"PORT", "5000"}}).http_port == 5000);
  CHECK_THAT(complaint({}, {{"PORT", "x"}}),
             Contains("environment variable PORT (http.port): expected a whole number"));
}

TEST_CASE("a variable overrides an alias, an argument overrides both") {
  const environment variables{{"PORT", "1"}, {"CALLBOARD_HTTP_PORT", "2"}};
  CHECK(given({}, variables).http_port == 2);
  CHECK(given({"--http.port=3"}, variables).http_port == 3);
}

TEST_CASE("an alias with a wrong value is ignored when the option is given") {
  CHECK(given({"--store=sqlite::memory:"}, {{"DATABASE_URL", "mysql://h/db"}}).store == "sqlite::memory:");
  CHECK_THAT(complaint({}, {{"DATABASE_URL", "mysql://h/db"}}),
             Contains("environment variable DATABASE_URL (store): expected sqlite:PATH"));
}

TEST_CASE("aliases, environment and arguments override the file") {
  const written_file file{"http.port = 1\nnode.name = file\nhttp.threads = 4\n"};
  CHECK(given({file.argument()}).http_port == 1);
  CHECK(given({file.argument()}, {{"PORT", "2"}}).http_port == 2);
  const auto chosen = given({file.argument(), "--http.port=3"}, {{"CALLBOARD_NODE_NAME", "env"}});
  CHECK(chosen.http_port == 3);
  CHECK(chosen.node_name == "env");
  CHECK(chosen.http_threads == 4);
  CHECK(chosen.file == file.path);
}

TEST_CASE("the file is named by argument or variable, or is the system file") {
  const written_file one{"http.port = 1\n"};
  const written_file two{"http.port = 2\n"};
  const written_file three{"http.port = 3\n"};
  const environment variable{{"CALLBOARD_CONFIG", two.path.string()}};
  CHECK(read_settings({one.argument()}, variable, three.path).http_port == 1);
  CHECK(read_settings({}, variable, three.path).http_port == 2);
  CHECK(read_settings({}, {}, three.path).http_port == 3);
  CHECK(read_settings({"--config", one.path.string()}, {}, three.path).http_port == 1);
}

TEST_CASE("a named file that cannot be read is an error") {
  CHECK(complaint({"--config=/nonexistent/x.conf"}) == "configuration file /nonexistent/x.conf: cannot be read");
  CHECK_THAT(complaint({"--config=/"}), Contains("cannot be read"));
  CHECK_THAT(complaint({}, {{"CALLBOARD_CONFIG", ""}}), Contains("CALLBOARD_CONFIG: expected"));
}

TEST_CASE("the file may contain comments, blank lines and any line ends") {
  const written_file file{"# a comment\r\n\r\n  http.port=1   # why\r\n\tnode.name\t=  b#c\t# why\n"
                          "http.cors_origins =\nhttp.threads = 2"};
  CHECK_THAT(complaint({file.argument()}), Contains(":4: node.name: expected 1 to 64 letters"));
  const written_file good{"http.port=1   # why\r\nstore = postgres://u:a#b@h/db # why\n"
                          "http.cors_origins =\nhttp.threads = 2"};
  const auto chosen = given({good.argument()});
  CHECK(chosen.http_port == 1);
  CHECK(chosen.store == "postgres://u:a#b@h/db");
  CHECK(chosen.http_threads == 2);
}

TEST_CASE("mistakes in the file are reported with their line") {
  CHECK(complaint_about_file("\nhttp.prot = 1\n") == "FILE:2: http.prot: no such option; did you mean http.port?");
  CHECK(complaint_about_file("# x\n\nhttp.port = \"8080\"\n") ==
        "FILE:3: http.port: expected a whole number from 0 to 65535, got \"\"8080\"\"");
  CHECK(complaint_about_file("http.port 8080\n") == "FILE:1: expected name = value");
  CHECK(complaint_about_file("[http]\n") == "FILE:1: expected name = value");
  CHECK(complaint_about_file("http.port = 1\nhttp.port = 2\n") == "FILE:2: http.port: given twice");
  CHECK_THAT(complaint_about_file("config = x\n"), Contains("FILE:1: config: no such option"));
  CHECK_THAT(complaint_about_file("= 1\n"), Contains("FILE:1: : no such option"));
}

TEST_CASE("a mistake in the file is reported even where an argument overrides it") {
  const written_file file{"http.port = many\n"};
  CHECK_THAT(complaint({file.argument(), "--http.port=1"}), Contains(":1: http.port: expected"));
}

TEST_CASE("open access listens on loopback only") {
  for (const std::string right : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"})
    CHECK(given({"--http.address=" + right}).http_address == right);
  for (const std::string wrong : {"0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1", "fe80::1"}) {
    try {
      given({"--http.address=" + wrong});
      FAIL(wrong << " was accepted");
    } catch (const usage_error& error) {
      CHECK(error.code() == exit_code::refused);
      CHECK_THAT(error.what(), Contains("auth.mode = open") && Contains("not " + wrong));
    }
  }
}

TEST_CASE("an address is written as numbers") {
  for (const std::string wrong : {"localhost", "[::1]", "127.0.0.1:80", "127.1", ""})
    CHECK_THAT(complaint({"--http.address=" + wrong}), Contains("expected an IPv4 or IPv6 address"));
}

TEST_CASE("a node's name is short and has no special characters") {
  CHECK(given({"--node.name=eu-1.a_b"}).node_name == "eu-1.a_b");
  CHECK_THAT(complaint({"--node.name="}), Contains("1 to 64 letters"));
  CHECK_THAT(complaint({"--node.name=a b"}), Contains("1 to 64 letters"));
  CHECK_THAT(complaint({"--node.name=" + std::string(65, 'a')}), Contains("1 to 64 letters"));
}

TEST_CASE("a usage error carries the exit code for usage") {
  CHECK_THROWS_AS(given({"--x=1"}), usage_error);
  CHECK(usage_error{"x"}.code() == 64);
}

TEST_CASE("--help works whatever else is wrong") {
  CHECK(given({"--help"}).help_wanted);
  CHECK(given({"--nonsense", "-h"}, {{"PORT", "x"}}).help_wanted);
}

TEST_CASE("the help names every option and fits a terminal") {
  const auto page = help_text();
  for (const auto& each : options())
    CHECK_THAT(page, Contains("  --" + std::string{each.name} + "="));
  CHECK_THAT(page, Contains("DATABASE_URL") && Contains("PORT") && Contains("--config=PATH"));
  std::istringstream lines{page};
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
    CHECK_FALSE(line.ends_with(' '));
  }
}

TEST_CASE("config/callboard.conf is the default file") {
  std::ifstream file{std::filesystem::path{CALLBOARD_SOURCE_DIR} / "config/callboard.conf"};
  std::ostringstream text;
  text << file.rdbuf();
  CHECK(text.str() == default_file());
}

TEST_CASE("the default file gives every option its default") {
  const written_file file{default_file()};
  const auto chosen = given({file.argument()});
  const settings defaults;
  for (const auto& each : options()) {
    CHECK(each.shown(chosen) == each.shown(defaults));
    CHECK_THAT(default_file(), Contains("\n" + std::string{each.name} + " ="));
  }
}

TEST_CASE("the environment of the process is read") {
  REQUIRE(::setenv("CALLBOARD_TEST_EMPTY", "", 1) == 0);
  REQUIRE(::setenv("CALLBOARD_TEST_EQUALS", "a=b", 1) == 0);
  const auto variables = process_environment();
  CHECK(variables.at("CALLBOARD_TEST_EMPTY").empty());
  CHECK(variables.at("CALLBOARD_TEST_EQUALS") == "a=b");
}
