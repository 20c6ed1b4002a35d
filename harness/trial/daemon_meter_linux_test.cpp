#include "harness/trial/daemon_meter.h"

#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace tailgate {
namespace {

// A process that uses so much processor time when told to, and then waits to be killed.
class Burner {
 public:
  explicit Burner(std::clock_t ticks) {
    REQUIRE(pipe(go_) == 0);
    REQUIRE(pipe(done_) == 0);
    pid_ = fork();
    if (pid_ == 0) burn(ticks);
  }
  ~Burner() {
    for (const int file : {go_[0], go_[1], done_[0], done_[1]}) close(file);
  }
  Burner(const Burner&) = delete;
  Burner& operator=(const Burner&) = delete;

  pid_t pid() const { return pid_; }

  void run() const {
    char byte = 'x';
    REQUIRE(write(go_[1], &byte, 1) == 1);
    REQUIRE(read(done_[0], &byte, 1) == 1);
  }

 private:
  [[noreturn]] void burn(std::clock_t ticks) const {
    char byte;
    bool told = read(go_[0], &byte, 1) == 1;
    while (std::clock() < ticks) {
    }
    told = told && write(done_[1], &byte, 1) == 1;
    while (told) pause();
    _exit(1);
  }

  pid_t pid_;
  int go_[2];
  int done_[2];
};

// What the kernel charges to its parent when it is reaped.
double reap(pid_t pid) {
  kill(pid, SIGKILL);
  rusage used;
  REQUIRE(wait4(pid, nullptr, 0, &used) == pid);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST_CASE("a daemon's processor time is what the kernel accounts to it") {
  constexpr std::clock_t kTicks = CLOCKS_PER_SEC / 20;  // 50 ms
  const Burner burner(kTicks);
  const DaemonMeter meter({{"burner", burner.pid()}});
  burner.run();
  const std::vector<DaemonUse> uses = meter.read();
  const double accounted_s = reap(burner.pid());
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].name == "burner");
  REQUIRE(uses[0].cpu_ns.has_value());
  // Before the meter the process had only begun; after it, it did nothing.
  const double used_s = static_cast<double>(*uses[0].cpu_ns) / 1e9;
  CHECK(used_s <= accounted_s);
  CHECK(used_s >= accounted_s - 0.02);
  CHECK(accounted_s >= 0.05);
}

TEST_CASE("of a daemon that has ended nothing is claimed") {
  const Burner burner(0);
  const DaemonMeter meter({{"gone", burner.pid()}, {"own", getpid()}});
  reap(burner.pid());
  const std::vector<DaemonUse> uses = meter.read();
  REQUIRE(uses.size() == 2);
  CHECK_FALSE(uses[0].cpu_ns.has_value());
  CHECK(uses[1].cpu_ns.has_value());
  CHECK(DaemonMeter().read().empty());
}

}  // namespace
}  // namespace tailgate
