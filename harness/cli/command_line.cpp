#include "harness/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "harness/cli/terminal.h"

namespace tailgate {
namespace {

constexpr std::size_t kNameColumns = 32;  // in the help

// No option means anything by "nan" or "inf", and a comparison with NaN never ends a loop.
std::string refusal_of_non_numbers(const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || std::isfinite(value)) return "";
  return "'" + text + "' is not a finite number";
}

}  // namespace

CommandOption* CommandOption::required() {
  option_.required();
  return this;
}

CommandOption* CommandOption::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

CommandOption* CommandOption::capture_default_str() {
  option_.capture_default_str();
  return this;
}

CommandOption* CommandOption::range(int lowest, int highest) {
  option_.check(CLI::Range(lowest, highest));
  return this;
}

CommandOption* CommandOption::range(unsigned lowest, unsigned highest) {
  option_.check(CLI::Range(lowest, highest));
  return this;
}

CommandOption* CommandOption::range(double lowest, double highest) {
  option_.check(CLI::Range(lowest, highest));
  return this;
}

CommandOption* CommandOption::one_of(const std::vector<std::string>& values) {
  option_.check(CLI::IsMember(values));
  return this;
}

CommandOption* CommandOption::one_value_each_time() {
  option_.allow_extra_args(false);
  return this;
}

CommandOption* CommandOption::needs(CommandOption* other) {
  option_.needs(&other->option_);
  return this;
}

CommandOption* CommandOption::excludes(CommandOption* other) {
  option_.excludes(&other->option_);
  return this;
}

Command::Command(const std::string& name, const std::string& description,
                 const std::string& version)
    : program_(std::make_unique<CLI::App>(description, name)), app_(*program_) {
  // Else "/tmp/out" is an option to Windows. Before the subcommands, which inherit it.
  app_.allow_windows_style_options(false);
  app_.set_version_flag("--version", version);
  app_.get_formatter()->column_width(kNameColumns);
}

Command::Command(CLI::App& subcommand) : app_(subcommand) {}

Command::~Command() = default;

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* app = app_.add_subcommand(name, description);
  return subcommands_.emplace_back(std::make_unique<Command>(*app)).get();
}

void Command::require_subcommand() {
  app_.require_subcommand(1);
}

CommandOption* Command::own(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<CommandOption>(*option)).get();
}

template <class T>
CommandOption* Command::add_option(const std::string& name, T& into,
                                   const std::string& description) {
  CLI::Option* option = app_.add_option(name, into, description);
  constexpr bool kReal = std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>;
  if (kReal) option->check(refusal_of_non_numbers);
  return own(option);
}

CommandOption* Command::add_flag(const std::string& name, bool& into,
                                 const std::string& description) {
  return own(app_.add_flag(name, into, description));
}

CommandOption* Command::add_words(const std::string& name, int words, const TakeWords& take,
                                  const std::string& description) {
  CLI::Option* option = app_.add_option_function(name, take, description);
  return own(option->type_size(words)->allow_extra_args(false)->take_all());
}

void Command::take_all_arguments() {
  app_.prefix_command();
  app_.set_help_flag("");
}

std::vector<std::string> Command::all_arguments() const {
  return app_.remaining();
}

void Command::footer(const std::string& text) {
  app_.footer(text);
}

void Command::callback(std::function<void()> chosen) {
  app_.callback(std::move(chosen));
}

Parsed Command::parse(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as App wants them
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    // What was wrong is quoted, and may come from a script's variables.
    std::ostringstream answer;
    std::ostringstream refusal;
    const int exit_code = app_.exit(error, answer, refusal);
    say_lines(answer.str());
    tell_lines(refusal.str());
    return exit_code == 0 ? Parsed::answered : Parsed::refused;
  }
  return Parsed::command;
}

using Text = const std::string&;
template CommandOption* Command::add_option(Text, int&, Text);
template CommandOption* Command::add_option(Text, unsigned&, Text);
template CommandOption* Command::add_option(Text, std::uint64_t&, Text);
template CommandOption* Command::add_option(Text, double&, Text);
template CommandOption* Command::add_option(Text, std::string&, Text);
template CommandOption* Command::add_option(Text, std::filesystem::path&, Text);
template CommandOption* Command::add_option(Text, std::optional<unsigned>&, Text);
template CommandOption* Command::add_option(Text, std::optional<double>&, Text);
template CommandOption* Command::add_option(Text, std::optional<std::string>&, Text);
template CommandOption* Command::add_option(Text, std::vector<std::uint32_t>&, Text);
template CommandOption* Command::add_option(Text, std::vector<std::string>&, Text);
template CommandOption* Command::add_option(Text, std::vector<std::filesystem::path>&, Text);

}  // namespace tailgate
