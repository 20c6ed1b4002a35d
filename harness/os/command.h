// Runs a command of the user's: a line for the system's shell, with all processes that it starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/process.h"

namespace tailgate {

struct CommandOptions {
  std::string command;                   // for /bin/sh -c, or on Windows for cmd /c
  std::filesystem::path output;          // standard output goes there, into a new file
  std::filesystem::path log = {};        // standard error likewise; empty: into the same file
  std::vector<int> cpus = {};            // its processes run there; empty: where this thread may
  std::filesystem::path directory = {};  // where it starts; empty: in this process's folder
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to this process's
  std::chrono::nanoseconds limit{};
  // Called with the number of the command's process before that does anything; what it throws ends
  // the process, and run_command. Its time is not the command's.
  std::function<void(int pid)> before_start = {};
};

enum class CommandStop { none, timed_out, interrupted };

struct CommandEnd {
  CommandStop stop = CommandStop::none;  // why tailgate ended it; none: it ended by itself
  ChildEnd end;                          // of the shell
  std::uint64_t wall_ns = 0;             // from before its start to its end
  std::uint64_t cpu_ns = 0;              // user and system, of the processes that were waited for
};

// Runs the command to its end, to the limit, or to the user's interrupt (InterruptFlag). Its input
// is empty. When it ends in any way, so do all processes of its group (Windows: of its job), first
// by request where the system has one, then by force. Throws Error where it cannot be started.
CommandEnd run_command(const CommandOptions& options);

}  // namespace tailgate
