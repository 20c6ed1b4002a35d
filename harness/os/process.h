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
  std::filesystem::path program = {};  // absolute; empty: this program
  std::vector<std::string> arguments;  // without the program
  std::vector<std::pair<std::string, std::string>>
      environment;                       // added to this process's environment
  std::vector<std::intptr_t> inherited;  // SharedMemory::native() of memory that the child may open
  std::filesystem::path output;  // standard output and error go to this file; empty: both go to
                                 // this process's standard error
  int namespace_pid = 0;         // Linux: the child enters this process's user and mount namespaces
};

// How a child ended.
struct ChildEnd {
  bool exited =
      false;  // ended by itself with `code`; else by signal `code` (Windows: exception code)
  int code = 0;
  std::string text() const;  // "exit code 3", "signal 9 (Killed)"
  bool killed() const;       // another process ended it, not an error of its own
};

// A child process. It ignores the terminal's interrupt, since the controller decides when it ends.
// It is killed when the process that started it ends. The destructor kills a running child.
class Child {
 public:
  // Starts a child. Throws Error. On Linux, if the program cannot be executed, the child ends with
  // exit code 127.
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

  // Returns how the child ended, or nothing while it runs.
  std::optional<ChildEnd> poll();

  // Like poll(), but waits up to `limit` for the end.
  std::optional<ChildEnd> wait_for(std::chrono::nanoseconds limit);

  // Kills and reaps the child.
  ChildEnd kill();

 private:
  Child(std::intptr_t process, int pid) : process_(process), pid_(pid) {}

  std::intptr_t process_;  // pid or HANDLE; 0 after a move
  int pid_;
  std::optional<ChildEnd> end_;
};

// The system's id of this process, and of the calling thread.
int this_process_number();
std::uint32_t this_thread_number();

// Sets the name, of up to 15 bytes, that the system shows for the calling thread. Threads that it
// starts inherit the name.
void name_this_thread(const std::string& name);

// Returns the processor time, user and system, that a process of any user has used so far; nothing
// if there is no such process.
std::optional<std::uint64_t> process_cpu_ns(int pid);

// Returns how many files, sockets and the like this process has open; Windows: how many handles;
// Wine, which does not count them: 0.
std::size_t open_descriptors();

// While an object exists, an interrupt by the user (Ctrl-C, SIGTERM, a terminal that closes) sets a
// flag instead of ending the process; a second interrupt ends the process at once. At most one
// object may exist at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  ~InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  static bool raised();
};

// Runs a program from PATH with this process's input and output. Returns its exit code, or 128 +
// the signal that ended it. Throws Error if it cannot be started.
int run_program(std::vector<std::string> arguments);

// Returns the absolute path of a program in PATH, links resolved; on Windows `name` is without
// ".exe". Nothing if there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

// The user's interrupt ends a wait after this time, and what was waited for counts as interrupted.
inline constexpr std::chrono::seconds kPatienceOfUser{3};

// The end of a wait: `limit` from now, or kPatienceOfUser after the user's interrupt.
class PatientDeadline {
 public:
  explicit PatientDeadline(std::chrono::milliseconds limit);
  // Call it at least every few hundred milliseconds.
  bool passed();
  // What was waited for goes on: the limit counts from now, but not the user's patience.
  void extend();

 private:
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point end_;
  bool interrupted_ = false;
};

// Call it first in every main. Ignores the signal for files over the user's size limit (ulimit -f):
// the write fails instead. On Linux opens standard streams that are closed, so that no other file
// gets their numbers; writing to them still fails.
void prepare_process();

// The same for a child, which also ignores the terminal's interrupt and its end, and requests the
// finest timer resolution for sleeps.
void prepare_child_process();

}  // namespace tailgate
