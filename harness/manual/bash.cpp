#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/manual/completion.h"

namespace tailgate {
namespace {

// kind: what the tables below say of a value. A word with a colon in it is an option of a sink,
// which nothing completes; readline makes three words of it, and three of --out=DIR.
constexpr const char* kBashFunctions = R"sh(
# $1: the words, which no shell expands: files have given names to some. $2: what goes before each
_tailgate_words() {
  local -a words
  local word
  read -r -d '' -a words <<<"${1//,/ }"
  for word in "${words[@]}"; do
    [[ $2$word != "$cur"* ]] || COMPREPLY+=("$2$word")
  done
}

_tailgate_paths() {
  local -a found
  mapfile -t found < <(compgen "$1" -- "$cur")
  COMPREPLY+=("${found[@]}")
  compopt -o filenames 2>/dev/null
}

_tailgate_sink_list() {
  local before=""
  [[ $cur != *,* ]] || before=${cur%,*},
  compopt -o nospace 2>/dev/null
  _tailgate_words "$("$program" sinks --names 2>/dev/null)" "$before"
}

_tailgate_offer() {
  local IFS=$' \t\n' one
  for one in $kind; do
    case $one in
      words:*) _tailgate_words "${one#words:}" ;;
      sinks) _tailgate_words "$("$program" sinks --names 2>/dev/null)" ;;
      sink_list) _tailgate_sink_list ;;
      scenarios) _tailgate_words "$("$program" scenarios --names 2>/dev/null)" ;;
      files) _tailgate_paths -f ;;
      folders) _tailgate_paths -d ;;
    esac
  done
}

_tailgate() {
  local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]}
  local command="" option="" kind="" argument=1 word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == : || $word == = && -z $option ]]; then
      ((++i))
    elif [[ $word == = ]]; then
      continue
    elif [[ -n $option ]]; then
      option=""
    elif _tailgate_is_command "$command/$word"; then
      command=$command/$word
    elif [[ $word != -* ]]; then
      ((++argument))
    elif _tailgate_kind "$command" "$word"; then
      option=$word
    fi
  done
  [[ $i == "$COMP_CWORD" && $cur != : ]] || return 0
  [[ $cur != = || -n $option ]] || return 0
  [[ $cur != = ]] || cur=""
  if [[ -z $option && $cur == -* ]]; then
    _tailgate_words "$(_tailgate_options "$command")"
    return 0
  fi
  kind=""
  _tailgate_kind "$command" "${option:-$argument}"
  _tailgate_offer
}

complete -F _tailgate tailgate
)sh";

std::string kind_of(const OptionText& option) {
  std::vector<std::string> kinds;
  for (const Offer offer : offers_for(option)) {
    switch (offer) {
      case Offer::words:
        kinds.push_back(fmt::format("words:{}", fmt::join(option.choices, ",")));
        break;
      case Offer::sinks:
        kinds.push_back("sinks");
        break;
      case Offer::sink_list:
        kinds.push_back("sink_list");
        break;
      case Offer::scenarios:
        kinds.push_back("scenarios");
        break;
      case Offer::files:
        kinds.push_back("files");
        break;
      case Offer::folders:
        kinds.push_back("folders");
        break;
    }
  }
  return fmt::format("{}", fmt::join(kinds, " "));
}

// A line of the table of values.
std::string kind_line(const std::string& path, const std::string& what, const std::string& kind) {
  return fmt::format("    \"{} \"{}) kind=\"{}\" ;;\n", path, what, kind);
}

std::string kinds_of(const CommandPlace& place) {
  std::string lines;
  int argument = 0;
  for (const OptionText& option : place.command->options) {
    if (option.positional) {
      const std::string number = std::to_string(++argument);
      lines += kind_line(place.path, option.repeats ? "[0-9]*" : number, kind_of(option));
    } else if (!option.value.empty()) {
      for (const std::string& name : option.names) {
        lines += kind_line(place.path, name, kind_of(option));
      }
    }
  }
  if (!place.command->subcommands.empty()) {
    std::vector<std::string> names;
    for (const CommandText& command : place.command->subcommands) names.push_back(command.name);
    lines += kind_line(place.path, "1", fmt::format("words:{}", fmt::join(names, ",")));
  }
  return lines;
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string kinds;
  std::string options;
  std::vector<std::string> paths;
  for (const CommandPlace& place : all_commands(program)) {
    kinds += kinds_of(place);
    std::vector<std::string> names;
    for (const OptionText& option : place.command->options) {
      if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
    }
    options += fmt::format("    \"{}\") echo \"{}\" ;;\n", place.path, fmt::join(names, " "));
    if (!place.path.empty()) paths.push_back(place.path);
  }
  return "# bash completion for tailgate. Made from the program's help.\n\n"
         "# $1: a command, $2: an option with a value, or the number of an argument\n"
         "_tailgate_kind() {\n  case \"$1 $2\" in\n" +
         kinds + "    *) return 1 ;;\n  esac\n}\n\n_tailgate_options() {\n  case $1 in\n" +
         options + "  esac\n}\n\n_tailgate_is_command() {\n  case $1 in\n    " +
         fmt::format("{}", fmt::join(paths, " | ")) + ") return 0 ;;\n  esac\n  return 1\n}\n" +
         kBashFunctions;
}

}  // namespace tailgate
