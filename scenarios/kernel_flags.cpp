// Groups of the kernel's events, on in turn under a steady load: what each costs a call and the
// machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/comma_list.h"
#include "harness/base/error.h"
#include "scenarios/rounds.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// Less than this of a processor's time is no difference: processor times are counted in ticks.
constexpr double kLeastCpuNsPerS = 2e6;

// The groups of a round, the one without events first.
std::vector<KernelGroup> groups_of(const Options& options) {
  std::vector<KernelGroup> groups = {KernelGroup::none};
  for (const std::string& name : comma_list(options.text("groups"))) {
    const auto group = enum_value<KernelGroup>(name);
    if (!group) {
      throw Error(fmt::format("groups has '{}', which is no group of kernel events", name),
                  fmt::format("known groups: {}", fmt::join(enum_choices<KernelGroup>(), ", ")));
    }
    groups.push_back(*group);
  }
  return groups;
}

// Each round begins with another group, so that none is always at the same place.
std::size_t place_in_round(std::size_t step, std::size_t groups) {
  return (step + step / groups) % groups;
}

// In a second: processor time of the machine, without what the load spun.
std::optional<double> cpu_of(const Trial& trial) {
  if (!trial.overhead || trial.overhead->end_ns <= trial.overhead->start_ns) return std::nullopt;
  std::optional<std::uint64_t> machine_ns;
  std::uint64_t spun_ns = 0;
  for (const RoleUse& use : trial.overhead->roles) {
    if (use.role == "machine") machine_ns = use.counters.cpu_ns;
    spun_ns += use.counters.spun_ns.value_or(0);
  }
  if (!machine_ns) return std::nullopt;
  const auto passed_ns = static_cast<double>(trial.overhead->end_ns - trial.overhead->start_ns);
  return 1e9 * (static_cast<double>(*machine_ns) - static_cast<double>(spun_ns)) / passed_ns;
}

// One group over all rounds, minus the trial without events of the same round.
struct GroupSeen {
  KernelGroup group = KernelGroup::none;
  std::vector<double> call_p50_ns;
  std::vector<double> call_mean_ns;
  std::vector<double> cpu_ns_per_s;
  std::vector<double> records_per_s;
  std::vector<double> bytes_per_s;
  std::string refused;
};

void add_use(GroupSeen& seen, const KernelEventsUse& use) {
  const double seconds = static_cast<double>(use.on_ns) / 1e9;
  seen.records_per_s.push_back(static_cast<double>(use.records) / seconds);
  seen.bytes_per_s.push_back(static_cast<double>(use.record_bytes) / seconds);
}

// The trials of one round, by their place in the list of groups.
using Round = std::map<std::size_t, const Trial*>;

void add_difference(GroupSeen& seen, const Trial& with, const Trial& without) {
  const auto less = [](auto a, auto b) { return static_cast<double>(a) - static_cast<double>(b); };
  seen.call_p50_ns.push_back(less(with.service.p50_ns, without.service.p50_ns));
  seen.call_mean_ns.push_back(less(with.service.mean_ns, without.service.mean_ns));
  const auto cpu_with = cpu_of(with);
  const auto cpu_without = cpu_of(without);
  if (cpu_with && cpu_without) seen.cpu_ns_per_s.push_back(*cpu_with - *cpu_without);
}

std::vector<Round> rounds_of(const Result& result, std::size_t groups) {
  std::vector<Round> rounds;
  for (const Trial& trial : result.trials) {
    const std::size_t number = trial.step / groups;
    if (number >= rounds.size()) rounds.resize(number + 1);
    if (trial.outcome == TrialOutcome::completed && trial.kernel_events &&
        trial.service.count > 0) {
      rounds[number][place_in_round(trial.step, groups)] = &trial;
    }
  }
  return rounds;
}

std::vector<GroupSeen> seen_in(const Result& result, const std::vector<KernelGroup>& groups) {
  const std::vector<Round> rounds = rounds_of(result, groups.size());
  std::vector<GroupSeen> all;
  for (std::size_t place = 1; place < groups.size(); ++place) {
    GroupSeen seen;
    seen.group = groups[place];
    for (const Round& round : rounds) {
      const auto with = round.find(place);
      const auto without = round.find(0);
      if (with == round.end()) continue;
      const KernelEventsUse& use = *with->second->kernel_events;
      if (!use.refused.empty()) {
        seen.refused = use.refused;
      }
      if (!use.refused.empty() || use.on_ns == 0) continue;
      add_use(seen, use);
      if (without != round.end()) add_difference(seen, *with->second, *without->second);
    }
    all.push_back(std::move(seen));
  }
  return all;
}

// Whether the interval is on one side of zero, and further from it than what can be measured.
bool differs(const AnswerFigure& figure, double least) {
  if (!figure.low || !figure.high || std::abs(figure.value) < least) return false;
  return *figure.low > 0 || *figure.high < 0;
}

std::string call_words(const AnswerFigure& call, double least_ns) {
  if (!differs(call, least_ns)) return "no difference in a call";
  const bool longer = call.value > 0;
  return fmt::format("a call takes {} {} ({})", duration_words(std::abs(call.value)),
                     longer ? "longer" : "less",
                     longer ? duration_range_words(*call.low, *call.high)
                            : duration_range_words(-*call.high, -*call.low));
}

std::string cpu_words(const AnswerFigure& cpu) {
  if (!differs(cpu, kLeastCpuNsPerS)) return "no difference in processor time";
  return fmt::format("{:.2g} % of a processor ({:.2g} to {:.2g} %)", cpu.value / 1e7,
                     *cpu.low / 1e7, *cpu.high / 1e7);
}

// Adds the figures of a group to the answer, and returns its part of the sentence.
std::string group_words(const GroupSeen& seen, double least_ns, Answer& answer) {
  const std::string name(enum_text(seen.group));
  const AnswerFigure call = interval_figure(
      name + "_call_p50_ns", seen.call_p50_ns,
      "by how much a median call takes longer than without events in the same round", "round");
  answer.figures.push_back(call);
  answer.figures.push_back(interval_figure(name + "_call_mean_ns", seen.call_mean_ns,
                                           "likewise, the mean call", "round"));
  std::vector<std::string> words = {call_words(call, least_ns)};
  if (!seen.cpu_ns_per_s.empty()) {
    const AnswerFigure cpu = interval_figure(
        name + "_cpu_ns_per_s", seen.cpu_ns_per_s,
        "processor time of the machine in a second, without spinning, more than without events",
        "round");
    answer.figures.push_back(cpu);
    words.push_back(cpu_words(cpu));
  }
  const AnswerFigure records = range_figure(name + "_records_per_s", seen.records_per_s,
                                            "records of the machine in a second");
  const AnswerFigure bytes =
      range_figure(name + "_bytes_per_s", seen.bytes_per_s, "their size in the kernel's buffer");
  words.push_back(fmt::format("{} records/s, {} B/s", rate_words(std::round(records.value)),
                              rate_words(std::round(bytes.value))));
  answer.figures.push_back(records);
  answer.figures.push_back(bytes);
  return fmt::format("{}: {}", name, fmt::join(words, ", "));
}

class KernelFlags : public RoundsScenario {
 public:
  std::string name() const override { return "kernel_flags"; }
  std::string description() const override {
    return "groups of the kernel's events, on in turn: what each costs a call and the machine";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"rate_hz", OptionType::real, "10000", "events per second, all threads together",
                 0.001, 1e9},
                {"groups", OptionType::text, "sched,irq,exceptions,block,syscalls",
                 "groups of kernel events; none: rounds that differ by nothing"},
                {"rounds", OptionType::integer, "6",
                 "times that every group is on, with a trial without events each", 2, 1000},
            }),
            {{"duration_s", "1"}, {"warmup_s", "0.2"}}),
        {"trials", "events"});
  }

  std::optional<KernelGroup> kernel_group(const Options& options, std::size_t step) const override {
    const std::vector<KernelGroup> groups = groups_of(options);
    return groups[place_in_round(step, groups.size())];
  }

  std::optional<Answer> answer(const Result& result) const override {
    if (result.scenario.name != name()) return std::nullopt;
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    std::vector<std::string> parts;
    for (const GroupSeen& seen : seen_in(result, groups_of(given_options(*this, result)))) {
      if (!seen.refused.empty()) {
        answer.cannot.push_back(
            fmt::format("switch on {}: {}", enum_text(seen.group), seen.refused));
      }
      if (seen.call_p50_ns.empty()) continue;
      parts.push_back(group_words(seen, two_clock_reads_ns(result), answer));
    }
    if (parts.empty() && answer.cannot.empty()) return std::nullopt;
    answer.sentence =
        parts.empty() ? fmt::format("{}: no kernel event could be switched on.", at_rate(result))
                      : fmt::format("{}, with events of the kernel on: {}.", at_rate(result),
                                    fmt::join(parts, "; "));
    return answer;
  }

 protected:
  std::size_t steps_in_round(const Options& options) const override {
    return groups_of(options).size();
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_kernel_flags_scenario() {
  return std::make_unique<KernelFlags>();
}

}  // namespace tailgate
