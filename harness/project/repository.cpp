#include "harness/project/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/file_text.h"
#include "harness/os/process.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

// A checkout may fetch submodules.
constexpr std::chrono::minutes kLimit{30};

std::string printed_in(const std::filesystem::path& path) {
  std::string text = file_text(path);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n') + 1);
}

bool is_hash(const std::string& text) {
  return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::filesystem::path path_of_git() {
  if (const auto git = find_program("git")) return *git;
  throw Error("there is no git in PATH", "install git; revisions are checked out with it");
}

}  // namespace

Repository::Repository(const std::filesystem::path& project_root, std::filesystem::path log)
    : root_(project_root), git_(path_of_git()), log_(std::move(log)) {
  const Answer answer = ask({"rev-parse", "--show-prefix"});
  if (!answer.done) {
    throw Error(
        fmt::format("git knows no work tree at '{}': {}", root_.string(), last_line(answer.text)),
        "run it in a clone of the project");
  }
  prefix_ = answer.text;
}

Repository::Answer Repository::ask(const std::filesystem::path& folder,
                                   std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"-C", folder.string()});
  std::error_code ignored;
  std::filesystem::remove(log_, ignored);
  Child git = Child::start({.program = git_,
                            .arguments = std::move(arguments),
                            .environment = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}},
                            .inherited = {},
                            .output = log_});
  const std::optional<ChildEnd> end = git.wait_for(kLimit);
  if (!end) git.kill();
  return {end && end->exited && end->code == 0, printed_in(log_)};
}

std::optional<std::string> Repository::find_commit(const std::string& revision) const {
  const Answer answer =
      ask({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  const std::string hash = last_line(answer.text);
  if (!answer.done || !is_hash(hash)) return {};
  return hash;
}

std::string Repository::commit_of(const std::string& revision) const {
  if (auto commit = find_commit(revision)) return *commit;
  throw Error(fmt::format("git knows no commit '{}'", revision),
              "name another, or fetch it; a shallow clone lacks old ones: 'git fetch --unshallow'");
}

bool Repository::contains(const std::string& descendant, const std::string& commit) const {
  return ask({"merge-base", "--is-ancestor", commit, descendant}).done;
}

std::vector<std::string> Repository::commits_between(const std::string& base,
                                                     const std::string& head) const {
  const Answer answer =
      ask({"rev-list", "--reverse", "--first-parent", fmt::format("{}..{}", base, head)});
  std::vector<std::string> commits;
  for (std::size_t at = 0; at < answer.text.size();) {
    const std::size_t end = std::min(answer.text.find('\n', at), answer.text.size());
    commits.push_back(answer.text.substr(at, end - at));
    at = end + 1;
  }
  const bool listed = answer.done && !commits.empty() &&
                      std::all_of(commits.begin(), commits.end(), is_hash) && contains(head, base);
  if (listed) return commits;
  throw Error(fmt::format("git lists no commits from {} to {}", base, head),
              "name a base that is an ancestor of the head");
}

std::string Repository::subject_of(const std::string& commit) const {
  return last_line(ask({"log", "-1", "--format=%h %s", commit}).text);
}

bool Repository::has_changes() const {
  const Answer answer = ask({"status", "--porcelain", "--untracked-files=no"});
  return answer.done && !answer.text.empty();
}

void Repository::check_out(const std::string& commit, const std::filesystem::path& folder) const {
  const auto check = [&](const Answer& answer) {
    if (answer.done) return;
    throw Error(fmt::format("git could not check out {}: {}", commit, last_line(answer.text)),
                fmt::format("'{}' has all that it said", log_.string()));
  };
  ask({"worktree", "prune"});
  check(ask({"worktree", "add", "--quiet", "--force", "--detach", folder.string(), commit}));
  std::error_code failed;
  if (!std::filesystem::exists(folder / ".gitmodules", failed)) return;
  check(ask(folder, {"submodule", "--quiet", "update", "--init", "--recursive"}));
}

void Repository::remove(const std::filesystem::path& folder) const {
  ask({"worktree", "remove", "--force", "--force", folder.string()});
  remove_folder(folder);
}

}  // namespace tailgate
