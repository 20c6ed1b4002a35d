#include "harness/os/process_stat_linux.h"

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace tailgate {
namespace {

// The fields from proc(5)'s number 4 on, each with its number as its value.
std::string numbered_fields() {
  std::string fields;
  for (int number = 4; number <= 52; ++number) fields += " " + std::to_string(number);
  return fields + "\n";
}

TEST_CASE("each field of /proc/PID/stat has proc(5)'s number") {
  const auto stat = parse_process_stat("123 (program) S" + numbered_fields());
  REQUIRE(stat);
  CHECK(stat->pid == 123);
  CHECK(stat->name == "program");
  CHECK(stat->state == 'S');
  CHECK(stat->parent_pid == 4);
  CHECK(stat->minor_faults == 10);
  CHECK(stat->major_faults == 12);
  CHECK(stat->system_ticks == 15);
  CHECK_FALSE(stat->runnable());
  CHECK_FALSE(stat->ended());
}

TEST_CASE("a name may hold blanks, parentheses and line feeds, and look like fields") {
  for (const std::string name : {"", "a b", "(sd-pam)", ") Z 1", "a) R 7 (b", "((", "))", "x\ny"}) {
    CAPTURE(name);
    const auto stat = parse_process_stat("7 (" + name + ") S" + numbered_fields());
    REQUIRE(stat);
    CHECK(stat->name == name);
    CHECK(stat->state == 'S');
    CHECK(stat->parent_pid == 4);
  }
}

TEST_CASE("fields that may be negative do not disturb the others") {
  const auto stat = parse_process_stat("1 (init) R 0 1 1 0 -1 4194560 20 99 3 88 1 250 7 8 20\n");
  REQUIRE(stat);
  CHECK(stat->minor_faults == 20);
  CHECK(stat->major_faults == 3);
  CHECK(stat->system_ticks == 250);
  CHECK(stat->runnable());
}

TEST_CASE("a process that nobody reaped has ended") {
  CHECK(parse_process_stat("7 (p) Z" + numbered_fields())->ended());
  CHECK(parse_process_stat("7 (p) X" + numbered_fields())->ended());
}

TEST_CASE("text that is empty, cut or something else is no process") {
  const std::string whole = "7 (p) S 1 2 3 4 5 6 7 8 9 10 11 12";
  REQUIRE(parse_process_stat(whole));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    if (whole[at] == ' ') CHECK_FALSE(parse_process_stat(whole.substr(0, at)));
  }
  CHECK_FALSE(parse_process_stat("x (p) S" + numbered_fields()));
  CHECK_FALSE(parse_process_stat("7 (p) SS" + numbered_fields()));
  CHECK_FALSE(parse_process_stat("7 (p) S x" + numbered_fields()));
  CHECK_FALSE(parse_process_stat("cpu  1 2 3 4 5 6 7 8 9 10 11 12 13\n"));
}

TEST_CASE("this process's own numbers agree with getrusage") {
  rusage before{};
  rusage after{};
  REQUIRE(getrusage(RUSAGE_SELF, &before) == 0);
  const auto stat = read_process_stat(getpid());
  REQUIRE(getrusage(RUSAGE_SELF, &after) == 0);
  REQUIRE(stat);
  CHECK(stat->pid == getpid());
  CHECK(stat->parent_pid == getppid());
  CHECK(stat->runnable());  // this thread reads it
  CHECK(stat->minor_faults >= static_cast<std::uint64_t>(before.ru_minflt));
  CHECK(stat->minor_faults <= static_cast<std::uint64_t>(after.ru_minflt));
  CHECK(stat->major_faults >= static_cast<std::uint64_t>(before.ru_majflt));
  CHECK(stat->major_faults <= static_cast<std::uint64_t>(after.ru_majflt));
  const auto ticks = [](const timeval& time) {
    const long ticks_hz = sysconf(_SC_CLK_TCK);
    return static_cast<std::uint64_t>(time.tv_sec * ticks_hz + time.tv_usec * ticks_hz / 1'000'000);
  };
  CHECK(stat->system_ticks >= ticks(before.ru_stime));
  CHECK(stat->system_ticks <= ticks(after.ru_stime));
}

TEST_CASE("a process that does not exist has no numbers") {
  CHECK_FALSE(read_process_stat(-1));
  CHECK_FALSE(read_process_stat(std::filesystem::path("/nonexistent")));
}

}  // namespace
}  // namespace tailgate
