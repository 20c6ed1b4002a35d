#include "harness/overhead/sampler.h"

#include <catch2/catch.hpp>

#include "harness/overhead/counters.h"

namespace tailgate {
namespace {

// Counts the fields that `describe` lists.
struct FieldCounter {
  std::size_t fields = 0;
  template <class Field>
  void operator()(const char*, Field Counters::*, const char*, int = 1) {
    ++fields;
  }
};

Counters filled(std::uint64_t value) {
  Counters counters;
  for (const CounterField field : kCounts) counters.*field = value;
  for (const CounterField field : kLevels) counters.*field = value;
  return counters;
}

TEST_CASE("every counter is either a count or a level") {
  FieldCounter counter;
  Counters::describe(counter);
  CHECK(counter.fields == kCounts.size() + kLevels.size());
}

TEST_CASE("counts are subtracted, levels are taken from the later sample") {
  const Counters used = difference(filled(70), filled(30));
  for (const CounterField field : kCounts) CHECK(used.*field == 40u);
  for (const CounterField field : kLevels) CHECK(used.*field == 70u);
}

TEST_CASE("a counter that runs backwards counts as zero") {
  CHECK(difference(filled(3), filled(5)).system_ns == 0u);
}

TEST_CASE("a counter absent in one operand is absent in difference and sum") {
  Counters gap = filled(1);
  gap.read_bytes.reset();
  gap.rss_bytes.reset();
  CHECK_FALSE(difference(gap, filled(1)).read_bytes);
  CHECK_FALSE(difference(filled(1), gap).read_bytes);
  CHECK_FALSE(sum(gap, filled(1)).read_bytes);
  CHECK_FALSE(sum(filled(1), gap).rss_bytes);
  CHECK(sum(gap, filled(2)).cpu_ns == 3u);
}

TEST_CASE("the rest is the machine's use minus that of the roles") {
  Sample before;
  Sample after;
  for (Sample::OfRole& role : before.roles) role.counters = filled(1000);
  after = before;
  const auto use = [&](Role role, unsigned processes, std::uint64_t cpu_ns) {
    after[role].processes = processes;
    after[role].counters.cpu_ns = 1000 + cpu_ns;
  };
  use(Role::provider, 1, 200);
  use(Role::daemons, 2, 30);
  use(Role::kernel, 60, 5);
  use(Role::machine, 0, 1000);
  after[Role::kernel].counters.minor_faults.reset();
  // No consumer ran, so its counters mean nothing.
  after[Role::consumer].counters = {};

  const std::vector<RoleUse> uses = uses_between(before, after);
  REQUIRE(uses.size() == kRoles);
  CHECK(uses.front().role == "provider");
  CHECK(uses.back().role == "machine");
  CHECK(counters_of(uses, Role::provider).cpu_ns == 200u);
  CHECK(counters_of(uses, Role::rest).cpu_ns == 765u);
  // The kernel's threads do not report faults, so those of the rest are unknown.
  CHECK_FALSE(counters_of(uses, Role::rest).minor_faults);
  CHECK_FALSE(counters_of(uses, Role::rest).rss_bytes);
  CHECK_FALSE(counters_of({}, Role::machine).cpu_ns);
}

}  // namespace
}  // namespace tailgate
