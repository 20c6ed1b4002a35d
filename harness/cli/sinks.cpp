// tailgate sinks: what can be measured on this machine, and why the rest cannot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/report/human.h"
#include "harness/sink/catalog.h"

namespace tailgate {
namespace {

std::vector<std::string> capability_words(const Capabilities& can) {
  std::vector<std::string> words;
  if (can.read_back) words.push_back("read back");
  if (can.live_read) words.push_back("live");
  if (can.accounts_losses) words.push_back("counts losses");
  if (can.asynchronous) words.push_back("asynchronous");
  if (can.survives != Survives::nothing) {
    words.push_back(fmt::format("survives {}", enum_text(can.survives)));
  }
  if (can.deferred_work) words.push_back("deferred work");
  if (can.may_refuse) words.push_back("may refuse");
  if (!can.multi_threaded) words.push_back("one thread");
  if (can.multi_process) words.push_back("several processes");
  if (can.multi_session) words.push_back("several sessions");
  if (can.own_sessions) words.push_back("a session for each process");
  if (!can.driver_language.empty()) words.push_back("driven in " + can.driver_language);
  return words;
}

std::string option_range(const OptionSpec& spec) {
  if (spec.type == OptionType::choice) return fmt::format("{}", fmt::join(spec.choices, " | "));
  return std::string(option_type_name(spec.type));
}

nlohmann::json options_json(const OptionTable& table) {
  nlohmann::json list = nlohmann::json::array();
  for (const OptionSpec& spec : table) {
    list.push_back({{"name", spec.name},
                    {"type", option_type_name(spec.type)},
                    {"default", spec.default_value},
                    {"choices", spec.choices},
                    {"help", spec.help}});
  }
  return list;
}

nlohmann::json sink_json(const SinkChoice& sink) {
  const Probe probe = sink.type->probe(sink.options);
  return {{"name", sink.type->name()},
          {"description", sink.type->description()},
          {"available", probe.available},
          {"reason", probe.reason},
          {"remedy", probe.remedy},
          {"capabilities", capability_words(sink.type->capabilities(sink.options))},
          {"options", options_json(sink.type->options())}};
}

constexpr std::size_t kSinksIndent = 18;

void print_indented(const std::string& text) {
  for (const std::string& line : wrapped(text, kColumns - kSinksIndent, 2)) {
    say("{:{}}{}\n", "", kSinksIndent, line);
  }
}

void print_sink_line(const SinkChoice& sink) {
  const Probe probe = sink.type->probe(sink.options);
  say("{:<12} {:<4} {}\n", sink.type->name(), probe.available ? "yes" : "no",
      sink.type->description());
  const std::vector<std::string> can = capability_words(sink.type->capabilities(sink.options));
  if (!can.empty()) print_indented(fmt::format("can: {}", fmt::join(can, ", ")));
  if (!probe.reason.empty()) print_indented(probe.reason);
  if (!probe.remedy.empty()) print_indented("to do: " + probe.remedy);
}

void print_options(const OptionTable& table) {
  for (const OptionSpec& spec : table) {
    say("  {}={}  ({})\n      {}\n", spec.name,
        spec.default_value.empty() ? "\"\"" : spec.default_value, option_range(spec), spec.help);
  }
}

int print_names(const SinkCatalog& catalog) {
  for (const auto& type : catalog.all()) say("{}\n", type->name());
  return kExitDone;
}

int list_sinks(const SinkCatalog& catalog, const std::vector<std::string>& wanted, bool json) {
  std::vector<SinkChoice> sinks = as_usage([&] {
    std::vector<SinkChoice> choices;
    for (const std::string& text : wanted) choices.push_back(catalog.choice(text));
    return choices;
  });
  const bool all = sinks.empty();
  if (all) {
    for (const auto& type : catalog.all()) sinks.push_back(catalog.choice(type->name()));
  }
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const SinkChoice& sink : sinks) list.push_back(sink_json(sink));
    say_json(list);
    return kExitDone;
  }
  if (all) say("{:<12} {:<4} {}\n", "sink", "here", "what it is");
  for (const SinkChoice& sink : sinks) {
    print_sink_line(sink);
    if (all) continue;
    say("options, as name=default:\n");
    print_options(sink.type->options());
  }
  if (all) say("\n'tailgate sinks NAME' lists a sink's options.\n");
  return kExitDone;
}

}  // namespace

void commands::add_sinks_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command =
      program.add_subcommand("sinks", "List the sinks and whether this machine has them");
  auto wanted = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  auto names = std::make_shared<bool>(false);
  CommandOption* name =
      command->add_option("NAME", *wanted, "only these, with their options")->type_name("SINK");
  CommandOption* as_json = command->add_flag("--json", *json, "print JSON");
  command->add_flag("--names", *names, "print the names of all, one a line")
      ->excludes(name)
      ->excludes(as_json);
  command->footer(
      "Examples:\n  tailgate sinks\n  tailgate sinks file\n"
      "  tailgate sinks file:mode=io_uring");
  command->callback([&action, &catalog, wanted, json, names] {
    action = [&catalog, wanted, json, names] {
      return *names ? print_names(catalog.sinks) : list_sinks(catalog.sinks, *wanted, *json);
    };
  });
}

}  // namespace tailgate
