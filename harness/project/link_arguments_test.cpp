#include "harness/project/link_arguments.h"

#include <catch2/catch.hpp>
#include <map>

namespace tailgate {
namespace {

using Words = std::vector<std::string>;

LinkArguments read(const Words& arguments, const std::map<std::string, std::string>& files = {}) {
  return read_link_arguments(arguments, [&](const std::string& file) -> std::optional<std::string> {
    const auto found = files.find(file);
    if (found == files.end()) return {};
    return found->second;
  });
}

TEST_CASE("the output of a link") {
  CHECK(read({"a.o"}).output == "a.out");
  for (const Words& arguments : {Words{"-o", "x"}, Words{"-ox"}, Words{"--output", "x"},
                                 Words{"--output=x"}, Words{"-o", "y", "-o", "x"}}) {
    CHECK(read(arguments).output == "x");
  }
  CHECK(read({"-o"}).output == "a.out");
}

TEST_CASE("a link that makes another object file") {
  for (const char* option : {"-r", "-i", "-Ur", "--relocatable"}) {
    CHECK(read({option}).relocatable);
  }
  for (const char* option : {"-rpath", "-pie", "-static", "r"}) CHECK(!read({option}).relocatable);
  CHECK(read({"--dependency-file=x.d"}).dependency_file);
}

TEST_CASE("response files are read like their words") {
  CHECK(read({"@one"}, {{"one", "-r @two"}, {"two", "-o 'a b'"}}).output == "a b");
  CHECK(read({"@one"}, {{"one", "-r"}}).relocatable);
  CHECK(read({"-o", "@none"}).output == "@none");
  CHECK(read({"@self"}, {{"self", "-o x @self"}}).output == "x");
}

TEST_CASE("words of a response file") {
  CHECK(words_of_response(" a\tb\n\"c d\" 'e\"f' g\\ h i\"\"j '' ") ==
        Words{"a", "b", "c d", "e\"f", "g h", "ij", ""});
  CHECK(words_of_response("\"open").size() == 1);
  CHECK(words_of_response("x\\") == Words{"x\\"});
  CHECK(words_of_response("").empty());
}

}  // namespace
}  // namespace tailgate
