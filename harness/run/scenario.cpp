#include "harness/run/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "harness/base/comma_list.h"
#include "harness/base/error.h"

namespace tailgate {

StepTrial step_trial(const Trial& trial) {
  bool refused = false;
  for (const ActionDone& action : trial.actions.value_or(std::vector<ActionDone>{})) {
    refused = refused || !action.refused.empty();
  }
  return {.completed = trial.outcome == TrialOutcome::completed,
          .rate_missed = trial.rate_missed,
          .by_machine = trial.missed_by_machine.value_or(false),
          .measured = trial.response.count > 0,
          .refused = refused,
          .interrupted = trial.outcome == TrialOutcome::interrupted,
          .recorded_s = trial.start_ns > 0 && trial.end_ns > trial.start_ns
                            ? static_cast<double>(trial.end_ns - trial.start_ns) / 1e9
                            : 0,
          .response_p99_9_ns = trial.response.p99_9_ns,
          .ledger = trial.ledger};
}

void ScenarioCatalog::add(std::unique_ptr<const Scenario> scenario) {
  for (const auto& other : scenarios_) {
    if (other->name() == scenario->name()) {
      throw std::logic_error("two scenarios are named " + scenario->name());
    }
  }
  scenarios_.push_back(std::move(scenario));
}

const Scenario& ScenarioCatalog::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const auto& scenario : scenarios_) {
    if (scenario->name() == name) return *scenario;
    names.push_back(scenario->name());
  }
  const std::string near = nearest_name(name, names);
  throw Error(fmt::format("there is no scenario '{}'", name),
              fmt::format("{}known scenarios: {}",
                          near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                          fmt::join(names, ", ")));
}

OptionTable with_load_options(OptionTable own) {
  OptionTable table = std::move(own);
  const OptionTable shared = {
      {"threads", OptionType::integer, "1",
       "load threads of each process; the rate is shared among all", 1, 256},
      {"processes", OptionType::integer, "1", "provider processes that write into the session", 1,
       64},
      {"payload", OptionType::text, "128",
       "event size in bytes, header included: N, uniform(a,b), lognormal(p50,p99) or lines(N)"},
      {"warmup_s", OptionType::real, "0.5", "seconds of load before recording starts", 0, 3600},
      {"duration_s", OptionType::real, "5", "seconds of recorded load; unused if events is set",
       0.001, 86400},
      {"events", OptionType::integer, "0",
       "number of recorded events, instead of a duration; 0: limited by duration", 0, 1e10},
      choice_option("pacing", "hybrid",
                    "how a load thread waits for the intended time; spin is the most exact",
                    enum_choices<Pacing>()),
      {"seed", OptionType::integer, "1", "seed of all random numbers of the load", 0, 0x1p53},
      {"trials", OptionType::integer, "3", "fresh processes per step", 1, 10000},
  };
  table.insert(table.end(), shared.begin(), shared.end());
  return table;
}

OptionTable with_defaults(OptionTable table,
                          const std::vector<std::pair<std::string, std::string>>& defaults) {
  for (const auto& [name, value] : defaults) {
    const auto spec = std::find_if(table.begin(), table.end(),
                                   [&](const OptionSpec& option) { return option.name == name; });
    if (spec == table.end()) throw std::logic_error("there is no option " + name);
    spec->default_value = value;
  }
  return table;
}

OptionTable without_options(OptionTable table, const std::vector<std::string>& names) {
  std::erase_if(table, [&](const OptionSpec& option) {
    return std::find(names.begin(), names.end(), option.name) != names.end();
  });
  return table;
}

namespace {

bool has_option(const Options& options, std::string_view name) {
  return std::any_of(options.table().begin(), options.table().end(),
                     [&](const OptionSpec& option) { return option.name == name; });
}

// Of an option that is one number; 1 where the scenario has none of that name, or a list.
std::uint32_t count_of(const Options& options, std::string_view name) {
  const bool is_number =
      std::any_of(options.table().begin(), options.table().end(), [&](const OptionSpec& option) {
        return option.name == name && option.type == OptionType::integer;
      });
  return is_number ? static_cast<std::uint32_t>(options.integer(name)) : 1;
}

}  // namespace

Options given_options(const Scenario& scenario, const Result& result) {
  Options options(scenario.options(), fmt::format("scenario '{}'", scenario.name()));
  for (const Setting& setting : result.scenario.options) {
    if (has_option(options, setting.name)) options.set(setting.name, setting.value);
  }
  return options;
}

LoadPlan load_from(const Options& options) {
  LoadPlan plan;
  plan.processes = count_of(options, "processes");
  plan.threads = count_of(options, "threads") * plan.processes;
  if (has_option(options, "payload")) plan.payload = parse_payload(options.text("payload"));
  plan.warmup_s = options.real("warmup_s");
  if (has_option(options, "events")) {
    plan.events = static_cast<std::uint64_t>(options.integer("events"));
  }
  plan.duration_s =
      plan.events > 0 || !has_option(options, "duration_s") ? 0 : options.real("duration_s");
  plan.pacing = *enum_value<Pacing>(options.text("pacing"));
  plan.seed = static_cast<std::uint64_t>(options.integer("seed"));
  return plan;
}

std::vector<double> parse_rates(const std::string& text, const std::string& name) {
  std::vector<double> rates;
  for (const std::string& part : comma_list(text)) {
    Options one({{"rate", OptionType::real, "1", "", 0.001, 1e9}}, name);
    one.set("rate", part);
    rates.push_back(one.real("rate"));
  }
  const auto out_of_order = std::adjacent_find(rates.begin(), rates.end(), std::greater_equal<>());
  if (out_of_order != rates.end()) {
    throw Error(fmt::format("{} = '{}' is not ascending at {}", name, text, *(out_of_order + 1)),
                "list them from lowest to highest");
  }
  return rates;
}

}  // namespace tailgate
