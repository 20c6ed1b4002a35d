// Events of rising sizes: what a byte costs, and the exact size from which the sink refuses, cuts,
// changes or loses them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/error.h"
#include "harness/base/event.h"
#include "harness/run/scenario.h"
#include "scenarios/search.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// Ascending, in bytes.
std::vector<std::int64_t> sizes_of(const Options& options) {
  std::vector<std::int64_t> sizes;
  for (const double size : parse_rates(options.text("sizes_bytes"), "sizes_bytes")) {
    if (size < static_cast<double>(kBinaryHeaderBytes) ||
        size > static_cast<double>(kMaxEventBytes)) {
      throw Error(fmt::format("sizes_bytes has {}", size),
                  fmt::format("give sizes from {} to {}", kBinaryHeaderBytes, kMaxEventBytes));
    }
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  return sizes;
}

// Whether every event of the trial came back as it was. Without reading back: whether none is
// known to be lost.
bool came_back_whole(const StepTrial& trial) {
  const LedgerAccount& ledger = trial.ledger;
  return trial.completed && !ledger.unchecked() && ledger.emitted > 0 && ledger.lost == 0 &&
         ledger.unaccounted == 0 && ledger.corrupted == 0 && ledger.damaged_bytes == 0;
}

// The size of a load's events.
std::int64_t size_of(const std::string& payload) {
  return parse_payload(payload).law == PayloadLaw::fixed
             ? static_cast<std::int64_t>(parse_payload(payload).first)
             : 0;
}

Looked looked_at(std::int64_t size, const std::vector<StepTrial>& trials) {
  return {
      .place = size,
      .trials = static_cast<unsigned>(trials.size()),
      .held = static_cast<unsigned>(std::count_if(trials.begin(), trials.end(), came_back_whole))};
}

SearchPlan payload_search(const Options& options) {
  const std::vector<std::int64_t> sizes = sizes_of(options);
  return {.start = sizes.front(),
          .least = static_cast<std::int64_t>(kBinaryHeaderBytes),
          .most = sizes.back(),
          .stride = 1,
          .confirm = static_cast<unsigned>(options.integer("trials"))};
}

// The listed sizes first, then those between the largest that came back whole and the next.
std::optional<std::int64_t> next_size(const Options& options, std::span<const StepOutcome> before) {
  const std::vector<std::int64_t> sizes = sizes_of(options);
  if (before.size() < sizes.size()) return sizes[before.size()];
  std::vector<Looked> looked;
  for (const StepOutcome& step : before) {
    looked.push_back(looked_at(static_cast<std::int64_t>(step.load.payload.first), step.trials));
  }
  const auto next = next_look(payload_search(options), looked);
  if (!next) return std::nullopt;
  return next->place;
}

// What becomes of events that do not come back whole: "refused (EMSGSIZE)".
std::string fate_of(const std::vector<StepTrial>& trials) {
  for (const StepTrial& trial : trials) {
    for (const LossCount& loss : trial.ledger.losses) {
      if (loss.events == 0) continue;
      return fmt::format("{} ({})", loss.reported_by == "call" ? "refused" : "lost", loss.cause);
    }
    if (trial.ledger.corrupted + trial.ledger.damaged_bytes > 0) return "changed or cut";
    if (trial.ledger.unaccounted != 0) return "lost without a report";
    if (trial.ledger.unchecked()) return "not read back: " + *trial.ledger.unchecked_cause;
    if (!trial.completed) return "the end of the trial";
  }
  return "whole in some trials only";
}

// The trials of a result, by the size of their events.
struct Sized {
  std::map<std::int64_t, std::vector<StepTrial>> trials;
  std::map<std::int64_t, std::vector<double>> p50_ns;
};

Sized by_size(const Result& result) {
  Sized sized;
  for (const Trial& trial : result.trials) {
    const std::int64_t size = size_of(trial.load.payload);
    sized.trials[size].push_back(step_trial(trial));
    if (trial.service.count > 0) {
      sized.p50_ns[size].push_back(static_cast<double>(trial.service.p50_ns));
    }
  }
  return sized;
}

std::string limit_words(const Sized& sized, const FoundPlace& found, const std::string& sink) {
  if (!found.holds) {
    return fmt::format("{} takes events of none of the sizes whole; those of {} bytes are {}.",
                       sink, *found.misses, fate_of(sized.trials.at(*found.misses)));
  }
  if (!found.misses) {
    return fmt::format("{} takes events of every size whole, up to {} bytes, the largest tried.",
                       sink, *found.holds);
  }
  const bool exact = *found.misses == *found.holds + 1;
  return fmt::format("{} takes events of up to {} bytes whole; those of {} bytes are {}{}.", sink,
                     *found.holds, *found.misses, fate_of(sized.trials.at(*found.misses)),
                     exact ? "" : ", and those between in some trials only");
}

// Of the smallest and the largest size that came back whole.
std::string cost_words(const Sized& sized, const FoundPlace& found, Answer& answer) {
  std::vector<std::string> words;
  for (const auto& [size, p50_ns] : sized.p50_ns) {
    if (!found.holds || size > *found.holds) continue;
    AnswerFigure figure = range_figure(fmt::format("at_{}_bytes_service_p50_ns", size), p50_ns,
                                       fmt::format("median call with {} bytes", size));
    words.push_back(fmt::format("{} with {} bytes", duration_words(figure.value), size));
    answer.figures.push_back(std::move(figure));
  }
  if (words.size() < 2) return "";
  return fmt::format(" A call takes {} and {} (medians).", words.front(), words.back());
}

class Payload : public Scenario {
 public:
  std::string name() const override { return "payload"; }
  std::string description() const override {
    return "events of rising sizes: what a byte costs, and the exact limit";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"rate_hz", OptionType::real, "1000", "events per second, all threads together",
                 0.001, 1e9},
                {"sizes_bytes", OptionType::text, "64,256,1Ki,4Ki,16Ki,60Ki",
                 "ascending sizes that are measured; the limit is searched between two of them"},
            }),
            {{"trials", "3"}, {"events", "200"}, {"warmup_s", "0.05"}}),
        {"payload", "duration_s"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (options.integer("trials") < 2) {
      throw Error("trials = 1 confirms no limit", "confirm it by 2 trials or more");
    }
    const std::optional<std::int64_t> size = next_size(options, before);
    if (!size) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    plan.payload = {.law = PayloadLaw::fixed, .first = static_cast<double>(*size)};
    return plan;
  }

  // Those that are listed, and those of a search by halves.
  std::size_t max_steps(const Options& options) const override {
    return sizes_of(options).size() + 30;
  }

  std::optional<Answer> answer(const Result& result) const override {
    if (result.scenario.name != name()) return std::nullopt;
    const Options given = given_options(*this, result);
    const Sized sized = by_size(result);
    std::vector<Looked> looked;
    for (const auto& [size, trials] : sized.trials) looked.push_back(looked_at(size, trials));
    const FoundPlace found = found_place(payload_search(given), looked);
    if (!found.holds && !found.misses) return std::nullopt;
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    const auto trials = static_cast<unsigned>(given.integer("trials"));
    if (found.holds) {
      AnswerFigure limit{.name = "limit_bytes",
                         .value = static_cast<double>(*found.holds),
                         .low = static_cast<double>(*found.holds),
                         .high = {},
                         .trials = trials,
                         .about =
                             "largest event that came back whole in all trials; high: the "
                             "smallest that did in none"};
      if (found.misses) limit.high = static_cast<double>(*found.misses);
      answer.figures.push_back(std::move(limit));
    }
    answer.sentence = limit_words(sized, found, fmt::format("`{}`", result.sink.label));
    answer.sentence += cost_words(sized, found, answer);
    if (!result.sink.read_back && !result.sink.live_read) {
      answer.cannot.push_back("be read back: what it cuts or loses without saying so stays unseen");
    }
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_payload_scenario() {
  return std::make_unique<Payload>();
}

}  // namespace tailgate
