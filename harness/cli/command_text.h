// What the help says, as data: the manual and the shells' completion are made from it.
#pragma once

#include <string>
#include <vector>

namespace tailgate {

struct ExitCode {
  int code;
  std::string brief;   // as in a list within the help: "usage"
  std::string detail;  // a sentence without its full stop; may be empty
};

// "0 done, 1 something went wrong": the codes in one line, for a help.
std::string brief_list(const std::vector<ExitCode>& codes);

struct OptionText {
  std::vector<std::string> names = {};  // "--out", "-o"; of a positional argument its name alone
  bool positional = false;
  std::string description = {};
  std::string value = {};  // what it is, as "FILE|DIR", or "A B" for two words; of a flag empty
  std::string default_value = {};         // empty: none, or none that the help shows
  std::string limits = {};                // of a number, "0 to 1024"; else empty
  std::vector<std::string> choices = {};  // all that it may be; empty: the value says what it is
  bool required = false;
  bool repeats = false;  // may be given several times or with several values
};

struct CommandText {
  std::string name = {};
  std::string description = {};  // a sentence without its full stop
  std::string footer = {};       // paragraphs; indented lines are examples or tables, as they stand
  std::vector<OptionText> options = {};  // positional arguments among them, in their order
  std::vector<ExitCode> exit_codes = {};
  std::vector<CommandText> subcommands = {};
};

}  // namespace tailgate
