// Child processes of the controller.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailgate {

struct ChildOptions {
  std::filesystem::path program = {};                            // absolute; empty: this program
  std::vector<std::string> arguments;                            // without the program
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's own
  std::vector<std::intptr_t> inherited;  // SharedMemory::native() of what the child may open
  std::filesystem::path output;          // standard output and error go to this file
  int namespace_pid = 0;  // Linux: the child enters this process's user and mount namespaces
};

// How a child ended.
struct ChildEnd {
  bool exited = false;  // of itself, with code; otherwise by signal (Windows: an exception code)
  int code = 0;
  std::string text() const;  // "exit code 3", "signal 9 (Killed)"
  bool killed() const;       // by someone else, rather than by an error of its own
};

// One child. It ignores the terminal's interrupt (the controller decides) and dies with the
// process that started it. Destroying a running child kills it.
class Child {
 public:
  // Throws Error. On Linux a program that cannot be run shows as a child that ends with exit code
  // 127.
  static Child start(const ChildOptions& options);

  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, 0)), pid_(other.pid_), end_(other.end_) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(pid_, other.pid_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Child();

  int pid() const { return pid_; }

  // How it ended, or nothing while it runs.
  std::optional<ChildEnd> poll();

  // Waits at most that long.
  std::optional<ChildEnd> wait_for(std::chrono::nanoseconds limit);

  // Ends it at once and reaps it.
  ChildEnd kill();

 private:
  Child(std::intptr_t process, int pid) : process_(process), pid_(pid) {}

  std::intptr_t process_;  // pid or HANDLE; 0 after a move
  int pid_;
  std::optional<ChildEnd> end_;
};

// The system's number of the calling thread.
std::uint32_t this_thread_number();

// What the system shows the calling thread as, in 15 bytes at most; threads that it starts are
// shown likewise.
void name_this_thread(const std::string& name);

// Processor time, user and system, that a process has used so far, any user's; nothing when there
// is no such process.
std::optional<std::uint64_t> process_cpu_ns(int pid);

// Sets a flag when the user interrupts (Ctrl-C, SIGTERM) for as long as it lives, instead of
// ending the process; a second interrupt ends the process at once. One at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  static bool raised();
};

// Runs a program found on PATH with this process's input and output, and returns its exit code, or
// 128 + the signal that ended it. Throws Error when it cannot be started.
int run_program(std::vector<std::string> arguments);

// For the first lines of a child's main: ignore the terminal's interrupt and the signal for files
// over the size limit, ask for the finest timer resolution of sleeps.
void prepare_child_process();

}  // namespace tailgate
