#include "harness/run/duet/line_program.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace tailgate {

TEST_CASE("the program of a line that is one command") {
  const TestDirectory directory;
  std::ofstream(directory / "program") << "x";
  const std::filesystem::path program = directory / "program";
  for (const char* line : {"./program", "  ./program 1 2", "A=b C=d ./program 'x y' > {out}"}) {
    INFO(line);
    const auto found = program_of_line(line, directory.path());
    REQUIRE(found);
    CHECK(std::filesystem::equivalent(*found, program));
  }
  CHECK(program_of_line(program.string() + " 1", "") == program);
}

TEST_CASE("lines that tell no program") {
  const TestDirectory directory;
  std::ofstream(directory / "program") << "x";
  for (const char* line : {"", "  ", "A=b", "cd /; ./program", "./program | cat", "./program && x",
                           "(./program)", "$PROGRAM", "'./program'", "./prog*", "> x ./program",
                           "./none", "no-such-program-anywhere", "`which x`"}) {
    INFO(line);
    CHECK_FALSE(program_of_line(line, directory.path()));
  }
}

}  // namespace tailgate
