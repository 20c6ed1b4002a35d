// tailgate check: whether a sink keeps the contract, before anything is measured with it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/report/human.h"
#include "harness/trial/processes/contract.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 3000;
constexpr std::uint64_t kSizes = 500;
constexpr double kLargestPayload = 4096;
constexpr std::size_t kMaxVariants = 64;

struct CheckArguments {
  std::vector<std::string> sinks;
  std::string scratch;
  double hang_timeout_s = 5;
};

// What a check found: nothing, why it was left out, or what went wrong.
struct CheckFinding {
  enum class Kind { kept, left_out, broken } kind = Kind::kept;
  std::string text;
};

CheckFinding kept(std::string text) {
  return {CheckFinding::Kind::kept, std::move(text)};
}
CheckFinding left_out(std::string text) {
  return {CheckFinding::Kind::left_out, std::move(text)};
}
CheckFinding broken(std::string text) {
  return {CheckFinding::Kind::broken, std::move(text)};
}

// The sink as given, with each other value of each choice, and each of those with each boolean
// turned over. Options that the user gave stay.
std::vector<std::string> variants_of(const SinkChoice& sink) {
  std::vector<std::string> variants = {sink.text};
  for (const OptionSpec& spec : sink.options.table()) {
    if (sink.options.given(spec.name)) continue;
    for (const std::string& choice : spec.choices) {
      if (choice == spec.default_value) continue;
      variants.push_back(fmt::format("{}:{}={}", sink.text, spec.name, choice));
    }
  }
  for (const OptionSpec& spec : sink.options.table()) {
    if (spec.type != OptionType::boolean || sink.options.given(spec.name)) continue;
    const std::vector<std::string> so_far = variants;
    for (const std::string& variant : so_far) {
      variants.push_back(fmt::format("{}:{}={}", variant, spec.name,
                                     sink.options.boolean(spec.name) ? "false" : "true"));
    }
  }
  variants.resize(std::min(variants.size(), kMaxVariants));
  return variants;
}

// What is wrong with a trial's ledger; empty if it balances.
std::string imbalance(const LedgerAccount& ledger) {
  if (ledger.unchecked()) return "nobody could read the events back: " + *ledger.unchecked_cause;
  if (ledger.unaccounted != 0) {
    return fmt::format("{} of {} events are unaccounted for{}{}", ledger.unaccounted,
                       ledger.emitted, ledger.unaccounted_cause.empty() ? "" : ": ",
                       ledger.unaccounted_cause);
  }
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"events came back twice", ledger.duplicates},
      {"events came back changed", ledger.corrupted},
      {"events came back that nobody emitted", ledger.foreign},
      {"bytes came back that are no events", ledger.damaged_bytes}};
  for (const auto& [what, count] : counts) {
    if (count > 0) return fmt::format("{} {}", count, what);
  }
  return {};
}

// The checks of one sink with its options.
class Checks {
 public:
  Checks(const CheckArguments& arguments, std::filesystem::path scratch, const SinkChoice& sink)
      : scratch_(std::move(scratch)),
        sink_(sink),
        can_(sink.type->capabilities(sink.options)),
        settings_{.clock = measure_clock(),
                  .range = {.lowest_discernible = 1,
                            .highest_trackable = 3'600'000'000'000,
                            .significant_digits = 3},
                  .load_cpus = {},
                  .consumer_cpus = {},
                  .sink_cpus = {},
                  .victim_cpus = {},
                  .noise_s = 0,
                  .hang_timeout_s = arguments.hang_timeout_s} {
    settings_ = settings_for(sink, settings_);
  }

  // Returns whether all were kept.
  bool run() {
    const Probe probe = sink_.type->probe(sink_.options);
    if (!probe.available) {
      return report("available", broken("nothing could be checked: " + probe.reason));
    }
    bool all = report("calls", contract());
    all = report("one thread", ledger(1)) && all;
    if (can_.multi_threaded) {
      all = report("two threads", ledger(2)) && all;
    } else {
      all = report("two threads", left_out("it takes events from one thread only")) && all;
    }
    return report("live reading", live()) && all;
  }

 private:
  bool report(const char* check, const CheckFinding& finding) const {
    const char* word = finding.kind == CheckFinding::Kind::kept       ? "ok"
                       : finding.kind == CheckFinding::Kind::left_out ? "-"
                                                                      : "BROKEN";
    say("  {:<7} {:<13} {}\n", word, check, finding.text);
    return finding.kind != CheckFinding::Kind::broken;
  }

  // The calls of check_contract are made in tailgate's own process. A program that makes its calls
  // by itself gets events of every size instead.
  CheckFinding every_size() {
    LoadPlan load = events_at_once(1, kSizes);
    load.payload = {PayloadLaw::uniform, 1, kLargestPayload};
    const CheckFinding found = balanced(load);
    return found.kind == CheckFinding::Kind::kept ? kept("any size of event: " + found.text)
                                                  : found;
  }

  CheckFinding contract() {
    if (!can_.driver_language.empty()) return every_size();
    const std::string failure = check_contract(sink_, settings_, next_folder());
    return failure.empty() ? kept("opens and closes twice, refuses after that, any size of event")
                           : broken(failure);
  }

  Trial trial(const LoadPlan& load) {
    return run_trial(sink_, load, settings_, next_folder(), [](const TrialProgress&) {});
  }

  static LoadPlan events_at_once(unsigned threads, std::uint64_t events) {
    LoadPlan load;
    load.shape = Shape::max;
    load.threads = threads;
    load.warmup_s = 0;
    load.duration_s = 0;
    load.events = events;
    return load;
  }

  CheckFinding ledger(unsigned threads) { return balanced(events_at_once(threads, kEvents)); }

  CheckFinding balanced(const LoadPlan& load) {
    const Trial done = trial(load);
    if (done.outcome != TrialOutcome::completed) return broken(done.outcome_detail);
    if (!can_.read_back) return left_out("it cannot be read back, so nobody knows what arrived");
    const std::string wrong = imbalance(done.ledger);
    if (!wrong.empty()) return broken(wrong);
    return kept(fmt::format("emitted {} = delivered {} + lost {}", done.ledger.emitted,
                            done.ledger.delivered, done.ledger.lost));
  }

  CheckFinding live() {
    if (!can_.live_read) return left_out("it cannot be read back while the load runs");
    LoadPlan load;
    load.rate_hz = 2000;
    load.warmup_s = 0;
    load.duration_s = 1;
    const Trial done = trial(load);
    if (done.outcome != TrialOutcome::completed) return broken(done.outcome_detail);
    if (!done.consumer.delivery || done.consumer.delivery->count == 0) {
      return broken("no event was seen before the load ended");
    }
    return kept(fmt::format("delivery at 2k events/s: p50 {}",
                            human_duration(done.consumer.delivery->p50_ns)));
  }

  std::filesystem::path next_folder() { return scratch_ / fmt::format("check-{}", next_++); }

  std::filesystem::path scratch_;
  const SinkChoice& sink_;
  Capabilities can_;
  TrialSettings settings_;
  int next_ = 0;
};

int check(const SinkCatalog& catalog, const CheckArguments& arguments) {
  const InterruptFlag interrupts;
  bool all = true;
  for (const std::string& text : arguments.sinks) {
    const SinkChoice given = as_usage([&] { return catalog.choice(text); });
    say("{}: {}\n", given.type->name(), given.type->description());
    for (const std::string& variant : variants_of(given)) {
      if (InterruptFlag::raised()) return kExitInterrupted;
      say("{}\n", variant);
      const SinkChoice sink = catalog.choice(variant);
      const Scratch scratch(arguments.scratch, false);
      all = Checks(arguments, scratch.path(), sink).run() && all;
    }
  }
  say("{}\n", all ? "the contract is kept" : "the contract is broken; the lines above say where");
  return all ? kExitDone : kExitFailed;
}

}  // namespace

void commands::add_check_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("check", "Check that a sink keeps the contract");
  auto arguments = std::make_shared<CheckArguments>();
  command->add_option("SINK", arguments->sinks, "sinks or paths of plugins, with options")
      ->required();
  command->add_option("--scratch", arguments->scratch, "folder for the sink's files");
  command
      ->add_option("--hang-timeout-s", arguments->hang_timeout_s,
                   "a call that takes longer counts as hung")
      ->range(0.1, 3600.0)
      ->capture_default_str();
  command->footer(
      "Runs short trials with each value of each choice and boolean that is not given:\n"
      "about 3 s for each. Measures nothing. Exits with 1 if the contract is broken.\n"
      "Examples:\n"
      "  tailgate check ./libmine.so\n"
      "  tailgate check ./libmine.so:mode=async file");
  command->callback([&action, &catalog, arguments] {
    action = [&catalog, arguments] { return check(catalog.sinks, *arguments); };
  });
}

}  // namespace tailgate
