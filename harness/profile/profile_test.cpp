#include "harness/profile/profile.h"

#include <catch2/catch.hpp>

namespace tailgate::profile {
namespace {

// Functions of a program: main calls emit and wait; emit calls write, which is the kernel's.
struct Program {
  Samples samples;
  std::uint32_t main = samples.functions.place_of("main", "program");
  std::uint32_t unused = samples.functions.place_of("unused", "program");
  std::uint32_t emit = samples.functions.place_of("emit", "program");
  std::uint32_t wait = samples.functions.place_of("wait", "program");
  std::uint32_t write = samples.functions.place_of("ksys_write", "kernel");

  void add(std::uint64_t time_ns, std::vector<std::uint32_t> functions, std::uint32_t thread = 70,
           SampledRole role = SampledRole::load) {
    samples.list.push_back({.time_ns = time_ns,
                            .role = role,
                            .thread = thread,
                            .cpu = 1,
                            .cut = false,
                            .functions = std::move(functions)});
  }
};

std::string name_of(const Profile& profile, std::uint32_t function) {
  return profile.functions.at(function).name;
}

ExplainedTail tail_of(const std::string& measure, std::uint64_t threshold_ns) {
  ExplainedTail tail;
  tail.measure = measure;
  tail.threshold_ns = threshold_ns;
  return tail;
}

ActivityWindow window_of(std::uint64_t start_ns, std::uint64_t end_ns) {
  ActivityWindow window;
  window.start_ns = start_ns;
  window.end_ns = end_ns;
  return window;
}

const FunctionSamples& samples_of(const Profile& profile, const RoleProfile& role,
                                  const std::string& name) {
  for (const FunctionSamples& one : role.functions) {
    if (name_of(profile, one.function) == name) return one;
  }
  FAIL(name);
  return role.functions.front();
}

TEST_CASE("a function's own samples are counted apart from those of what it called", "[profile]") {
  Program program;
  for (std::uint64_t i = 0; i < 6; ++i) program.add(100 + i, {program.wait, program.main});
  program.add(200, {program.emit, program.main});
  program.add(201, {program.write, program.emit, program.main});
  program.add(202, {program.write, program.emit, program.main});
  // Recursion counts once.
  program.add(203, {program.emit, program.emit, program.main});
  program.add(50, {program.emit});    // before the recorded load
  program.add(1001, {program.emit});  // after it
  const Profile profile =
      make_profile(program.samples, {}, {.begin_ns = 100, .end_ns = 1000, .threads = {70}});
  CHECK(profile.samples == 12);
  REQUIRE(profile.roles.size() == 1);
  const RoleProfile& load = profile.roles[0];
  CHECK(load.role == "load");
  CHECK(load.samples == 10);
  CHECK(load.threads == 1);
  CHECK(name_of(profile, load.functions[0].function) == "wait");
  CHECK(samples_of(profile, load, "wait").exclusive == 6);
  CHECK(samples_of(profile, load, "emit").exclusive == 2);
  CHECK(samples_of(profile, load, "emit").inclusive == 4);
  CHECK(samples_of(profile, load, "main").exclusive == 0);
  CHECK(samples_of(profile, load, "main").inclusive == 10);
  // The exclusive samples add up to all of them.
  std::uint64_t exclusive = 0;
  for (const FunctionSamples& one : load.functions) exclusive += one.exclusive;
  CHECK(exclusive == load.samples);
  // The stacks begin with the outermost caller, and add up too.
  CHECK(name_of(profile, load.stacks[0].functions[0]) == "main");
  CHECK(name_of(profile, load.stacks[0].functions[1]) == "wait");
  std::uint64_t of_stacks = load.left_out;
  for (const ProfiledStack& stack : load.stacks) of_stacks += stack.samples;
  CHECK(of_stacks == load.samples);
  // Nothing that is named is unused.
  CHECK(profile.functions.size() == 4);
}

TEST_CASE("each role has its own functions", "[profile]") {
  Program program;
  program.add(100, {program.emit}, 70, SampledRole::load);
  program.add(101, {program.write}, 71, SampledRole::daemons);
  program.add(102, {program.write}, 72, SampledRole::daemons);
  program.add(103, {}, 72, SampledRole::daemons);
  const Profile profile = make_profile(program.samples, {}, {.begin_ns = 100, .end_ns = 200});
  REQUIRE(profile.roles.size() == 2);
  CHECK(profile.roles[0].role == "load");
  CHECK(profile.roles[1].role == "daemons");
  CHECK(profile.roles[1].threads == 2);
  CHECK(profile.roles[1].samples == 3);
  CHECK(profile.roles[1].left_out == 1);
  CHECK(samples_of(profile, profile.roles[1], "ksys_write").exclusive == 2);
}

TEST_CASE("a slow call was in the functions of the samples within it", "[profile]") {
  Program program;
  program.add(1'000, {program.wait, program.main});
  program.add(2'050, {program.emit, program.main});
  program.add(2'060, {program.write, program.emit, program.main});
  program.add(2'070, {program.emit, program.main});
  program.add(3'010, {program.emit, program.main});
  program.add(3'010, {program.write}, 99);            // another thread
  program.add(4'000, {program.write, program.main});  // in a call that is not slow
  Explanation explanation;
  explanation.tails.push_back(tail_of("service", 100));
  explanation.tails.push_back(tail_of("response", 1'000));
  const std::vector<SlowCall> calls = {
      {.thread = 0, .sequence = 1, .intended_ns = 1'000, .start_ns = 2'000, .end_ns = 2'100},
      {.thread = 0, .sequence = 2, .intended_ns = 3'000, .start_ns = 3'000, .end_ns = 3'200},
      {.thread = 0, .sequence = 3, .intended_ns = 5'000, .start_ns = 5'000, .end_ns = 5'100},
      {.thread = 0, .sequence = 4, .intended_ns = 3'990, .start_ns = 3'990, .end_ns = 4'010}};
  const Profile profile = make_profile(program.samples, explanation,
                                       {.begin_ns = 0,
                                        .end_ns = 9'000,
                                        .threads = {70},
                                        .slowest = calls,
                                        .slowest_responses = calls});
  REQUIRE(profile.tails.size() == 2);
  const ProfiledTail& service = profile.tails[0];
  CHECK(service.calls == 3);
  CHECK(service.calls_sampled == 2);
  CHECK(service.samples == 4);
  REQUIRE(service.functions.size() == 2);
  CHECK(name_of(profile, service.functions[0].function) == "emit");
  CHECK(service.functions[0].samples == 3);
  CHECK(service.functions[0].calls == 2);
  CHECK(service.functions[1].calls == 1);
  // A response begins when the call was due.
  CHECK(profile.tails[1].calls == 1);
  CHECK(profile.tails[1].samples == 4);
}

TEST_CASE("samples within windows and listed calls are listed one by one", "[profile]") {
  Program program;
  program.add(500, {program.wait});
  program.add(150, {program.write, program.main}, 71, SampledRole::daemons);
  program.add(350, {program.emit});
  Explanation explanation;
  explanation.windows.push_back(window_of(100, 200));
  ExplainedCall call;
  call.intended_ns = 300;
  call.start_ns = 310;
  call.end_ns = 400;
  explanation.calls.push_back(call);
  const Profile profile = make_profile(program.samples, explanation, {.end_ns = 1'000});
  REQUIRE(profile.marks.size() == 2);
  CHECK(profile.marks[0].time_ns == 150);
  CHECK(profile.marks[0].role == "daemons");
  CHECK(profile.marks[0].pid == 71);
  CHECK(name_of(profile, profile.marks[0].functions.front()) == "main");
  CHECK(profile.marks[1].time_ns == 350);
  CHECK(profile.marks_left_out == 0);
}

TEST_CASE("a profile is of bounded size, and says what it leaves out", "[profile]") {
  Program program;
  for (std::uint64_t i = 0; i < 6'000; ++i) {
    program.add(i, {program.samples.functions.place_of("f" + std::to_string(i), "program")});
  }
  Explanation explanation;
  explanation.windows.push_back(window_of(0, 9'000));
  const Profile profile = make_profile(program.samples, explanation, {.end_ns = 9'000});
  CHECK(profile.roles[0].stacks.size() == 1'000);
  CHECK(profile.roles[0].left_out == 5'000);
  CHECK(profile.roles[0].functions.size() <= 1'500);
  CHECK(profile.marks.size() == 4'000);
  CHECK(profile.marks_left_out == 2'000);
}

TEST_CASE("a trial that was not sampled says why", "[profile]") {
  const Profile profile = no_profile("no such thing");
  CHECK(profile.method == "none");
  CHECK(profile.limits == "no such thing");
}

}  // namespace
}  // namespace tailgate::profile
