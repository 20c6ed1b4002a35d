// What each role of a trial uses: processor time, switches, faults, bytes, memory.
//
// The header is the same everywhere, the sampler behind it is one per operating system. What it
// reads and how fine that is stands in harness/overhead/README.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/overhead.h"

namespace tailgate {

enum class Role : std::uint8_t {
  provider,    // the process that emits
  daemons,     // the session's own processes and what they start
  consumer,    // the process that reads back
  controller,  // the process that samples
  kernel,      // the kernel's threads
  rest,        // what the machine used and no role above did
  machine,     // everything together
};
inline constexpr std::size_t kRoles = 7;

// "provider" …, as RoleUse::role has it.
std::string_view role_name(Role role);

struct WatchedProcess {
  Role role;
  std::string name;
  int pid = 0;
};

// Counts since the sampler began to watch: only differences of two samples mean anything, but for
// the memory, which is as it was at that moment.
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

// Lives in the controller and samples in the thread that calls it. One at a time in a process.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // Counts this process from now on. One that has already ended is counted as such.
  virtual void watch(const WatchedProcess& process) = 0;

  // Reads every counter of every role. A process that has ended keeps its last values. Role::rest
  // is left for uses_between. Never throws for a process or a counter that is gone.
  virtual Sample sample() = 0;

  // The watched processes of Role::daemons one by one, in the order in which they were watched:
  // processor time since, absent for one that had ended at the last sample.
  virtual std::vector<Counters::Count> daemons_cpu_ns() const = 0;

  // Counters that are missing or coarser than they could be here: why, and what would help. Empty
  // when there are none.
  virtual std::string limits() const = 0;
};

std::unique_ptr<Sampler> make_sampler();

// What each role used between two samples of one sampler, in the order of Role.
std::vector<RoleUse> uses_between(const Sample& before, const Sample& after);

// The counters that `role` has in these uses; empty ones when it is not among them.
const Counters& counters_of(const std::vector<RoleUse>& uses, Role role);

// Processor time of the calling thread so far.
std::uint64_t thread_cpu_ns();

// Processors of the machine that are online, whoever may use them.
unsigned online_processors();

}  // namespace tailgate
