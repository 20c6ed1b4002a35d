// Samples what each role of a trial uses: processor time, switches, faults, bytes, memory.
//
// Each operating system has its own sampler behind this interface. harness/overhead/README.md says
// what a sampler reads, and at which resolution.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/result/overhead.h"

namespace tailgate {

enum class Role : std::uint8_t {
  provider,    // the process that emits
  daemons,     // the session's own processes and those they start
  consumer,    // the process that reads the events back
  controller,  // the process that samples
  kernel,      // the kernel's threads
  rest,        // the machine's use minus that of the roles above
  machine,     // everything together
};
inline constexpr std::size_t kRoles = 7;

struct WatchedProcess {
  Role role;
  std::string name;
  int pid = 0;
  // Count the processes that it starts, too: it moves into a control group, so only a process that
  // tailgate has started.
  bool with_children = false;
};

// Counts since the sampler began to watch; only differences between two samples are meaningful.
// Memory and descriptors are levels at that moment.
struct Sample {
  struct OfRole {
    unsigned processes = 0;
    unsigned ended = 0;
    Counters counters;
  };

  std::array<OfRole, kRoles> roles;

  OfRole& operator[](Role role) { return roles[static_cast<std::size_t>(role)]; }
  const OfRole& operator[](Role role) const { return roles[static_cast<std::size_t>(role)]; }
};

// The controller owns the sampler and samples in the calling thread. A process has at most one
// sampler at a time.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // Counts this process from now on. A process that has already ended counts in `ended`.
  virtual void watch(const WatchedProcess& process) = 0;

  // Reads every counter of every role. A process that has ended keeps its last values.
  // uses_between() computes Role::rest. Does not throw if a process or a counter no longer exists.
  virtual Sample sample() = 0;

  // The processor time of each watched process of Role::daemons since it is watched, in the order
  // of watch() calls; absent for a process that had ended at the last sample.
  virtual std::vector<Counters::Count> daemons_cpu_ns() const = 0;

  // Names the counters that are missing or coarser than necessary, why, and what would help. Empty
  // if there are none.
  virtual std::string limits() const = 0;
};

// run_folder: notes what the sampler makes outside of it (see harness/os/outside.h).
std::unique_ptr<Sampler> make_sampler(const std::filesystem::path& run_folder);

// Returns what each role used between two samples of one sampler, in the order of Role.
std::vector<RoleUse> uses_between(const Sample& before, const Sample& after);

// Returns what each role used in two periods together, b after a: of the same roles, else nothing.
std::vector<RoleUse> uses_together(const std::vector<RoleUse>& a, const std::vector<RoleUse>& b);

// Returns the counters of `role`; all absent if `uses` does not contain it.
const Counters& counters_of(const std::vector<RoleUse>& uses, Role role);

// Processor time that the calling thread has used so far, in ns.
std::uint64_t thread_cpu_ns();

// Number of the machine's online processors, including those that this process may not use.
unsigned online_processors();

}  // namespace tailgate
