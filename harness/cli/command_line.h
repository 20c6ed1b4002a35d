// Subcommands and their options: CLI11 behind a small interface. command_line.cpp alone includes
// its headers, which take seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command_text.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tailgate {

// An option, a flag or a positional argument of a command. Each call returns the option itself.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(option) {}

  CommandOption* required();
  CommandOption* type_name(const std::string& name);  // in the help: FILE
  CommandOption* capture_default_str();               // the help shows the value of before parsing
  CommandOption* range(int lowest, int highest);      // both included, as in the next two
  CommandOption* range(unsigned lowest, unsigned highest);
  CommandOption* range(double lowest, double highest);
  // Refuses any other value. The help names the value by them, "auto|os", unless type_name follows.
  CommandOption* one_of(const std::vector<std::string>& values);
  CommandOption* one_value_each_time();  // of a list: --set a=1 --set b=2, and not --set a=1 b=2
  CommandOption* needs(CommandOption* other);
  CommandOption* excludes(CommandOption* other);

  OptionText text() const;

 private:
  CLI::Option& option_;
  std::vector<std::string> choices_;
  std::string limits_;
};

enum class Parsed {
  command,   // a subcommand was named, and its callback called
  answered,  // --help or --version was given, and printed
  refused,   // what is wrong with the arguments was printed
};

// The program, or one of its subcommands. What it hands out lives as long as the program.
class Command {
 public:
  // The program; --version prints `version`.
  Command(const std::string& name, const std::string& description, const std::string& version);
  explicit Command(CLI::App& subcommand);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& description);
  void require_subcommand();

  // The value goes to `into`, which outlives parsing. A name without a dash is positional.
  // T: one of the types at the end of command_line.cpp.
  template <class T>
  CommandOption* add_option(const std::string& name, T& into, const std::string& description);
  CommandOption* add_flag(const std::string& name, bool& into, const std::string& description);
  // A flag that takes a value behind "=": without one it gives the first of `values`. Where it is
  // not given at all, `into` stays.
  CommandOption* add_flag(const std::string& name, std::string& into,
                          const std::vector<std::string>& values, const std::string& description);
  // Each time that the option is given it takes `words` words; `take` gets all of them.
  using TakeWords = std::function<void(const std::vector<std::string>& words)>;
  CommandOption* add_words(const std::string& name, int words, const TakeWords& take,
                           const std::string& description);

  // Takes whatever stands behind the subcommand's name, --help too.
  void take_all_arguments();
  std::vector<std::string> all_arguments() const;

  // What the user may have meant by a word that is no command: the whole command, or nothing.
  using Guess = std::function<std::string(const std::string& word)>;
  void guess_command(Guess guess);

  void footer(const std::string& text);
  // What the exit codes mean; without it, those of the command above.
  void exit_codes(std::vector<ExitCode> codes);
  // `chosen` is called when the user named this subcommand, after everything has been parsed.
  void callback(std::function<void()> chosen);

  // Parses what stands behind the program's name.
  Parsed parse(std::vector<std::string> arguments);

  CommandText text() const;

 private:
  CommandOption* own(CLI::Option* option);
  // Where a command is missing or not known, says so, or prints the help, and returns true.
  bool names_no_command(const std::vector<std::string>& arguments) const;

  std::unique_ptr<CLI::App> program_;  // null for a subcommand, which the program's App owns
  CLI::App& app_;
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::unique_ptr<CommandOption>> options_;
  std::vector<ExitCode> exit_codes_;
  Guess guess_;
};

}  // namespace tailgate
