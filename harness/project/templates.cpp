#include "harness/project/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "harness/base/toml_reader.h"
#include "harness/project/templates/github.h"  // these are made from the files by the build
#include "harness/project/templates/gitlab.h"
#include "harness/project/templates/jenkins.h"
#include "harness/project/templates/project.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

struct Service {
  const char* name;
  const char* in_use;  // a project with this file or folder uses the service
  const char* path;    // of the new file
  std::string_view text;
};

constexpr Service kServices[] = {
    {"github", ".github", ".github/workflows/tailgate.yml", kGithubTemplate},
    {"gitlab", ".gitlab-ci.yml", ".gitlab/tailgate.yml", kGitlabTemplate},
    {"jenkins", "Jenkinsfile", "Jenkinsfile.tailgate", kJenkinsTemplate},
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string made_lines(const ProjectWishes& wishes) {
  if (!wishes.plugin.empty()) {
    return fmt::format("# The sink that it makes (tailgate/sink.h).\nplugin = \"{}\"",
                       toml_text(wishes.plugin));
  }
  return "# A sink that it makes (tailgate/sink.h), if it does:\n# plugin = \"build/mylog.so\"";
}

// By the build tool's file that lies there; empty where none is known.
std::string guess_build(const fs::path& root) {
  struct Tool {
    const char* file;
    const char* command;
  };
  constexpr Tool kTools[] = {
      {"CMakeLists.txt",
       "cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --parallel"},
      {"meson.build", "meson setup build --buildtype=release && meson compile -C build"},
      {"Cargo.toml", "cargo build --release"},
      {"go.mod", "go build ./..."},
      {"package.json", "npm ci"},
      {"pom.xml", "mvn --batch-mode --quiet package -DskipTests"},
      {"build.gradle", "./gradlew --no-daemon assemble"},
      {"configure", "./configure && make"},
      {"Makefile", "make"},
  };
  std::error_code failed;
  for (const Tool& tool : kTools) {
    if (fs::exists(root / tool.file, failed)) return tool.command;
  }
  return "";
}

std::string project_text(const fs::path& root, const ProjectWishes& wishes) {
  std::string build = wishes.build.empty() ? guess_build(root) : wishes.build;
  if (build.empty()) build = "make";
  const bool benchmark = !wishes.benchmark.empty();
  const std::string command = benchmark ? wishes.benchmark : "build/bench";
  std::string text(kProjectTemplate);
  replace_all(text, "@run@", wishes.plugin.empty() ? "# " : "");
  replace_all(text, "@benchmark@", benchmark ? "" : "# ");
  // The user's words come last: what they contain is not replaced.
  const std::size_t made = text.find("@made@");
  const std::string lines = made_lines(wishes);
  const std::size_t at_command = text.find("@command@");
  text.replace(at_command, std::string_view("@command@").size(), toml_text(command));
  text.replace(made, std::string_view("@made@").size(), lines);
  text.replace(text.find("@build@"), std::string_view("@build@").size(), toml_text(build));
  return text;
}

bool is_wanted(const Service& service, const fs::path& root, const ProjectWishes& wishes) {
  const auto used = [&](const Service& other) {
    std::error_code failed;
    return fs::exists(root / other.in_use, failed);
  };
  const std::vector<std::string>& named = wishes.ci_services;
  if (!named.empty()) return std::find(named.begin(), named.end(), service.name) != named.end();
  return used(service) || std::none_of(std::begin(kServices), std::end(kServices), used);
}

}  // namespace

const std::vector<std::string>& ci_services() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Service& service : kServices) all.emplace_back(service.name);
    return all;
  }();
  return names;
}

std::vector<NewFile> make_project_files(const fs::path& root, const ProjectWishes& wishes) {
  std::vector<NewFile> files = {{kProjectFileName, project_text(root, wishes)}};
  for (const Service& service : kServices) {
    if (is_wanted(service, root, wishes))
      files.push_back({service.path, std::string(service.text)});
  }
  return files;
}

}  // namespace tailgate
