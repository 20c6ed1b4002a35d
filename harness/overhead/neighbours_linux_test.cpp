// Names and times of real processes, against what they measured themselves.
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/base/testing/test_directory.h"
#include "harness/overhead/neighbours.h"
#include "harness/overhead/taken_time.h"
#include "harness/overhead/taken_time_linux.h"

namespace tailgate {
namespace {

std::uint64_t now_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void burn(std::uint64_t cpu_ns) {
  const std::uint64_t end_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) + cpu_ns;
  while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns) {
  }
}

// A child named `name` that uses so much processor time, says how much it was, and lives on.
class Burner {
 public:
  Burner(const char* name, std::uint64_t cpu_ns) {
    REQUIRE(pipe(told_.data()) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_NAME, name);
      burn(cpu_ns);
      const std::uint64_t used_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      if (write(told_[1], &used_ns, sizeof used_ns) != sizeof used_ns) _exit(1);
      while (true) pause();
    }
    close(told_[1]);
  }
  ~Burner() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(told_[0]);
  }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  // Waits until it has used its time.
  std::uint64_t used_ns() const {
    std::uint64_t ns = 0;
    REQUIRE(read(told_[0], &ns, sizeof ns) == sizeof ns);
    return ns;
  }

 private:
  std::array<int, 2> told_{};
  pid_t pid_;
};

TEST_CASE("a process that burns is named with its time, and is own to the one that started it") {
  constexpr int kNobody = 0x7FFFFFFF;
  NeighbourWatch foreign(kNobody);
  NeighbourWatch own(getpid());
  foreign.look(process_times().value());
  own.look(process_times().value());
  const Burner burner("tg (te) st", 60'000'000);
  const auto used_ns = static_cast<double>(burner.used_ns());
  const std::vector<ProcessTime> now = process_times().value();
  foreign.look(now);
  own.look(now);
  const auto time_of = [](const NeighbourWatch& watch) {
    for (const Neighbour& one : watch.largest(1000)) {
      if (one.name == "tg (te) st") return static_cast<double>(one.cpu_ns);
    }
    return 0.0;
  };
  CHECK(time_of(foreign) == Approx(used_ns).epsilon(0.02));
  CHECK(time_of(own) == 0);
}

TEST_CASE("a thread tells what it ran, and one that does not exist nothing") {
  const auto self = static_cast<std::uint32_t>(getpid());
  const auto before = thread_times(getpid(), self);
  if (!before) {
    WARN("skipped: this kernel has no schedstat");
    return;
  }
  burn(30'000'000);
  const auto after = thread_times(getpid(), self);
  REQUIRE(after);
  CHECK(static_cast<double>(after->ran_ns - before->ran_ns) == Approx(30e6).epsilon(0.2));
  CHECK_FALSE(thread_times(getpid(), 0x7FFFFFFF));
}

TEST_CASE("each processor's steal is found in its own line") {
  const std::string_view text =
      "cpu  9 9 9 9 9 9 9 999 9 9\n"
      "cpu0 1 2 3 4 5 6 7 80 0 0\n"
      "cpu1 1 2 3 4 5 6 7 81 0 0\n"
      "cpu10 1 2 3 4 5 6 7 90 0 0\n"
      "cpu2 1 2 3 4\n"
      "intr 12 0\n";
  CHECK(stolen_ticks(text, 0) == 80u);
  CHECK(stolen_ticks(text, 1) == 81u);
  CHECK(stolen_ticks(text, 10) == 90u);
  CHECK_FALSE(stolen_ticks(text, 2));
  CHECK_FALSE(stolen_ticks(text, 3));
  CHECK_FALSE(stolen_ticks("", 0));
}

TEST_CASE("stolen time is told where the kernel takes it, and no interrupts, off a thread's time") {
  const TestDirectory root;
  const auto write = [&](const std::string& path, std::string_view text) {
    std::filesystem::create_directories((root.path() / path).parent_path());
    std::ofstream(root.path() / path) << text;
  };
  const auto told = [&] { return leaves_out_stolen_alone(root.path()); };
  CHECK_FALSE(told());
  write("proc/stat", "cpu  9 9 9 9 9 9 9 5 9 9\ncpu0 9 9 9 9 9 9 9 5 9 9\n");
  write("proc/sys/kernel/osrelease", "6.0.9-amd64\n");
  write("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  CHECK_FALSE(told());  // too old to say it there
  write("boot/config-6.0.9-amd64", "CONFIG_X=y\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\n");
  CHECK(told());
  write("boot/config-6.0.9-amd64", "CONFIG_X=y\nCONFIG_IRQ_TIME_ACCOUNTING=y\n");
  CHECK_FALSE(told());

  write("proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
  CHECK(told());
  write("proc/stat", "cpu  9 9 9 9 9 9 9 0 9 9\n");
  CHECK_FALSE(told());  // nothing was ever taken: no hypervisor that says so
  write("proc/stat", "cpu  9 9 9 9 9 9 9 1 9 9\n");
  write("proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  CHECK_FALSE(told());
}

}  // namespace
}  // namespace tailgate
