#include "harness/gate/waivers.h"

#include <catch2/catch.hpp>

#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

constexpr const char* kJudgedOn = "2026-06-01";

Waiver waiver_of(const std::string& commit) {
  Waiver waiver;
  waiver.metric = "response_ns_p50";
  waiver.low = 0.05;
  waiver.high = 0.15;
  waiver.commit = commit;
  waiver.reason = "checksums";
  waiver.expires = "2026-06-30";
  return waiver;
}

// A duet of two builds, by their revisions.
Duet duet_of(const std::string& a, const std::string& b) {
  Duet duet = sample_duet({.rounds = 1});
  duet.a.build.revision = a;
  duet.b.build.revision = b;
  return duet;
}

TEST_CASE("a commit is known by as many digits as both texts have") {
  CHECK(is_same_commit("4f2a9c1", "4f2a9c1d03e5"));
  CHECK(is_same_commit("4f2a9c1d03e5", "4f2a9c1"));
  CHECK_FALSE(is_same_commit("4f2a9c1", "4f2a9c2d03e5"));
  CHECK_FALSE(is_same_commit("4f2a9c1", ""));
}

TEST_CASE("a waiver counts where its commit is B's and not A's") {
  const Waiver waiver = waiver_of("4f2a9c1d03e5aa");
  struct Row {
    const char* a;
    const char* b;
    std::vector<std::string> waived;
    bool between;
  };
  const Row row = GENERATE(
      Row{"0000000aaaaa", "4f2a9c1d03e5", {}, true}, Row{"4f2a9c1d03e5", "4f2a9c1d03e5", {}, false},
      Row{"4f2a9c1d03e5", "0000000aaaaa", {}, false},
      Row{"0000000aaaaa", "1111111aaaaa", {}, false}, Row{"unknown", "unknown", {}, false},
      Row{"0000000aaaaa", "1111111aaaaa", {"2222222", "4f2a9c1"}, true},
      Row{"0000000aaaaa", "1111111aaaaa", {"2222222"}, false});
  CAPTURE(row.a, row.b, row.waived.size());
  CHECK(is_between(waiver, duet_of(row.a, row.b), row.waived) == row.between);
}

TEST_CASE("waivers that do not hold are taken out, and it is said why") {
  Policy policy;
  policy.waivers = {waiver_of("4f2a9c1"), waiver_of("aaaaaaa"), waiver_of("bbbbbbb"),
                    waiver_of("ccccccc")};
  policy.waivers[1].expires = "2026-05-31";
  policy.waivers[2].expires = kJudgedOn;
  policy.waivers[3].scope.sink = "no such sink";
  policy.waived_commits = {"bbbbbbb", "aaaaaaa"};
  const Duet duet = duet_of("0000000aaaaa", "1111111aaaaa");

  const Policy valid = with_valid_waivers(policy, duet, kJudgedOn);
  REQUIRE(valid.waivers.size() == 1);
  CHECK(valid.waivers[0].commit == "bbbbbbb");

  const std::vector<Remark> remarks = waivers_left_out(policy, duet, kJudgedOn);
  REQUIRE(remarks.size() == 2);
  CHECK_THAT(remarks[0].what, Contains("4f2a9c1") && Contains("1111111aaaaa"));
  CHECK_THAT(remarks[0].remedy, Contains("--waive 4f2a9c1"));
  CHECK_THAT(remarks[1].what, Contains("aaaaaaa") && Contains("expired on 2026-05-31"));
}

}  // namespace
}  // namespace tailgate
