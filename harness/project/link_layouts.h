// The linker in between: while a build runs, compilers find this program in place of the linker. It
// calls the linker, and links some of the files again in other layouts. README.md explains it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tailgate {

// The hidden subcommand; its arguments are the folder of LayoutPlan, the linker's name and
// arguments.
inline constexpr const char* kLinkCommand = "link-layouts";

// The layouts that a build makes.
struct LayoutPlan {
  unsigned count = 0;
  std::filesystem::path root;                // absolute: of the build
  std::vector<std::filesystem::path> files;  // what is wanted in layouts, relative to root
  std::filesystem::path folder;              // absolute: where the layouts go
};

// The folder of a file's layouts: the files 0, 1 … in it.
std::filesystem::path layouts_of(const LayoutPlan& plan, const std::filesystem::path& file);

// Puts the linker in between into the folder `linker`, which must be the same for all builds of a
// project, since compiler caches tell builds apart by it. Returns what the build's environment
// needs. Throws Error where the system has no such linker.
std::vector<std::pair<std::string, std::string>> layout_environment(
    const LayoutPlan& plan, const std::filesystem::path& linker);

// The subcommand: links as asked, and then the layouts, by the plan in the environment. Returns the
// linker's exit code, or 1 after a message where a layout cannot be linked.
int link_layouts(const std::vector<std::string>& arguments);

}  // namespace tailgate
