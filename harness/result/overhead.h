// The part of the schema that says what logging cost the machine. harness/result/result.h says how
// these structs become files, and harness/overhead/README.md where each figure comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// What some processes, or the whole machine, used during a period. A counter is absent if this
// operating system does not keep it or does not show it to this user.
struct Counters {
  using Count = std::optional<std::uint64_t>;

  Count cpu_ns;
  Count user_ns;
  Count system_ns;
  Count spun_ns;
  Count cycles;
  Count run_queue_ns;
  Count switches;
  Count voluntary_switches;
  Count involuntary_switches;
  Count minor_faults;
  Count major_faults;
  Count read_bytes;
  Count written_bytes;
  Count storage_read_bytes;
  Count storage_written_bytes;
  Count cpu_stall_ns;
  Count memory_stall_ns;
  Count io_stall_ns;
  Count interrupts;
  Count softirqs;
  Count stolen_ns;
  Count rss_bytes;
  Count peak_rss_bytes;
  Count private_bytes;
  Count descriptors;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cpu_ns", &Counters::cpu_ns,
      "processor time, user and system; machine: time in which its processors were not idle");
    v("user_ns", &Counters::user_ns, "part of cpu_ns in user mode");
    v("system_ns", &Counters::system_ns, "part of cpu_ns in the kernel");
    v("spun_ns", &Counters::spun_ns,
      "provider only: time that its load threads spun until the next intended time, which is the "
      "cost of the pacing and not of the sink");
    v("cycles", &Counters::cycles, "processor cycles; Windows only");
    v("run_queue_ns", &Counters::run_queue_ns,
      "time in which threads were ready to run and waited for a processor; only of threads that "
      "live");
    v("switches", &Counters::switches, "context switches, voluntary and involuntary");
    v("voluntary_switches", &Counters::voluntary_switches,
      "context switches because a thread waited for something; only of threads that live");
    v("involuntary_switches", &Counters::involuntary_switches,
      "context switches because another thread was to run; only of threads that live");
    v("minor_faults", &Counters::minor_faults,
      "page faults that did not read from storage; Windows: all page faults");
    v("major_faults", &Counters::major_faults, "page faults that read from storage");
    v("read_bytes", &Counters::read_bytes, "bytes that read calls returned");
    v("written_bytes", &Counters::written_bytes, "bytes that write calls accepted");
    v("storage_read_bytes", &Counters::storage_read_bytes, "bytes read from storage");
    v("storage_written_bytes", &Counters::storage_written_bytes,
      "bytes sent to storage; for a process, whole pages, counted when it dirties them");
    v("cpu_stall_ns", &Counters::cpu_stall_ns,
      "time in which at least one thread waited for a processor (pressure stall information)");
    v("memory_stall_ns", &Counters::memory_stall_ns,
      "time in which at least one thread waited for memory (pressure stall information)");
    v("io_stall_ns", &Counters::io_stall_ns,
      "time in which at least one thread waited for input or output (pressure stall information)");
    v("interrupts", &Counters::interrupts, "interrupts of the whole machine");
    v("softirqs", &Counters::softirqs, "soft interrupts of the whole machine");
    v("stolen_ns", &Counters::stolen_ns,
      "time in which the hypervisor ran something else on a processor that had work");
    v("rss_bytes", &Counters::rss_bytes, "resident memory at the end of the period");
    v("peak_rss_bytes", &Counters::peak_rss_bytes,
      "peak resident memory of each process since it began, summed");
    v("private_bytes", &Counters::private_bytes,
      "resident memory that is no mapped file, at the end of the period; Windows: committed memory "
      "of its own");
    v("descriptors", &Counters::descriptors,
      "open file descriptors at the end of the period; Windows: handles");
  }
};

struct RoleUse {
  std::string role;
  unsigned processes = 0;
  unsigned ended = 0;
  Counters counters;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("role", &RoleUse::role,
      "provider, daemons (of the session), consumer, controller (with the sampler), kernel (its "
      "threads), rest (everything else), machine (all of it)");
    v("processes", &RoleUse::processes,
      "number of watched processes of the role; kernel: of threads; rest and machine: 0");
    v("ended", &RoleUse::ended,
      "number of them that had ended: what they used after they were last sampled is missing here "
      "and counted in rest");
    v("counters", &RoleUse::counters, "what the role used");
  }
};

// What all roles used while a trial's recorded load ran.
struct Overhead {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t events = 0;
  unsigned processors = 0;
  std::vector<RoleUse> roles;
  unsigned samples = 0;
  std::uint64_t sampler_cpu_ns = 0;
  std::uint64_t sampler_longest_ns = 0;
  std::string limits;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("start_ns", &Overhead::start_ns, "when the first sample was taken: after the warm-up");
    v("end_ns", &Overhead::end_ns,
      "when the last sample was taken: after the provider had closed the sink, before the session "
      "was stopped");
    v("events", &Overhead::events, "calls to the sink that returned between these samples");
    v("processors", &Overhead::processors, "number of the machine's online processors");
    v("roles", &Overhead::roles, "what each role used between these samples");
    v("samples", &Overhead::samples, "number of samples; each covers all roles");
    v("sampler_cpu_ns", &Overhead::sampler_cpu_ns,
      "processor time of taking the samples, in the controller");
    v("sampler_longest_ns", &Overhead::sampler_longest_ns, "duration of the longest sample");
    v("limits", &Overhead::limits,
      "counters that are missing or coarse here, why, and what would help; empty for none");
  }
};

// The work of the victim: a process that repeats a fixed piece of work during the load.
struct VictimUse {
  std::uint64_t rounds = 0;
  double rounds_per_s = 0;
  std::uint64_t cpu_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("rounds", &VictimUse::rounds, "rounds of its work between the trial's first and last sample");
    v("rounds_per_s", &VictimUse::rounds_per_s, "rounds per second: the victim's speed");
    v("cpu_ns", &VictimUse::cpu_ns, "processor time that the victim used for them");
  }
};

// A mean over trials.
struct Estimate {
  double mean = 0;
  std::optional<double> half_width;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("mean", &Estimate::mean, "arithmetic mean over the trials");
    v("half_width", &Estimate::half_width,
      "half the width of its 95 % confidence interval (Student's t over trials); absent for a "
      "single trial");
  }
};

// The cost of logging by role: each trial's use minus that of its control trial, per event. Without
// control trials: the use itself.
struct RoleOverhead {
  std::string role;
  unsigned trials = 0;
  std::optional<Estimate> cpu_ns_per_event;
  std::optional<Estimate> machine_percent;
  std::optional<Estimate> switches_per_event;
  std::optional<Estimate> faults_per_event;
  std::optional<Estimate> written_bytes_per_event;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("role", &RoleOverhead::role,
      "as in RoleUse, or logging: provider, daemons and kernel together, which is the cost of "
      "logging without the harness's own consumer");
    v("trials", &RoleOverhead::trials, "number of completed trials in the estimates");
    v("cpu_ns_per_event", &RoleOverhead::cpu_ns_per_event,
      "processor time per event, without the time spent spinning until the next intended time");
    v("machine_percent", &RoleOverhead::machine_percent,
      "the same processor time as a share of the time of all processors of the machine");
    v("switches_per_event", &RoleOverhead::switches_per_event, "context switches per event");
    v("faults_per_event", &RoleOverhead::faults_per_event,
      "page faults per event, minor and major");
    v("written_bytes_per_event", &RoleOverhead::written_bytes_per_event,
      "bytes per event that write calls accepted; machine: that were sent to storage");
  }
};

}  // namespace tailgate
