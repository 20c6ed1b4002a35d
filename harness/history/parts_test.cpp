#include "harness/history/parts.h"

#include <catch2/catch.hpp>

namespace tailgate::history {
namespace {

TEST_CASE("a part's name says which time it is of, and of which cause") {
  const auto part = part_of_metric(part_metric("slow_call", "blocked_lock_kworker"));
  REQUIRE(part);
  CHECK(part->measure == "slow_call");
  CHECK(part->cause == "blocked_lock_kworker");
  CHECK_FALSE(part_of_metric(whole_metric("call")));
  CHECK_FALSE(part_of_metric("daemon_ns_per_event"));
}

TEST_CASE("waits that few rounds have count by their mean, other causes by their middle") {
  const std::vector<double> values = {0, 0, 0, 0, 10};
  for (const char* cause : {"waiting", "waiting_make", "blocked_lock", "reclaim"}) {
    CHECK(middle_of_part(cause, values) == 2);
  }
  for (const char* cause : {"own_code", "syscall_write", "block_layer", ""}) {
    CHECK(middle_of_part(cause, values) == 0);
  }
}

}  // namespace
}  // namespace tailgate::history
