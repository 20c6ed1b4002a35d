#include "harness/result/command_duet.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/result/filler.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

TEST_CASE("every field of a duet of commands is read back as it was written") {
  CommandDuet duet;
  Filler().fill(duet);
  duet.format = kCommandDuetFormat;
  duet.version = kCommandDuetVersion;
  const std::string text = write_command_duet(duet);
  const CommandDuet again = read_command_duet(text, "memory");
  CHECK(write_command_duet(again) == text);
  REQUIRE(again.rounds.size() == 2);
  CHECK(again.rounds[1].b.figures[0].value == duet.rounds[1].b.figures[0].value);
}

TEST_CASE("a duet of commands is no duet of sinks") {
  CHECK_THROWS_AS(read_duet(write_command_duet(CommandDuet()), "x.json"), Error);
  CHECK_THROWS_AS(read_command_duet(write_duet(Duet()), "x.json"), Error);
  CHECK(nlohmann::json::parse(write_command_duet(CommandDuet()))["format"] ==
        "tailgate-command-duet");
}

}  // namespace
}  // namespace tailgate
