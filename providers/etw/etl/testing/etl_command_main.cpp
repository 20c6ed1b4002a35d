// The etl command alone, for the reader's tests that run it as a program.
#include <fmt/format.h>

#include "harness/cli/commands.h"

int main(int argc, char** argv) {
  CLI::App program("etl command");
  tailgate::Action action;
  tailgate::add_etl_command(program, action);
  try {
    program.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? tailgate::kExitDone : tailgate::kExitUsage;
  } catch (const tailgate::Error& error) {
    fmt::print(stderr, "tailgate: {}\n  {}\n", error.what_failed(), error.remedy());
    return tailgate::kExitFailed;
  }
}
