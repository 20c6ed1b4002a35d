#include "harness/base/build_info.h"

#include <catch2/catch.hpp>
#include <string>

TEST_CASE("the build info names the compiler, and a revision of 12 digits or 'unknown'") {
  const tailgate::BuildInfo& build = tailgate::build_info();
  CHECK_FALSE(build.version.empty());
  CHECK_THAT(build.compiler, Catch::Contains(__GNUC__ == 4 ? "Clang" : "GNU"));
  const bool known = build.revision.size() == 12 &&
                     build.revision.find_first_not_of("0123456789abcdef") == std::string::npos;
  CHECK((known || build.revision == "unknown"));
}
