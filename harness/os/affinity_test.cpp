#include "harness/os/affinity.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

using tailgate::allowed_cpus;
using tailgate::bind_this_thread;
using tailgate::format_cpu_list;

TEST_CASE("processor lists use ranges") {
  CHECK(format_cpu_list({}) == "");
  CHECK(format_cpu_list({3}) == "3");
  CHECK(format_cpu_list({0, 1}) == "0-1");
  CHECK(format_cpu_list({0, 2, 3, 4, 7}) == "0,2-4,7");
}

TEST_CASE("a thread that binds itself runs on that processor until the scope ends") {
  const std::vector<int> before = allowed_cpus();
  REQUIRE_FALSE(before.empty());
  {
    const tailgate::ScopedAffinity restore;
    bind_this_thread({before.back()});
    CHECK(allowed_cpus() == std::vector<int>{before.back()});
    CHECK(tailgate::current_cpu() == before.back());
  }
  CHECK(allowed_cpus() == before);
}

TEST_CASE("binding to a missing processor is an error that names its number") {
  CHECK_THROWS_WITH(bind_this_thread({1000}), Catch::Contains("processors 1000"));
}
