#include "harness/trial/early_end.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

EndSigns signs(std::uint64_t memory_bytes, std::uint64_t descriptors) {
  return {.at_ns = 7, .memory_bytes = memory_bytes, .descriptors = descriptors};
}

TEST_CASE("without limits nothing ends a load") {
  CHECK_FALSE(EndLimits{}.any());
  EarlyEndWatch watch({});
  CHECK_FALSE(watch.look({.free_bytes = 0, .refused_events = 1000, .late_s = 1000}));
}

TEST_CASE("growth counts from the first look") {
  EarlyEndWatch watch({.grown_bytes = 1000, .grown_descriptors = 5});
  CHECK_FALSE(watch.look(signs(50'000, 100)));
  CHECK_FALSE(watch.look(signs(50'999, 104)));
  CHECK_FALSE(watch.look(signs(1, 1)));
  const auto memory = watch.look(signs(51'000, 100));
  REQUIRE(memory);
  CHECK(memory->limit == "end_at_grown_bytes");
  CHECK(memory->value == 1000);
  CHECK(memory->allowed == 1000);
  CHECK(memory->at_ns == 7);
  CHECK(watch.look(signs(50'000, 105))->limit == "end_at_grown_descriptors");
}

TEST_CASE("what is not known ends nothing") {
  EarlyEndWatch watch({.grown_bytes = 1, .grown_descriptors = 1, .free_bytes = 1e9});
  CHECK_FALSE(watch.look({}));
  CHECK_FALSE(watch.look({}));
  CHECK_FALSE(watch.look(signs(1, 1)));
}

TEST_CASE("room, refusals and lateness end a load at their limit") {
  EarlyEndWatch watch({.free_bytes = 100, .refused_events = 3, .late_s = 2});
  CHECK_FALSE(watch.look({.free_bytes = 100, .refused_events = 2, .late_s = 1.9}));
  CHECK(watch.look({.free_bytes = 99})->limit == "end_at_free_bytes");
  CHECK(watch.look({.refused_events = 3})->limit == "end_at_refused_events");
  CHECK(watch.look({.late_s = 2})->limit == "end_at_late_s");
}

TEST_CASE("levels are those of program and daemons together") {
  RoleUse program;
  program.role = "provider";
  program.counters.private_bytes = 100;
  program.counters.descriptors = 7;
  RoleUse daemons;
  daemons.role = "daemons";
  daemons.counters.private_bytes = 20;
  EndSigns both;
  add_levels({program, daemons}, both);
  CHECK(both.memory_bytes == 120u);
  CHECK(both.descriptors == 7u);
  EndSigns none;
  add_levels({}, none);
  CHECK_FALSE(none.memory_bytes);
}

}  // namespace
}  // namespace tailgate
