#include "harness/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

#include "harness/base/options.h"
#include "harness/cli/terminal.h"

namespace tailgate {
namespace {

constexpr std::size_t kNameColumns = 32;  // in the help

// "did you mean '--sink'?" for the first option that the chosen command does not have; empty where
// none of its own is near.
std::string nearest_option(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& word : program.remaining(true)) {
    if (!word.starts_with("--")) continue;
    const std::string near = nearest_name(word.substr(0, word.find('=')), names);
    if (!near.empty()) return fmt::format("did you mean '{}'?\n", near);
  }
  return "";
}

// CLI11 writes a flag that may have a value as "--name{default}".
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, positional);
    const std::size_t brace = name.find('{');
    return brace == std::string::npos ? name : name.substr(0, brace) + "[=VALUE]";
  }
};

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
  limits_ = fmt::format("{} to {}", lowest, highest);
  return this;
}

CommandOption* CommandOption::range(unsigned lowest, unsigned highest) {
  option_.check(CLI::Range(lowest, highest));
  limits_ = fmt::format("{} to {}", lowest, highest);
  return this;
}

CommandOption* CommandOption::range(double lowest, double highest) {
  option_.check(CLI::Range(lowest, highest));
  limits_ = fmt::format("{} to {}", lowest, highest);
  return this;
}

CommandOption* CommandOption::one_of(const std::vector<std::string>& values) {
  option_.check([values](const std::string& text) {
    if (std::find(values.begin(), values.end(), text) != values.end()) return std::string();
    return fmt::format("'{}' is not known; {}", text, choice_remedy(text, values));
  });
  option_.type_name(fmt::format("{}", fmt::join(values, "|")));
  choices_ = values;
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

OptionText CommandOption::text() const {
  OptionText text;
  text.positional = option_.get_positional();
  if (text.positional) text.names = {option_.get_single_name()};
  for (const std::string& name : option_.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option_.get_snames()) text.names.push_back("-" + name);
  text.description = option_.get_description();
  // What stands behind a colon are the checks' own words.
  const bool flag = option_.get_items_expected_max() == 0;
  if (!flag) text.value = option_.get_type_name().substr(0, option_.get_type_name().find(':'));
  text.default_value = option_.get_default_str();
  text.limits = limits_;
  text.choices = choices_;
  text.required = option_.get_required();
  text.repeats = option_.get_expected_max() > 1;
  return text;
}

Command::Command(const std::string& name, const std::string& description,
                 const std::string& version)
    : program_(std::make_unique<CLI::App>(description, name)), app_(*program_) {
  // Else "/tmp/out" is an option to Windows. Before the subcommands, which inherit it.
  app_.allow_windows_style_options(false);
  app_.set_version_flag("--version", version);
  app_.formatter(std::make_shared<HelpFormatter>());
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

CommandOption* Command::add_flag(const std::string& name, std::string& into,
                                 const std::vector<std::string>& values,
                                 const std::string& description) {
  const std::string named = fmt::format("{}{{{}}}", name, values.front());
  return own(app_.add_flag(named, into, description))->one_of(values);
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

void Command::guess_command(Guess guess) {
  guess_ = std::move(guess);
}

void Command::footer(const std::string& text) {
  app_.footer(text);
}

void Command::exit_codes(std::vector<ExitCode> codes) {
  exit_codes_ = std::move(codes);
}

void Command::callback(std::function<void()> chosen) {
  app_.callback(std::move(chosen));
}

bool Command::names_no_command(const std::vector<std::string>& arguments) const {
  const CLI::App* app = &app_;
  std::string before;  // the program and the commands above
  const auto any = [](const CLI::App*) { return true; };
  for (const std::string& word : arguments) {
    const auto commands = app->get_subcommands(any);
    if (commands.empty() || word.starts_with('-')) return false;
    std::vector<std::string> names;
    for (const CLI::App* command : commands) names.push_back(command->get_name());
    const auto named = std::find(names.begin(), names.end(), word);
    if (named == names.end()) {
      const std::string meant = app == &app_ && guess_ ? guess_(word) : "";
      tell_lines(fmt::format(
          "{}: there is no command '{}'\n  {}\n", app->get_name(), word,
          meant.empty() ? choice_remedy(word, names) : fmt::format("did you mean '{}'?", meant)));
      return true;
    }
    before += (before.empty() ? "" : " ") + app->get_name();
    app = commands[static_cast<std::size_t>(named - names.begin())];
  }
  if (app->get_require_subcommand_min() == 0) return false;
  tell_lines(app->help(before));
  return true;
}

Parsed Command::parse(std::vector<std::string> arguments) {
  if (names_no_command(arguments)) return Parsed::refused;
  std::reverse(arguments.begin(), arguments.end());  // as App wants them
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    // What was wrong is quoted, and may come from a script's variables.
    std::ostringstream answer;
    std::ostringstream refusal;
    const int exit_code = app_.exit(error, answer, refusal);
    const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    say_lines(answer.str());
    tell_lines(refusal.str() + (unknown ? nearest_option(app_) : ""));
    return exit_code == 0 ? Parsed::answered : Parsed::refused;
  }
  return Parsed::command;
}

CommandText Command::text() const {
  CommandText text;
  text.name = app_.get_name();
  text.description = app_.get_description();
  text.footer = app_.get_footer();
  for (CLI::Option* option : {app_.get_help_ptr(), app_.get_version_ptr()}) {
    if (option != nullptr) text.options.push_back(CommandOption(*option).text());
  }
  for (const auto& option : options_) text.options.push_back(option->text());
  text.exit_codes = exit_codes_;
  for (const auto& command : subcommands_) {
    CommandText part = command->text();
    // A command without a footer has the one above, as far as App is concerned.
    if (part.footer == text.footer) part.footer.clear();
    if (part.exit_codes.empty()) part.exit_codes = exit_codes_;
    text.subcommands.push_back(std::move(part));
  }
  return text;
}

std::string brief_list(const std::vector<ExitCode>& codes) {
  std::string list;
  for (const ExitCode& code : codes) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", code.code, code.brief);
  }
  return list;
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
