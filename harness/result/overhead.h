// The part of the schema that says what logging cost the machine; see harness/result/result.h for
// how these structs become files, and harness/overhead/README.md for where each figure comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// What some processes, or the whole machine, used during a stretch of time. A counter that this
// operating system does not keep, or does not show to this user, is absent.
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

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cpu_ns", &Counters::cpu_ns,
      "processor time, user and system. Machine: time in which its processors were not idle");
    v("user_ns", &Counters::user_ns, "of it in user mode");
    v("system_ns", &Counters::system_ns, "of it in the kernel");
    v("spun_ns", &Counters::spun_ns,
      "provider only: time that its load threads spun until the next intended time, the pacing's "
      "price and not the sink's");
    v("cycles", &Counters::cycles, "processor cycles; Windows only");
    v("run_queue_ns", &Counters::run_queue_ns,
      "time that threads were ready to run and waited for a processor; of threads that live");
    v("switches", &Counters::switches, "context switches, of both kinds");
    v("voluntary_switches", &Counters::voluntary_switches,
      "context switches because a thread waited for something; of threads that live");
    v("involuntary_switches", &Counters::involuntary_switches,
      "context switches because another thread was to run; of threads that live");
    v("minor_faults", &Counters::minor_faults,
      "page faults that needed no reading from storage; Windows: all page faults");
    v("major_faults", &Counters::major_faults, "page faults that read from storage");
    v("read_bytes", &Counters::read_bytes, "bytes that read calls returned");
    v("written_bytes", &Counters::written_bytes, "bytes that write calls took");
    v("storage_read_bytes", &Counters::storage_read_bytes, "bytes read from storage");
    v("storage_written_bytes", &Counters::storage_written_bytes,
      "bytes sent to storage; for a process in whole pages, when it dirties them");
    v("cpu_stall_ns", &Counters::cpu_stall_ns,
      "time in which at least one thread waited for a processor (pressure stall information)");
    v("memory_stall_ns", &Counters::memory_stall_ns,
      "time in which at least one thread waited for memory, likewise");
    v("io_stall_ns", &Counters::io_stall_ns,
      "time in which at least one thread waited for input or output, likewise");
    v("interrupts", &Counters::interrupts, "interrupts, of the machine");
    v("softirqs", &Counters::softirqs, "soft interrupts, of the machine");
    v("stolen_ns", &Counters::stolen_ns,
      "time that the hypervisor ran something else on a processor that had work");
    v("rss_bytes", &Counters::rss_bytes, "memory in RAM at the end");
    v("peak_rss_bytes", &Counters::peak_rss_bytes,
      "the most memory in RAM since each process began, summed");
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
      "processes of the role that were watched; kernel: threads; rest and machine: 0");
    v("ended", &RoleUse::ended,
      "of them those that had ended: what they used after they were last seen is missing, and goes "
      "to rest");
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
      "when the last was: after the provider had closed the sink, before the session was stopped");
    v("events", &Overhead::events, "calls to the sink that returned in between");
    v("processors", &Overhead::processors, "processors of the machine that were online");
    v("roles", &Overhead::roles, "what each role used in between");
    v("samples", &Overhead::samples, "samples taken, all roles each");
    v("sampler_cpu_ns", &Overhead::sampler_cpu_ns,
      "processor time that taking them cost, in the controller");
    v("sampler_longest_ns", &Overhead::sampler_longest_ns, "the longest that one took");
    v("limits", &Overhead::limits,
      "counters that are missing or coarse here: why, and what would help; empty for none");
  }
};

// A fixed piece of work that another process did again and again beside the load.
struct VictimUse {
  std::uint64_t rounds = 0;
  double rounds_per_s = 0;
  std::uint64_t cpu_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("rounds", &VictimUse::rounds, "rounds of its work between the trial's first and last sample");
    v("rounds_per_s", &VictimUse::rounds_per_s, "the same by time: its speed");
    v("cpu_ns", &VictimUse::cpu_ns, "processor time that it got for them");
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

// What logging cost by role: each trial's use, less that of the control trial that ran beside it,
// by event. Without control trials: the use itself.
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
      "as in RoleUse; and logging: provider, daemons and kernel together, what logging costs "
      "without the harness's own reader");
    v("trials", &RoleOverhead::trials, "completed trials that went into the estimates");
    v("cpu_ns_per_event", &RoleOverhead::cpu_ns_per_event,
      "processor time by event, spinning for the next intended time taken out");
    v("machine_percent", &RoleOverhead::machine_percent,
      "the same as a share of the time of all the machine's processors");
    v("switches_per_event", &RoleOverhead::switches_per_event, "context switches by event");
    v("faults_per_event", &RoleOverhead::faults_per_event, "page faults by event, minor and major");
    v("written_bytes_per_event", &RoleOverhead::written_bytes_per_event,
      "bytes by event that write calls took; machine: that went to storage");
  }
};

}  // namespace tailgate
