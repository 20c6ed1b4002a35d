#include "harness/project/builds.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "harness/base/environment_text.h"
#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/atomic_file.h"
#include "harness/os/command.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeptBuilds = 6;
// Written last, with the recipe: a build without it is not complete.
constexpr const char* kComplete = "complete";

// Another version of a tool is another file.
std::string tool_text(const std::string& name) {
  const auto path = find_program(name);
  if (!path) return "";
  std::error_code failed;
  const auto size_bytes = fs::file_size(*path, failed);
  const auto written = fs::last_write_time(*path, failed).time_since_epoch().count();
  return fmt::format("{} {} {} {}\n", name, path->string(), size_bytes, written);
}

// What a build depends on besides its commit.
std::string recipe_of(const Project& project) {
  std::string recipe = fmt::format("command {}\n", project.build);
  for (const char* name :
       {"CC", "CXX", "CPPFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS", "RUSTFLAGS", "GOFLAGS"}) {
    recipe += fmt::format("{}={}\n", name, environment_text(name));
  }
  const std::string cc = environment_text("CC");
  const std::string cxx = environment_text("CXX");
  for (const std::string& tool :
       {cc.empty() ? "cc" : cc, cxx.empty() ? "c++" : cxx, std::string("cmake"),
        std::string("make"), std::string("cargo"), std::string("rustc"), std::string("go"),
        std::string("javac"), std::string("node"), std::string("python3")}) {
    recipe += tool_text(tool);
  }
  if (project.layouts == 0) return recipe;
  recipe += fmt::format("layouts {}\n{}", project.layouts, tool_text("ld"));
  for (const fs::path& file : project.linked()) recipe += fmt::format("file {}\n", file.string());
  return recipe;
}

// The end of a log, for the terminal.
std::string last_lines(const std::string& text) {
  constexpr int kLines = 20;
  std::size_t at = text.size();
  for (int line = 0; line <= kLines && at != std::string::npos && at > 0; ++line) {
    at = text.rfind('\n', at - 1);
  }
  return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

}  // namespace

Workspace::Workspace(const fs::path& project_root) : path_(project_root / ".tailgate") {
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) {
    throw system_error("mkdir", path_.string(), failed.value(),
                       "builds and results go there; make the project's folder writable");
  }
  lock_ = FileLock::take(path_ / "lock", true);
  if (!lock_) {
    throw Error(fmt::format("'{}' cannot be locked: another tailgate is at work in this project",
                            (path_ / "lock").string()),
                "wait until it ends; two that measure at once disturb each other");
  }
  if (!fs::exists(path_ / ".gitignore", failed)) {
    write_file_atomically(path_ / ".gitignore", "*\n");
  }
}

void Builds::drop(const fs::path& build) const {
  std::error_code ignored;
  // Removed first, so that an interrupted removal leaves no build that counts as complete.
  fs::remove(build / kComplete, ignored);
  repository_.remove(build / "source");
  remove_folder(build);
}

fs::path Builds::root_of(const std::string& commit) const {
  return (folder_ / commit / "source" / repository_.prefix()).lexically_normal();
}

LayoutPlan Builds::layout_plan(const std::string& commit) const {
  return {.count = project_.layouts,
          .root = root_of(commit),
          .files = project_.linked(),
          .folder = folder_ / commit / "layouts"};
}

std::vector<LinkedFile> Builds::linked_files(const std::string& commit) const {
  const LayoutPlan plan = layout_plan(commit);
  std::vector<LinkedFile> linked;
  if (plan.count == 0) return linked;
  for (const fs::path& file : plan.files) {
    linked.push_back({plan.root / file, layouts_of(plan, file)});
  }
  return linked;
}

// Checks that every file has its layouts, and puts what the build made beside them.
void Builds::finish_layouts(const std::string& commit, const fs::path& log) const {
  for (const LinkedFile& linked : linked_files(commit)) {
    const fs::path last = linked.layouts / fmt::format("{}", project_.layouts - 1);
    std::error_code failed;
    if (!fs::exists(last, failed) || !fs::is_regular_file(linked.file, failed)) {
      throw Error(
          fmt::format("the build '{}' ended well, but no layouts of '{}' were linked",
                      project_.build, linked.file.string()),
          fmt::format(
              "name the file that the linker writes, not a copy of it or a link to it; it "
              "must be linked by gcc or clang with GNU ld, in an environment that still has "
              "COMPILER_PATH and TAILGATE_LAYOUTS; or leave 'layouts' out of {}. The "
              "build's log is '{}'",
              project_.file.filename().string(), log.string()));
    }
    fs::copy_file(linked.file, linked.layouts / kAsBuilt, fs::copy_options::overwrite_existing);
  }
}

void Builds::run_command_in(const LayoutPlan& layouts, const fs::path& log) const {
  CommandOptions options{.command = project_.build,
                         .output = log,
                         .directory = layouts.root,
                         .limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::duration<double>(project_.build_timeout_s))};
  if (layouts.count > 0) options.environment = layout_environment(layouts, linker_);
  const CommandEnd end = run_command(options);
  if (end.stop == CommandStop::interrupted ||
      (end.end.exited && end.end.code == 0 && end.stop == CommandStop::none)) {
    return;
  }
  const std::string how = end.stop == CommandStop::timed_out
                              ? fmt::format("took longer than {:g} s", project_.build_timeout_s)
                              : fmt::format("ended with {}", end.end.text());
  throw Error(fmt::format("the build '{}' {}; the end of its output:\n{}", project_.build, how,
                          last_lines(file_text(log))),
              fmt::format("its log is '{}'", log.string()));
}

fs::path Builds::build(const std::string& commit,
                       const std::function<void(const std::string& what)>& report) const {
  const fs::path build = folder_ / commit;
  const fs::path root = root_of(commit);
  const std::string recipe = recipe_of(project_);
  std::error_code failed;
  const bool made = project_.made.empty() || fs::exists(root / project_.made, failed);
  if (made && file_text(build / kComplete) == recipe) {
    report("was built before");
    fs::last_write_time(build / kComplete, fs::file_time_type::clock::now(), failed);
    return root;
  }
  drop(build);
  fs::create_directories(build);
  report("is being checked out and built");
  repository_.check_out(commit, build / "source");
  run_command_in(layout_plan(commit), build / "build.log");
  if (InterruptFlag::raised()) return root;
  if (!project_.made.empty() && !fs::exists(root / project_.made, failed)) {
    throw Error(fmt::format("the build '{}' ended well but made no '{}'", project_.build,
                            (root / project_.made).string()),
                fmt::format("correct its path in {}; the build's log is '{}'",
                            project_.file.filename().string(), (build / "build.log").string()));
  }
  finish_layouts(commit, build / "build.log");
  write_file_atomically(build / kComplete, recipe);
  return root;
}

void Builds::drop_old() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> complete;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const auto used = fs::last_write_time(entry.path() / kComplete, failed);
    if (failed) {
      drop(entry.path());
    } else {
      complete.emplace_back(used, entry.path());
    }
  }
  std::sort(complete.rbegin(), complete.rend());
  for (std::size_t i = kKeptBuilds; i < complete.size(); ++i) drop(complete[i].second);
}

}  // namespace tailgate
