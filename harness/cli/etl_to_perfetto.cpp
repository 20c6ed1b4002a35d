// tailgate etl to-perfetto: a whole trace for ui.perfetto.dev.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/quoting.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/to_perfetto.h"
#include "harness/os/process.h"

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
  const InterruptFlag interrupt;
  const etl::PerfettoCounts counts =
      write_perfetto(traces->pointers, traces->decoder, arguments.filter.filter, arguments.counters,
                     arguments.out, arguments.force);
  if (InterruptFlag::raised()) return kExitInterrupted;
  if (!counts.why_nothing.empty()) tell_lines(counts.why_nothing + "\n");
  std::string text = fmt::format(
      "{} events, {} slices, {} samples, {} spans, {} counter values: {}\n", counts.events,
      counts.slices, counts.samples, counts.spans, counts.counters, printable(arguments.out));
  const auto left_out = [&text](std::uint64_t count, std::string_view what) {
    if (count != 0) text += fmt::format("left out: {} {}\n", count, what);
  };
  left_out(counts.stack_walks, "stacks, which etl profile shows");
  left_out(counts.broken_runs, "stretches of running, whose context switch is missing");
  left_out(counts.waits_over_limit, "waits, because too many threads waited at a time");
  left_out(counts.counters_not_finite, "counter values that are infinite or no number");
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
