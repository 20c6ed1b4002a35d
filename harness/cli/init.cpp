// tailgate init: writes the file that tells the gate how a project is built and measured.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/os/atomic_file.h"
#include "harness/project/templates.h"

namespace tailgate {
namespace {

struct InitRequest {
  std::filesystem::path folder = ".";
  ProjectWishes wishes;
  bool force = false;
};

// All or nothing where a file is there already.
void check_free(const std::filesystem::path& root, const std::vector<NewFile>& files) {
  for (const NewFile& file : files) {
    std::error_code failed;
    if (!std::filesystem::exists(root / file.path, failed)) continue;
    throw UsageError(Error(fmt::format("'{}' is there already", (root / file.path).string()),
                           "change it by hand, or replace it with --force"));
  }
}

int init(const InitRequest& request) {
  const std::filesystem::path& root = request.folder;
  if (!std::filesystem::is_directory(root)) {
    throw UsageError(
        Error(fmt::format("'{}' is not a folder", root.string()), "give the root of your project"));
  }
  const std::vector<NewFile> files = make_project_files(root, request.wishes);
  as_usage([&] {
    parse_project(files.front().content, std::filesystem::absolute(root) / kProjectFileName);
  });
  if (!request.force) check_free(root, files);
  for (const NewFile& file : files) {
    const std::filesystem::path path = root / file.path;
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, file.content, request.force ? Existing::replace : Existing::refuse);
    say("wrote: {}\n", path.lexically_normal().string());
  }
  say("next: check {}, commit it, then: tailgate gate HEAD~1 HEAD\n", kProjectFileName);
  return kExitDone;
}

}  // namespace

void commands::add_init_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("init", "Write tailgate.toml and a CI workflow");
  const auto request = std::make_shared<InitRequest>();
  command->add_option("folder", request->folder, "The project's root; else this folder")
      ->type_name("DIR");
  command->add_option("--build", request->wishes.build, "How it is built; else guessed")
      ->type_name("COMMAND");
  command->add_option("--plugin", request->wishes.plugin, "The sink's library that the build makes")
      ->type_name("FILE");
  command
      ->add_option("--benchmark", request->wishes.benchmark,
                   "A program that prints figures, run in the root")
      ->type_name("COMMAND");
  command->add_option("--ci", request->wishes.ci_services, "The service to write a workflow for")
      ->one_of(ci_services())
      ->one_value_each_time();
  command->add_flag("--force", request->force, "Replace files that are there already");
  command->footer(
      "Workflows are written for the services that the project uses, or for all when\n"
      "none is in sight; --ci names others and may be repeated. Then\n"
      "'tailgate gate BASE HEAD' gates the project.\n"
      "\n"
      "Examples:\n"
      "  tailgate init\n"
      "  tailgate init --plugin build/mylog.so --ci github\n"
      "  tailgate init --build make --benchmark './bench --benchmark_format=json'");
  command->callback([request, &action] { action = [request] { return init(*request); }; });
}

}  // namespace tailgate
