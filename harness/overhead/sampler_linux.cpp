#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
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
    if (process.role == Role::daemons) {
      if (!group_) group_.emplace(run_folder_);
      if (group_->exists() && !group_->add(process.pid)) whole_tree_ = false;
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
    add_group(sample[Role::daemons].counters);
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
    if (group_ && !(group_->exists() && whole_tree_)) {
      limits += fmt::format(
          "{}processes that the daemons start are not counted with them: {}",
          limits.empty() ? "" : "; ",
          group_->exists() ? "their cgroup may not be changed; run as root" : group_->why_not());
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

  // The group includes processes that the daemons started, and daemons that have ended. The
  // processes' own clocks have a finer resolution and are up to date while they run. So the larger
  // time counts.
  void add_group(Counters& daemons) {
    if (!group_ || !group_->exists()) return;
    const Counters tree = group_->read();
    daemons.cpu_stall_ns = tree.cpu_stall_ns;
    daemons.memory_stall_ns = tree.memory_stall_ns;
    daemons.io_stall_ns = tree.io_stall_ns;
    if (!whole_tree_ || !tree.cpu_ns || (daemons.cpu_ns && *daemons.cpu_ns >= *tree.cpu_ns)) return;
    daemons.cpu_ns = tree.cpu_ns;
    daemons.user_ns = tree.user_ns;
    daemons.system_ns = tree.system_ns;
  }

  std::filesystem::path run_folder_;
  std::vector<Watched> watched_;
  std::optional<ProcessGroup> group_;
  bool whole_tree_ = true;  // all daemons are in the group
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
