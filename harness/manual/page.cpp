#include "harness/manual/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <sstream>

namespace tailgate {
namespace {

struct Place {
  const char* name;
  const char* what;
};

constexpr Place kFiles[] = {
    {"PREFIX/share/tailgate/scenarios/", "presets, and in suites/ the suites"},
    {"PREFIX/share/tailgate/plots/", "the scripts that 'tailgate plot' runs"},
    {"PREFIX/lib/tailgate/lttng/", "libraries that a trial of the sink 'lttng' loads"},
    {"/var/tmp/tailgate-*",
     "scratch folders of trials, removed when a trial ends; what a killed "
     "program left, the next run removes"}};

constexpr Place kEnvironment[] = {
    {"TAILGATE_DATA_DIR", "the folder with scenarios/ and plots/, instead of the installation's"},
    {"TAILGATE_PYTHON", "the Python interpreter of the plots, instead of python3"},
    {"TAILGATE_SCRATCH",
     "where scratch folders are made, instead of /var/tmp; --scratch goes "
     "before it"},
    {"NO_COLOR", "if set, nothing is printed in colour"}};

// As man(7) shows it literally, within a line.
std::string literal(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += c;
    }
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

// A description is a sentence; some end with a full stop.
std::string without_stop(const std::string& sentence) {
  return sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence;
}

std::string bold(const std::string& text) {
  return "\\fB" + literal(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + literal(text) + "\\fR";
}

// Indented lines are kept as they are; the others are filled, up to an empty line.
class Body {
 public:
  void add(const std::string& line) {
    if (line.empty()) {
      paragraph_ended_ = true;
      return;
    }
    const bool verbatim = line.starts_with("  ");
    if (verbatim != verbatim_) set_verbatim(verbatim);
    if (paragraph_ended_ && !roff_.empty() && !verbatim) roff_ += ".PP\n";
    paragraph_ended_ = false;
    roff_ += literal(verbatim ? line.substr(2) : line) + "\n";
  }

  std::string roff() {
    if (verbatim_) set_verbatim(false);
    return roff_;
  }

 private:
  void set_verbatim(bool on) {
    verbatim_ = on;
    roff_ += on ? ".RS 4\n.EX\n" : ".EE\n.RE\n";
    if (!on) paragraph_ended_ = true;
  }

  std::string roff_;
  bool verbatim_ = false;
  bool paragraph_ended_ = false;
};

struct Footer {
  std::string notes;
  std::string examples;
};

// Examples are the indented lines behind "Examples:".
Footer read_footer(const std::string& text) {
  Body notes;
  Body examples;
  bool in_examples = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "Examples:") {
      in_examples = true;
      continue;
    }
    in_examples = in_examples && line.starts_with("  ");
    (in_examples ? examples : notes).add(line);
  }
  return {notes.roff(), examples.roff()};
}

std::string section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string entry(const std::string& term, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", term, text);
}

std::string description_of(const OptionText& option) {
  std::vector<std::string> notes;
  // Where the value does not name them.
  if (!option.choices.empty() && option.value.find('|') == std::string::npos) {
    notes.push_back(fmt::format("one of: {}", fmt::join(option.choices, ", ")));
  }
  if (!option.limits.empty()) notes.push_back(option.limits);
  if (!option.default_value.empty()) notes.push_back("default: " + option.default_value);
  const std::string note = notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "));
  return literal(option.description + note);
}

std::string options_of(const CommandText& command, bool positional) {
  std::string roff;
  for (const OptionText& option : command.options) {
    if (option.positional != positional) continue;
    std::vector<std::string> names;
    for (const std::string& name : option.names) {
      names.push_back(positional ? italic(name) : bold(name));
    }
    const bool several_words = !option.value.empty() && option.value != option.names.front();
    const std::string value = several_words ? " " + italic(option.value) : "";
    roff += entry(fmt::format("{}{}", fmt::join(names, ", "), value), description_of(option));
  }
  return roff;
}

std::string synopsis(const std::string& words, const CommandText& command) {
  std::string roff = bold(words) + " [" + italic("OPTION") + "...]";
  for (const OptionText& option : command.options) {
    if (!option.positional) continue;
    const std::string name = italic(option.names.front()) + (option.repeats ? "..." : "");
    roff += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) roff += " " + italic("COMMAND") + " ...";
  return roff + "\n";
}

std::string table_of(std::span<const Place> places) {
  std::string roff;
  for (const Place& place : places) roff += entry(bold(place.name), literal(place.what));
  return roff;
}

std::string exit_status(const CommandText& command) {
  std::string roff;
  for (const ExitCode& code : command.exit_codes) {
    const std::string detail = code.detail.empty() ? "" : ": " + code.detail;
    roff += entry(bold(std::to_string(code.code)), literal(code.brief + detail));
  }
  return roff;
}

// A command of a command, within the page of the latter.
std::string subsection(const std::string& words, const CommandText& command) {
  const Footer footer = read_footer(command.footer);
  const std::string examples = footer.examples.empty() ? "" : ".PP\nExamples:\n" + footer.examples;
  return ".SS " + literal(words) + "\n" + literal(without_stop(command.description)) + ".\n.PP\n" +
         synopsis(words, command) + options_of(command, true) + options_of(command, false) +
         (footer.notes.empty() ? "" : ".PP\n" + footer.notes) + examples;
}

std::string page_roff(const std::string& program, const CommandText& command,
                      const Edition& edition, const std::string& commands,
                      const std::string& see_also) {
  const bool whole = command.name == program;
  const std::string name = whole ? program : program + "-" + command.name;
  const std::string words = whole ? program : program + " " + command.name;
  const Footer footer = read_footer(command.footer);
  const std::string notes = footer.notes.empty() ? "" : ".PP\n" + footer.notes;
  return fmt::format(".\\\" Made from the help of {}.\n", program) +
         fmt::format(".TH {} 1 {} \"{} {}\" \"User Commands\"\n", literal(name), edition.date,
                     program, edition.version) +
         section("NAME",
                 literal(name) + " \\- " + literal(without_stop(command.description)) + "\n") +
         section("SYNOPSIS", synopsis(words, command)) +
         section("DESCRIPTION", literal(without_stop(command.description)) + ".\n" + notes) +
         section("ARGUMENTS", options_of(command, true)) +
         section("OPTIONS", options_of(command, false)) + section("COMMANDS", commands) +
         section("EXAMPLES", footer.examples) + section("EXIT STATUS", exit_status(command)) +
         section("FILES", whole ? table_of(kFiles) : "") +
         section("ENVIRONMENT", whole ? table_of(kEnvironment) : "") +
         section("SEE ALSO", see_also);
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandText& program, const Edition& edition) {
  std::string commands;
  std::vector<std::string> names;
  std::vector<ManualPage> pages(1);
  for (const CommandText& command : program.subcommands) {
    const std::string name = program.name + "-" + command.name;
    commands += entry(bold(name) + "(1)", literal(command.description));
    names.push_back(bold(name) + "(1)");
    std::string parts;
    for (const CommandText& part : command.subcommands) {
      parts += subsection(fmt::format("{} {} {}", program.name, command.name, part.name), part);
    }
    const std::string see_also = bold(program.name) + "(1): files and environment variables\n";
    pages.push_back({name, page_roff(program.name, command, edition, parts, see_also)});
  }
  const std::string see_also = fmt::format("{}\n", fmt::join(names, ",\n"));
  pages.front() = {program.name, page_roff(program.name, program, edition, commands, see_also)};
  return pages;
}

}  // namespace tailgate
