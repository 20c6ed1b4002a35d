#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "harness/base/environment_text.h"
#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/atomic_file.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"
#include "harness/project/layout_script.h"
#include "harness/project/link_arguments.h"
#include "harness/project/link_layouts.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

// The plan, in the build's environment.
constexpr const char* kCountVariable = "TAILGATE_LAYOUTS";
constexpr const char* kRootVariable = "TAILGATE_LAYOUTS_ROOT";
constexpr const char* kFilesVariable = "TAILGATE_LAYOUTS_FILES";  // one a line
constexpr const char* kFolderVariable = "TAILGATE_LAYOUTS_FOLDER";
// Where gcc and clang look for the linker first; gcc sets it anew for the linker that it calls.
constexpr const char* kSearchVariable = "COMPILER_PATH";

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

LayoutPlan plan_of_environment() {
  LayoutPlan plan;
  plan.count =
      static_cast<unsigned>(std::strtoul(environment_text(kCountVariable).c_str(), nullptr, 10));
  plan.root = environment_text(kRootVariable);
  plan.folder = environment_text(kFolderVariable);
  std::istringstream files(environment_text(kFilesVariable));
  for (std::string file; std::getline(files, file);) plan.files.emplace_back(file);
  return plan;
}

// The linker of that name, where the compiler would have found it without the folder `own`.
fs::path real_linker(const std::string& name, const fs::path& own) {
  for (const char* variable : {kSearchVariable, "PATH"}) {
    std::istringstream folders(environment_text(variable));
    for (std::string folder; std::getline(folders, folder, ':');) {
      std::error_code failed;
      if (folder.empty() || fs::equivalent(folder, own, failed)) continue;
      const fs::path path = fs::path(folder) / name;
      if (fs::is_regular_file(path, failed) && access(path.c_str(), X_OK) == 0) return path;
    }
  }
  throw Error(fmt::format("there is no linker '{}' in {} and PATH", name, kSearchVariable),
              "install binutils");
}

std::optional<std::string> text_of_file(const std::string& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return {};
  return file_text(file);
}

// Which of the wanted files a link makes; nothing: none.
std::optional<fs::path> wanted_by(const LinkArguments& link, const LayoutPlan& plan) {
  if (link.relocatable || plan.count == 0) return {};
  const fs::path output = fs::absolute(link.output);
  std::error_code failed;
  const fs::path made = fs::weakly_canonical(output.parent_path(), failed) / output.filename();
  for (const fs::path& file : plan.files) {
    const fs::path wanted = plan.root / file;
    if (made == fs::weakly_canonical(wanted.parent_path(), failed) / wanted.filename()) return file;
  }
  return {};
}

// Links one file again and again.
class LayoutLinks {
 public:
  LayoutLinks(const LayoutPlan& plan, const fs::path& file, fs::path linker,
              const LinkArguments& asked, std::vector<std::string> arguments)
      : plan_(plan),
        file_(file),
        linker_(std::move(linker)),
        asked_(asked),
        arguments_(std::move(arguments)),
        folder_(layouts_of(plan, file)) {
    const std::string kind = fs::canonical(linker_).filename().string();
    for (const char* other : {"gold", "lld", "mold"}) {
      if (kind.find(other) == std::string::npos) continue;
      throw Error(
          fmt::format("'{}' is linked by {}, which cannot link layouts", file.string(), kind),
          "let the build use GNU ld (-fuse-ld=bfd), or leave out 'layouts'");
    }
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  void link() {
    const fs::path map = folder_ / "map";
    run({"-o", (folder_ / "mapped").string(), "-Map", map.string()});
    const std::vector<LinkedSection> sections = read_link_map(file_text(map));
    if (sections.size() < 2) {
      throw Error(fmt::format("'{}' has {} pieces that could be placed otherwise", file_.string(),
                              sections.size()),
                  "leave it out of the layouts, or compile with -ffunction-sections");
    }
    const fs::path script = folder_ / "script";
    for (unsigned number = 0; number < plan_.count; ++number) {
      write_file_atomically(script, layout_script(sections, number, plan_.root.string()));
      run({"-o", (folder_ / fmt::format("{}", number)).string(), "-Map", "/dev/null", "-T",
           script.string()});
    }
    for (const char* passing : {"map", "mapped", "script", "log"}) fs::remove(folder_ / passing);
  }

 private:
  // Of an option that is given twice, the linker takes the later one.
  void run(const std::vector<std::string>& added) {
    std::vector<std::string> arguments = arguments_;
    arguments.insert(arguments.end(), added.begin(), added.end());
    if (asked_.dependency_file) arguments.emplace_back("--dependency-file=/dev/null");
    const fs::path log = folder_ / "log";
    Child child = Child::start({.program = fs::absolute(linker_),
                                .arguments = arguments,
                                .environment = {{"LC_ALL", "C"}},
                                .inherited = {},
                                .output = log});
    constexpr std::chrono::hours kPatience{1};
    const auto end = child.wait_for(kPatience);
    if (end && end->exited && end->code == 0) return;
    throw Error(
        fmt::format("a layout of '{}' could not be linked ({}): {}", file_.string(),
                    end ? end->text() : "no end after an hour", file_text(log)),
        "leave out 'layouts', or see whether the build's own linker script has the sections "
        ".text, .rodata, .data and .bss");
  }

  const LayoutPlan& plan_;
  const fs::path& file_;
  fs::path linker_;
  const LinkArguments& asked_;
  std::vector<std::string> arguments_;
  fs::path folder_;
};

}  // namespace

fs::path layouts_of(const LayoutPlan& plan, const fs::path& file) {
  return plan.folder / file;
}

std::vector<std::pair<std::string, std::string>> layout_environment(const LayoutPlan& plan,
                                                                    const fs::path& linker) {
  fs::create_directories(linker);
  for (const std::string name : {"ld", "ld.bfd", "ld.gold", "ld.lld"}) {
    const fs::path script = linker / name;
    write_file_atomically(script, fmt::format("#!/bin/sh\nexec {} {} {} {} \"$@\"\n",
                                              shell_quoted(executable_path().string()),
                                              kLinkCommand, shell_quoted(linker.string()), name));
    fs::permissions(script, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  }
  std::string files;
  for (const fs::path& file : plan.files) files += file.string() + "\n";
  const std::string before = environment_text(kSearchVariable);
  return {{kSearchVariable, before.empty() ? linker.string() : linker.string() + ":" + before},
          {kCountVariable, fmt::format("{}", plan.count)},
          {kRootVariable, plan.root.string()},
          {kFilesVariable, files},
          {kFolderVariable, plan.folder.string()}};
}

int link_layouts(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    throw Error("the linker in between was called without its folder and name",
                "it is for builds alone: see harness/project/README.md");
  }
  const fs::path linker = real_linker(arguments[1], arguments[0]);
  const std::vector<std::string> asked(arguments.begin() + 2, arguments.end());
  std::vector<std::string> command = {linker.string()};
  command.insert(command.end(), asked.begin(), asked.end());
  // As the linker reads it: a response file may be gone after the link.
  const LinkArguments link = read_link_arguments(asked, text_of_file);
  if (const int failed = run_program(command); failed != 0) return failed;
  const LayoutPlan plan = plan_of_environment();
  const auto file = wanted_by(link, plan);
  if (!file) return 0;
  try {
    LayoutLinks(plan, *file, linker, link, asked).link();
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "tailgate: {}\n  {}\n", error.what_failed(), error.remedy());
    return 1;
  }
}

}  // namespace tailgate
