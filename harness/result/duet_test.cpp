#include "harness/result/duet.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/result/files.h"
#include "harness/result/filler.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

using Catch::Contains;
using nlohmann::json;

Duet full_duet() {
  Duet duet;
  Filler().fill(duet);
  duet.format = kDuetFormat;
  duet.version = kDuetVersion;
  return duet;
}

TEST_CASE("every field of a duet is read back as it was written") {
  const Duet duet = full_duet();
  const std::string text = write_duet(duet);
  const Duet again = read_duet(text, "memory");
  CHECK(write_duet(again) == text);
  REQUIRE(again.rounds.size() == 2);
  CHECK(again.rounds[1].b.service.p99_ns == duet.rounds[1].b.service.p99_ns);
  CHECK(again.rounds[0].a.carry_over == duet.rounds[0].a.carry_over);
  CHECK(again.b.build.revision == duet.b.build.revision);
}

TEST_CASE("another JSON parser finds a duet's values under the names of the schema") {
  Duet duet;
  duet.rounds.resize(1);
  duet.rounds[0].turn_order = "ABBA";
  duet.rounds[0].b.ledger.unaccounted = -2;
  const json document = json::parse(write_duet(duet));
  CHECK(document["format"] == "tailgate-duet");
  CHECK(document["version"] == 3);
  CHECK(document["rounds"][0]["slice_order"] == "ABBA");
  CHECK(document["rounds"][0]["b"]["ledger"]["unaccounted"] == -2);
  CHECK_FALSE(document["rounds"][0]["a"].contains("cpu_ns"));
}

TEST_CASE("a result is not read as a duet, and a duet is not read as a result") {
  CHECK_THROWS_WITH(read_duet(write_result(Result()), "x.json"), Contains("not a duet") &&
                                                                     Contains("tailgate-result") &&
                                                                     Contains("'tailgate duet'"));
  CHECK_THROWS_WITH(read_result(write_duet(Duet()), "x.json"), Contains("not a result"));
}

TEST_CASE("a duet of a later version is refused, and the error says so") {
  Duet duet;
  duet.version = kDuetVersion + 1;
  CHECK_THROWS_WITH(read_duet(write_duet(duet), "x.json"), Contains("newer tailgate"));
}

TEST_CASE("duet files are distinguished from other files") {
  const TestDirectory directory;
  const auto path = directory.path() / "duet.json";
  save_duet(path, full_duet());
  CHECK(is_duet_file(path));
  CHECK(write_duet(load_duet(path)) == write_duet(full_duet()));
  save_result(directory.path() / "result.json", Result());
  CHECK_FALSE(is_duet_file(directory.path() / "result.json"));
  CHECK_FALSE(is_duet_file(directory.path() / "none.json"));
  // A folder may contain both.
  CHECK(find_result_files({directory.path()}).size() == 1);
}

}  // namespace
}  // namespace tailgate
