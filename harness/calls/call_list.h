// What the user wants to have timed: `--calls`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// How calls are timed, the cheapest first.
enum class CallMeans {
  none,     // not at all
  mark,     // the program marks them by tailgate/mark.h
  preload,  // a preloaded library wraps the functions
  audit,    // the dynamic linker calls a library on entry and exit (rtld-audit(7))
  uprobe,   // the kernel stops the program on entry and exit
};

// "mark", "preload" …, as in results.
std::string_view means_name(CallMeans means);

struct CalledFunction {
  std::string library;  // file name that the library's begins with; empty: any
  std::string name;

  std::string text() const { return library.empty() ? name : library + ":" + name; }
  bool operator==(const CalledFunction&) const = default;
};

struct CallList {
  CallMeans means = CallMeans::mark;
  std::vector<CalledFunction> functions;  // none for marks; a function's place is its kind
};

// Parses "mark", "none", or functions by commas: "write,fsync", "libfoo.so:log_write". The means of
// functions is the first that their names allow: preload or audit. What the program allows is known
// when there is one. Throws Error.
CallList parse_call_list(std::string_view text);

// The functions' texts by commas.
std::string functions_text(const CallList& calls);

}  // namespace tailgate
