#include "harness/doctor/judgement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "harness/os/affinity.h"

namespace tailgate {
namespace {

constexpr double kMebibyte = 1024.0 * 1024;
constexpr double kGibibyte = 1024 * kMebibyte;

std::string bytes_text(double bytes) {
  if (bytes >= kGibibyte) return fmt::format("{:.1f} GiB", bytes / kGibibyte);
  if (bytes >= kMebibyte) return fmt::format("{:.1f} MiB", bytes / kMebibyte);
  return fmt::format("{:.0f} KiB", bytes / 1024);
}

std::string time_text(std::uint64_t ns) {
  if (ns >= 1'000'000) return fmt::format("{:.1f} ms", static_cast<double>(ns) / 1e6);
  return fmt::format("{:.0f} us", static_cast<double>(ns) / 1e3);
}

Mark mark_below(double value, double problem, double warning) {
  return value < problem ? Mark::problem : value < warning ? Mark::warning : Mark::ok;
}

Mark mark_above(double value, double warning, double problem) {
  return value > problem ? Mark::problem : value > warning ? Mark::warning : Mark::ok;
}

// The remedy is for what is wrong.
Finding finding(std::string name, Mark mark, std::string value, std::string remedy,
                std::vector<std::pair<std::string, double>> figures = {}) {
  if (mark == Mark::ok || mark == Mark::unknown) remedy.clear();
  return {std::move(name), mark, std::move(value), std::move(remedy), std::move(figures)};
}

Finding not_known(std::string name, std::string why) {
  return finding(std::move(name), Mark::unknown, "not known: " + std::move(why), "");
}

std::string detail(const MachineInfo& machine, std::string_view name) {
  for (const auto& [known, value] : machine.details) {
    if (known == name) return value;
  }
  return "";
}

Finding judge_processors(const MachineFacts& facts) {
  const std::size_t count = facts.cpus.size();
  const std::vector<int>& load = facts.placement.load_cpus;
  std::string value = count == 1 ? "1, on which the load and what measures it would take turns"
                                 : fmt::format("{}; the load would get {}", count,
                                               load.empty() ? "any" : format_cpu_list(load));
  const auto shares = [&](const std::vector<int>& cpus) {
    return std::any_of(cpus.begin(), cpus.end(), [&](int cpu) {
      return std::find(load.begin(), load.end(), cpu) != load.end();
    });
  };
  const bool shared = load.empty() || shares(facts.placement.controller_cpus) ||
                      shares(facts.placement.consumer_cpus);
  if (count > 1 && shared) value += ", and tailgate's other processes may run there too";
  return finding("processors",
                 count < 2 ? Mark::problem
                 : shared  ? Mark::warning
                           : Mark::ok,
                 std::move(value),
                 count < 2 ? "measure on a machine with two or more, or allow this program more "
                             "(taskset, cpuset, docker --cpuset-cpus)"
                           : "choose others with --load-cpus, or leave that to tailgate",
                 {{"processors", static_cast<double>(count)}});
}

// Windows names its power schemes by these identifiers (powercfg /list).
Finding judge_power_scheme(const std::string& scheme) {
  constexpr std::array<std::string_view, 2> kFast = {"8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c",
                                                     "e9a42b02-d5df-448d-aa00-03f14749eb61"};
  const bool fast = std::find(kFast.begin(), kFast.end(), scheme) != kFast.end();
  return finding("governor", fast ? Mark::ok : Mark::warning,
                 fast ? "power scheme for high performance" : "power scheme " + scheme,
                 "powercfg /setactive SCHEME_MIN");
}

Finding judge_governor(const MachineFacts& facts) {
  const std::string scheme = detail(facts.machine, "power_scheme");
  if (!scheme.empty()) return judge_power_scheme(scheme);
  const std::string governor = detail(facts.machine, "governor");
  if (governor.empty() || governor == "none") {
    return not_known("governor", "the system shows no control of the processors' frequency");
  }
  return finding("governor", governor == "performance" ? Mark::ok : Mark::warning, governor,
                 "cpupower frequency-set -g performance, as root: else an idle processor is slow "
                 "at first");
}

Finding judge_turbo(const MachineFacts& facts) {
  const std::string turbo = detail(facts.machine, "turbo");
  if (turbo.empty()) return not_known("turbo", "the system does not show it");
  return finding("turbo", turbo == "off" ? Mark::ok : Mark::warning,
                 turbo == "off" ? "off" : "on: the speed depends on heat and on other processors",
                 "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 > "
                 "/sys/devices/system/cpu/cpufreq/boost, as root");
}

Finding judge_hypervisor(const MachineFacts& facts) {
  constexpr const char* kName = "hypervisor";
  if (facts.machine.hypervisor == "none seen") return finding(kName, Mark::ok, "none seen", "");
  if (!facts.stolen_ns || facts.watched_ns == 0) {
    return finding(kName, Mark::warning,
                   facts.machine.hypervisor + ", and what it takes from this machine is not known",
                   "trust the idle gaps below; measure on a machine of its own where tails matter");
  }
  const double share =
      static_cast<double>(*facts.stolen_ns) / static_cast<double>(facts.watched_ns);
  return finding(kName, mark_above(share, 0.01, 0.05),
                 fmt::format("{}, which took {:.1f} % of processor {}", facts.machine.hypervisor,
                             share * 100, facts.watched_cpu),
                 "ask for processors of your own (pinned, not oversubscribed), or measure when the "
                 "host is idle",
                 {{"stolen_share", share}});
}

Finding judge_quota(const MachineFacts& facts) {
  const std::optional<double>& quota = facts.limits.cpu_quota;
  if (!quota) return not_known("cpu quota", "no control group of processors is visible");
  if (std::isinf(*quota)) return finding("cpu quota", Mark::ok, "none", "");
  return finding("cpu quota", mark_below(*quota, 2, static_cast<double>(facts.cpus.size())),
                 fmt::format("{:.2f} processors of {}: who uses more is stopped for a while",
                             *quota, facts.cpus.size()),
                 "remove the limit (docker --cpus, cpu.max, CPUQuota=); bind to processors instead",
                 {{"quota_processors", *quota}});
}

Finding judge_gaps(const MachineFacts& facts) {
  constexpr const char* kName = "idle gaps";
  const Noise& noise = facts.noise;
  if (noise.observed_ns == 0) return not_known(kName, "the load's processor was not watched");
  const Mark by_share = mark_above(noise.lost_share, 0.005, 0.05);
  const bool long_gaps = noise.gaps_over_1ms > 0;
  return finding(
      kName, by_share == Mark::ok && long_gaps ? Mark::warning : by_share,
      fmt::format(
          "an idle thread on {} did not run for {:.2f} % of {:.1f} s; the longest gap {}, "
          "{} above 1 ms",
          facts.watched_cpu < 0 ? "any processor" : fmt::format("processor {}", facts.watched_cpu),
          noise.lost_share * 100, static_cast<double>(noise.observed_ns) / 1e9,
          time_text(noise.max_gap_ns), noise.gaps_over_1ms),
      "end other programs, or choose quieter processors with --load-cpus (isolcpus= keeps others "
      "off)",
      {{"lost_share", noise.lost_share},
       {"max_gap_ns", static_cast<double>(noise.max_gap_ns)},
       {"gaps_over_1ms", static_cast<double>(noise.gaps_over_1ms)}});
}

Finding judge_neighbours(const MachineFacts& facts) {
  constexpr const char* kName = "other load";
  if (!facts.neighbours || facts.watched_ns == 0) {
    return not_known(kName, "the system does not tell what other processes use");
  }
  constexpr std::size_t kMostNames = 4;
  constexpr double kLeastShown = 0.01;
  double total = 0;
  std::vector<std::string> uses;
  for (const Neighbour& one : *facts.neighbours) {
    const double share = static_cast<double>(one.cpu_ns) / static_cast<double>(facts.watched_ns);
    total += share;
    if (uses.size() < kMostNames && share >= kLeastShown) {
      uses.push_back(fmt::format("{} {:.2f}", one.name, share));
    }
  }
  std::string value = fmt::format("{:.2f} processors of {}", total, facts.all_cpus);
  if (!uses.empty()) value += fmt::format(": {}", fmt::join(uses, ", "));
  // Half of them, with room for what is not seen.
  const double most = 0.4 * facts.all_cpus;
  return finding(kName, mark_above(total, 0.05, most), std::move(value),
                 "end them, or wait until they are done", {{"used_processors", total}});
}

Finding judge_other_tailgates(const MachineFacts& facts) {
  constexpr const char* kName = "other runs";
  if (!facts.other_tailgates) {
    return not_known(kName, "the system does not tell which processes there are");
  }
  const unsigned count = *facts.other_tailgates;
  return finding(kName, count == 0 ? Mark::ok : Mark::problem,
                 count == 0   ? std::string("no other tailgate is running")
                 : count == 1 ? std::string("1 process of another tailgate is running")
                              : fmt::format("{} processes of another tailgate are running", count),
                 "wait for it: two measurements disturb each other",
                 {{"processes", static_cast<double>(count)}});
}

Finding judge_clock(const MachineFacts& facts) {
  const ClockParameters& clock = facts.clock;
  const bool tsc = clock.kind == ClockKind::tsc;
  const std::string source = detail(facts.machine, "clocksource");
  const Mark by_cost = mark_above(clock.read_cost_ns, 100, 1000);
  std::string name = tsc ? "the processor's time-stamp counter" : "the operating system's";
  if (!tsc && !source.empty()) name += fmt::format(" ({})", source);
  return finding("clock", !tsc && by_cost == Mark::ok ? Mark::warning : by_cost,
                 fmt::format("{}, {:.0f} ns a read", name, clock.read_cost_ns),
                 tsc ? "the reads are slow here: read short times with that in mind"
                     : "use a machine whose TSC is invariant and the same on all processors; each "
                       "figure holds two reads",
                 {{"read_cost_ns", clock.read_cost_ns}});
}

Finding judge_memory(const MachineFacts& facts) {
  const std::optional<std::uint64_t>& available = facts.limits.available_bytes;
  if (!available) return not_known("memory", "the system does not tell what is available");
  const auto bytes = static_cast<double>(*available);
  return finding("memory", mark_below(bytes, 256 * kMebibyte, kGibibyte),
                 bytes_text(bytes) + " available", "end programs that use much of it",
                 {{"available_bytes", bytes}});
}

Finding judge_swap(const MachineFacts& facts) {
  const SystemLimits& limits = facts.limits;
  if (!limits.swap_bytes || !limits.swap_used_bytes) {
    return not_known("swap", "the system does not tell");
  }
  if (*limits.swap_bytes == 0) return finding("swap", Mark::ok, "none", "");
  const auto used = static_cast<double>(*limits.swap_used_bytes);
  return finding("swap", used > 0 ? Mark::warning : Mark::ok,
                 fmt::format("{} of {} in use", used > 0 ? bytes_text(used) : "nothing",
                             bytes_text(static_cast<double>(*limits.swap_bytes))),
                 "swapoff -a, as root: a page that returns from there stalls a call for "
                 "milliseconds",
                 {{"used_bytes", used}});
}

Finding judge_scratch(const MachineFacts& facts) {
  constexpr const char* kName = "scratch folder";
  const ScratchFacts& scratch = facts.scratch;
  const std::string folder = scratch.folder.string();
  if (!scratch.failure.empty()) {
    return finding(kName, Mark::problem, scratch.failure, "name a writable folder with --scratch");
  }
  if (!scratch.free_bytes) return not_known(kName, folder + " does not tell its free space");
  const auto bytes = static_cast<double>(*scratch.free_bytes);
  const Mark by_space = mark_below(bytes, 100 * kMebibyte, 2 * kGibibyte);
  const bool in_memory = scratch.in_memory.value_or(false);
  std::string value = fmt::format("{} free in {}", bytes_text(bytes), folder);
  if (in_memory) value += ", which is in main memory: sinks would write to no disk";
  return finding(kName, in_memory && by_space == Mark::ok ? Mark::warning : by_space,
                 std::move(value), "name a folder on a disk with more space with --scratch",
                 {{"free_bytes", bytes}});
}

Finding judge_open_files(const MachineFacts& facts) {
  constexpr const char* kName = "open files";
  const std::optional<std::uint64_t>& limit = facts.limits.open_files;
  if (!limit) return not_known(kName, "the system has no such limit, or does not tell it");
  if (*limit == kNoLimit) return finding(kName, Mark::ok, "no limit", "");
  const auto files = static_cast<double>(*limit);
  return finding(kName, mark_below(files, 128, 1024), fmt::format("{} a process", *limit),
                 "ulimit -n 1024, or more", {{"limit", files}});
}

Finding judge_locked_memory(const MachineFacts& facts) {
  const std::optional<std::uint64_t>& limit = facts.limits.locked_bytes;
  const std::string needed = bytes_text(static_cast<double>(facts.memory_bytes));
  const std::string allowed =
      !limit ? ""
      : *limit == kNoLimit
          ? ", of which there is no limit"
          : fmt::format(", the limit is {}", bytes_text(static_cast<double>(*limit)));
  return finding("locked memory", facts.memory_locked ? Mark::ok : Mark::warning,
                 facts.memory_locked
                     ? fmt::format("a trial's {} can be locked in RAM", needed)
                     : fmt::format("a trial's {} cannot be locked in RAM{}", needed, allowed),
                 "raise 'ulimit -l', or run as root",
                 {{"needed_bytes", static_cast<double>(facts.memory_bytes)}});
}

Finding judge_datagrams(const MachineFacts& facts) {
  constexpr const char* kName = "datagram queue";
  const std::optional<std::uint64_t>& limit = facts.limits.datagram_queue;
  if (!limit) return not_known(kName, "the system has no such limit, or does not tell it");
  const auto datagrams = static_cast<double>(*limit);
  return finding(
      kName, mark_below(datagrams, 0, 100),
      fmt::format("{} wait in a socket at most{}", *limit,
                  datagrams < 100 ? ": a burst to journald or syslog blocks sooner than "
                                    "where systemd has set 512"
                                  : ""),
      "sysctl -w net.unix.max_dgram_qlen=512, as root, if that is what you run elsewhere",
      {{"limit", datagrams}});
}

Finding judge_probe(std::string name, const Probe& probe, const char* works) {
  if (probe.available) return finding(std::move(name), Mark::ok, works, "");
  return finding(std::move(name), Mark::warning, probe.reason, probe.remedy);
}

// What needs root says so on its own line.
Finding judge_user(const MachineFacts& facts) {
  const std::optional<bool>& administrator = facts.limits.administrator;
  if (!administrator) return not_known("user", "the system does not tell");
  return finding("user", Mark::ok, *administrator ? "root, or an administrator" : "not root", "");
}

Finding judge_sinks(const MachineFacts& facts) {
  const std::size_t all = facts.sinks.size() + facts.missing_sinks.size();
  std::string value = fmt::format("{} of {} work here", facts.sinks.size(), all);
  if (!facts.missing_sinks.empty()) {
    value +=
        fmt::format(", not {}: 'tailgate sinks' says why", fmt::join(facts.missing_sinks, ", "));
  }
  return finding("sinks", facts.sinks.empty() ? Mark::problem : Mark::ok, std::move(value),
                 "'tailgate sinks' says what each needs",
                 {{"available", static_cast<double>(facts.sinks.size())},
                  {"missing", static_cast<double>(facts.missing_sinks.size())}});
}

Finding judge_system(const MachineFacts& facts) {
  const std::string& restriction = facts.machine.restriction;
  return finding("system", restriction.empty() ? Mark::ok : Mark::warning,
                 restriction.empty() ? facts.machine.os : facts.machine.os + ": " + restriction,
                 "measure on the system itself");
}

}  // namespace

std::vector<Finding> judge(const MachineFacts& facts) {
  return {judge_system(facts),
          judge_processors(facts),
          judge_gaps(facts),
          judge_neighbours(facts),
          judge_other_tailgates(facts),
          judge_hypervisor(facts),
          judge_quota(facts),
          judge_governor(facts),
          judge_turbo(facts),
          judge_clock(facts),
          judge_memory(facts),
          judge_swap(facts),
          judge_scratch(facts),
          judge_user(facts),
          judge_open_files(facts),
          judge_locked_memory(facts),
          judge_datagrams(facts),
          judge_probe("slow calls", facts.trace, "can be explained by a trace of the kernel"),
          judge_probe("system calls", facts.system_calls, "can be counted"),
          judge_sinks(facts)};
}

Fitness fitness_of(const std::vector<Finding>& findings) {
  Fitness fitness = Fitness::yes;
  for (const Finding& finding : findings) {
    if (finding.mark == Mark::problem) return Fitness::no;
    if (finding.mark == Mark::warning) fitness = Fitness::with_reservations;
  }
  return fitness;
}

}  // namespace tailgate
