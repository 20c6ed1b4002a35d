#include "providers/plugin/driver_file.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

using namespace tailgate;
using namespace tailgate::plugin_detail;

namespace {

constexpr const char* kWhole = R"(
name = "mine"
description = "my logger"
language = "Java"
library = "mylog 2.1"
note = "measured with its defaults"
command = ["java", "-cp", "mine.jar", "Mine"]
read_back = "lines"
abilities = ["text_events", "live_read", "single_threaded"]
refusal_causes = ["closed", "full"]

[[option]]
name = "queue_events"
type = "integer"
default = 8192
help = "events that the queue holds"
min = 1
[[option]]
name = "mode"
type = "choice"
default = "sync"
help = "when a call returns"
choices = ["sync", "async"]
)";

}  // namespace

TEST_CASE("a description's keys become the sink that they describe") {
  const DriverFile file = parse_driver_file(kWhole, "mine.toml");
  CHECK(file.described.name == "mine");
  CHECK(file.described.description == "my logger");
  CHECK(file.described.library == "mylog 2.1");
  CHECK(file.language == "Java");
  CHECK(file.note == "measured with its defaults");
  CHECK(file.command == std::vector<std::string>{"java", "-cp", "mine.jar", "Mine"});
  CHECK(file.refusal_causes == std::vector<std::string>{"closed", "full"});
  const Capabilities can = capabilities_of(file.abilities);
  CHECK((can.read_back && can.live_read && can.text_events && !can.multi_threaded));
  CHECK_FALSE((can.accounts_losses || can.asynchronous || can.may_refuse));
  CHECK(can.survives == Survives::nothing);
  Options options(file.described.options, "mine");
  CHECK(options.integer("queue_events") == 8192);
  options.set("queue_events", "10k");
  options.set("mode", "async");
  CHECK(settings_of(options) == std::vector<std::pair<std::string, std::string>>{
                                    {"queue_events", "10000"}, {"mode", "async"}});
  CHECK_THROWS_WITH(options.set("queue_events", "0"), Catch::Contains("queue_events = '0'"));
}

TEST_CASE("a description declares what events survive, the more of both") {
  const auto declared = [](const std::string& more) {
    std::string text = kWhole;
    const std::size_t at = text.find("\"live_read\"");
    REQUIRE(at != std::string::npos);
    text.insert(at, more);
    return capabilities_of(parse_driver_file(text, "mine.toml").abilities).survives;
  };
  CHECK(declared("\"survives_kill\", ") == Survives::kill);
  CHECK(declared("\"survives_crash\", ") == Survives::crash);
  CHECK(declared("\"survives_crash\", \"survives_kill\", ") == Survives::crash);
}

TEST_CASE("a text with a zero byte is refused, not cut") {
  const std::string text = std::string(kWhole) + "[[option]]\nname = \"a\\u0000b\"\n" +
                           "type = \"text\"\ndefault = \"\"\nhelp = \"h\"\n";
  CHECK_THROWS_WITH(parse_driver_file(text, "mine.toml"),
                    Catch::Contains("mine.toml") && Catch::Contains("control character"));
}

TEST_CASE("an error names the file and the line of the wrong value") {
  std::string text = kWhole;
  text.replace(text.find("\"choice\""), 8, "\"chance\"");
  CHECK_THROWS_WITH(
      parse_driver_file(text, "mine.toml"),
      Catch::Contains("mine.toml:20") && Catch::Contains("type 'chance' is not known"));
}
