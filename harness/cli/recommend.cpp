// tailgate recommend: which of the measured logging paths may be used for a load?
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/readable_results.h"
#include "harness/cli/terminal.h"
#include "harness/gate/budget.h"
#include "harness/report/exporter.h"
#include "harness/report/ranking.h"
#include "harness/report/recommend.h"
#include "harness/sink/catalog.h"
#include "harness/trial/load.h"

namespace tailgate {
namespace {

struct RecommendRequest {
  std::vector<std::filesystem::path> paths;
  std::string rate;
  std::string payload;
  unsigned threads = 1;
  std::string loss = "none";
  std::string survives = "nothing";
  std::string sort;
  bool json = false;
};

// "none", "any" or "0.1%", as a share of the events.
double parse_loss(const std::string& text) {
  if (text == "none") return 0;
  if (text == "any") return 1;
  try {
    const BudgetBound bound = parse_bound("lost <= " + text);
    if (bound.is_share) return bound.limit;
  } catch (const Error&) {
    // What is wrong with it is said below, in the words of this option.
  }
  throw Error(fmt::format("--loss {} is no share of the events", text),
              "give none, any, or the most that may be lost: 0.1%");
}

LoggingNeeds needs_of(const RecommendRequest& request) {
  LoggingNeeds needs;
  needs.rate_hz = parse_budget_rate(request.rate);
  if (needs.rate_hz <= 0) {
    throw Error("--rate max is no rate that a program logs at", "give events per second: 20k");
  }
  if (!request.payload.empty()) needs.payload = payload_text(parse_payload(request.payload));
  needs.threads = request.threads;
  needs.most_lost_share = parse_loss(request.loss);
  needs.survives = *enum_value<Survives>(request.survives);
  needs.sort = request.sort;
  return needs;
}

// A result of before sinks declared what they survive: what the sink of that name declares here. No
// plugin is loaded for it, because a file would then say which.
void fill_in_survival(const SinkCatalog& sinks, Result& result) {
  const std::string& label = result.sink.label;
  if (result.sink.survives || label.find_first_of("./\\") != std::string::npos) return;
  try {
    const SinkChoice choice = sinks.choice(label);
    if (choice.type->name() != result.sink.name) return;
    result.sink.survives = choice.type->capabilities(choice.options).survives;
  } catch (const Error&) {
    // This program does not have that sink, or not these options: it is not known.
  }
}

int recommend_sink(const SinkCatalog& sinks, const RecommendRequest& request) {
  const LoggingNeeds needs = as_usage([&] { return needs_of(request); });
  if (request.paths.empty()) {
    throw UsageError(
        Error("there are no results to choose from",
              fmt::format("measure the sinks that you consider ('tailgate sinks' lists them), into "
                          "DIR:\n{}",
                          run_to_make(needs, needs.payload, {}))));
  }
  ReadableResults read = read_results(request.paths);
  for (NamedResult& named : read.results) fill_in_survival(sinks, named.result);
  const Recommendation recommendation = recommend(read.results, needs);
  std::cout << render(recommendation, request.json ? "json" : "text",
                      {.colour = colour_wanted(stdout)});
  return recommendation.best() != nullptr && read.all() ? kExitDone : kExitFailed;
}

}  // namespace

void commands::add_recommend_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("recommend", "Say which measured path suits a program");
  const auto request = std::make_shared<RecommendRequest>();
  command->add_option("paths", request->paths, "Files of runs, and folders of them")
      ->type_name("FILE|DIR");
  command->add_option("--rate", request->rate, "Events per second, all threads together: 20k")
      ->required()
      ->type_name("RATE");
  command
      ->add_option("--payload", request->payload, "Bytes of an event; else as most were measured")
      ->type_name("BYTES");
  command->add_option("--threads", request->threads, "That log at once")
      ->range(1u, 10'000u)
      ->capture_default_str();
  command->add_option("--loss", request->loss, "What may be lost: none, any or a share, 0.1%")
      ->type_name("SHARE")
      ->capture_default_str();
  command->add_option("--survives", request->survives, "What every event must survive")
      ->one_of(enum_choices<Survives>())
      ->capture_default_str();
  command
      ->add_option("--sort", request->sort,
                   "Figure to rank those by that qualify;\n"
                   "else p99, or p50 where tails are the machine's")
      ->one_of(ranking_columns());
  command->add_flag("--json", request->json, "Print the same as JSON");
  command->footer(
      "Ranks the sinks among the results that qualify, and says of each other one why\n"
      "it does not: it did not hold the rate, it lost events, its events do not\n"
      "survive what is asked, it was not measured at that load (steady, this rate,\n"
      "size and number of threads). Says, too, whether the numbers may be trusted.\n"
      "Exit code 0 if a sink qualifies, 1 if none does or a file cannot be read.\n"
      "\n"
      "What accepted events survive is declared by each sink (providers/README.md):\n"
      "kill, the program's sudden death; crash, also the system's.\n"
      "\n"
      "JSON: use (a sink, or null), needs, trusted, doubts, close (sinks that the\n"
      "trials do not tell from it), sinks (sink, file, qualifies, why_not, measured,\n"
      "survives, trials, emitted, lost, cpu_ns, response_ns), measure (run to make).\n"
      "\n"
      "Examples:\n"
      "  tailgate recommend out/today --rate 20k --payload 300\n"
      "  tailgate recommend out/today --rate 20k --survives kill --loss none\n"
      "  tailgate recommend out/today --rate 1k --survives crash --json | jq .use");
  command->callback([request, &catalog, &action] {
    action = [request, &catalog] { return recommend_sink(catalog.sinks, *request); };
  });
}

}  // namespace tailgate
