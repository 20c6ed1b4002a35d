#include "providers/shared/daemon/private_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/namespaces_linux.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

constexpr const char* kRemedy =
    "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)";

constexpr const char* kHolderName = "tailgate-holder";

// The holder's one report: how far it got.
struct Report {
  std::int32_t step = 0;  // index into the plan's steps, or a constant from below
  std::int32_t error_number = 0;
};
constexpr std::int32_t kReady = -1;
constexpr std::int32_t kUnshare = -2;
constexpr std::int32_t kIdentity = -3;
constexpr std::int32_t kLoopback = -4;
constexpr std::int32_t kEnter = -5;

// Formatted before the fork: the child makes system calls only.
struct Identity {
  std::string users = fmt::format("0 {} 1", geteuid());
  std::string groups = fmt::format("0 {} 1", getegid());
};

bool write_file(const char* path, const std::string& text, int flags = O_WRONLY) {
  const int file = open(path, flags | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool whole = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int failed = errno;
  close(file);
  errno = failed;
  return whole;
}

bool become_root(const Identity& identity) {
  // Kernels before 3.19 do not have this file.
  if (!write_file("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
  return write_file("/proc/self/uid_map", identity.users) &&
         write_file("/proc/self/gid_map", identity.groups);
}

// The loopback interface of a new network namespace is down; this brings it up.
bool raise_loopback() {
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return false;
  ifreq loopback = {};
  std::memcpy(loopback.ifr_name, "lo", sizeof "lo");
  loopback.ifr_flags = IFF_UP;
  const bool raised = ioctl(any, SIOCSIFFLAGS, &loopback) == 0;
  const int failed = errno;
  close(any);
  errno = failed;
  return raised;
}

// Later mounts do not propagate to the outside. EINVAL: the root directory is no mount point.
bool make_mounts_private() {
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// In a chroot whose directory is no mount point, nothing can be made private from inside: that is a
// property of the mount around it. Goes to the root of this new mount namespace (setns(2) on the
// own namespace does that), makes everything private there, and makes the chroot's directory,
// mounted onto itself, the namespace's root. So processes that enter the namespace see the chroot,
// too.
bool make_root_a_mount() {
  const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  if (root < 0 || own < 0 || setns(own, CLONE_NEWNS) != 0 || !make_mounts_private()) return false;
  const int tree =
      open_tree(root, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  const bool moved =
      tree >= 0 &&
      move_mount(tree, "", root, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  // pivot_root(2), "pivot_root(".", ".")": the old root then lies over the new one until umount2().
  const bool entered = moved && fchdir(tree) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
                       umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
  const int failed = errno;
  for (const int file : {root, own, tree}) {
    if (file >= 0) close(file);
  }
  errno = failed;
  return entered;
}

// Enters new namespaces; the report says which step failed.
Report enter_namespaces(const Identity& identity, NetworkView network) {
  const int wanted = CLONE_NEWNS | (network == NetworkView::own ? CLONE_NEWNET : 0);
  if (unshare(wanted) != 0) {
    if (errno != EPERM || unshare(CLONE_NEWUSER | wanted) != 0) return {kUnshare, errno};
    if (!become_root(identity)) return {kIdentity, errno};
  }
  if (network == NetworkView::own && !raise_loopback()) return {kLoopback, errno};
  if (make_mounts_private()) return {kReady, 0};
  return errno == EINVAL && make_root_a_mount() ? Report{kReady, 0} : Report{kUnshare, errno};
}

bool mount_tmpfs(const MountPlan::Step& step) {
  return mount("tmpfs", step.path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, step.other.c_str()) == 0;
}

bool mount_tree(int directory, const char* source, const char* target) {
  const int tree = open_tree(directory, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  if (tree < 0) return false;
  const bool moved = move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  const int failed = errno;
  close(tree);
  errno = failed;
  return moved;
}

// held: the descriptor of the last hold step's directory.
bool apply_step(const MountPlan::Step& step, int& held) {
  switch (step.kind) {
    case MountPlan::Kind::tmpfs:
      return mount_tmpfs(step);
    case MountPlan::Kind::bind:
      return mount_tree(AT_FDCWD, step.other.c_str(), step.path.c_str());
    case MountPlan::Kind::directory:
      return mkdir(step.path.c_str(), 0755) == 0 || errno == EEXIST;
    case MountPlan::Kind::link:
      return symlink(step.other.c_str(), step.path.c_str()) == 0;
    case MountPlan::Kind::file:
      return write_file(step.path.c_str(), step.other, O_WRONLY | O_CREAT | O_TRUNC);
    case MountPlan::Kind::hold:
      if (held >= 0) close(held);
      held = open(step.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      return held >= 0;
    case MountPlan::Kind::restore:
      // The entry may have vanished since it was listed.
      mount_tree(held, step.other.c_str(), step.path.c_str());
      return true;
  }
  return false;
}

// Closes the controller's files in the holder.
void close_controller_files(int report) {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, standard);
  dup2(report, STDERR_FILENO + 1);
  close_range(STDERR_FILENO + 2, ~0u, 0);
}

[[noreturn]] void hold(const MountPlan& plan, NetworkView network, const Identity& identity,
                       const OtherNamespaces& outer, int report_to, pid_t parent) {
  const Report entered = outer.enter() ? Report{kReady, 0} : Report{kEnter, errno};
  close_controller_files(report_to);
  report_to = STDERR_FILENO + 1;
  setsid();
  prctl(PR_SET_NAME, kHolderName);
  int held = -1;
  Report report = entered.step == kReady ? enter_namespaces(identity, network) : entered;
  // After entering the namespaces, which may reset this setting.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (std::size_t i = 0; report.step == kReady && i < plan.steps().size(); ++i) {
    if (!apply_step(plan.steps()[i], held)) report = {static_cast<std::int32_t>(i), errno};
  }
  if (held >= 0) close(held);
  if (write(report_to, &report, sizeof report) != sizeof report || report.step != kReady) _exit(1);
  close(report_to);
  while (true) pause();
}

void end_holder(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Report read_report(int from) {
  Report report = {kUnshare, ECHILD};
  ssize_t bytes = 0;
  do {
    bytes = read(from, &report, sizeof report);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != sizeof report) return {kUnshare, ECHILD};
  return report;
}

// Starts the holder. `pid` is 0 when it did not become ready.
Report start_holder(const MountPlan& plan, NetworkView network, pid_t& pid) {
  const Identity identity;
  const OtherNamespaces outer(plan.inside_pid());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {kUnshare, errno};
  const pid_t parent = getpid();
  pid = fork();
  if (pid == 0) hold(plan, network, identity, outer, ends[1], parent);
  const int fork_error = errno;
  close(ends[1]);
  const Report report = pid > 0 ? read_report(ends[0]) : Report{kUnshare, fork_error};
  close(ends[0]);
  if (report.step != kReady) {
    if (pid > 0) end_holder(pid);
    pid = 0;
  }
  return report;
}

const char* word(MountPlan::Kind kind) {
  switch (kind) {
    case MountPlan::Kind::tmpfs:
      return "mount tmpfs";
    case MountPlan::Kind::bind:
      return "bind mount";
    case MountPlan::Kind::directory:
      return "mkdir";
    case MountPlan::Kind::link:
      return "symlink";
    case MountPlan::Kind::file:
      return "write";
    default:
      return "open";
  }
}

Error failure(const Report& report, const MountPlan& plan) {
  if (report.step == kUnshare)
    return system_error("unshare", "namespace", report.error_number, kRemedy);
  if (report.step == kEnter)
    return system_error("setns", "namespace", report.error_number, kRemedy);
  if (report.step == kIdentity)
    return system_error("write", "uid_map", report.error_number, kRemedy);
  if (report.step == kLoopback)
    return system_error("ioctl", "loopback interface", report.error_number, kRemedy);
  const MountPlan::Step& step = plan.steps()[static_cast<std::size_t>(report.step)];
  return system_error(word(step.kind), step.path, report.error_number,
                      "see that this folder exists and that its parents can be entered");
}

}  // namespace

MountPlan& MountPlan::tmpfs(const std::filesystem::path& path, std::uint64_t size_bytes) {
  steps_.push_back({Kind::tmpfs, path.string(),
                    size_bytes == 0 ? "mode=0755" : fmt::format("mode=0755,size={}", size_bytes)});
  return *this;
}

MountPlan& MountPlan::bind(const std::filesystem::path& source,
                           const std::filesystem::path& target) {
  steps_.push_back({Kind::bind, target.string(), source.string()});
  return *this;
}

MountPlan& MountPlan::shadow(const std::filesystem::path& directory,
                             const std::vector<std::string>& hidden) {
  steps_.push_back({Kind::hold, directory.string(), ""});
  tmpfs(directory);
  std::error_code failed;
  // By the other process's root its namespaces' view is seen from here.
  const std::filesystem::path seen =
      inside_pid_ == 0 ? directory
                       : std::filesystem::path(fmt::format("/proc/{}/root", inside_pid_)) /
                             directory.relative_path();
  for (const auto& entry : std::filesystem::directory_iterator(seen, failed)) {
    const std::string name = entry.path().filename().string();
    const std::filesystem::path path = directory / name;
    if (std::find(hidden.begin(), hidden.end(), name) != hidden.end()) continue;
    std::error_code ignored;
    if (entry.is_symlink(ignored)) {
      link(std::filesystem::read_symlink(entry.path(), ignored), path);
      continue;
    }
    if (entry.is_directory(ignored)) {
      this->directory(path);
    } else {
      file(path, "");
    }
    steps_.push_back({Kind::restore, path.string(), name});
  }
  return *this;
}

MountPlan& MountPlan::directory(const std::filesystem::path& path) {
  steps_.push_back({Kind::directory, path.string(), ""});
  return *this;
}

MountPlan& MountPlan::link(const std::filesystem::path& target, const std::filesystem::path& path) {
  steps_.push_back({Kind::link, path.string(), target.string()});
  return *this;
}

MountPlan& MountPlan::file(const std::filesystem::path& path, const std::string& content) {
  steps_.push_back({Kind::file, path.string(), content});
  return *this;
}

PrivateNamespace::PrivateNamespace(const MountPlan& plan, NetworkView network) {
  const Report report = start_holder(plan, network, pid_);
  if (report.step != kReady) throw failure(report, plan);
  const std::string holder = fmt::format("/proc/{}", pid_);
  root_ = open(fmt::format("/proc/{}/root", pid_).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_ >= 0) mounts_ = open((holder + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC);
  if (mounts_ >= 0) return;
  const int failed = errno;
  release();
  throw system_error("open", holder, failed, "raise the limit of open files (ulimit -n)");
}

PrivateNamespace::~PrivateNamespace() {
  release();
}

void PrivateNamespace::release() {
  for (const int file : {root_, mounts_}) {
    if (file >= 0) close(file);
  }
  if (pid_ > 0) end_holder(pid_);
}

std::filesystem::path PrivateNamespace::outside(const std::filesystem::path& path) const {
  return std::filesystem::path(fmt::format("/proc/self/fd/{}", root_)) / path.relative_path();
}

std::optional<Error> PrivateNamespace::holder_failure() const {
  siginfo_t info = {};
  // WNOWAIT: the holder stays a zombie, so that no other process gets its pid.
  const bool ended =
      waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pid_;
  if (!ended) return {};
  const ChildEnd end = {info.si_code == CLD_EXITED, info.si_status};
  return Error(
      fmt::format("{} (process {}), which keeps the session's private view of the file "
                  "system, had ended by {}",
                  kHolderName, pid_, end.text()),
      "see what ended it; the daemon ran on, but no process could enter its view any more");
}

const TrialContext& require_private_view(const std::filesystem::path& mark,
                                         const TrialContext& context) {
  std::ifstream input(mark, std::ios::binary);
  // A folder's name may have line feeds.
  const std::string owner{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  if (owner == context.directory.string() + "\n") return context;
  throw Error("the process is not in the private view of '" + context.directory.string() + "'",
              "enter the namespaces of the session's namespace_pid() first");
}

Probe probe_private_namespace(NetworkView network) {
  const auto try_once = [](NetworkView wanted) {
    pid_t pid = 0;
    const Report report = start_holder(MountPlan{}, wanted, pid);
    if (pid > 0) end_holder(pid);
    if (report.step == kReady) return Probe{};
    return Probe{.available = false,
                 .reason = fmt::format("cannot create a private {} namespace: {}",
                                       wanted == NetworkView::own ? "network" : "mount",
                                       std::strerror(report.error_number)),
                 .remedy = kRemedy};
  };
  static const Probe mounts = try_once(NetworkView::shared);
  if (network == NetworkView::shared || !mounts.available) return mounts;
  static const Probe both = try_once(NetworkView::own);
  return both;
}

}  // namespace tailgate
