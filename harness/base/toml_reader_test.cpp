#include "harness/base/toml_reader.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

using Catch::Contains;

TomlNode parsed(const std::string& text) {
  return parse_toml(text, "f.toml");
}

TEST_CASE("values are read by type, and know their file and line") {
  const TomlNode root = parsed(R"(
name = "x"
count = 1_000
share = 0.5
on = true
day = 2027-01-31
[set]
z = [1, 2]
)");
  CHECK(root.find("name")->text("name") == "x");
  CHECK(root.find("count")->whole() == 1000);
  CHECK(root.find("count")->number("count", 0, 1000) == 1000);
  CHECK(root.find("share")->number("share", 0.5, 1) == 0.5);
  CHECK_FALSE(root.find("share")->whole());
  CHECK(root.find("on")->flag("on"));
  CHECK(root.find("day")->date() == "2027-01-31");
  CHECK(root.find("day")->place() == "f.toml:6");
  CHECK(root.find("none") == nullptr);
  const TomlNode& list = *root.table_at("set")->find("z");
  CHECK(list.is_list());
  CHECK(list.key() == "z");
  CHECK(list.entries().at(1).whole() == 2);
  CHECK(root.table_at("none") == nullptr);
}

TEST_CASE("values are converted to the text of an option") {
  const TomlNode root = parsed("a = \"t\"\nb = 1_0\nc = 0.25\nd = false\ne = [1]\nf = 2027-01-31");
  CHECK(root.find("a")->option_text() == "t");
  CHECK(root.find("b")->option_text() == "10");
  CHECK(root.find("c")->option_text() == "0.25");
  CHECK(root.find("d")->option_text() == "false");
  CHECK_FALSE(root.find("e")->option_text());
  CHECK_FALSE(root.find("f")->option_text());
}

TEST_CASE("a list of tables is read table by table") {
  const TomlNode root = parsed("[[run]]\na = 1\n[[run]]\na = 2\n");
  const auto runs = root.tables_at("run");
  REQUIRE(runs.size() == 2);
  CHECK(runs[1]->find("a")->whole() == 2);
  CHECK(runs[1]->place() == "f.toml:3");
  CHECK(root.tables_at("none").empty());
}

void read(const TomlNode& root) {
  root.check_keys({"table", "tables", "name", "number", "flag"});
  root.table_at("table");
  root.tables_at("tables");
  root.required("name", "who it is").text("name");
  if (const TomlNode* node = root.find("number")) node->number("number", 0, 1);
  if (const TomlNode* node = root.find("flag")) node->flag("flag");
}

TEST_CASE("wrong values are refused with file, line, value and remedy") {
  struct Row {
    std::string text;
    std::string what;
    std::string remedy;
  };
  const Row row = GENERATE(
      Row{"name = {", "f.toml:1: ", "correct the TOML there"},
      Row{"\nnames = 1", "f.toml:2: unknown key 'names'", "did you mean 'name'?"},
      Row{"something = 1", "f.toml:1: unknown key 'something'", "known keys: table, tables, name"},
      Row{"table = 1", "f.toml:1: table is not a table", "write [table] above"},
      Row{"[tables]", "f.toml:1: tables is not a list of tables", "write [[tables]]"},
      Row{"\ntables = [1]", "f.toml:2: tables is not a table", "write [[tables]]"},
      Row{"flag = true", "f.toml:1: 'name' is missing", "add name = …: who it is"},
      Row{"name = 1", "f.toml:1: name is not a text", "put it in quotes"},
      Row{"name = \"x\"\nnumber = true", "f.toml:2: number is not a number", "from 0 to 1"},
      Row{"name = \"x\"\nnumber = 1.5", "f.toml:2: number = 1.5 is not from 0 to 1", "within"},
      Row{"name = \"x\"\nnumber = nan", "f.toml:2: number = nan is not from 0 to 1", "within"},
      Row{"name = \"x\"\nflag = 1", "f.toml:2: flag is not true or false", "write true or false"});
  INFO(row.text);
  try {
    read(parsed(row.text));
    FAIL("was accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.what_failed(), Catch::StartsWith(row.what));
    CHECK_THAT(error.remedy(), Contains(row.remedy));
  }
}

TEST_CASE("an unknown name is refused with the nearest known name") {
  const TomlNode root = parsed("");
  CHECK_THROWS_WITH(root.refuse_name("no 'fiel'", "fiel", {"file", "null"}),
                    Contains("f.toml:1: no 'fiel'") && Contains("did you mean 'file'?"));
  CHECK_THROWS_WITH(root.refuse_name("no 'x'", "x", {"file", "null"}), Contains("file, null"));
}

TEST_CASE("keys and lists that nest too deeply are refused, not followed into a stack overflow") {
  std::string key;
  for (int i = 0; i < 40'000; ++i) key += "a.";
  for (const std::string& text : {key + "b = 1", "[" + key + "b]", "x = { " + key + "b = 1 }",
                                  "x = " + std::string(40'000, '[') + std::string(40'000, ']'),
                                  "\n\"" + key + "\".c = 1 #"}) {
    const bool quoted = text[0] == '\n';
    if (quoted) {
      CHECK_NOTHROW(parse_toml(text, "f.toml"));
    } else {
      CHECK_THROWS_AS(parse_toml(text, "f.toml"), Error);
    }
  }
  CHECK_THROWS_WITH(parse_toml("\n" + key + "b = 1", "f.toml"),
                    Contains("f.toml:2: a key has more than 64 parts"));
}

TEST_CASE("a table's name that the TOML library asserts is refused in every build") {
  for (const char* text : {"[[\nty = 1", "[\n", "[[\x01name]]", "[\xEF\xBF\xBD]"}) {
    CHECK_THROWS_WITH(parse_toml(text, "f.toml"), Contains("f.toml:1: "));
  }
}

TEST_CASE("characters that are not ASCII are read in quotes and comments, and refused elsewhere") {
  const TomlNode root = parse_toml(
      "\xEF\xBB\xBF# \xC3\xA9\na = \"~41 ~7e \xC3\xA9\"\n'\xD1\x91' = '~\xC3\xA9' # ~", "f.toml");
  CHECK(root.required("a", "").text("a") == "~41 ~7e \xC3\xA9");
  CHECK(root.required("\xD1\x91", "").text("b") == "~\xC3\xA9");
  for (const char* text : {"a = \xC3\xA9", "a\xD1\x91 = 1", "a = [\"b\",0\"P=.\xD1\x91\"]",
                           "a = \"\"\xC3\xA9", "a = 'b'\xC3\xA9", "a = '\n\xC3\xA9'"}) {
    CHECK_THROWS_WITH(parse_toml(text, "f.toml"), Contains("f.toml:1: Error while parsing"));
  }
  CHECK_THROWS_WITH(parse_toml("a = 1\nb = '\xFF'", "f.toml"),
                    Contains("f.toml:2: the line is not UTF-8"));
  CHECK_THROWS_WITH(parse_toml("a = \"\\u007Eff\"", "f.toml"), Contains("f.toml:1"));
}

TEST_CASE("a file is read whole, or refused with its name and the remedy") {
  const TestDirectory directory;
  const auto path = directory.path() / "f.toml";
  std::ofstream(path, std::ios::binary) << "a = 1\n";
  CHECK(read_toml_file(path, "policy", "give one") == "a = 1\n");
  CHECK_THROWS_WITH(read_toml_file(directory.path() / "none.toml", "policy", "give one"),
                    Contains("cannot read the policy '") && Contains("give one"));
  std::ofstream(path, std::ios::binary) << std::string((1 << 20) + 1, '#');
  CHECK_THROWS_WITH(read_toml_file(path, "policy", "give one"),
                    Contains("has 1048577 bytes") && Contains("a policy has at most 1048576"));
}

}  // namespace
}  // namespace tailgate
