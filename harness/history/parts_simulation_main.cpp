// How small a change the nights' charts of causes find, and how often they are wrong, by
// simulation, for PARTS.md:
//   tailgate_parts_simulation record DUET... > RECORD
//   tailgate_parts_simulation RECORD HISTORIES
// DUET: files of duets of two equal sides with traced rounds (`tailgate duet X X --explain`).
// RECORD: their traced rounds' times by cause, as a calibration.
//
// Or RECORD is that of the gate's calibration: then the parts are program and daemons, and the
// whole is their processor time.
//
// A night of a sink is 20 traced rounds (30 of a calibration) drawn without replacement from those
// of its duets, and a coin exchanges the sides of each round. So nothing differs between the sides,
// and each night's values scatter, and move together, as real rounds do. A change is planted into
// one side's time of one cause, which is part of the whole then as well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/history/charts.h"
#include "harness/history/parts.h"
#include "harness/result/calibration.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/stats/distributions.h"
#include "harness/stats/night_chart.h"

namespace tailgate::history {
namespace {

using Values = std::vector<double>;

constexpr std::size_t kTracedRoundsOfNight = 20;  // as many as a duet traces at most
constexpr std::size_t kRoundsOfFirstLook = 30;    // of the duet itself, at which equal sides pass
constexpr std::size_t kNightsBefore = 50;
constexpr std::size_t kNightsToFind = 7;
constexpr std::size_t kNightsOfFalse = 200;
constexpr std::size_t kDuets = 16;  // as ci/nightly's
constexpr double kFoundShare = 0.95;
const std::string kWhole = whole_metric("call");

void add_sum(const DifferenceSum& sum, std::size_t rounds, CalibrationRun& run) {
  if (!sum.causes) return;
  for (const CauseRounds& one : *sum.causes) {
    if (one.a_ns.size() != rounds) continue;
    run.metrics.push_back({part_metric(sum.measure, one.cause), one.a_ns, one.b_ns});
  }
}

int record(const std::vector<std::string>& files) {
  Calibration calibration;
  for (const std::string& file : files) {
    const Duet duet = load_duet(file);
    if (!duet.difference || duet.difference->rounds == 0) {
      throw std::runtime_error(file + " has no traced rounds");
    }
    CalibrationRun& run = calibration.runs.emplace_back();
    run.sink = duet.b.sink.label;
    run.planted = kPlantedNothing;
    run.scenario = duet.b.scenario.name;
    run.started_utc = duet.started_utc;
    run.seed = duet.seed;
    run.revision = duet.b.build.revision.substr(0, 12);
    run.fingerprint = duet.machine.fingerprint;
    run.outcome = "not judged";
    run.rounds_used = duet.difference->rounds;
    for (const DifferenceSum& sum : duet.difference->sums) {
      add_sum(sum, duet.difference->rounds, run);
    }
  }
  std::fputs((write_calibration(calibration) + "\n").c_str(), stdout);
  return 0;
}

// A sink's traced rounds: both sides' time of each part, by metric, and 0 where a round has none.
struct Pool {
  std::string sink;
  std::size_t rounds = 0;
  std::size_t rounds_of_night = kTracedRoundsOfNight;
  std::map<std::string, std::pair<Values, Values>> parts;

  Values whole(const std::string& measure, bool of_a) const {
    if (const auto own = parts.find(whole_metric(measure)); own != parts.end()) {
      return of_a ? own->second.first : own->second.second;
    }
    Values sum(rounds);
    for (const auto& [metric, sides] : parts) {
      const auto part = part_of_metric(metric);
      if (!part || part->measure != measure) continue;
      for (std::size_t i = 0; i < rounds; ++i) sum[i] += (of_a ? sides.first : sides.second)[i];
    }
    return sum;
  }

  double share(const std::string& metric) const {
    const Values& of = parts.at(metric).first;
    const Values all = whole(part_of_metric(metric)->measure, true);
    return std::accumulate(of.begin(), of.end(), 0.0) /
           std::accumulate(all.begin(), all.end(), 0.0);
  }
};

// The roles of a duet that was not traced: processor time of program and daemons.
void add_roles(const CalibrationRun& run, Pool& pool) {
  const auto series = [&](const std::string& name) {
    return std::find_if(run.metrics.begin(), run.metrics.end(),
                        [&](const MetricSeries& one) { return one.name == name; });
  };
  const auto all = series("cpu_ns_per_event");
  const auto daemons = series("daemon_ns_per_event");
  if (all == run.metrics.end() || daemons == run.metrics.end()) return;
  pool.rounds_of_night = kRoundsOfFirstLook;
  pool.rounds += all->a.size();
  const auto add = [&pool](const std::string& metric, const Values& a, const Values& b) {
    auto& [of_a, of_b] = pool.parts[metric];
    of_a.insert(of_a.end(), a.begin(), a.end());
    of_b.insert(of_b.end(), b.begin(), b.end());
  };
  const auto less = [](Values from, const Values& other) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= other[i];
    return from;
  };
  add(kWhole, all->a, all->b);
  add(part_metric("call", "daemons"), daemons->a, daemons->b);
  add(part_metric("call", "program"), less(all->a, daemons->a), less(all->b, daemons->b));
}

std::vector<Pool> pools_of(const Calibration& record) {
  std::vector<Pool> pools;
  for (const CalibrationRun& run : record.runs) {
    if (run.planted != kPlantedNothing) continue;
    auto pool = std::find_if(pools.begin(), pools.end(),
                             [&](const Pool& one) { return one.sink == run.sink; });
    if (pool == pools.end()) {
      pool = pools.insert(pools.end(), Pool{});
      pool->sink = run.sink;
    }
    const bool is_traced = std::any_of(run.metrics.begin(), run.metrics.end(), [](const auto& one) {
      return part_of_metric(one.name).has_value();
    });
    if (!is_traced) {
      add_roles(run, *pool);
      continue;
    }
    pool->rounds += run.rounds_used;
    for (const MetricSeries& series : run.metrics) {
      if (!part_of_metric(series.name)) continue;
      auto& [a, b] = pool->parts[series.name];
      for (Values* side : {&a, &b}) side->resize(pool->rounds - run.rounds_used);
      a.insert(a.end(), series.a.begin(), series.a.end());
      b.insert(b.end(), series.b.begin(), series.b.end());
    }
    for (auto& [metric, sides] : pool->parts) {
      sides.first.resize(pool->rounds);
      sides.second.resize(pool->rounds);
    }
  }
  std::erase_if(pools, [](const Pool& one) { return one.rounds == 0; });
  return pools;
}

// One series: both sides' times of a part, those of the whole, and what a growth of the part by
// 100 % adds to side B.
struct Times {
  std::string cause;  // empty: the whole
  Values a;
  Values b;
  Values whole_a;
  Values whole_b;
  Values part_a;
  Values part_b;
};

Times times_of(const Pool& pool, const std::string& metric, const std::string& part) {
  const std::string measure = part_of_metric(part)->measure;
  Times times;
  if (const auto of = part_of_metric(metric)) times.cause = of->cause;
  times.whole_a = pool.whole(measure, true);
  times.whole_b = pool.whole(measure, false);
  std::tie(times.part_a, times.part_b) = pool.parts.at(part);
  if (metric == kWhole) {
    times.a = times.whole_a;
    times.b = times.whole_b;
  } else {
    std::tie(times.a, times.b) = pool.parts.at(metric);
  }
  return times;
}

// Draws the rounds of nights.
class Nights {
 public:
  Nights(const Pool& pool, std::uint64_t seed)
      : rounds_(pool.rounds_of_night), random_(seed), order_(pool.rounds) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  // Rounds, and whether their sides are exchanged.
  std::vector<std::pair<std::size_t, bool>> next() {
    std::vector<std::pair<std::size_t, bool>> night;
    for (std::size_t i = 0; i < rounds_; ++i) {
      std::swap(order_[i],
                order_[std::uniform_int_distribution<std::size_t>(i, order_.size() - 1)(random_)]);
      night.emplace_back(order_[i], coin_(random_));
    }
    return night;
  }

 private:
  std::size_t rounds_;
  std::mt19937_64 random_;
  std::bernoulli_distribution coin_;
  std::vector<std::size_t> order_;
};

// As record_of_duet.cpp makes it.
double value_of(const std::vector<std::pair<std::size_t, bool>>& night, const Times& times,
                double growth) {
  Values effects;
  for (const auto& [round, exchanged] : night) {
    const double a = exchanged ? times.b[round] : times.a[round];
    const double b = exchanged ? times.a[round] : times.b[round];
    const double whole = exchanged ? times.whole_b[round] : times.whole_a[round];
    const double part = exchanged ? times.part_a[round] : times.part_b[round];
    const double effect = std::log1p((b + growth * part - a) / whole);
    if (std::isfinite(effect)) effects.push_back(effect);
  }
  return middle_of_part(times.cause, effects);
}

// The share of histories in which a growth is found in time.
double found_share(const Times& times, const Pool& pool, double growth, std::size_t histories,
                   const ChartSettings& settings) {
  std::size_t found = 0;
  for (std::size_t history = 0; history < histories; ++history) {
    Nights nights(pool, history);
    ChartState chart;
    for (std::size_t night = 0; night < kNightsBefore; ++night) {
      add_night(chart, value_of(nights.next(), times, 0), settings);
    }
    for (std::size_t night = 0; night < kNightsToFind; ++night) {
      const auto change = add_night(chart, value_of(nights.next(), times, growth), settings);
      if (!change || change->change() < 0) continue;
      ++found;
      break;
    }
  }
  return static_cast<double>(found) / static_cast<double>(histories);
}

// The smallest growth of the whole, in percent, that is found in 95 % of the histories.
std::optional<double> smallest_found(const Times& times, const Pool& pool, double share,
                                     std::size_t histories, const ChartSettings& settings) {
  for (const double percent :
       {0.02, 0.05, 0.1,  0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7,  0.8,  1.0,  1.25, 1.5,
        1.75, 2.0,  2.25, 2.5,  3.0, 3.5,  4.0, 5.0,  6.0, 7.0, 8.0, 10.0, 12.0, 15.0, 20.0}) {
    const double growth = percent / 100 / share;
    if (found_share(times, pool, growth, histories, settings) >= kFoundShare) return percent;
  }
  return {};
}

std::string percent_text(std::optional<double> percent) {
  return percent ? fmt::format("{:.3g} %", *percent) : "more than 20 %";
}

double deviation_of(const Times& times, const Pool& pool) {
  constexpr std::size_t kDrawn = 1000;
  Nights nights(pool, 1);
  double squares = 0;
  for (std::size_t i = 0; i < kDrawn; ++i) {
    const double value = value_of(nights.next(), times, 0);
    squares += value * value;
  }
  return std::sqrt(squares / kDrawn);
}

void print_parts(const Pool& pool, std::size_t histories) {
  ChartSettings bare;  // what noise alone allows
  bare.least_change = 0;
  bare.least_deviation = 0.0002;
  for (const auto& [metric, sides] : pool.parts) {
    const auto named = part_of_metric(metric);
    if (!named || named->measure != "call") continue;
    const double share = pool.share(metric);
    if (share < 0.01) continue;
    const Times part = times_of(pool, metric, metric);
    const Times whole = times_of(pool, kWhole, metric);
    const auto by_part = smallest_found(part, pool, share, histories, chart_settings(metric));
    const auto by_whole = smallest_found(whole, pool, share, histories, {});
    const auto by_noise = smallest_found(whole, pool, share, histories, bare);
    const double ten = found_share(part, pool, 0.1, histories, chart_settings(metric));
    const auto factor = [&](const std::optional<double>& of) {
      return by_part && of ? fmt::format("{:.1f}", *of / *by_part) : "-";
    };
    fmt::print(
        "| {} | {} | {:.1f} % | {:.2f} % | {:.2f} % | {:.2f} %: {:.0f} % | {} | {} | {} | {}"
        " | {} |\n",
        pool.sink, named->cause, 100 * share, 100 * deviation_of(part, pool),
        100 * deviation_of(whole, pool), 10 * share, 100 * ten, percent_text(by_part),
        percent_text(by_whole), factor(by_whole), percent_text(by_noise), factor(by_noise));
  }
}

void print_false(const std::vector<Pool>& pools, std::size_t histories) {
  std::uint64_t found = 0;
  std::size_t series = 0;
  for (std::size_t history = 0; history < histories; ++history) {
    series = 0;
    for (std::size_t duet = 0; duet < kDuets; ++duet) {
      const Pool& pool = pools[duet % pools.size()];
      std::map<std::string, std::pair<Times, ChartState>> charts;
      for (const auto& [metric, sides] : pool.parts) {
        if (!part_of_metric(metric)) continue;
        charts[metric].first = times_of(pool, metric, metric);
      }
      series += charts.size();
      Nights nights(pool, 1000 * history + duet);
      for (std::size_t night = 0; night < kNightsOfFalse; ++night) {
        const auto rounds = nights.next();
        for (auto& [metric, chart] : charts) {
          const double value = value_of(rounds, chart.first, 0);
          if (add_night(chart.second, value, chart_settings(metric))) ++found;
        }
      }
    }
  }
  const double hundreds = static_cast<double>(histories * kNightsOfFalse) / 100;
  const auto count = static_cast<double>(found);
  fmt::print(
      "{} duets, {} series of parts, {} nights: {} findings, {:.2f} in 100 nights (95 %: "
      "{:.2f} to {:.2f})\n\n",
      kDuets, series, histories * kNightsOfFalse, found, count / hundreds,
      poisson_lower_limit(count, 0.025) / hundreds, poisson_upper_limit(count, 0.025) / hundreds);
}

int simulate(const std::string& file, const std::string& histories) {
  const std::size_t count = std::stoul(histories);
  const std::vector<Pool> pools = pools_of(load_calibration(file));
  for (const Pool& pool : pools) {
    if (pool.rounds < 2 * pool.rounds_of_night)
      throw std::runtime_error("few rounds of " + pool.sink);
    fmt::print("{}: {} rounds, {} a night\n", pool.sink, pool.rounds, pool.rounds_of_night);
  }
  fmt::print("\n");
  print_false(pools, count);
  fmt::print(
      "| sink | cause | share of the whole | sd of a night | sd of the whole | found when it grows "
      "by "
      "10 % | smallest found | by the whole's chart | factor | by the whole without a least change "
      "| factor |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Pool& pool : pools) print_parts(pool, count);
  return 0;
}

}  // namespace
}  // namespace tailgate::history

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() > 1 && arguments[0] == "record") {
      return tailgate::history::record({arguments.begin() + 1, arguments.end()});
    }
    if (arguments.size() == 2) return tailgate::history::simulate(arguments[0], arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tailgate_parts_simulation: %s\n", error.what());
    return 1;
  }
  std::fputs("usage: tailgate_parts_simulation record DUET... | RECORD HISTORIES\n", stderr);
  return 2;
}
