#include "harness/etl/demangle.h"

#include <catch2/catch.hpp>

#include "harness/os/process.h"

using namespace tailgate::etl;

// The Itanium C++ ABI's own examples, section 5.1.
TEST_CASE("demangle: names of the Itanium ABI, and no others") {
  CHECK(demangled("_Z1fv") == "f()");
  CHECK(demangled("_ZN1N1fEi") == "N::f(int)");
  CHECK(demangled("_ZN5StackIiiE5levelE") == "Stack<int, int>::level");
  for (const char* other : {"", "_Z", "_Zfoo", "f", "main", "?f@@YAXXZ", "_ZN1N1f", "_start"}) {
    CHECK(demangled(other) == other);
  }
  const std::string longest(5000, 'a');
  CHECK(demangled("_Z5000" + longest + "v") == "_Z5000" + longest + "v");
}

// std::map's insertion, by which a real name has many references.
TEST_CASE("demangle: references to parts of a name") {
  CHECK(demangled("_ZNSt3mapIiSsSt4lessIiESaISt4pairIKiSsEEEixERS3_") ==
        "std::map<int, std::string, std::less<int>, std::allocator<std::pair<int const, "
        "std::string> > >::operator[](int const&)");
  // Each type holds the one before twice.
  std::string name = "_Z1f1TIiiE";
  const auto doubled = [&name](char number) {
    name += std::string("S_IS") + number + "_S" + number + "_E";
  };
  for (char number = '0'; number <= '3'; ++number) doubled(number);
  CHECK(demangled(name).starts_with("f(T<int, int>, T<T<int, int>, T<int, int> >, "));
  for (char number = '4'; number <= '9'; ++number) doubled(number);
  for (char number = 'A'; number <= 'Z'; ++number) doubled(number);
  CHECK(demangled(name) == name);
}

// What Microsoft's undname.exe says of them, without access, convention and type.
TEST_CASE("demangle: names that Microsoft's compiler decorated") {
  std::vector<std::string> names = {
      "?f@bar@@QEAAXH@Z", "_Z1fv", "?bad", "?x y@@YAXXZ", "??0widget@@QEAA@XZ",
      "?f@bar@@QEAAXH@Z", "plain"};
  std::vector<std::string*> places;
  for (std::string& name : names) places.push_back(&name);
  undecorate(places);
  CHECK(names[1] == "_Z1fv");
  CHECK(names[2] == "?bad");
  CHECK(names[3] == "?x y@@YAXXZ");
  CHECK(names[6] == "plain");
  if (!tailgate::find_program("llvm-undname")) {
    CHECK(names[0] == "?f@bar@@QEAAXH@Z");
    return;
  }
  CHECK(names[0] == "bar::f(int)");
  CHECK(names[4] == "widget::widget(void)");
  CHECK(names[5] == "bar::f(int)");
}

TEST_CASE("demangle: more names than a command line takes") {
  if (!tailgate::find_program("llvm-undname")) return;
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("?function" + std::to_string(i) + "@@YAXXZ");
  std::vector<std::string*> places;
  for (std::string& name : names) places.push_back(&name);
  undecorate(places);
  for (int i = 0; i < 3000; ++i) CHECK(names[i] == "function" + std::to_string(i) + "(void)");
}
