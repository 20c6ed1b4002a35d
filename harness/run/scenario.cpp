#include "harness/run/scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {

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
      {"threads", OptionType::integer, "1", "load threads; the rate is shared among them", 1, 256},
      {"payload", OptionType::text, "128",
       "event size in bytes, header included: N, uniform(a,b) or lognormal(p50,p99)"},
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

LoadPlan load_from(const Options& options) {
  LoadPlan plan;
  plan.threads = static_cast<std::uint32_t>(options.integer("threads"));
  plan.payload = parse_payload(options.text("payload"));
  plan.warmup_s = options.real("warmup_s");
  plan.events = static_cast<std::uint64_t>(options.integer("events"));
  plan.duration_s = plan.events > 0 ? 0 : options.real("duration_s");
  plan.pacing = *enum_value<Pacing>(options.text("pacing"));
  plan.seed = static_cast<std::uint64_t>(options.integer("seed"));
  return plan;
}

std::vector<double> parse_rates(const std::string& text) {
  std::vector<double> rates;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    std::erase(part, ' ');
    Options one({{"rate", OptionType::real, "1", "", 0.001, 1e9}}, "rates_hz");
    one.set("rate", part);
    rates.push_back(one.real("rate"));
    at = comma + 1;
  }
  const auto out_of_order = std::adjacent_find(rates.begin(), rates.end(), std::greater_equal<>());
  if (out_of_order != rates.end()) {
    throw Error(fmt::format("rates_hz = '{}' is not ascending at {}", text, *(out_of_order + 1)),
                "list the rates from lowest to highest");
  }
  return rates;
}

}  // namespace tailgate
