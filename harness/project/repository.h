// The git repository that a project lies in. Runs the program git.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

class Repository {
 public:
  // The repository of a project's root. `log` is a file for what git prints, written anew by each
  // call. Throws Error if git is not there or knows no work tree there.
  Repository(const std::filesystem::path& project_root, std::filesystem::path log);

  // The full hash of a revision's commit; nothing if git knows none.
  std::optional<std::string> find_commit(const std::string& revision) const;

  // The same, but throws Error if git knows none.
  std::string commit_of(const std::string& revision) const;

  // Whether `commit` is `descendant` or one of its ancestors. Full hashes.
  bool contains(const std::string& descendant, const std::string& commit) const;

  // The commits after `base` up to `head`, oldest first; of merges those of the first parent. Full
  // hashes. Throws Error if git cannot list them, or `base` is not among head's ancestors.
  std::vector<std::string> commits_between(const std::string& base, const std::string& head) const;

  // A commit's short hash and the first line of its message.
  std::string subject_of(const std::string& commit) const;

  // Whether files that git tracks differ from the current commit.
  bool has_changes() const;

  // Checks a commit out into a new folder, with its submodules, as a work tree of this repository.
  // Throws Error with git's last line.
  void check_out(const std::string& commit, const std::filesystem::path& folder) const;

  // Removes such a work tree, also one that is broken or whose folder is missing.
  void remove(const std::filesystem::path& folder) const;

  // Where the project's root lies in a work tree: empty unless it is a folder inside.
  const std::filesystem::path& prefix() const { return prefix_; }

 private:
  struct Answer {
    bool done = false;  // git ended with 0
    std::string text;   // what it printed, both streams, without the last line feed
  };
  Answer ask(const std::filesystem::path& folder, std::vector<std::string> arguments) const;
  Answer ask(std::vector<std::string> arguments) const { return ask(root_, std::move(arguments)); }

  std::filesystem::path root_;
  std::filesystem::path git_;
  std::filesystem::path log_;
  std::filesystem::path prefix_;
};

}  // namespace tailgate
