// The subcommands that read result files: show and export.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/cli/commands.h"
#include "harness/cli/export.h"
#include "harness/cli/show.h"
#include "harness/result/files.h"
#include "harness/result/sample.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

// A directory with two results, "a.json" and "b.json".
class ResultDirectory : public TestDirectory {
 public:
  ResultDirectory() {
    save_result(*this / "a.json", sample_result());
    save_result(*this / "b.json", sample_result());
  }
};

std::string shown(const ShowRequest& request) {
  std::ostringstream out;
  show(request, out);
  return out.str();
}

std::string exported(const ExportRequest& request) {
  std::ostringstream out;
  export_files(request, out);
  return out.str();
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST_CASE("show prints one table of everything it is given") {
  const ResultDirectory directory;
  const std::vector<std::filesystem::path> paths = {directory.path(), directory / "a.json"};
  CHECK(occurrences(shown({.paths = paths}), "file:mode=mmap") >= 3);
  const std::string text = shown({.paths = paths, .details = true});
  CHECK(occurrences(text, "rate/s achieved") == 1);
  CHECK(occurrences(text, "steady@file:mode=mmap (preset quick)\n   10k") == 3);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("show prints JSON with the files' names") {
  const ResultDirectory directory;
  const auto list = nlohmann::json::parse(shown({.paths = {directory.path()}, .json = true}));
  REQUIRE(list.size() == 2);
  CHECK(list[1]["file"] == (directory / "b.json").string());
}

TEST_CASE("show prints nothing when a result cannot be read") {
  const ResultDirectory directory;
  std::ostringstream out;
  CHECK_THROWS_AS(show({.paths = {directory / "a.json", directory / "none.json"}}, out), Error);
  CHECK(out.str().empty());
}

TEST_CASE("export prints one result, and writes several to a directory") {
  const ResultDirectory directory;
  const std::string csv = exported({.format = "csv", .paths = {directory / "a.json"}});
  CHECK(csv.starts_with("run,started_utc,machine,revision,"));
  const fs::path out = directory / "new/folder";
  const std::string written =
      exported({.format = "csv", .paths = {directory.path()}, .directory = out});
  CHECK(written == (out / "a.csv").string() + "\n" + (out / "b.csv").string() + "\n");
  std::ifstream file(out / "b.csv", std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == csv);
}

TEST_CASE("export prints a whole folder as one table") {
  const ResultDirectory directory;
  const std::string one = exported({.format = "csv", .paths = {directory / "a.json"}});
  const std::string rows = one.substr(one.find('\n') + 1);
  CHECK(exported({.format = "csv", .paths = {directory.path()}}) == one + rows);
  CHECK_THROWS_WITH(
      exported({.format = "csv", .paths = {directory.path()}, .step = 9}),
      Catch::StartsWith((directory / "a.json").string()) && Catch::Contains("no step 9"));
}

TEST_CASE("a duet is exported in the formats of duets") {
  const ResultDirectory directory;
  save_duet(directory / "duet.json", sample_duet());
  const std::vector<fs::path> both = {directory / "duet.json", directory / "a.json"};
  CHECK(exported({.format = "text", .paths = {both[0]}}) == shown({.paths = {both[0]}}));
  CHECK(exported({.format = "text", .paths = {both[1]}}) == shown({.paths = {both[1]}}));
  CHECK(exported({.format = "text", .paths = both, .directory = directory / "out"}) ==
        (directory / "out" / "duet.txt").string() + "\n" + (directory / "out" / "a.txt").string() +
            "\n");
  CHECK_THROWS_WITH(exported({.format = "csv", .paths = both, .directory = directory / "none"}),
                    Catch::Contains("'csv' for a duet"));
  CHECK_FALSE(fs::exists(directory / "none"));
  CHECK_THROWS_AS(exported({.format = "text", .paths = {both[0]}, .step = 0}), UsageError);
}

TEST_CASE("a step that the result does not have is refused with those that it has") {
  Result result = sample_result();
  result.trials[1].step = 4;
  CHECK(select_step(result, 4).trials.size() == 1);
  CHECK_THROWS_WITH(select_step(result, 1), Catch::EndsWith("give one of: 0, 4"));
  CHECK_THROWS_AS(select_step(Result(), 0), Error);
}

TEST_CASE("export's errors name what was wrong") {
  const ResultDirectory directory;
  const std::vector<fs::path> one = {directory / "a.json"};
  CHECK_THROWS_WITH(exported({.format = "hgrm", .paths = {directory.path()}}),
                    Catch::StartsWith("2 files do not fit into one output of the format 'hgrm'"));
  CHECK_THROWS_WITH(exported({.format = "xls", .paths = one}), Catch::Contains("'xls'"));
  CHECK_THROWS_WITH(exported({.format = "csv", .paths = one, .metric = "speed"}),
                    Catch::Contains("'speed'"));
  CHECK_THROWS_WITH(exported({.format = "csv", .paths = one, .step = 7}),
                    Catch::Contains("no step 7"));
  CHECK_THROWS_WITH(exported({.format = "csv", .paths = one, .directory = directory / "a.json"}),
                    Catch::Contains("cannot make the directory"));
}

TEST_CASE("the commands take their options from the command line") {
  const ResultDirectory directory;
  Command program("tailgate", "", "");
  Action action;
  commands::add_show_command(program, Catalog(), action);
  commands::add_export_command(program, Catalog(), action);
  const fs::path out = directory / "out";
  const std::string a = (directory / "a.json").string();
  // Printed to standard output as well, which Catch does not mind.
  REQUIRE(program.parse({"export", "hgrm", a, "--metric", "service", "--step", "0", "--out",
                         out.string()}) == Parsed::command);
  CHECK(action() == kExitDone);
  CHECK(fs::exists(out / "a.hgrm"));
  REQUIRE(program.parse({"show", "--trials", a + ".none"}) == Parsed::command);
  CHECK_THROWS_AS(action(), Error);
  CHECK(program.parse({"export", "hgrm"}) == Parsed::refused);
  CHECK(program.parse({"show"}) == Parsed::refused);
  CHECK(program.parse({"export", "--help"}) == Parsed::answered);
}

TEST_CASE("what begins with a slash is a path, on every system") {
  Action action;
  const Catalog catalog;
  const std::vector<std::vector<std::string>> commands = {
      {"show"}, {"explain"}, {"compare"}, {"gate"}, {"export", "csv"}};
  for (std::vector<std::string> arguments : commands) {
    INFO(arguments.front());
    arguments.push_back("/no/such/result.json");
    REQUIRE(make_program(catalog, action)->parse(arguments) == Parsed::command);
    CHECK_THROWS_WITH(action(), Catch::Contains("result.json"));
  }
}

TEST_CASE("a duet is shown as such, beside results or alone") {
  const ResultDirectory directory;
  save_duet(directory / "duet.json", sample_duet({.rounds = 3}));
  const std::string alone = shown({.paths = {directory / "duet.json"}});
  CHECK_THAT(alone, Catch::StartsWith("duet\n") && Catch::Contains("service_ns_p50"));
  const std::string both = shown({.paths = {directory / "duet.json", directory / "a.json"}});
  CHECK(both.starts_with(alone));
  CHECK(both.size() > alone.size());
  CHECK_THROWS_AS(shown({.paths = {directory / "duet.json"}, .json = true}), Error);
}

}  // namespace
}  // namespace tailgate
