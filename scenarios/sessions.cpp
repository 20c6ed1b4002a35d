// One provider in several sessions at once, or several with a provider process each: what each
// further session costs a call, and what it costs the processors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/error.h"
#include "harness/result/overhead_summary.h"
#include "harness/run/scenario.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/slope.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

std::vector<std::uint32_t> sessions_of(const Options& options) {
  std::vector<std::uint32_t> all;
  for (const double sessions : parse_rates(options.text("sessions"), "sessions")) {
    if (sessions != std::floor(sessions) || sessions < 1 || sessions > kMaxSessions) {
      throw Error(fmt::format("sessions has {}", sessions),
                  fmt::format("give whole numbers from 1 to {}", kMaxSessions));
    }
    all.push_back(static_cast<std::uint32_t>(sessions));
  }
  return all;
}

constexpr const char* kEachProvider = "provider";

// Whether each further session comes with a provider of its own.
bool own_of(const Options& options) {
  return options.text("each") == kEachProvider;
}

// Processor time of program and daemons for each event, without what the load spun.
std::optional<double> cpu_ns_per_event(const Trial& trial) {
  if (!trial.overhead || trial.overhead->events == 0) return std::nullopt;
  double cpu_ns = 0;
  for (const RoleUse& use : trial.overhead->roles) {
    if (use.role == "provider") {
      const auto busy_ns = busy_cpu_ns(*trial.overhead, use.counters, trial.load.threads);
      if (!busy_ns) return std::nullopt;
      cpu_ns += *busy_ns;
    } else if (use.role == "daemons" && use.processes > 0) {
      if (!use.counters.cpu_ns) return std::nullopt;
      cpu_ns += static_cast<double>(*use.counters.cpu_ns);
    }
  }
  return cpu_ns / static_cast<double>(trial.overhead->events);
}

// A point of each completed trial: its figure by its number of sessions.
struct CallsSeen {
  std::vector<Point> call_ns;  // the median call
  std::vector<Point> cpu_ns;
  std::map<unsigned, std::vector<double>> calls_ns;  // by the number of sessions
};

CallsSeen calls_seen_in(const Result& result) {
  CallsSeen seen;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || trial.measured == 0) continue;
    const unsigned sessions = trial.load.sessions.value_or(1);
    const auto p50_ns = static_cast<double>(trial.service.p50_ns);
    seen.call_ns.push_back({static_cast<double>(sessions), p50_ns});
    seen.calls_ns[sessions].push_back(p50_ns);
    if (const auto cpu_ns = cpu_ns_per_event(trial)) {
      seen.cpu_ns.push_back({static_cast<double>(sessions), *cpu_ns});
    }
  }
  return seen;
}

AnswerFigure slope_figure(const std::string& name, const Slope& line, double unit,
                          std::size_t trials, const std::string& about) {
  return {.name = name,
          .value = line.slope / unit,
          .low = line.low / unit,
          .high = line.high / unit,
          .trials = static_cast<unsigned>(trials),
          .about = about +
                   ": slope of the least squares' line through the trials, and its 95 % "
                   "confidence interval"};
}

// How the answer names the sessions.
struct Spoken {
  std::string further;    // "session", "session with its provider"
  std::string in_fewest;  // "in one session"
};

Spoken spoken_of(unsigned least, bool own) {
  const std::string sessions =
      least == 1 ? std::string("one session") : fmt::format("{} sessions", least);
  return {.further = own ? "session with its provider" : "session", .in_fewest = "in " + sessions};
}

// "each further session makes it 310 ns longer (300 to 320 ns), 28 % of a call in one session";
// or "a further session makes no difference that 12 trials resolve (-3 ns to 5 ns)".
std::string slope_words(const Slope& line, double first_ns, const Spoken& spoken,
                        std::size_t trials) {
  const std::string between = signed_range_words(line.low, line.high);
  if (line.low <= 0 && line.high >= 0) {
    return fmt::format("a further {} makes no difference that {} trials resolve ({})",
                       spoken.further, trials, between);
  }
  return fmt::format("each further {} makes it {} {} ({}), {:.0f} % of a call {}", spoken.further,
                     duration_words(std::abs(line.slope)), line.slope > 0 ? "longer" : "shorter",
                     between, 100 * std::abs(line.slope) / first_ns, spoken.in_fewest);
}

// "4 sessions: why", of the numbers of sessions that failed. A limit of the system's shows there.
std::vector<std::string> failed_in(const Result& result, const std::string& words) {
  std::vector<std::string> all;
  for (const Trial& trial : result.trials) {
    const bool went_on =
        trial.outcome == TrialOutcome::completed || trial.outcome == TrialOutcome::interrupted;
    if (went_on) continue;
    std::string text =
        fmt::format("have {}{}: {}", trial.load.sessions.value_or(1), words, trial.outcome_detail);
    if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
  }
  return all;
}

// What the sink cannot do of what was asked.
std::vector<std::string> cannot_in(const Result& result, bool own) {
  std::vector<std::string> cannot =
      failed_in(result, own ? " sessions of a provider each" : " sessions of one provider");
  if (!own && !result.sink.multi_session.value_or(true)) {
    cannot.push_back("be in several sessions");
  }
  if (own && !result.sink.own_sessions.value_or(true)) {
    cannot.push_back("give each provider process a session of its own");
  }
  return cannot;
}

class Sessions : public Scenario {
 public:
  std::string name() const override { return "sessions"; }
  std::string description() const override {
    return "one provider in several sessions, or several with one each: what each further costs";
  }

  OptionTable options() const override {
    return with_defaults(
        with_load_options({
            {"sessions", OptionType::text, "1, 2, 4, 8", "numbers of sessions, one after another"},
            choice_option("each", "session",
                          "what a further one brings. session: nothing, all get "
                          "every event of one provider; provider: a provider "
                          "process, which writes into it alone",
                          {"session", kEachProvider}),
            {"rate_hz", OptionType::real, "10000",
             "events per second, all threads and processes together", 0.001, 1e9},
        }),
        {{"trials", "3"}, {"duration_s", "1"}, {"warmup_s", "0.2"}});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    const std::vector<std::uint32_t> tried = sessions_of(options);
    // Where so many failed, more of them do, too.
    const bool over = !before.empty() && before.back().failed;
    if (over || before.size() >= tried.size()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    plan.sessions = tried[before.size()];
    if (own_of(options)) give_each_its_own(plan);
    return plan;
  }

  std::size_t max_steps(const Options& options) const override {
    return sessions_of(options).size();
  }

  std::optional<Answer> answer(const Result& result) const override;

 private:
  static void give_each_its_own(LoadPlan& plan) {
    if (plan.processes > 1) {
      throw Error(fmt::format("each=provider with processes = {}", plan.processes),
                  "leave processes out: there are as many as sessions");
    }
    plan.own_sessions = 1;
    plan.processes = plan.sessions;
    plan.threads *= plan.processes;
  }
};

std::optional<Answer> Sessions::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const CallsSeen seen = calls_seen_in(result);
  if (seen.calls_ns.empty()) return std::nullopt;
  const bool own = own_of(given_options(*this, result));
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  answer.cannot = cannot_in(result, own);
  for (const auto& [sessions, calls_ns] : seen.calls_ns) {
    answer.figures.push_back(range_figure(fmt::format("sessions_{}_service_p50_ns", sessions),
                                          calls_ns, "median of a call"));
  }
  const auto& [least, first_ns] = *seen.calls_ns.begin();
  const auto& [most, last_ns] = *seen.calls_ns.rbegin();
  const Spoken spoken = spoken_of(least, own);
  answer.sentence = fmt::format("{} takes {} for a call {}", at_rate(result),
                                duration_words(median(first_ns)), spoken.in_fewest);
  if (const auto line = slope_of(seen.call_ns, 0.95)) {
    const std::size_t trials = seen.call_ns.size();
    answer.figures.push_back(slope_figure("per_session_service_p50_ns", *line, 1, trials,
                                          "by how much a further session makes the median call "
                                          "longer"));
    answer.figures.push_back(slope_figure("per_session_share", *line, median(first_ns), trials,
                                          "the same as a share of the median call with the fewest "
                                          "sessions, whose own error is left out"));
    answer.sentence += fmt::format(" and {} in {}{}; {}", duration_words(median(last_ns)), most,
                                   own ? " with a provider each" : "",
                                   slope_words(*line, median(first_ns), spoken, trials));
  }
  if (const auto line = slope_of(seen.cpu_ns, 0.95)) {
    answer.figures.push_back(slope_figure("per_session_cpu_ns", *line, 1, seen.cpu_ns.size(),
                                          "processor time of program and daemons for an event, "
                                          "more with each further session"));
  }
  answer.sentence += ".";
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_sessions_scenario() {
  return std::make_unique<Sessions>();
}

}  // namespace tailgate
