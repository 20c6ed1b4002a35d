#include "harness/project/project.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

const fs::path kFile = fs::current_path() / kProjectFileName;

Project parse(const std::string& text) {
  return parse_project(text, kFile);
}

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kWhole = R"(
[build]
command = "make"
plugin = "out/../build/mylog.so"
timeout_s = 60

[[run]]
scenario = "steady"
sinks = ["plugin"]

[[benchmark]]
name = "bench"
command = "./bench --json"
from = "gbench"
margin = "3%"
metrics = ["BM_Log real_time"]
timeout_s = 30
cpus = "any"
)";

TEST_CASE("a project says how it is built, what that makes, and which benchmarks it has") {
  const Project project = parse(kWhole);
  CHECK(project.build == "make");
  CHECK(project.build_timeout_s == 60);
  CHECK(project.makes == BuildMakes::plugin);
  CHECK(project.made == fs::path("build/mylog.so").make_preferred());
  CHECK(project.policy == kFile);
  CHECK(project.root() == kFile.parent_path());
  REQUIRE(project.benchmarks.size() == 1);
  const ProjectBenchmark& benchmark = project.benchmarks.front();
  CHECK(benchmark.name == "bench");
  CHECK(benchmark.command == "./bench --json");
  CHECK(benchmark.from == "gbench");
  CHECK(benchmark.margin == "3%");
  CHECK(benchmark.metrics == std::vector<std::string>{"BM_Log real_time"});
  CHECK(benchmark.timeout_s == 30);
  CHECK(benchmark.cpus == "any");
}

TEST_CASE("rules and runs stand in the project's file or in the one that it names") {
  const Project project = parse("policy = \"rules/gate.toml\"\n[build]\ncommand = \"make\"\n");
  CHECK(project.policy == (kFile.parent_path() / "rules/gate.toml").make_preferred());
  CHECK_THAT(complaint("policy = \"rules/gate.toml\"\n[build]\ncommand = \"make\"\n[gate]\n"),
             Catch::Contains(":4: 'gate' stands beside policy") && Catch::Contains("one file"));
  CHECK_THAT(complaint("policy = \"rules/gate.toml\"\nbuidl = 1\n[build]\ncommand = \"make\"\n"),
             Catch::Contains("buidl"));
}

TEST_CASE("what a project's file says wrongly is named with its line") {
  const auto says = [](const std::string& text, const char* what) {
    INFO(text);
    CHECK_THAT(complaint(text), Catch::StartsWith(kFile.string() + ":") && Catch::Contains(what));
  };
  says("", "'build' is missing");
  says("[build]\n", "'command' is missing");
  says("[build]\ncommand = \"\"\n", "command is empty");
  says("[build]\ncommand = 1\n", "command");
  says("[build]\ncommand = \"make\"\nplugin = \"a.so\"\ntailgate = \"b\"\n", "both a plugin");
  says("[build]\ncommand = \"make\"\nplugin = \"../a.so\"\n", "outside of the project");
  says("[build]\ncommand = \"make\"\nplugin = \"a/../../a.so\"\n", "outside of the project");
  says("[build]\ncommand = \"make\"\nplugin = \"a:b.so\"\n", "has a ':' or ','");
  says("[build]\ncommand = \"make\"\ntimeout_s = 0\n", "timeout_s");
  says("[build]\ncommand = \"make\"\ncmd = 1\n", "cmd");
  const std::string build = "[build]\ncommand = \"make\"\n[[benchmark]]\nname = \"b\"\n";
  says(build, "'command' is missing");
  says(build + "command = \"b\"\nfrom = \"gbensh\"\n", "there is no format 'gbensh'");
  says(build + "command = \"b\"\nmetrics = \"m\"\n", "metrics is not a list");
  says(build + "command = \"b\"\n[[benchmark]]\nname = \"b\"\ncommand = \"c\"\n", "named twice");
  says(build + "command = \"b\"\nfrom = \"gbench\"\ncalls = \"write\"\n", "both from and calls");
  says("[build\n", "");
}

TEST_CASE("layouts are of what the build makes, and of the programs that are named") {
  const std::string build = "[build]\ncommand = \"make\"\n";
  const Project none = parse(build + "programs = [\"b/app\"]\n");
  CHECK(none.layouts == 0);
  const Project plugin =
      parse(build + "plugin = \"x.so\"\nlayouts = 15\nprograms = [\"b/../b/app\"]\n");
  CHECK(plugin.layouts == 15);
  CHECK(plugin.linked() == std::vector<fs::path>{"x.so", fs::path("b/app").make_preferred()});
  CHECK(parse(build + "layouts = 0\n").layouts == 0);
  CHECK_THAT(complaint(build + "layouts = 14\nprograms = [\"a\"]\n"),
             Catch::Contains(":3: layouts = 14") && Catch::Contains("fewer than 15"));
  CHECK_THAT(complaint(build + "layouts = 15\n"), Catch::Contains("name them: programs"));
  CHECK_THAT(complaint(build + "programs = [\"../a\"]\n"), Catch::Contains("is outside"));
  CHECK_THAT(complaint(build + "programs = \"a\"\n"), Catch::Contains("not a list"));
  CHECK_THAT(complaint(build + "layouts = 201\n"), Catch::Contains("201"));
}

TEST_CASE("the sink 'plugin' is the library of the side") {
  const Project project = parse(kWhole);
  const fs::path side = kFile.parent_path() / "side";
  const std::string library = (side / project.made).string();
  CHECK(project.sink_of("plugin", side) == library);
  CHECK(project.sink_of("plugin:mode=a", side) == library + ":mode=a");
  CHECK_THROWS_WITH(project.sink_of("file", side), Catch::Contains("does not make"));
  CHECK_THROWS_WITH(project.sink_of("pluginx", side), Catch::Contains("does not make"));
  const Project other = parse("[build]\ncommand = \"make\"\ntailgate = \"build/tailgate\"\n");
  CHECK(other.makes == BuildMakes::tailgate);
  CHECK(other.sink_of("file:mode=mmap", side) == "file:mode=mmap");
}

TEST_CASE("a project's file is found from a folder inside") {
  const TestDirectory parent;
  fs::create_directories(parent.path() / "a/b");
  CHECK_FALSE(find_project_file(parent.path() / "a/b"));
  std::ofstream(parent.path() / kProjectFileName) << "[build]\ncommand = \"make\"\n";
  const auto file = find_project_file(parent.path() / "a/b");
  REQUIRE(file);
  CHECK(*file == parent.path() / kProjectFileName);
  CHECK(load_project(*file).build == "make");
}

}  // namespace
}  // namespace tailgate
