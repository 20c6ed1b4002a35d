// A program that tailgate measures without having loaded it: its process, and all that it starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/process.h"

namespace tailgate {

struct ProgramOptions {
  std::vector<std::string> command;  // the program, found as by the shell, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  std::filesystem::path log;  // both outputs go there, into a new file; its input is empty
  std::vector<int> cpus;      // its processes run there; empty: where this thread may
};

// Returns the path of the program that the command names, as the shell finds it. Throws Error if
// there is none that can be executed.
std::filesystem::path program_path(const std::string& name);

// The process is made at once, but becomes the program only by begin(), so that it can be watched
// before. The destructor ends it. (program_process_linux.cpp, program_process_windows.cpp)
class ProgramProcess {
 public:
  // Throws Error.
  explicit ProgramProcess(const ProgramOptions& options);
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  int pid() const { return pid_; }

  // Throws Error if the program cannot be executed.
  void begin();

  // Waits for the end of the program, not of those that it started; returns whether it has ended.
  // Until end() its counters can still be read.
  bool ended_within(std::chrono::milliseconds limit) const;

  // Ends what is left of the program's process group, by request and a second later by force, and
  // returns how the program ended.
  ChildEnd end();

 private:
  int pid_ = 0;
  int process_ = -1;  // descriptors
  int start_ = -1;
  int failure_ = -1;
  std::filesystem::path program_;
};

}  // namespace tailgate
