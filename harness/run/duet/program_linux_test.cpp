#include "harness/run/duet/program.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {
namespace {

using Catch::Contains;

class Script {
 public:
  explicit Script(const std::string& lines) : path_(directory_.path() / "program") {
    std::ofstream(path_) << "#!/bin/sh\n" << lines << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  Build ask() const { return ask_program(path_, directory_.path()); }

 private:
  TestDirectory directory_;
  std::filesystem::path path_;
};

std::string saying(std::string answer) {
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return "echo '" + answer + "'";
}

Build sample_build() {
  return {.version = "1.2",
          .revision = "0123456789ab",
          .dirty = true,
          .compiler = "GNU 12",
          .flags = "-O3",
          .type = "Release"};
}

TEST_CASE("a build describes itself") {
  const Build build = Script(saying(describe_program(sample_build()))).ask();
  CHECK(build.version == "1.2");
  CHECK(build.revision == "0123456789ab");
  CHECK(build.dirty);
  CHECK(build.compiler == "GNU 12");
  CHECK(build.flags == "-O3");
  CHECK(build.type == "Release");
}

TEST_CASE("a program that is not tailgate is refused, whatever it does") {
  CHECK_THROWS_WITH(Script("true").ask(), Contains("is not a tailgate") && Contains("exit code 0"));
  CHECK_THROWS_WITH(Script("echo hello; exit 3").ask(), Contains("exit code 3"));
  CHECK_THROWS_WITH(Script("echo '{\"format\": 7}'").ask(), Contains("is not a tailgate"));
  CHECK_THROWS_WITH(Script("echo '[1]'").ask(), Contains("is not a tailgate"));
  CHECK_THROWS_WITH(Script("kill -9 $$").ask(), Contains("signal 9"));
  const TestDirectory directory;
  CHECK_THROWS_WITH(ask_program(directory.path() / "none", directory.path()),
                    Contains("No such file"));
}

TEST_CASE("a program with an incomplete answer is refused") {
  CHECK_THROWS_WITH(Script(saying("{\"format\": \"tailgate-program\"}")).ask(),
                    Contains("not understood"));
}

TEST_CASE("a build of another protocol is refused, and the error names both protocols") {
  std::string answer = describe_program(sample_build());
  const std::string own = "\"protocol\":" + std::to_string(kTrialProtocol);
  const std::size_t at = answer.find(own);
  REQUIRE(at != std::string::npos);
  answer.replace(at, own.size(), "\"protocol\":999");
  CHECK_THROWS_WITH(
      Script(saying(answer)).ask(),
      Contains("protocol 999") && Contains("protocol " + std::to_string(kTrialProtocol)));
}

}  // namespace
}  // namespace tailgate
