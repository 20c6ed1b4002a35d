// Calls under call stacks of several depths, with the stack captured and without: what a capture
// costs, and what each frame of it does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/event.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/slope.h"
#include "scenarios/rounds.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// Limits of the wrapper that captures the stacks (providers/stacks/stack_words.h).
constexpr unsigned kMostFrames = 64;
constexpr std::size_t kRoomForStack = kTextHeaderBytes + (kMostFrames + 1) * 16;
constexpr std::string_view kBySink = "stacks_by_sink";  // what the wrapper says of the sink

std::vector<unsigned> frame_counts(const Options& options) {
  return counts_from(options, "frames", kMostFrames);
}

// What the calls of a step are.
struct StacksPlace {
  std::size_t round = 0;
  unsigned frames = 0;  // that each call is under, captured or not
  bool captured = false;
};

// A round has every depth, with a capture and without, one after the other. The depth it begins
// with, and the side that comes first, change from round to round.
StacksPlace stacks_place(const Options& options, std::size_t step) {
  const std::vector<unsigned> counts = frame_counts(options);
  const std::size_t round = step / (2 * counts.size());
  const std::size_t depth = (step / 2 + round) % counts.size();
  return {round, counts[depth], (step + depth + round) % 2 == 1};
}

// Median calls of a pair, in ns.
struct StackPair {
  std::optional<double> with_ns;
  std::optional<double> without_ns;
};

using StacksRound = std::map<unsigned, StackPair>;  // by the frames

std::vector<StacksRound> stacks_rounds(const Result& result, const Options& options) {
  std::vector<StacksRound> rounds;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || trial.service.count == 0) continue;
    const StacksPlace place = stacks_place(options, trial.step);
    if (rounds.size() <= place.round) rounds.resize(place.round + 1);
    StackPair& pair = rounds[place.round][place.frames];
    (place.captured ? pair.with_ns : pair.without_ns) = static_cast<double>(trial.service.p50_ns);
  }
  for (StacksRound& round : rounds) {
    std::erase_if(round,
                  [](const auto& one) { return !one.second.with_ns || !one.second.without_ns; });
  }
  std::erase_if(rounds, [](const StacksRound& round) { return round.empty(); });
  return rounds;
}

double capture_ns(const StackPair& pair) {
  return *pair.with_ns - *pair.without_ns;
}

// Slope of the line through a round's costs; nothing of a single depth.
std::optional<double> ns_per_frame(const StacksRound& round) {
  std::vector<Point> points;
  for (const auto& [frames, pair] : round) points.push_back({1.0 * frames, capture_ns(pair)});
  return slope_through(centre_of(points), points);
}

bool is_one_sided(const AnswerFigure& figure) {
  return figure.low && figure.high && (*figure.low > 0 || *figure.high < 0);
}

// "310 ns (300 to 320 ns)", or that the rounds do not tell it from nothing: of what is less than
// `least_ns` neither.
std::string cost_words(const AnswerFigure& cost, double least_ns) {
  if (!cost.low || !cost.high) return signed_duration_words(cost.value) + " (one round)";
  const std::string between = signed_range_words(*cost.low, *cost.high);
  if (!is_one_sided(cost) || std::abs(cost.value) < least_ns) {
    return fmt::format("nothing that {} rounds resolve ({})", cost.trials, between);
  }
  return fmt::format("{} ({})", signed_duration_words(cost.value), between);
}

// The costs by depth, of all rounds.
struct StacksSeen {
  std::map<unsigned, std::vector<double>> without_ns;
  std::map<unsigned, std::vector<double>> capture_ns;
  std::vector<double> per_frame_ns;
  double least_ns = 0;  // less than this is no difference
};

StacksSeen stacks_seen(const std::vector<StacksRound>& rounds, double least_ns) {
  StacksSeen seen;
  seen.least_ns = least_ns;
  for (const StacksRound& round : rounds) {
    for (const auto& [frames, pair] : round) {
      seen.without_ns[frames].push_back(*pair.without_ns);
      seen.capture_ns[frames].push_back(capture_ns(pair));
    }
    if (const auto per_frame = ns_per_frame(round)) seen.per_frame_ns.push_back(*per_frame);
  }
  return seen;
}

std::string depth_words(unsigned frames) {
  return frames == 1 ? std::string("one frame") : fmt::format("{} frames", frames);
}

// Whether the sink's own path can record the stack, as the wrapper found it: why not.
std::optional<std::string> cannot_by_sink(const Result& result) {
  for (const Trial& trial : result.trials) {
    for (const Setting& setting : trial.granted) {
      if (setting.name != kBySink || !setting.value.starts_with("no: ")) continue;
      return "record the caller's stack itself: " + setting.value.substr(4);
    }
  }
  return std::nullopt;
}

class Stacks : public SizedRoundsScenario {
 public:
  std::string name() const override { return "stacks"; }
  std::string description() const override {
    return "calls under 1 to 64 frames: what capturing the call stack costs, and each frame";
  }

  OptionTable options() const override {
    return sized_rounds_options(
        {{"frames", OptionType::text, "1, 8, 16, 32, 64",
          "ascending numbers of frames that calls are under"},
         choice_option("by", "call",
                       "who captures. call: the program before the sink's call, as many frames; "
                       "sink: the sink's own path, where it can",
                       {"call", "sink"})},
        {.size_bytes = "2048",
         .least_bytes = kRoomForStack,
         .size_includes = "stack",
         .a_round_has = "depth is measured, with a capture and without"});
  }

  // Both sides of a difference are measured here.
  bool wants_controls() const override { return false; }

  std::vector<std::string> sink_options(const Options& options, std::size_t step) const override {
    const StacksPlace place = stacks_place(options, step);
    return {fmt::format("stacks_depth_frames={}", place.frames),
            fmt::format("stacks_by={}", place.captured ? options.text("by") : "none")};
  }

  std::optional<Answer> answer(const Result& result) const override;

 protected:
  std::size_t steps_in_round(const Options& options) const override {
    return 2 * frame_counts(options).size();
  }
};

// The figures of each depth; returns those of the captures.
std::vector<AnswerFigure> add_depths(const StacksSeen& seen, Answer& answer) {
  std::vector<AnswerFigure> captures;
  for (const auto& [frames, calls_ns] : seen.without_ns) {
    answer.figures.push_back(
        range_figure(fmt::format("frames_{}_without_service_p50_ns", frames), calls_ns,
                     fmt::format("median of a call under {}, no stack captured", frames)));
    captures.push_back(interval_figure(fmt::format("frames_{}_capture_ns", frames),
                                       seen.capture_ns.at(frames),
                                       "by how much a capture makes that call longer", "round"));
    answer.figures.push_back(captures.back());
  }
  return captures;
}

std::optional<Answer> Stacks::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const Options options = given_options(*this, result);
  const std::vector<StacksRound> rounds = stacks_rounds(result, options);
  if (rounds.empty()) return std::nullopt;
  const StacksSeen seen = stacks_seen(rounds, two_clock_reads_ns(result));
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  const std::vector<AnswerFigure> captures = add_depths(seen, answer);
  const unsigned least = seen.without_ns.begin()->first;
  const unsigned most = seen.without_ns.rbegin()->first;
  const auto clause = [&](const AnswerFigure& capture, unsigned frames) {
    return fmt::format("{} under {}", cost_words(capture, seen.least_ns), depth_words(frames));
  };
  std::vector<std::string> clauses = {clause(captures.front(), least)};
  if (most != least) clauses.push_back(clause(captures.back(), most));
  answer.sentence = fmt::format(
      "{} takes {} for a call under {}; capturing the stack{} costs {}", at_rate(result),
      duration_words(median(seen.without_ns.begin()->second)), depth_words(least),
      options.text("by") == "sink" ? " in its own path" : "", joined_words(clauses));
  if (!seen.per_frame_ns.empty()) {
    answer.figures.push_back(
        interval_figure("per_frame_ns", seen.per_frame_ns,
                        "by how much each frame of the stack makes a capture longer", "round"));
    answer.sentence +=
        "; each frame costs " + cost_words(answer.figures.back(), seen.least_ns / most);
  }
  answer.sentence += ".";
  if (auto reason = cannot_by_sink(result)) answer.cannot.push_back(std::move(*reason));
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_stacks_scenario() {
  return std::make_unique<Stacks>();
}

}  // namespace tailgate
