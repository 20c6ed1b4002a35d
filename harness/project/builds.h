// Builds of a project's revisions, kept for the next time below .tailgate/ in the project's root.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/os/file_lock.h"
#include "harness/project/link_layouts.h"
#include "harness/project/project.h"
#include "harness/project/repository.h"

namespace tailgate {

// The folder .tailgate/ of a project, which git ignores. One process at a time may use it.
class Workspace {
 public:
  // Makes the folder where it is missing. Throws Error while another process uses it.
  explicit Workspace(const std::filesystem::path& project_root);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;
};

// A file that a build linked, and the folder of its layouts: the files 0, 1 …, and kAsBuilt.
struct LinkedFile {
  std::filesystem::path file;
  std::filesystem::path layouts;
};

// What the build itself made, beside its layouts.
inline constexpr const char* kAsBuilt = "as-built";

class Builds {
 public:
  // The references must outlive the object.
  Builds(const Project& project, const Repository& repository, const Workspace& workspace)
      : project_(project),
        repository_(repository),
        folder_(workspace.path() / "builds"),
        linker_(workspace.path() / "linker") {}

  // Checks the commit out and builds it, unless that was done before by the same recipe: the same
  // command, flags (CC, CFLAGS and so on) and build tools. The paths of all builds are of the same
  // length, so that two of them differ only in the commit. A build has all its layouts, or it is
  // none. `report` is told what is done. Returns the project's root in the checkout. Throws Error
  // with the path of the build's log.
  std::filesystem::path build(const std::string& commit,
                              const std::function<void(const std::string& what)>& report) const;

  // The files of a commit's build that have layouts; empty where the project wants none.
  std::vector<LinkedFile> linked_files(const std::string& commit) const;

  // Removes what is not complete, and all complete builds but those that were used last.
  void drop_old() const;

 private:
  void drop(const std::filesystem::path& build) const;
  LayoutPlan layout_plan(const std::string& commit) const;
  std::filesystem::path root_of(const std::string& commit) const;
  void run_command_in(const LayoutPlan& layouts, const std::filesystem::path& log) const;
  void finish_layouts(const std::string& commit, const std::filesystem::path& log) const;

  const Project& project_;
  const Repository& repository_;
  std::filesystem::path folder_;
  std::filesystem::path linker_;
};

}  // namespace tailgate
