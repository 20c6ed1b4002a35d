// Events with more and more fields, of one kind after another: what a field costs that a call
// formats, as text and as a number. All events have one size, so no byte more is written for a
// field.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "harness/base/event.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/slope.h"
#include "scenarios/rounds.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// Limits of the wrapper that formats the fields (providers/fields/formatted_fields.h).
constexpr unsigned kMostFields = 32;
constexpr std::size_t kRoomForFields = kTextHeaderBytes + kMostFields * 16 + 1;
constexpr std::array<std::string_view, 3> kKinds = {"text", "integer", "real"};

std::vector<unsigned> field_counts(const Options& options) {
  return counts_from(options, "fields", kMostFields);
}

// What the events of a step have.
struct FieldsPlace {
  std::size_t round = 0;
  std::string_view kind = kKinds.front();
  unsigned fields = 0;
};

// Each round begins at another place, so that what changes on the machine changes all of them.
FieldsPlace fields_place(const Options& options, std::size_t step) {
  const std::vector<unsigned> counts = field_counts(options);
  const std::size_t in_round = 1 + kKinds.size() * counts.size();
  const std::size_t round = step / in_round;
  const std::size_t at = (step + round * counts.size()) % in_round;
  if (at == 0) return {.round = round};
  return {round, kKinds.at((at - 1) / counts.size()), counts[(at - 1) % counts.size()]};
}

// The median calls of a round, in ns.
struct FieldsRound {
  std::optional<double> without_ns;                                   // without fields
  std::map<std::string_view, std::map<unsigned, double>> by_kind_ns;  // … by their number
};

std::vector<FieldsRound> fields_rounds(const Result& result, const Options& options) {
  std::vector<FieldsRound> rounds;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || trial.service.count == 0) continue;
    const FieldsPlace place = fields_place(options, trial.step);
    if (rounds.size() <= place.round) rounds.resize(place.round + 1);
    const auto p50_ns = static_cast<double>(trial.service.p50_ns);
    if (place.fields == 0) {
      rounds[place.round].without_ns = p50_ns;
    } else {
      rounds[place.round].by_kind_ns[place.kind][place.fields] = p50_ns;
    }
  }
  std::erase_if(rounds, [](const FieldsRound& round) { return !round.without_ns; });
  return rounds;
}

// Slope of the line through the round's call without fields.
double ns_per_field(const std::map<unsigned, double>& calls_ns, double without_ns) {
  std::vector<Point> points;
  for (const auto& [fields, p50_ns] : calls_ns) points.push_back({1.0 * fields, p50_ns});
  return slope_through({0, without_ns}, points).value();
}

// "12 ns longer as text (11 to 13 ns)".
std::string field_words(std::string_view kind, const AnswerFigure& figure) {
  if (!figure.low || !figure.high) {
    return fmt::format("{} longer as {} (one round)", signed_duration_words(figure.value), kind);
  }
  if (*figure.low <= 0 && *figure.high >= 0) {
    return fmt::format("no longer as {} that {} rounds resolve ({} to {})", kind, figure.trials,
                       signed_duration_words(*figure.low), signed_duration_words(*figure.high));
  }
  const bool longer = figure.value > 0;
  const double low = longer ? *figure.low : -*figure.high;
  const double high = longer ? *figure.high : -*figure.low;
  return fmt::format("{} {} as {} ({})", duration_words(std::abs(figure.value)),
                     longer ? "longer" : "shorter", kind, duration_range_words(low, high));
}

class Fields : public SizedRoundsScenario {
 public:
  std::string name() const override { return "fields"; }
  std::string description() const override {
    return "events with 0 to 32 fields: what a field costs, as text and as a number";
  }

  OptionTable options() const override {
    return sized_rounds_options(
        {{"fields", OptionType::text, "4, 16, 32",
          "ascending numbers of fields that are measured; none is measured in any case"}},
        {.size_bytes = "1024",
         .least_bytes = kRoomForFields,
         .size_includes = "fields",
         .a_round_has = "kind is measured with every number of fields"});
  }

  std::vector<std::string> sink_options(const Options& options, std::size_t step) const override {
    const FieldsPlace place = fields_place(options, step);
    return {fmt::format("fields_count={}", place.fields), fmt::format("fields_as={}", place.kind)};
  }

  std::optional<Answer> answer(const Result& result) const override;

 protected:
  std::size_t steps_in_round(const Options& options) const override {
    return 1 + kKinds.size() * field_counts(options).size();
  }
};

std::optional<Answer> Fields::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const std::vector<FieldsRound> rounds = fields_rounds(result, given_options(*this, result));
  if (rounds.empty()) return std::nullopt;
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  std::vector<double> without_ns;
  std::map<std::string_view, std::vector<double>> per_field_ns;
  std::map<std::pair<std::string_view, unsigned>, std::vector<double>> calls_ns;
  for (const FieldsRound& round : rounds) {
    without_ns.push_back(*round.without_ns);
    for (const auto& [kind, of_kind_ns] : round.by_kind_ns) {
      per_field_ns[kind].push_back(ns_per_field(of_kind_ns, *round.without_ns));
      for (const auto& [fields, p50_ns] : of_kind_ns) calls_ns[{kind, fields}].push_back(p50_ns);
    }
  }
  answer.figures.push_back(
      range_figure("without_service_p50_ns", without_ns, "median of a call without fields"));
  std::vector<std::string> clauses;
  for (const std::string_view kind : kKinds) {
    if (!per_field_ns.contains(kind)) continue;
    answer.figures.push_back(interval_figure(
        fmt::format("{}_per_field_ns", kind), per_field_ns.at(kind),
        fmt::format("by how much each field, given as {}, makes a median call longer", kind),
        "round"));
    clauses.push_back(field_words(kind, answer.figures.back()));
  }
  for (const auto& [place, p50_ns] : calls_ns) {
    answer.figures.push_back(
        range_figure(fmt::format("{}_{}_service_p50_ns", place.first, place.second), p50_ns,
                     fmt::format("median of a call with {} fields", place.second)));
  }
  answer.sentence = fmt::format("{} takes {} for a call without fields", at_rate(result),
                                duration_words(median(without_ns)));
  if (!clauses.empty()) {
    answer.sentence += fmt::format("; each field makes it {}", joined_words(clauses));
  }
  answer.sentence += ".";
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_fields_scenario() {
  return std::make_unique<Fields>();
}

}  // namespace tailgate
