#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/manual/completion.h"

namespace tailgate {
namespace {

constexpr const char* kZshFunctions = R"sh(
_tailgate_sinks() {
  local -a names=(${(f)"$(_call_program sinks tailgate sinks --names 2>/dev/null)"})
  compadd "$@" -a names
}

_tailgate_scenarios() {
  local -a names=(${(f)"$(_call_program scenarios tailgate scenarios --names 2>/dev/null)"})
  compadd "$@" -a names
}

_tailgate "$@"
)sh";

// Between single quotes, where _arguments gives a colon and brackets a meaning.
std::string zsh_quoted(const std::string& text) {
  std::string shell;
  for (const char c : text) {
    if (c == '\'') {
      shell += "'\\''";
    } else if (c == ':' || c == '[' || c == ']' || c == '\\') {
      shell += fmt::format("\\{}", c);
    } else {
      shell += c;
    }
  }
  return shell;
}

// ":FILE:_files" behind an option or a number: what follows is called FILE, and offered by _files.
std::string value_of(const OptionText& option) {
  std::vector<std::string> actions;
  for (const Offer offer : offers_for(option)) {
    switch (offer) {
      case Offer::words:
        actions.push_back(fmt::format("({})", fmt::join(option.choices, " ")));
        break;
      case Offer::sinks:
        actions.push_back("_tailgate_sinks");
        break;
      case Offer::sink_list:
        actions.push_back("_sequence _tailgate_sinks");
        break;
      case Offer::scenarios:
        actions.push_back("_tailgate_scenarios");
        break;
      case Offer::files:
        actions.push_back("_files");
        break;
      case Offer::folders:
        actions.push_back("_files -/");
        break;
    }
  }
  const std::string all = fmt::format("{}", fmt::join(actions, "; "));
  const bool several = actions.size() > 1;
  return ":" + zsh_quoted(option.value) + ":" +
         (all.empty() ? " "
          : several   ? "{" + all + "}"
                      : all);
}

std::string arguments_of(const CommandText& command) {
  std::string lines;
  int argument = 0;
  for (const OptionText& option : command.options) {
    if (option.positional) {
      const std::string number = option.repeats ? "*" : std::to_string(++argument);
      lines += fmt::format(" \\\n    '{}{}'", number, value_of(option));
      continue;
    }
    for (const std::string& name : option.names) {
      const std::string value = option.value.empty() ? "" : value_of(option);
      const char* joined = value.empty() || !name.starts_with("--") ? "" : "=";
      lines += fmt::format(" \\\n    '{}{}{}[{}]{}'", option.repeats ? "*" : "", name, joined,
                           zsh_quoted(option.description), value);
    }
  }
  return lines;
}

std::string function_name(const std::string& path) {
  std::string name = "_tailgate" + path;
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  return name;
}

// The first argument is a command, whose function completes the others.
std::string command_function(const CommandPlace& place) {
  const std::string name = function_name(place.path);
  if (place.command->subcommands.empty()) {
    return fmt::format("\n{}() {{\n  _arguments -s{}\n}}\n", name, arguments_of(*place.command));
  }
  std::string commands;
  for (const CommandText& command : place.command->subcommands) {
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.description));
  }
  return fmt::format(R"sh(
{0}() {{
  local curcontext=$curcontext state line
  local -a commands=(
{1}  )
  _arguments -C -s{2} \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument) (( ! $+functions[{0}_$words[1]] )) || {0}_$words[1] ;;
  esac
}}
)sh",
                     name, commands, arguments_of(*place.command));
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string script = "#compdef tailgate\n# Made from the program's help.\n";
  for (const CommandPlace& place : all_commands(program)) script += command_function(place);
  return script + kZshFunctions;
}

}  // namespace tailgate
