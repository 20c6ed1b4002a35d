#include "harness/exec/choose_means.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace tailgate {

#if defined(__x86_64__)
TEST_CASE("the first instruction tells what a probe costs") {
  const TestDirectory directory;
  // ret; push %rbp; push %r12; sub $8,%rsp; rex.B nop
  const std::string code("\xc3\x55\x41\x54\x48\x83\xec\x08\x41\x90", 10);
  std::ofstream(directory / "code", std::ios::binary) << code;
  const auto pushes = [&](std::uint64_t offset) {
    return begins_with_push({.kind = 0, .file = directory / "code", .offset = offset});
  };
  CHECK_FALSE(pushes(0));
  CHECK(pushes(1));
  CHECK(pushes(2));
  CHECK_FALSE(pushes(4));
  CHECK_FALSE(pushes(8));
  CHECK_FALSE(pushes(code.size()));
}
#endif

TEST_CASE("what names alone decide where the program is not known") {
  CHECK(choose_means(parse_call_list("mark"), {std::nullopt}).means == CallMeans::mark);
  CHECK(choose_means(parse_call_list("none"), {std::nullopt}).means == CallMeans::none);
  CHECK(choose_means(parse_call_list("write"), {std::nullopt}).means == CallMeans::preload);
#if defined(__x86_64__)
  CHECK(choose_means(parse_call_list("log_write"), {std::nullopt}).means == CallMeans::audit);
#endif
}

}  // namespace tailgate
