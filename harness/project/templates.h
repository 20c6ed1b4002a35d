// The files that `tailgate init` writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/project/project.h"

namespace tailgate {

// What the user said; what is empty is found out or left for the user to fill in.
struct ProjectWishes {
  std::string build = {};      // command
  std::string plugin = {};     // what it makes, relative to the root
  std::string benchmark = {};  // command
  // Names of ci_services(); empty: those in use, else all.
  std::vector<std::string> ci_services = {};
};

struct NewFile {
  std::filesystem::path path;  // relative to the project's root
  std::string content;
};

// "github", "gitlab" and "jenkins".
const std::vector<std::string>& ci_services();

// Returns the project's file, which load_project accepts, and the workflows. Nothing is written.
std::vector<NewFile> make_project_files(const std::filesystem::path& root,
                                        const ProjectWishes& wishes);

}  // namespace tailgate
