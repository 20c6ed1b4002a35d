#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "harness/overhead/counters.h"
#include "harness/overhead/machine_counters_linux.h"
#include "harness/overhead/process_counters_linux.h"
#include "harness/overhead/process_group_linux.h"
#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

class LinuxSampler : public Sampler {
 public:
  explicit LinuxSampler(std::filesystem::path run_folder) : run_folder_(std::move(run_folder)) {
    watch({Role::controller, "tailgate", getpid()});
  }

  void watch(const WatchedProcess& process) override {
    if (process.with_children) {
      std::optional<Tree>& tree = trees_[static_cast<std::size_t>(process.role)];
      if (!tree) tree.emplace(run_folder_);
      if (tree->group.exists() && !tree->group.add(process.pid)) tree->whole = false;
    }
    Watched watched{process.role, ProcessCounters(process.pid), {}, false};
    watched.ended = !watched.process.read();
    watched.base = watched.process.counters();
    watched_.push_back(std::move(watched));
  }

  Sample sample() override {
    Sample sample;
    for (Watched& watched : watched_) {
      if (!watched.ended) watched.ended = !watched.process.read();
      Sample::OfRole& role = sample[watched.role];
      const Counters used = difference(watched.process.counters(), watched.base);
      role.counters = role.processes == 0 ? used : sum(role.counters, used);
      ++role.processes;
      role.ended += watched.ended ? 1 : 0;
    }
    for (const Role role : {Role::provider, Role::daemons}) {
      add_tree(trees_[static_cast<std::size_t>(role)], sample[role].counters);
    }
    kernel_.read();
    if (kernel_.visible()) {
      Sample::OfRole& role = sample[Role::kernel];
      role.processes = kernel_.count();
      role.counters.cpu_ns = role.counters.system_ns = kernel_.cpu_ns();
      role.counters.user_ns = 0;
    }
    sample[Role::machine].counters = machine_.read();
    return sample;
  }

  std::vector<Counters::Count> daemons_cpu_ns() const override {
    std::vector<Counters::Count> all;
    for (const Watched& watched : watched_) {
      if (watched.role != Role::daemons) continue;
      const Counters used = difference(watched.process.counters(), watched.base);
      all.push_back(watched.ended ? std::nullopt : used.cpu_ns);
    }
    return all;
  }

  std::string limits() const override {
    std::string limits;
    if (!kernel_.visible()) {
      limits = "the kernel's threads are not visible here (a container?); they are in rest";
    }
    for (const Role role : {Role::provider, Role::daemons}) {
      const std::optional<Tree>& tree = trees_[static_cast<std::size_t>(role)];
      if (!tree || (tree->group.exists() && tree->whole)) continue;
      limits += fmt::format("{}processes that the {} are not counted with {}: {}",
                            limits.empty() ? "" : "; ",
                            role == Role::daemons ? "daemons start" : "program starts",
                            role == Role::daemons ? "them" : "it",
                            tree->group.exists() ? "the cgroup may not be changed; run as root"
                                                 : tree->group.why_not());
    }
    return limits;
  }

 private:
  struct Watched {
    Role role;
    ProcessCounters process;
    Counters base;
    bool ended;
  };

  // Processes of one role with all that they start.
  struct Tree {
    explicit Tree(const std::filesystem::path& run_folder) : group(run_folder) {}
    ProcessGroup group;
    bool whole = true;  // all of them are in the group
  };

  // The group includes processes that were started by those that are watched, and those that have
  // ended. The processes' own clocks have a finer resolution and are up to date while they run. So
  // the larger time counts.
  static void add_tree(const std::optional<Tree>& tree, Counters& role) {
    if (!tree || !tree->group.exists()) return;
    const Counters all = tree->group.read();
    role.cpu_stall_ns = all.cpu_stall_ns;
    role.memory_stall_ns = all.memory_stall_ns;
    role.io_stall_ns = all.io_stall_ns;
    if (!tree->whole || !all.cpu_ns || (role.cpu_ns && *role.cpu_ns >= *all.cpu_ns)) return;
    role.cpu_ns = all.cpu_ns;
    role.user_ns = all.user_ns;
    role.system_ns = all.system_ns;
  }

  std::filesystem::path run_folder_;
  std::vector<Watched> watched_;
  std::array<std::optional<Tree>, kRoles> trees_;
  KernelThreads kernel_;
  MachineCounters machine_{online_processors()};
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const std::filesystem::path& run_folder) {
  return std::make_unique<LinuxSampler>(run_folder);
}

unsigned online_processors() {
  return static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
}

std::uint64_t thread_cpu_ns() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

}  // namespace tailgate
