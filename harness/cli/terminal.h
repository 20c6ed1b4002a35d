// The terminal: colours, and a line that shows progress.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "harness/base/quoting.h"

namespace tailgate {

// Whether stream is a terminal that interprets escape sequences.
bool is_terminal(std::FILE* stream);

// Whether stream is such a terminal and the user has not set NO_COLOR (https://no-color.org).
bool colour_wanted(std::FILE* stream);

// Makes a write to a closed pipe fail instead of ending the process, so that a command whose output
// is not read to its end (`| head`) can stop and succeed.
void fail_writes_to_closed_pipes();

// What is printed here cannot control the terminal, whatever it quotes (harness/base/quoting.h).
// Documents (harness/report) are printed as they are.

// Writes lines to standard output, or to standard error. That nobody can be told (it is closed, or
// its disk is full) is no reason to end a measurement.
void say_lines(std::string_view lines);
void tell_lines(std::string_view lines) noexcept;

// What is printed for an argument: of a text, one line.
template <class T>
auto printable_argument(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(argument);
  } else {
    return argument;
  }
}

// Prints to standard output. A text among the arguments begins no other line.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, const Arguments&... arguments) {
  say_lines(fmt::format(fmt::runtime(format), printable_argument(arguments)...));
}

// The same to standard error.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, const Arguments&... arguments) {
  tell_lines(fmt::format(fmt::runtime(format), printable_argument(arguments)...));
}

// Prints JSON to standard output.
void say_json(const nlohmann::json& json);

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
