#include "harness/project/templates.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

Project project_of(const TestDirectory& root, const ProjectWishes& wishes) {
  const std::vector<NewFile> files = make_project_files(root.path(), wishes);
  REQUIRE(files.front().path == kProjectFileName);
  CHECK_THAT(files.front().content, !Catch::Contains("@"));
  return parse_project(files.front().content, root.path() / kProjectFileName);
}

std::vector<std::string> workflows(const TestDirectory& root, const ProjectWishes& wishes = {}) {
  std::vector<std::string> paths;
  const std::vector<NewFile> files = make_project_files(root.path(), wishes);
  for (auto file = files.begin() + 1; file != files.end(); ++file) {
    paths.push_back(file->path.generic_string());
    CHECK_THAT(file->content, Catch::Contains("tailgate gate"));
  }
  return paths;
}

TEST_CASE("the new project file is one that the gate reads") {
  const TestDirectory root;
  CHECK(project_of(root, {}).build == "make");
  CHECK(project_of(root, {}).makes == BuildMakes::nothing);

  std::ofstream(root.path() / "Cargo.toml") << "";
  CHECK(project_of(root, {}).build == "cargo build --release");

  const Project plugin = project_of(root, {.build = "b", .plugin = "build/mylog.so"});
  CHECK(plugin.build == "b");
  CHECK(plugin.makes == BuildMakes::plugin);
  CHECK(plugin.made == fs::path("build/mylog.so").make_preferred());
  CHECK(plugin.benchmarks.empty());

  const Project benchmark = project_of(root, {.benchmark = "./bench"});
  REQUIRE(benchmark.benchmarks.size() == 1);
  CHECK(benchmark.benchmarks.front().command == "./bench");
}

TEST_CASE("what the user says stands in the file as it was said") {
  const TestDirectory root;
  const std::string hostile = "echo \"a\\b\" '@made@ @build@ @command@' \n\t # [build]";
  const std::vector<NewFile> files =
      make_project_files(root.path(), {.build = hostile, .benchmark = hostile});
  const Project project = parse_project(files.front().content, root.path() / kProjectFileName);
  CHECK(project.build == hostile);
  REQUIRE(project.benchmarks.size() == 1);
  CHECK(project.benchmarks.front().command == hostile);
}

TEST_CASE("workflows are for the services that the project uses, else for all") {
  using Paths = std::vector<std::string>;
  const TestDirectory root;
  const Paths all = {".github/workflows/tailgate.yml", ".gitlab/tailgate.yml",
                     "Jenkinsfile.tailgate"};
  CHECK(workflows(root) == all);
  std::ofstream(root.path() / ".gitlab-ci.yml") << "";
  CHECK(workflows(root) == Paths{".gitlab/tailgate.yml"});
  fs::create_directory(root.path() / ".github");
  CHECK(workflows(root) == Paths{all[0], all[1]});
  CHECK(workflows(root, {.ci_services = {"jenkins"}}) == Paths{all[2]});
}

}  // namespace
}  // namespace tailgate
