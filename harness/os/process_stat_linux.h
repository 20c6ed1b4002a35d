// The one parser of /proc/PID/stat (proc(5)).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate {

// A process, or one thread of it.
struct ProcessStat {
  int pid = 0;       // of a thread: its own id
  std::string name;  // at most 15 bytes of a program's name; may hold blanks and parentheses
  char state = 0;    // 'R': runs or waits for a processor; 'Z': ended, and nobody has reaped it yet
  int parent_pid = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t system_ticks = 0;  // processor time in the kernel; sysconf(_SC_CLK_TCK) a second

  bool runnable() const { return state == 'R'; }
  bool ended() const { return state == 'Z' || state == 'X'; }
};

// Parses the file's text. Returns nothing when it is empty, cut or no such text.
std::optional<ProcessStat> parse_process_stat(std::string_view text);

// Reads it from /proc/PID or /proc/PID/task/TID. Returns nothing when there is no such process.
std::optional<ProcessStat> read_process_stat(const std::filesystem::path& folder);
std::optional<ProcessStat> read_process_stat(int pid);

}  // namespace tailgate
