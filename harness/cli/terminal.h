// The terminal: colours, and a line that shows progress.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tailgate {

// Whether stream is a terminal that interprets escape sequences.
bool is_terminal(std::FILE* stream);

// Whether stream is such a terminal and the user has not set NO_COLOR (https://no-color.org).
bool colour_wanted(std::FILE* stream);

// Makes a write to a closed pipe fail instead of ending the process, so that a command whose output
// is not read to its end (`| head`) can stop and succeed.
void fail_writes_to_closed_pipes();

// Writes to standard error. That nobody can be told (it is closed, or its disk is full) is no
// reason to end a measurement.
void tell(const std::string& text) noexcept;

// A line on standard error that shows progress and is overwritten each time. Shows nothing when
// standard error is no terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Shows the text, cut to 79 columns, at most ten times a second.
  void show(std::string_view text);
  void clear();
  bool active() const { return active_; }

 private:
  bool active_;
  bool shown_ = false;
  std::uint64_t last_ms_ = 0;
};

}  // namespace tailgate
