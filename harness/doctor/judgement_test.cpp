#include "harness/doctor/judgement.h"

#include <catch2/catch.hpp>
#include <limits>
#include <set>

namespace tailgate {
namespace {

using Catch::Contains;

constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::uint64_t kGibibyte = 1 << 30;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

// A machine of its own with four processors, on which nothing is wrong.
MachineFacts good() {
  MachineFacts facts;
  facts.machine.os = "Debian GNU/Linux 12 (bookworm)";
  facts.machine.hypervisor = "none seen";
  facts.machine.details = {{"governor", "performance"}, {"turbo", "off"}, {"clocksource", "tsc"}};
  facts.limits.administrator = true;
  facts.limits.open_files = 1024;
  facts.limits.locked_bytes = kNoLimit;
  facts.limits.datagram_queue = 512;
  facts.limits.cpu_quota = std::numeric_limits<double>::infinity();
  facts.limits.available_bytes = 8 * kGibibyte;
  facts.limits.swap_bytes = 0;
  facts.limits.swap_used_bytes = 0;
  facts.clock.kind = ClockKind::tsc;
  facts.clock.read_cost_ns = 12;
  facts.cpus = {0, 1, 2, 3};
  facts.all_cpus = 4;
  facts.placement = {.load_cpus = {2, 3}, .controller_cpus = {0}, .consumer_cpus = {1}};
  facts.watched_cpu = 2;
  facts.noise.observed_ns = 2 * kSecondNs;
  facts.noise.max_gap_ns = 31'000;
  facts.noise.lost_share = 0.0001;
  facts.watched_ns = 2 * kSecondNs;
  facts.stolen_ns = 0;
  facts.neighbours = {{"sshd", 2'000'000}};
  facts.other_tailgates = 0;
  facts.memory_locked = true;
  facts.memory_bytes = 2 * kMebibyte;
  facts.scratch = {
      .folder = "/var/tmp", .failure = "", .free_bytes = 50 * kGibibyte, .in_memory = false};
  facts.sinks = {"file", "spdlog"};
  facts.missing_sinks = {"etw"};
  return facts;
}

Finding named(const std::string& name, const MachineFacts& facts) {
  for (const Finding& finding : judge(facts)) {
    if (finding.name == name) return finding;
  }
  FAIL("no finding is named " << name);
  return {};
}

// The finding is so marked, says this, and has a remedy exactly where something is wrong. The
// answer as a whole follows from it.
Finding check(const std::string& name, const MachineFacts& facts, Mark mark,
              const std::string& value) {
  Finding finding = named(name, facts);
  INFO(name << ": " << finding.value << " / " << finding.remedy);
  CHECK(finding.mark == mark);
  CHECK_THAT(finding.value, Contains(value));
  const bool wrong = mark == Mark::warning || mark == Mark::problem;
  CHECK(finding.remedy.empty() != wrong);
  CHECK(fitness_of(judge(facts)) == (mark == Mark::problem   ? Fitness::no
                                     : mark == Mark::warning ? Fitness::with_reservations
                                                             : Fitness::yes));
  return finding;
}

TEST_CASE("a good machine is fit, and every finding has a name of its own") {
  const std::vector<Finding> findings = judge(good());
  CHECK(fitness_of(findings) == Fitness::yes);
  std::set<std::string> names;
  for (const Finding& finding : findings) {
    INFO(finding.name << ": " << finding.value);
    CHECK(finding.mark == Mark::ok);
    CHECK(finding.remedy.empty());
    CHECK_FALSE(finding.value.empty());
    CHECK(finding.name.size() <= 14);
    CHECK(names.insert(finding.name).second);
  }
}

TEST_CASE("a machine that tells nothing has only findings that are not known, and no figures") {
  MachineFacts facts;
  facts.machine.hypervisor = "none seen";
  facts.cpus = {0, 1};
  facts.placement = {.load_cpus = {1}, .controller_cpus = {0}, .consumer_cpus = {0}};
  facts.memory_locked = true;
  facts.clock.kind = ClockKind::tsc;
  facts.scratch.folder = "C:/Temp";
  facts.sinks = {"file"};
  for (const char* name :
       {"idle gaps", "other load", "other runs", "cpu quota", "governor", "turbo", "memory", "swap",
        "scratch folder", "user", "open files", "datagram queue"}) {
    CHECK(check(name, facts, Mark::unknown, "not known: ").figures.empty());
  }
}

TEST_CASE("the worst mark gives the answer") {
  const auto of = [](Mark mark) { return Finding{"x", mark, "", ""}; };
  CHECK(fitness_of({}) == Fitness::yes);
  CHECK(fitness_of({of(Mark::ok), of(Mark::unknown)}) == Fitness::yes);
  CHECK(fitness_of({of(Mark::warning), of(Mark::ok)}) == Fitness::with_reservations);
  CHECK(fitness_of({of(Mark::warning), of(Mark::problem), of(Mark::ok)}) == Fitness::no);
}

TEST_CASE("doctor: one processor is a problem, two are enough, a shared one is a warning") {
  MachineFacts facts = good();
  check("processors", facts, Mark::ok, "4; the load would get 2-3");
  facts.cpus = {0, 1};
  facts.placement = {.load_cpus = {1}, .controller_cpus = {0}, .consumer_cpus = {0}};
  check("processors", facts, Mark::ok, "2; the load would get 1");
  facts.placement.consumer_cpus = {0, 1};
  check("processors", facts, Mark::warning, "may run there too");
  facts.placement.load_cpus = {};
  check("processors", facts, Mark::warning, "the load would get any");
  facts.cpus = {0};
  facts.placement = {.load_cpus = {0}, .controller_cpus = {0}, .consumer_cpus = {0}};
  check("processors", facts, Mark::problem, "take turns");
}

TEST_CASE("doctor: gaps of an idle thread") {
  MachineFacts facts = good();
  check("idle gaps", facts, Mark::ok, "processor 2 did not run for 0.01 % of 2.0 s");
  facts.noise.gaps_over_1ms = 1;
  facts.noise.max_gap_ns = 1'500'000;
  check("idle gaps", facts, Mark::warning, "the longest gap 1.5 ms, 1 above 1 ms");
  facts.noise.gaps_over_1ms = 0;
  facts.noise.lost_share = 0.006;
  check("idle gaps", facts, Mark::warning, "0.60 %");
  facts.noise.lost_share = 0.051;
  const Finding busy = check("idle gaps", facts, Mark::problem, "5.10 %");
  CHECK(busy.figures.at(0) == std::pair<std::string, double>("lost_share", 0.051));
  facts.watched_cpu = -1;
  check("idle gaps", facts, Mark::problem, "an idle thread on any processor");
}

TEST_CASE("doctor: other load is named, and judged by the processors that there are") {
  MachineFacts facts = good();
  check("other load", facts, Mark::ok, "0.00 processors of 4");
  facts.neighbours = {{"cc1plus", 2 * kSecondNs}, {"dpkg", kSecondNs / 2}, {"sshd", 2'000'000}};
  const Finding some =
      check("other load", facts, Mark::warning, "1.25 processors of 4: cc1plus 1.00, dpkg 0.25");
  CHECK_THAT(some.value, !Contains("sshd"));
  CHECK(some.figures.at(0).second == Approx(1.251));
  facts.all_cpus = 2;
  check("other load", facts, Mark::problem, "1.25 processors of 2");
}

TEST_CASE("doctor: another tailgate is a problem") {
  MachineFacts facts = good();
  check("other runs", facts, Mark::ok, "no other");
  facts.other_tailgates = 1;
  check("other runs", facts, Mark::problem, "1 process of");
  facts.other_tailgates = 3;
  check("other runs", facts, Mark::problem, "3 processes of");
}

TEST_CASE("doctor: a virtual machine is judged by what the hypervisor takes") {
  MachineFacts facts = good();
  facts.machine.hypervisor = "KVM";
  check("hypervisor", facts, Mark::ok, "KVM, which took 0.0 % of processor 2");
  facts.stolen_ns = 40'000'000;
  check("hypervisor", facts, Mark::warning, "took 2.0 %");
  facts.stolen_ns = 200'000'000;
  check("hypervisor", facts, Mark::problem, "took 10.0 %");
  facts.stolen_ns = {};
  check("hypervisor", facts, Mark::warning, "is not known");
}

TEST_CASE("doctor: a quota stops the load") {
  MachineFacts facts = good();
  check("cpu quota", facts, Mark::ok, "none");
  facts.limits.cpu_quota = 4;
  check("cpu quota", facts, Mark::ok, "4.00 processors of 4");
  facts.limits.cpu_quota = 2.5;
  check("cpu quota", facts, Mark::warning, "2.50 processors of 4");
  facts.limits.cpu_quota = 1.5;
  check("cpu quota", facts, Mark::problem, "1.50 processors of 4");
}

TEST_CASE("doctor: governors, Windows' power schemes and turbo") {
  MachineFacts facts = good();
  facts.machine.details = {{"governor", "powersave/performance"}, {"turbo", "off"}};
  check("governor", facts, Mark::warning, "powersave/performance");
  facts.machine.details = {{"governor", "none"}, {"turbo", "off"}};
  check("governor", facts, Mark::unknown, "not known");
  facts.machine.details = {{"power_scheme", "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"}};
  check("governor", facts, Mark::ok, "high performance");
  facts.machine.details = {{"power_scheme", "381b4222-f694-41f0-9685-ff5bb260df2e"}};
  check("governor", facts, Mark::warning, "381b4222");
  facts.machine.details = {{"turbo", "on"}};
  check("turbo", facts, Mark::warning, "on: ");
}

TEST_CASE("doctor: the clock is the time-stamp counter, and cheap to read") {
  MachineFacts facts = good();
  check("clock", facts, Mark::ok, "time-stamp counter, 12 ns a read");
  facts.clock.read_cost_ns = 150;
  check("clock", facts, Mark::warning, "150 ns");
  facts.clock = {};
  facts.clock.read_cost_ns = 40;
  facts.machine.details = {{"clocksource", "hpet"}};
  check("clock", facts, Mark::warning, "the operating system's (hpet), 40 ns a read");
  facts.clock.read_cost_ns = 1500;
  check("clock", facts, Mark::problem, "1500 ns");
}

TEST_CASE("doctor: memory and swap") {
  MachineFacts facts = good();
  check("memory", facts, Mark::ok, "8.0 GiB available");
  facts.limits.available_bytes = 500 * kMebibyte;
  check("memory", facts, Mark::warning, "500.0 MiB");
  facts.limits.available_bytes = 100 * kMebibyte;
  check("memory", facts, Mark::problem, "100.0 MiB");
  facts = good();
  facts.limits.swap_bytes = 2 * kGibibyte;
  check("swap", facts, Mark::ok, "nothing of 2.0 GiB");
  facts.limits.swap_used_bytes = 3 * 1024;
  check("swap", facts, Mark::warning, "3 KiB of 2.0 GiB in use");
}

TEST_CASE("doctor: the scratch folder") {
  MachineFacts facts = good();
  check("scratch folder", facts, Mark::ok, "50.0 GiB free in /var/tmp");
  facts.scratch.free_bytes = kGibibyte;
  check("scratch folder", facts, Mark::warning, "1.0 GiB");
  facts.scratch.free_bytes = 50 * kMebibyte;
  check("scratch folder", facts, Mark::problem, "50.0 MiB");
  facts.scratch.free_bytes = 50 * kGibibyte;
  facts.scratch.in_memory = true;
  check("scratch folder", facts, Mark::warning, "in main memory");
  facts.scratch.in_memory = {};  // not told: judged by its space alone
  check("scratch folder", facts, Mark::ok, "50.0 GiB free");
  facts.scratch.failure = "open('/var/tmp/x') failed: Permission denied (errno 13)";
  check("scratch folder", facts, Mark::problem, "Permission denied");
}

TEST_CASE("doctor: limits that sinks need") {
  MachineFacts facts = good();
  check("open files", facts, Mark::ok, "1024");
  facts.limits.open_files = kNoLimit;
  check("open files", facts, Mark::ok, "no limit");
  facts.limits.open_files = 1023;
  check("open files", facts, Mark::warning, "1023 a process");
  facts.limits.open_files = 100;
  check("open files", facts, Mark::problem, "100 a process");
  facts = good();
  check("locked memory", facts, Mark::ok, "a trial's 2.0 MiB can be locked");
  facts.memory_locked = false;
  facts.limits.locked_bytes = 64 * 1024;
  check("locked memory", facts, Mark::warning, "cannot be locked in RAM, the limit is 64 KiB");
  facts.limits.locked_bytes = {};
  CHECK_THAT(check("locked memory", facts, Mark::warning, "cannot").value, !Contains("limit"));
  facts = good();
  check("datagram queue", facts, Mark::ok, "512 wait");
  facts.limits.datagram_queue = 10;
  check("datagram queue", facts, Mark::warning, "10 wait in a socket at most: a burst");
}

TEST_CASE("doctor: traces and counters say themselves what is missing") {
  MachineFacts facts = good();
  check("slow calls", facts, Mark::ok, "can be explained");
  check("system calls", facts, Mark::ok, "can be counted");
  facts.trace = {false, "tracefs is not mounted", "mount it"};
  CHECK(check("slow calls", facts, Mark::warning, "tracefs is not mounted").remedy == "mount it");
  facts = good();
  facts.system_calls = {false, "perf_event_open failed", "run as root"};
  CHECK(check("system calls", facts, Mark::warning, "perf_event_open").remedy == "run as root");
}

TEST_CASE("doctor: who is no root is told so, and it counts for nothing by itself") {
  MachineFacts facts = good();
  check("user", facts, Mark::ok, "root");
  facts.limits.administrator = false;
  check("user", facts, Mark::ok, "not root");
}

TEST_CASE("doctor: sinks that are missing are listed, and none at all is a problem") {
  MachineFacts facts = good();
  check("sinks", facts, Mark::ok, "2 of 3 work here, not etw: 'tailgate sinks' says why");
  facts.missing_sinks.clear();
  CHECK(check("sinks", facts, Mark::ok, "2 of 2 work here").value == "2 of 2 work here");
  facts.sinks.clear();
  facts.missing_sinks = {"file"};
  check("sinks", facts, Mark::problem, "0 of 1");
}

TEST_CASE("doctor: a restriction on the use of figures is a warning") {
  MachineFacts facts = good();
  facts.machine.restriction = "Wine: smoke, not Windows";
  check("system", facts, Mark::warning, "Debian GNU/Linux 12 (bookworm): Wine: smoke");
}

}  // namespace
}  // namespace tailgate
