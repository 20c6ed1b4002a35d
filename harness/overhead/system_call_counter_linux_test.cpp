// Counts the calls of children that make a known number of them.
#include "harness/overhead/system_call_counter.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "harness/base/error.h"

namespace tailgate {
namespace {

void call(int times) {
  for (int i = 0; i < times; ++i) syscall(SYS_getppid);
}

// Whether this user may count here.
bool can_count() {
  try {
    const SystemCallCounter counter({getpid()});
    return true;
  } catch (const Error& error) {
    WARN(error.what());
    return false;
  }
}

// Runs work in a child and returns how many calls the child made for it, with the two that begin
// and end it.
std::uint64_t counted(const std::function<void()>& work) {
  std::array<int, 2> go;
  std::array<int, 2> done;
  REQUIRE(pipe(go.data()) == 0);
  REQUIRE(pipe(done.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  char byte = 0;
  if (child == 0) {
    while (write(done[1], "d", 1) == 1 && read(go[0], &byte, 1) == 1) work();
    _exit(1);
  }
  REQUIRE(read(done[0], &byte, 1) == 1);
  std::uint64_t calls = 0;
  {
    const SystemCallCounter counter({child});
    REQUIRE(write(go[1], "g", 1) == 1);
    REQUIRE(read(done[0], &byte, 1) == 1);
    calls = counter.count();
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (const int end : {go[0], go[1], done[0], done[1]}) close(end);
  return calls;
}

TEST_CASE("system calls are counted to the call") {
  if (!can_count()) return;
  for (const int calls : {0, 1, 1000}) {
    const std::uint64_t count = counted([&] { call(calls); });
    const auto made = static_cast<std::uint64_t>(calls);
    CHECK(count >= made + 1);  // the write that tells the end …
    CHECK(count <= made + 3);  // … and the reads around it, which the counter may meet
  }
}

TEST_CASE("system calls of threads and of processes that begin later are counted") {
  if (!can_count()) return;
  CHECK(counted([] { std::thread(call, 700).join(); }) >= 700);
  CHECK(counted([] {
          const pid_t child = fork();
          if (child == 0) {
            call(600);
            _exit(0);
          }
          waitpid(child, nullptr, 0);
        }) >= 600);
}

TEST_CASE("a process that has ended counts nothing") {
  if (!can_count()) return;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  CHECK(SystemCallCounter({child}).count() == 0);
}

}  // namespace
}  // namespace tailgate
