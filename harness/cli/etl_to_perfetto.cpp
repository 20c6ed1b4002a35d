// tailgate etl to-perfetto: a whole trace for ui.perfetto.dev.
#include <fmt/format.h>

#include <memory>

#include "harness/base/quoting.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/to_perfetto.h"

namespace tailgate {
namespace {

struct ToPerfettoArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  std::vector<std::string> counters;
  std::string out;
  bool force = false;
};

int write_trace(ToPerfettoArguments& arguments) {
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  const etl::PerfettoCounts counts =
      write_perfetto(traces->pointers, traces->decoder, arguments.filter.filter, arguments.counters,
                     arguments.out, arguments.force);
  if (!counts.why_nothing.empty()) tell_lines(counts.why_nothing + "\n");
  std::string text = fmt::format(
      "{} events, {} slices, {} samples, {} spans, {} counter values: {}\n", counts.events,
      counts.slices, counts.samples, counts.spans, counts.counters, printable(arguments.out));
  if (counts.stack_walks != 0) {
    text += fmt::format("left out: {} stacks, which etl profile shows\n", counts.stack_walks);
  }
  if (counts.broken_runs != 0) {
    text += fmt::format("left out: {} stretches of running, whose context switch is missing\n",
                        counts.broken_runs);
  }
  print_etl_text(text);
  return kExitDone;
}

}  // namespace

void add_etl_to_perfetto(Command* etl, Action& action) {
  auto arguments = std::make_shared<ToPerfettoArguments>();
  Command* command =
      etl->add_subcommand("to-perfetto", "The whole trace for ui.perfetto.dev, as JSON");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--out", arguments->out, "The file; compressed if it ends in .gz")
      ->required()
      ->type_name("FILE.json");
  command->add_flag("--force", arguments->force, "Replace the file if there is one");
  command
      ->add_option("--counter", arguments->counters, "Show this field of these events as a counter")
      ->type_name("EVENT=FIELD");
  add_etl_filter(command, arguments->filter);
  command->footer(
      "Examples:\n  tailgate etl to-perfetto trace.etl --out trace.json.gz\n"
      "  tailgate etl to-perfetto --from-ms 2000 --to-ms 3000 trace.etl \\\n"
      "      --counter GCHeapStats=GenerationSize0 --out second.json\n"
      "Open the file at https://ui.perfetto.dev; it stays on your machine.");
  command->callback(
      [&action, arguments] { action = [arguments] { return write_trace(*arguments); }; });
}

}  // namespace tailgate
