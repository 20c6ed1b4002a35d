// What the commands need to know of the terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace tailgate {

// True when stream is a terminal that shows escape sequences.
bool is_terminal(std::FILE* stream);

// True when stream is such a terminal and the user has not set NO_COLOR (https://no-color.org).
bool colour_wanted(std::FILE* stream);

// Makes a write to a pipe that nobody reads fail instead of ending the process, so that a command
// whose output is cut short (`| head`) can stop and succeed.
void fail_writes_to_closed_pipes();

// One line that replaces itself, on a terminal only; nothing otherwise.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // At most ten times a second; cut to 79 columns.
  void show(std::string_view text);
  void clear();
  bool active() const { return active_; }

 private:
  bool active_;
  bool shown_ = false;
  std::uint64_t last_ms_ = 0;
};

// "1 min 40 s", "12 s"
std::string time_left(double seconds);

}  // namespace tailgate
