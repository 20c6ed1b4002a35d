#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/manual/completion.h"

namespace tailgate {
namespace {

constexpr const char* kIsAt =
    R"sh(# Whether the words before the cursor name this command, and none of its own.
function __tailgate_at
    set -l words (commandline -opc)
    set -l command ""
    for word in $words[2..]
        if contains -- "$command/$word" {}
            set command "$command/$word"
        end
    end
    test "$command" = "$argv[1]"
end

complete -c tailgate -f
)sh";

std::string fish_quoted(const std::string& text) {
  std::string shell = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') shell += '\\';
    shell += c;
  }
  return shell + "'";
}

// The option of `complete` that offers the value; empty: nothing does.
std::string offered(const OptionText& option) {
  if (!option.choices.empty()) return fmt::format(" -a '{}'", fmt::join(option.choices, " "));
  std::vector<std::string> commands;
  for (const Offer offer : offers_for(option)) {
    switch (offer) {
      case Offer::words:
        break;
      case Offer::sinks:
        commands.push_back("tailgate sinks --names");
        break;
      case Offer::sink_list:
        commands.push_back("__fish_complete_list , \"tailgate sinks --names\"");
        break;
      case Offer::scenarios:
        commands.push_back("tailgate scenarios --names");
        break;
      case Offer::files:
        commands.push_back("__fish_complete_path (commandline -ct)");
        break;
      case Offer::folders:
        commands.push_back("__fish_complete_directories");
        break;
    }
  }
  return commands.empty() ? "" : fmt::format(" -a '({})'", fmt::join(commands, "; "));
}

std::string names_of(const OptionText& option) {
  std::string shell;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    shell += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
  }
  return shell;
}

std::string lines_of(const CommandPlace& place) {
  const std::string begin =
      fmt::format("complete -c tailgate -n '__tailgate_at \"{}\"'", place.path);
  std::string lines;
  for (const CommandText& command : place.command->subcommands) {
    lines += fmt::format("{} -a {} -d {}\n", begin, command.name, fish_quoted(command.description));
  }
  for (const OptionText& option : place.command->options) {
    if (option.positional) {
      const std::string shell = offered(option);
      if (!shell.empty()) lines += begin + shell + "\n";
      continue;
    }
    const std::string value = option.value.empty() ? "" : " -x" + offered(option);
    lines += begin + names_of(option) + value + " -d " + fish_quoted(option.description) + "\n";
  }
  return lines;
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  std::string lines;
  std::vector<std::string> paths;
  for (const CommandPlace& place : all_commands(program)) {
    lines += lines_of(place);
    if (!place.path.empty()) paths.push_back(place.path);
  }
  return "# fish completion for tailgate. Made from the program's help.\n\n" +
         fmt::format(fmt::runtime(kIsAt), fmt::join(paths, " ")) + lines;
}

}  // namespace tailgate
