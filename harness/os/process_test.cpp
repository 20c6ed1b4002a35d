#include "harness/os/process.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "harness/base/testing/test_directory.h"
#include "harness/os/shared_memory.h"

using tailgate::Child;
using tailgate::ChildEnd;
using tailgate::SharedMemory;
using tailgate::TestDirectory;
using namespace std::chrono_literals;

namespace {

constexpr const char* kHandle = "TAILGATE_TEST_HANDLE";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::atomic<std::uint64_t>& first_word(SharedMemory& memory) {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory.data());
}

// The code of the child process that tests below start.
TEST_CASE("child: answers in shared memory, then waits", "[.child]") {
  const char* handle = std::getenv(kHandle);
  REQUIRE(handle != nullptr);
  SharedMemory memory = SharedMemory::open_inherited(handle);
  const std::uint64_t said = first_word(memory).load();
  first_word(memory) = said + 1;
  std::this_thread::sleep_for(60s);
}

}  // namespace

TEST_CASE("a child gets its arguments, and its output is in the file") {
  const TestDirectory folder;
  Child child = Child::start({.arguments = {"--list-reporters"},
                              .environment = {},
                              .inherited = {},
                              .output = folder / "log"});
  const std::optional<ChildEnd> end = child.wait_for(20s);
  REQUIRE(end);
  CHECK(end->exited);
  CHECK_FALSE(end->killed());
  CHECK(end->text() == "exit code " + std::to_string(end->code));
  CHECK_THAT(contents(folder / "log"), Catch::Contains("Available reporters"));
}

TEST_CASE("a child can use inherited shared memory, and ends when it is killed") {
  const TestDirectory folder;
  SharedMemory memory = SharedMemory::create(1 << 20);
  first_word(memory) = 41;
  Child child = Child::start({.arguments = {"[child]"},
                              .environment = {{kHandle, memory.handle()}},
                              .inherited = {memory.native()},
                              .output = folder / "log"});
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (first_word(memory) == 41 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(1ms);
  }
  CHECK(first_word(memory) == 42);
  CHECK_FALSE(child.poll());
  CHECK(child.pid() > 0);
  CHECK(tailgate::process_cpu_ns(child.pid()).has_value());
  const ChildEnd end = child.kill();
  CHECK(end.killed());
  CHECK_FALSE(end.exited);
}

TEST_CASE("destroying a running child ends it") {
  const TestDirectory folder;
  SharedMemory memory = SharedMemory::create(4096);
  int pid = 0;
  {
    const Child child = Child::start({.arguments = {"[child]"},
                                      .environment = {{kHandle, memory.handle()}},
                                      .inherited = {memory.native()},
                                      .output = folder / "log"});
    pid = child.pid();
  }
  CHECK_FALSE(tailgate::process_cpu_ns(pid).has_value());
}
