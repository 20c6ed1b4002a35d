// How often the nights' charts are wrong, by simulation, for SIMULATION.md:
//   tailgate_history_simulation RECORD HALF HISTORIES
// RECORD: of the gate's calibration; only its runs with nothing planted are used. HALF: "tune"
// takes the odd of them, with which the charts' settings were chosen; "test" the even ones.
// HISTORIES: so many are simulated for each figure of the tables.
//
// A night of a sink is 30 rounds drawn without replacement from those of its runs, as many as
// ci/nightly's first look needs; a coin exchanges the sides of each round. So nothing differs
// between the sides, and each night's value scatters as the record's rounds make it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/gate/metrics.h"
#include "harness/history/charts.h"
#include "harness/result/files.h"
#include "harness/stats/distributions.h"
#include "harness/stats/night_chart.h"
#include "harness/stats/pseudomedian.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate::history {
namespace {

using Values = std::vector<double>;

// ci/policy.toml's looks of a night: equal sides pass at the first.
constexpr std::size_t kRoundsOfFirstLook = 30;
constexpr std::size_t kRoundsOfThirdLook = 100;
constexpr std::size_t kRoundsOfLastLook = 200;
constexpr std::size_t kNightsBefore = 50;  // of a history, before a planted change
constexpr std::size_t kNightsOfFalse = 200;
constexpr std::size_t kSinksOfEach = 4;  // so that a night has 16 duets, as ci/nightly's
constexpr double kWeekNights = 7;

// A sink's rounds: the effects of each charted metric.
struct Pool {
  std::string sink;
  std::vector<std::string> metrics;
  std::vector<Values> effects;  // by metric, then round; not a number where it was not measured
  std::size_t rounds = 0;
};

Pool& pool_of(const CalibrationRun& run, std::vector<Pool>& pools) {
  const auto found = std::find_if(pools.begin(), pools.end(),
                                  [&](const Pool& pool) { return pool.sink == run.sink; });
  if (found != pools.end()) return *found;
  Pool& pool = pools.emplace_back();
  pool.sink = run.sink;
  for (const MetricSeries& series : run.metrics) {
    if (is_charted_metric(series.name)) pool.metrics.push_back(series.name);
  }
  pool.effects.resize(pool.metrics.size());
  return pool;
}

void add_run(const CalibrationRun& run, Pool& pool) {
  for (std::size_t i = 0; i < pool.metrics.size(); ++i) {
    const auto series =
        std::find_if(run.metrics.begin(), run.metrics.end(),
                     [&](const MetricSeries& one) { return one.name == pool.metrics[i]; });
    if (series == run.metrics.end()) throw std::runtime_error("a run lacks " + pool.metrics[i]);
    const Values effects = effects_of(*series, EffectKind::ratio);
    pool.effects[i].insert(pool.effects[i].end(), effects.begin(), effects.end());
  }
  pool.rounds = pool.effects.at(0).size();
}

std::vector<Pool> pools_of(const Calibration& record, bool odd) {
  std::vector<Pool> pools;
  std::vector<std::pair<std::string, bool>> turns;  // whether a sink's next run is an odd one
  for (const CalibrationRun& run : record.runs) {
    if (run.planted != kPlantedNothing) continue;
    auto turn = std::find_if(turns.begin(), turns.end(),
                             [&](const auto& one) { return one.first == run.sink; });
    if (turn == turns.end()) turn = turns.insert(turns.end(), {run.sink, false});
    turn->second = !turn->second;
    if (turn->second == odd) add_run(run, pool_of(run, pools));
  }
  return pools;
}

// A night's value of each metric.
class Nights {
 public:
  Nights(const Pool& pool, std::size_t rounds, std::uint64_t seed)
      : pool_(pool), rounds_(rounds), random_(seed), order_(pool.rounds) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  Values next() {
    std::vector<double> signs(rounds_);
    for (std::size_t i = 0; i < rounds_; ++i) {
      std::swap(order_[i],
                order_[std::uniform_int_distribution<std::size_t>(i, order_.size() - 1)(random_)]);
      signs[i] = coin_(random_) ? 1 : -1;
    }
    Values night;
    for (const Values& effects : pool_.effects) {
      Values drawn;
      for (std::size_t i = 0; i < rounds_; ++i) {
        const double effect = effects[order_[i]] * signs[i];
        if (std::isfinite(effect)) drawn.push_back(effect);
      }
      night.push_back(pseudomedian(drawn));
    }
    return night;
  }

  double normal(double deviation) {
    return std::normal_distribution<double>(0, deviation)(random_);
  }

 private:
  const Pool& pool_;
  std::size_t rounds_;
  std::mt19937_64 random_;
  std::bernoulli_distribution coin_;
  std::vector<std::size_t> order_;
};

struct FalseFindings {
  std::size_t series = 0;  // of a night
  std::uint64_t findings = 0;
};

// layout: standard deviation of what another layout of the code adds to a sink's every time.
FalseFindings false_findings(const std::vector<Pool>& pools, std::size_t histories, double layout) {
  FalseFindings result;
  for (std::size_t history = 0; history < histories; ++history) {
    result.series = 0;
    for (std::size_t sink = 0; sink < pools.size() * kSinksOfEach; ++sink) {
      const Pool& pool = pools[sink % pools.size()];
      Nights nights(pool, kRoundsOfFirstLook, history * 1000 + sink);
      std::vector<ChartState> charts(pool.metrics.size());
      result.series += charts.size();
      for (std::size_t night = 0; night < kNightsOfFalse; ++night) {
        const Values values = nights.next();
        const double moved = nights.normal(1) * layout;
        for (std::size_t i = 0; i < charts.size(); ++i) {
          const double of_layout = pool.metrics[i] == "rss_bytes" ? 0 : moved;
          if (add_night(charts[i], values[i] + of_layout)) ++result.findings;
        }
      }
    }
  }
  return result;
}

void print_false_findings(const std::vector<Pool>& pools, std::size_t histories) {
  fmt::print(
      "| nights | duets | series | nights simulated | findings | in 100 nights (95 %) |\n"
      "| --- | ---: | ---: | ---: | ---: | --- |\n");
  for (const double layout : {0.0, 0.01}) {
    const FalseFindings found = false_findings(pools, histories, layout);
    const double hundreds = static_cast<double>(histories * kNightsOfFalse) / 100;
    const auto count = static_cast<double>(found.findings);
    fmt::print("| {} | {} | {} | {} | {} | {:.2f} ({:.2f} to {:.2f}) |\n",
               layout > 0 ? "and a layout of its own each night, sd 1 %" : "rounds alone",
               pools.size() * kSinksOfEach, found.series, histories * kNightsOfFalse,
               found.findings, count / hundreds, poisson_lower_limit(count, 0.025) / hundreds,
               poisson_upper_limit(count, 0.025) / hundreds);
  }
}

// Values of a metric's nights to draw from: a thousand times as many are needed.
std::vector<Values> drawn_nights(const Pool& pool, std::size_t rounds) {
  constexpr std::size_t kDrawn = 4000;
  Nights nights(pool, rounds, 1);
  std::vector<Values> of_metric(pool.metrics.size());
  for (std::size_t night = 0; night < kDrawn; ++night) {
    const Values values = nights.next();
    for (std::size_t i = 0; i < values.size(); ++i) of_metric[i].push_back(values[i]);
  }
  return of_metric;
}

double deviation_of(const Values& around_zero) {
  double squares = 0;
  for (const double value : around_zero) squares += value * value;
  return std::sqrt(squares / static_cast<double>(around_zero.size()));
}

struct Detection {
  std::size_t found = 0;     // in time
  std::size_t in_range = 0;  // with the change's night among the likely ones
  std::size_t creeps = 0;
  Values nights;  // until it was found
};

// level: of the number of nights since the change, from 1.
Detection detection(const Values& drawn, std::size_t histories, std::size_t nights,
                    const std::function<double(double)>& level) {
  Detection result;
  std::mt19937_64 random(nights);
  std::uniform_int_distribution<std::size_t> any(0, drawn.size() - 1);
  for (std::size_t history = 0; history < histories; ++history) {
    ChartState chart;
    for (std::size_t night = 0; night < kNightsBefore; ++night) {
      add_night(chart, drawn[any(random)]);
    }
    for (std::size_t night = 1; night <= nights; ++night) {
      const auto change = add_night(chart, drawn[any(random)] + level(static_cast<double>(night)));
      if (!change || change->change() < 0) continue;
      ++result.found;
      result.in_range += change->fewest_after <= night && night <= change->most_after;
      result.creeps += change->is_creep;
      result.nights.push_back(static_cast<double>(night));
      break;
    }
  }
  return result;
}

std::string share(std::size_t some, std::size_t all) {
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(some) / static_cast<double>(all));
}

void print_detection(const std::vector<Pool>& pools, std::size_t rounds, std::size_t histories) {
  fmt::print(
      "Nights of {} rounds:\n\n"
      "| sink | metric | sd of a night | +5 % within 7 nights | nights, median | its night in the "
      "range | +10 % within 7 nights | +1 % a week within 5 weeks | called a creep |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      rounds);
  const auto step = [](double percent) {
    return [percent](double) { return std::log(1 + percent / 100); };
  };
  const auto creep = [](double night) { return std::log(1.01) * night / kWeekNights; };
  for (const Pool& pool : pools) {
    const std::vector<Values> nights = drawn_nights(pool, rounds);
    for (std::size_t i = 0; i < pool.metrics.size(); ++i) {
      const Detection five = detection(nights[i], histories, 7, step(5));
      const Detection ten = detection(nights[i], histories, 7, step(10));
      const Detection slow = detection(nights[i], histories, 35, creep);
      fmt::print("| {} | {} | {:.2f} % | {} | {} | {} | {} | {} | {} |\n", pool.sink,
                 pool.metrics[i], 100 * deviation_of(nights[i]), share(five.found, histories),
                 five.nights.empty() ? "-" : fmt::format("{}", median(five.nights)),
                 five.found == 0 ? "-" : share(five.in_range, five.found),
                 share(ten.found, histories), share(slow.found, histories),
                 slow.found == 0 ? "-" : share(slow.creeps, slow.found));
    }
  }
  fmt::print("\n");
}

// The value of a whole run.
std::optional<double> value_of(const CalibrationRun& run, const std::string& metric) {
  for (const MetricSeries& series : run.metrics) {
    if (series.name != metric) continue;
    Values effects = effects_of(series, EffectKind::ratio);
    std::erase_if(effects, [](double effect) { return !std::isfinite(effect); });
    return effects.empty() ? std::nullopt : std::optional(pseudomedian(effects));
  }
  return {};
}

// The runs as they were made, each a night of 15 rounds or more: those with nothing planted, then
// those with one change. Which metrics' charts find it?
void print_planted(const Calibration& record, const std::vector<Pool>& pools) {
  fmt::print(
      "| sink | planted | nights before | nights with it | found, after nights | found before |\n"
      "| --- | --- | ---: | ---: | --- | --- |\n");
  for (const Pool& pool : pools) {
    std::map<std::string, std::vector<const CalibrationRun*>> runs;
    for (const CalibrationRun& run : record.runs) {
      if (run.sink == pool.sink) runs[run.planted].push_back(&run);
    }
    const std::vector<const CalibrationRun*> before = runs[kPlantedNothing];
    for (const auto& [planted, with] : runs) {
      if (planted == kPlantedNothing) continue;
      std::string found;
      std::string found_before;
      for (const std::string& metric : pool.metrics) {
        ChartState chart;
        for (const CalibrationRun* run : before) {
          const auto value = value_of(*run, metric);
          if (value && add_night(chart, *value)) found_before += " " + metric;
        }
        for (std::size_t i = 0; i < with.size(); ++i) {
          const auto value = value_of(*with[i], metric);
          const auto change = value ? add_night(chart, *value) : std::nullopt;
          if (change)
            found +=
                fmt::format(" {} {:+.0f} % {}", metric, 100 * std::expm1(change->change()), i + 1);
        }
      }
      fmt::print("| {} | {} | {} | {} |{} |{} |\n", pool.sink, planted, before.size(), with.size(),
                 found, found_before);
    }
  }
}

int simulate(const std::string& record, const std::string& half, const std::string& histories) {
  const std::size_t count = std::stoul(histories);
  const Calibration calibration = load_calibration(record);
  const std::vector<Pool> pools = pools_of(calibration, half == "tune");
  for (const Pool& pool : pools) {
    if (pool.rounds < kRoundsOfLastLook) throw std::runtime_error("few rounds of " + pool.sink);
  }
  print_false_findings(pools, count);
  fmt::print("\n");
  print_detection(pools, kRoundsOfFirstLook, count);
  print_detection(pools, kRoundsOfThirdLook, count);
  print_detection(pools, kRoundsOfLastLook, count);
  print_planted(calibration, pools);
  return 0;
}

}  // namespace
}  // namespace tailgate::history

int main(int argc, char** argv) {
  const std::string half = argc == 4 ? argv[2] : "";
  if (half != "tune" && half != "test") {
    std::fputs("usage: tailgate_history_simulation RECORD tune|test HISTORIES\n", stderr);
    return 2;
  }
  try {
    return tailgate::history::simulate(argv[1], half, argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailgate_history_simulation: %s\n", error.what());
    return 1;
  }
}
