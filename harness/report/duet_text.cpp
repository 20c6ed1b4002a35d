#include "harness/report/duet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "harness/report/human.h"
#include "harness/result/latency.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

constexpr std::size_t kColumns = 80;
constexpr double kConfidence = 0.95;
constexpr double kPerEvents = 20'000;  // counts are given by this many events

using Value = std::optional<double>;

std::string duration_cell(double ns) {
  return human_duration(static_cast<std::uint64_t>(std::llround(std::clamp(ns, 0.0, 1e18))));
}

std::string bytes_cell(double bytes) {
  return fmt::format("{:.4g}MiB", bytes / (1 << 20));
}

std::string count_cell(double count) {
  return fmt::format("{:.3g}", count);
}

struct Metric {
  std::string name;
  std::function<Value(const DuetSide&)> value;
  std::function<std::string(double)> cell;
  bool by_ratio;  // else by difference
};

Metric latency_metric(std::string name, Latency DuetSide::*latency, std::uint64_t Latency::*value) {
  return {std::move(name),
          [=](const DuetSide& side) { return static_cast<double>(side.*latency.*value); },
          duration_cell, true};
}

Metric count_metric(std::string name, std::uint64_t DuetSide::*count) {
  return {std::move(name),
          [=](const DuetSide& side) -> Value {
            if (side.events == 0) return {};
            return static_cast<double>(side.*count) / static_cast<double>(side.events) * kPerEvents;
          },
          count_cell, false};
}

Value cpu_per_event(const DuetSide& side) {
  if (!side.cpu_ns || side.cpu_events == 0) return {};
  return (static_cast<double>(*side.cpu_ns) - static_cast<double>(side.spun_ns)) /
         static_cast<double>(side.cpu_events);
}

Value daemon_cpu_per_event(const DuetSide& side) {
  if (!side.daemon_cpu_ns || side.cpu_events == 0) return {};
  return static_cast<double>(*side.daemon_cpu_ns) / static_cast<double>(side.cpu_events);
}

Value rss_bytes(const DuetSide& side) {
  return side.rss_bytes ? Value(static_cast<double>(*side.rss_bytes)) : std::nullopt;
}

std::vector<Metric> metrics() {
  std::vector<Metric> all = {
      latency_metric("service p50", &DuetSide::service, &Latency::p50_ns),
      {"service mean to p99", [](const DuetSide& side) { return side.trimmed_mean_ns; },
       duration_cell, true},
      latency_metric("service p90", &DuetSide::service, &Latency::p90_ns),
      latency_metric("service p99", &DuetSide::service, &Latency::p99_ns),
      latency_metric("service p99.9", &DuetSide::service, &Latency::p99_9_ns),
      latency_metric("service p99.99", &DuetSide::service, &Latency::p99_99_ns),
      latency_metric("service max", &DuetSide::service, &Latency::max_ns),
      latency_metric("response p50", &DuetSide::response, &Latency::p50_ns),
      latency_metric("response p99", &DuetSide::response, &Latency::p99_ns),
      latency_metric("response p99.9", &DuetSide::response, &Latency::p99_9_ns),
      latency_metric("raw response p99", &DuetSide::raw_response, &Latency::p99_ns),
      {"CPU an event", cpu_per_event, duration_cell, true},
      {"daemons' CPU an event", daemon_cpu_per_event, duration_cell, true},
      {"memory in RAM", rss_bytes, bytes_cell, true},
      {"achieved rate", [](const DuetSide& side) { return side.achieved_rate_hz; }, human_rate,
       true},
      count_metric("calls > 100 us", &DuetSide::over_100us),
      count_metric("calls > 1 ms", &DuetSide::over_1ms),
      count_metric("blocked calls", &DuetSide::blocked),
      count_metric("preempted calls", &DuetSide::preempted)};
  return all;
}

std::vector<const DuetRound*> whole_rounds(const Duet& duet) {
  std::vector<const DuetRound*> rounds;
  for (const DuetRound& round : duet.rounds) {
    if (round.a.outcome == kOutcomeCompleted && round.b.outcome == kOutcomeCompleted) {
      rounds.push_back(&round);
    }
  }
  return rounds;
}

std::string percent(double log_ratio) {
  const double percent = 100 * std::expm1(std::clamp(log_ratio, -10.0, 10.0));
  return std::abs(percent) < 1000 ? fmt::format("{:+.1f}", percent)
                                  : fmt::format("{:+.3g}", percent);
}

std::string interval_cells(const std::vector<double>& differences, bool by_ratio) {
  const auto cell = [&](double value) {
    return by_ratio ? percent(value) : fmt::format("{:+.3g}", value);
  };
  const QuantileInterval interval = quantile_interval(differences, 0.5, kConfidence);
  return fmt::format("{:>8}{:2}{:>9} to {:<8}", cell(interval.estimate), by_ratio ? " %" : "",
                     interval.low ? cell(*interval.low) : "?",
                     interval.high ? cell(*interval.high) : "?");
}

std::string trimmed_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string metric_row(const Metric& metric, const std::vector<const DuetRound*>& rounds) {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> differences;
  for (const DuetRound* round : rounds) {
    const Value value_a = metric.value(round->a);
    const Value value_b = metric.value(round->b);
    if (!value_a || !value_b) continue;
    a.push_back(*value_a);
    b.push_back(*value_b);
    if (!metric.by_ratio) {
      differences.push_back(*value_b - *value_a);
    } else if (*value_a > 0 && *value_b > 0) {
      differences.push_back(std::log(*value_b / *value_a));
    }
  }
  if (a.empty()) return "";
  const std::string cells = differences.empty() ? "" : interval_cells(differences, metric.by_ratio);
  return trimmed_line(fmt::format("  {:<22}{:>10}{:>10} {}", metric.name, metric.cell(median(a)),
                                  metric.cell(median(b)), cells));
}

std::string carry_over_row(const char* name, DuetSide DuetRound::*side,
                           const std::vector<const DuetRound*>& rounds) {
  std::vector<double> values;
  for (const DuetRound* round : rounds) {
    if ((round->*side).carry_over) values.push_back(*(round->*side).carry_over);
  }
  if (values.empty()) return "";
  return trimmed_line(fmt::format("  {:<42} {}", name, interval_cells(values, true)));
}

std::string ledger_row(const char* name, const std::function<std::int64_t(const DuetSide&)>& value,
                       const std::vector<DuetRound>& rounds) {
  std::array<std::int64_t, 2> sums = {};
  for (const DuetRound& round : rounds) {
    sums[0] += value(round.a);
    sums[1] += value(round.b);
  }
  return fmt::format("  {:<22}{:>10}{:>10}\n", name, human_count(sums[0]), human_count(sums[1]));
}

std::string wrapped_lines(const std::string& text) {
  std::string lines;
  for (const std::string& line : wrapped(printable(text), kColumns - 2, 4)) {
    lines += trimmed_line("  " + line);
  }
  return lines;
}

std::string subject_line(char letter, const DuetSubject& subject) {
  const std::string program = subject.program.empty() ? "" : ", program " + subject.program;
  return wrapped_lines(fmt::format("{}  {}{}, build {}{}", letter, subject.label, program,
                                   subject.build.revision.substr(0, 12),
                                   subject.build.dirty ? " (dirty)" : ""));
}

std::string heading(const Duet& duet, std::size_t whole) {
  std::string text = "duet\n" + subject_line('A', duet.a) + subject_line('B', duet.b);
  const std::string rate =
      duet.a.load.rate_hz > 0 ? fmt::format(", {} events/s", human_rate(duet.a.load.rate_hz)) : "";
  text += wrapped_lines(
      fmt::format("{}{}; {} rounds of {} slices of {} a side{}, seed {}", duet.a.scenario.name,
                  rate, whole, duet.slices, human_duration(duet.slice_ns),
                  duet.drain == "none" ? "" : ", drained between slices", duet.seed));
  if (!duet.label.empty()) text += wrapped_lines(duet.label);
  return text;
}

std::string remark_lines(const Duet& duet) {
  std::string text;
  const auto add = [&text](const std::string& where, const Remark& remark) {
    text +=
        wrapped_lines(where + remark.what + (remark.remedy.empty() ? "" : "; " + remark.remedy));
  };
  for (const Remark& remark : duet.remarks) add("! ", remark);
  constexpr std::size_t kMostRemarks = 5;
  std::size_t count = 0;
  for (const DuetRound& round : duet.rounds) {
    for (const Remark& remark : round.remarks) {
      if (++count <= kMostRemarks) add(fmt::format("! round {}, ", round.index), remark);
    }
  }
  if (count > kMostRemarks) {
    text += wrapped_lines(fmt::format("! and {} more remarks in the file", count - kMostRemarks));
  }
  return text;
}

std::string round_lines(const std::vector<const DuetRound*>& rounds) {
  std::string text = fmt::format("\n  {:>5}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "round",
                                 "A p50", "B p50", "A p99", "B p99", "A p99.9", "B p99.9");
  for (const DuetRound* round : rounds) {
    const Latency& a = round->a.service;
    const Latency& b = round->b.service;
    text += fmt::format("  {:>5}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", round->index,
                        human_duration(a.p50_ns), human_duration(b.p50_ns),
                        human_duration(a.p99_ns), human_duration(b.p99_ns),
                        human_duration(a.p99_9_ns), human_duration(b.p99_9_ns));
  }
  return text;
}

}  // namespace

std::string render_duet(const Duet& duet, const TextOptions& options) {
  const std::vector<const DuetRound*> rounds = whole_rounds(duet);
  std::string text = heading(duet, rounds.size());
  if (rounds.empty())
    return text + "\n  no round was completed by both sides\n" + remark_lines(duet);
  text += fmt::format("\n  {:<22}{:>10}{:>10} {:>10}{:>9}    {}\n", "median over rounds", "A", "B",
                      "B to A", "95 %", "interval");
  for (const Metric& metric : metrics()) text += metric_row(metric, rounds);
  text += ledger_row(
      "lost, all rounds",
      [](const DuetSide& side) { return static_cast<std::int64_t>(side.ledger.lost); },
      duet.rounds);
  text += ledger_row(
      "unaccounted, likewise", [](const DuetSide& side) { return side.ledger.unaccounted; },
      duet.rounds);
  text += carry_over_row("carry-over: A after B, against A after A", &DuetRound::a, rounds);
  text += carry_over_row("carry-over: B after A, against B after B", &DuetRound::b, rounds);
  text += fmt::format("  service, response: classified; counts are by {:.0f} events\n", kPerEvents);
  if (options.trials) text += round_lines(rounds);
  return text + remark_lines(duet);
}

}  // namespace tailgate
