#include "harness/os/command_line_windows.h"

#include <catch2/catch.hpp>

#include "harness/os/api_windows.h"

// After windows.h, whose types they need.
#include <shellapi.h>

using tailgate::command_line_of;
using tailgate::environment_with;
using tailgate::narrow;

namespace {

// Parses a command line with Windows' own function; the first word is the program.
std::vector<std::string> taken_apart(const std::wstring& line) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(line.c_str(), &count);
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(narrow(words[i]));
  LocalFree(words);
  return arguments;
}

}  // namespace

TEST_CASE("Windows parses a command line back into the original arguments") {
  const std::vector<std::string> arguments = {"tailgate",
                                              "plain",
                                              "",
                                              "two words",
                                              "tab\there",
                                              "say \"hi\"",
                                              "back\\slash",
                                              "end\\",
                                              "two words\\",
                                              "two words\\\\",
                                              "\\\"",
                                              "a\\\\\"b",
                                              "\"",
                                              "C:\\x y\\z\\",
                                              "--set=a b",
                                              "caf\xC3\xA9 \"x\""};
  CHECK(taken_apart(command_line_of(arguments)) == arguments);
}

TEST_CASE("an added variable replaces one of the same name, ignoring case") {
  SetEnvironmentVariableW(L"Tailgate_Test", L"old");
  const std::wstring block = environment_with({{"TAILGATE_TEST", "new"}, {"TAILGATE_MORE", ""}});
  SetEnvironmentVariableW(L"Tailgate_Test", nullptr);
  CHECK(block.find(L"=old") == std::wstring::npos);
  CHECK(block.find(std::wstring(L"=new\0", 5)) != std::wstring::npos);
  CHECK(block.find(std::wstring(L"TAILGATE_MORE=\0", 15)) != std::wstring::npos);
  CHECK(block.substr(block.size() - 2) == std::wstring(2, L'\0'));
}
