// What the sampler says of programs whose time is known, and of symbols that nm lists.
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/os/command.h"
#include "harness/os/process.h"
#include "harness/profile/allocations.h"
#include "harness/profile/process_image_linux.h"
#include "harness/profile/profile.h"
#include "harness/profile/sampler.h"

namespace tailgate::profile {
namespace {

Clock run_clock() {
  static const Clock clock(measure_clock());
  return clock;
}

void wait_for_cpu_ns(int pid, std::uint64_t cpu_ns) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (process_cpu_ns(pid).value_or(0) < cpu_ns && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Child start_worker() {
  ChildOptions options;
  options.program = TAILGATE_WORKER;
  return Child::start(options);
}

bool may_sample() {
  try {
    start_sampler(
        {.clock = run_clock(), .processes = {{SampledRole::provider, this_process_number()}}});
    return true;
  } catch (const Error& error) {
    WARN(error.what());
    return false;
  }
}

// The worker's profile over eight tenths of a second of its processor time.
Samples samples_of_worker(SampledRole role) {
  Child child = start_worker();
  wait_for_cpu_ns(child.pid(), 20'000'000);  // it runs its own code by then
  const auto pid = static_cast<std::uint32_t>(child.pid());
  const auto sampler =
      start_sampler({.clock = run_clock(),
                     .load = role == SampledRole::load ? std::vector{pid} : std::vector<uint32_t>{},
                     .processes = {{SampledRole::daemons, child.pid()}}});
  wait_for_cpu_ns(child.pid(), 820'000'000);
  sampler->stop();
  return sampler->read();
}

double share(const Profile& profile, const RoleProfile& role, const std::string& name,
             std::uint64_t FunctionSamples::*which) {
  for (const FunctionSamples& one : role.functions) {
    const ProfiledFunction& function = profile.functions.at(one.function);
    if (function.name != name) continue;
    CHECK(function.module == "tailgate_worker");
    return static_cast<double>(one.*which) / static_cast<double>(role.samples);
  }
  return 0;
}

TEST_CASE("four fifths of the time in one function, a fifth in another", "[truth]") {
  if (!may_sample()) return;
  const Samples samples = samples_of_worker(SampledRole::load);
  const Profile profile = make_profile(samples, {}, {.end_ns = ~std::uint64_t{0}});
  REQUIRE(profile.roles.size() == 1);
  const RoleProfile& role = profile.roles[0];
  CHECK(role.role == "load");
  // At 997 a second there are about 800. Half of them leave a standard error of 2 %.
  REQUIRE(role.samples > 400);
  CHECK(profile.lost == 0);
  const auto exclusive = &FunctionSamples::exclusive;
  const auto inclusive = &FunctionSamples::inclusive;
  CHECK(share(profile, role, "most", exclusive) == Approx(0.8).margin(0.08));
  CHECK(share(profile, role, "rest", exclusive) == Approx(0.2).margin(0.08));
  if (profile.callers != "dwarf") return;
  for (const char* caller : {"inner", "outer", "main"}) {
    INFO(caller);
    CHECK(share(profile, role, caller, inclusive) > 0.97);
    CHECK(share(profile, role, caller, exclusive) < 0.05);
  }
  CHECK(role.cut_stacks < role.samples / 20);
}

TEST_CASE("a command is sampled to its end, with the programs that it starts", "[truth]") {
  if (!may_sample()) return;
  const TestDirectory directory;
  std::unique_ptr<StackSampler> sampler;
  const CommandEnd end =
      run_command({.command = fmt::format("true; timeout 0.8 {}; true", TAILGATE_WORKER),
                   .output = directory.path() / "output",
                   .limit = std::chrono::seconds(60),
                   .before_start = [&sampler](int pid) {
                     sampler = start_sampler({.clock = run_clock(), .command = pid});
                   }});
  REQUIRE(end.stop == CommandStop::none);
  sampler->stop();
  const Samples samples = sampler->read();
  INFO(samples.limits);
  // The system's own account says how much there was to sample.
  const double sampled_ns = static_cast<double>(samples.list.size()) * 1e9 / samples.rate_hz;
  CHECK(sampled_ns == Approx(static_cast<double>(end.cpu_ns)).epsilon(0.1));
  const Profile profile = make_profile(samples, {}, {.end_ns = ~std::uint64_t{0}});
  REQUIRE(profile.roles.size() == 1);
  const RoleProfile& role = profile.roles[0];
  CHECK(role.role == "provider");
  CHECK(share(profile, role, "most", &FunctionSamples::exclusive) == Approx(0.8).margin(0.1));
  CHECK(share(profile, role, "rest", &FunctionSamples::exclusive) == Approx(0.2).margin(0.1));
}

// Waits until the file holds this text.
bool holds(const std::filesystem::path& path, const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < until) {
    std::ifstream file(path);
    if (std::string{std::istreambuf_iterator<char>(file), {}} == text) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// What the worker takes into memory. what: its argument. start: starts a sampler of that process.
template <class Start>
Samples memory_of_worker(const char* what, Start start) {
  const TestDirectory directory;
  ChildOptions options;
  options.program = TAILGATE_WORKER;
  options.arguments = {what};
  options.output = directory / "output";
  Child child = Child::start(options);
  REQUIRE(holds(directory / "output", "r"));
  const std::unique_ptr<StackSampler> sampler = start(child.pid());
  REQUIRE(::kill(child.pid(), SIGUSR1) == 0);
  REQUIRE(holds(directory / "output", "rm"));
  sampler->stop();
  return sampler->read();
}

// Bytes of the samples in whose stack a function is, by its name.
std::map<std::string, std::uint64_t> bytes_by_function(const Samples& samples) {
  const std::vector<ProfiledFunction>& functions = samples.functions.functions();
  std::map<std::string, std::uint64_t> bytes;
  for (const StackSample& sample : samples.list) {
    for (const std::uint32_t function : sample.functions) {
      bytes[functions[function].name] += sample.bytes;
    }
  }
  return bytes;
}

TEST_CASE("memory that stays is counted by function, and what was given back is not", "[truth]") {
  if (!may_sample()) return;
  const Samples samples = memory_of_worker("memory", [](int process) {
    return start_sampler({.sampled = Sampled::page_faults,
                          .clock = run_clock(),
                          .processes = {{SampledRole::provider, process}}});
  });
  CHECK(samples.method == "page_faults");
  CHECK(samples.lost == 0);
  std::uint64_t all = 0;
  for (const StackSample& sample : samples.list) all += sample.bytes;
  CHECK(static_cast<double>(all) == Approx(4000 * 4096).epsilon(0.02));
  if (samples.callers != "dwarf") return;
  std::map<std::string, std::uint64_t> bytes = bytes_by_function(samples);
  CHECK(static_cast<double>(bytes["keep"]) == Approx(3000 * 4096).epsilon(0.02));
  CHECK(static_cast<double>(bytes["keep_few"]) == Approx(1000 * 4096).epsilon(0.02));
  CHECK(bytes["give_back"] == 0);
}

bool may_follow_allocations() {
  try {
    follow_allocations({.clock = run_clock(), .processes = {this_process_number()}});
    return true;
  } catch (const Error& error) {
    WARN(error.what());
    return false;
  }
}

TEST_CASE("blocks that were not freed are counted by size and function", "[truth]") {
  if (!may_follow_allocations()) return;
  const Samples samples = memory_of_worker("blocks", [](int process) {
    return follow_allocations({.clock = run_clock(), .processes = {process}});
  });
  CHECK(samples.method == "allocations");
  CHECK(samples.lost == 0);
  CHECK(samples.limits == "");
  std::map<std::uint64_t, int> by_size;
  for (const StackSample& sample : samples.list) ++by_size[sample.bytes];
  CHECK(by_size == std::map<std::uint64_t, int>{{48, 1000}, {3000, 200}});
  std::map<std::string, std::uint64_t> bytes = bytes_by_function(samples);
  CHECK(bytes["keep_blocks"] == 1000 * 48);
  CHECK(bytes["grow_blocks"] == 200 * 3000);
  CHECK(bytes["free_blocks"] == 0);
  CHECK(bytes["take_blocks"] == 1000 * 48 + 200 * 3000);
}

TEST_CASE("a process that becomes another program is named by its new functions", "[truth]") {
  if (!may_sample()) return;
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", std::string("sleep 0.3; exec ") + TAILGATE_WORKER};
  Child child = Child::start(options);
  const auto sampler =
      start_sampler({.clock = run_clock(), .processes = {{SampledRole::provider, child.pid()}}});
  wait_for_cpu_ns(child.pid(), 500'000'000);
  child.kill();  // a stop comes after its end
  sampler->stop();
  const Profile profile = make_profile(sampler->read(), {}, {.end_ns = ~std::uint64_t{0}});
  REQUIRE(profile.roles.size() == 1);
  CHECK(share(profile, profile.roles[0], "most", &FunctionSamples::exclusive) > 0.5);
}

TEST_CASE("samples are on the run clock, and of the role that was asked for", "[truth]") {
  if (!may_sample()) return;
  const std::uint64_t begin_ns = run_clock().now_ns();
  const Samples samples = samples_of_worker(SampledRole::daemons);
  const std::uint64_t end_ns = run_clock().now_ns();
  REQUIRE(samples.list.size() > 400);
  for (const StackSample& sample : samples.list) {
    CHECK(sample.role == SampledRole::daemons);
    CHECK(sample.time_ns >= begin_ns);
    CHECK(sample.time_ns <= end_ns);
    CHECK(sample.cpu >= 0);
  }
}

// The functions that nm lists of the file, by offset from its first byte.
std::map<std::uint64_t, std::string> symbols_by_nm(const std::string& file) {
  const TestDirectory directory;
  run_command({.command = "nm --defined-only " + file,
               .output = directory / "symbols",
               .limit = std::chrono::seconds(20)});
  std::map<std::uint64_t, std::string> symbols;
  std::ifstream lines(directory / "symbols");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::uint64_t address = 0;
    std::string kind;
    std::string name;
    fields >> std::hex >> address >> kind >> name;
    if (kind == "T") symbols[address] = name;
  }
  return symbols;
}

// Where the process has mapped the beginning of that file.
std::uint64_t base_of(int pid, const std::string& file) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(file)) return std::stoull(line, nullptr, 16);
  }
  return 0;
}

TEST_CASE("an address is named as nm names it", "[truth]") {
  Child child = start_worker();
  wait_for_cpu_ns(child.pid(), 20'000'000);
  ProcessImage image(child.pid());
  image.refresh();
  const std::uint64_t base = base_of(child.pid(), TAILGATE_WORKER);
  const auto symbols = symbols_by_nm(TAILGATE_WORKER);
  child.kill();  // the names are found afterwards, too
  REQUIRE(base != 0);
  unsigned checked = 0;
  for (const char* name : {"most", "rest", "inner", "outer", "main"}) {
    for (const auto& [address, symbol] : symbols) {
      if (symbol != name) continue;
      ++checked;
      CHECK(image.function_at(base + address, false).name == name);
      CHECK(image.function_at(base + address + 1, true).name == name);
      CHECK(image.function_at(base + address + 4, false).module == "tailgate_worker");
    }
  }
  CHECK(checked == 5);
  CHECK(image.function_at(3, false).name == "[?]");
}

TEST_CASE("a process that does not exist has no names, and no samples", "[truth]") {
  Child child = start_worker();
  const int pid = child.pid();
  child.kill();
  ProcessImage image(pid);
  image.refresh();
  CHECK(image.function_at(0x1000, false).name == "[?]");
  if (!may_sample()) return;
  CHECK_THROWS_WITH(start_sampler({.clock = run_clock(), .processes = {{SampledRole::load, pid}}}),
                    Catch::Contains("the threads to sample") && Catch::Contains("No such process"));
}

TEST_CASE("a rate that the kernel does not permit is an error that says what to do", "[truth]") {
  if (!may_sample()) return;
  try {
    start_sampler({.rate_hz = 1e12, .clock = run_clock(), .processes = {}});
    FAIL("it started");
  } catch (const Error& error) {
    CHECK(error.what_failed().find("perf_event_open") != std::string::npos);
    CHECK(error.remedy().find("perf_event_max_sample_rate") != std::string::npos);
  }
}

// What an ordinary user's process gets of itself; run in a child that gives up its rights. Returns
// the exit code: 0 where all was as it must be.
int sample_as_nobody() {
  if (setgid(65534) != 0 || setuid(65534) != 0) return 10;
  std::unique_ptr<StackSampler> sampler;
  try {
    sampler = start_sampler(
        {.clock = run_clock(), .processes = {{SampledRole::provider, this_process_number()}}});
  } catch (const Error& error) {
    return error.remedy().find("perf_event_paranoid") == std::string::npos ? 11 : 0;
  }
  wait_for_cpu_ns(this_process_number(), 1'000'000);
  const std::uint64_t until_ns = run_clock().now_ns() + 300'000'000;
  while (run_clock().now_ns() < until_ns) {
  }
  sampler->stop();
  const Samples samples = sampler->read();
  if (samples.list.empty()) return 12;
  if (samples.kernel) return 0;  // this machine permits it
  return samples.limits.find("no time in the kernel: run as root") == 0 ? 0 : 13;
}

TEST_CASE("without privileges own processes are sampled, and what is missing is said", "[truth]") {
  if (getuid() != 0) return;
  static_cast<void>(run_clock());
  const pid_t child = fork();
  if (child == 0) _exit(sample_as_nobody());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

// The ids of this process's threads that have that name.
std::set<std::uint32_t> own_threads_named(const std::string& name) {
  std::set<std::uint32_t> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(entry.path() / "comm");
    std::string line;
    if (!std::getline(file, line) || line != name) continue;
    threads.insert(static_cast<std::uint32_t>(std::stoul(entry.path().filename().string())));
  }
  return threads;
}

TEST_CASE("the thread that collects samples is known by the name that the system shows",
          "[truth]") {
  if (!may_sample()) return;
  const auto sampler = start_sampler(
      {.clock = run_clock(), .processes = {{SampledRole::provider, this_process_number()}}});
  std::set<std::uint32_t> seen;
  for (int attempt = 0; attempt < 1'000 && seen.empty(); ++attempt) {
    seen = own_threads_named("tg-samples");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  sampler->stop();
  CHECK(seen == std::set{sampler->collector()});
}

}  // namespace
}  // namespace tailgate::profile
