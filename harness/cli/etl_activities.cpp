// tailgate etl activities: which events belong together, and what came from what.
#include <memory>

#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/activities.h"

namespace tailgate {
namespace {

struct ActivitiesArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  std::size_t rows = 50;
};

int print_activities(ActivitiesArguments& arguments) {
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  const std::string nothing =
      report_activities(traces->pointers, traces->decoder, arguments.filter.filter,
                        arguments.inputs.format(), arguments.rows, print_etl_text);
  if (!nothing.empty()) tell_lines(nothing + "\n");
  return kExitDone;
}

}  // namespace

void add_etl_activities(Command* etl, Action& action) {
  auto arguments = std::make_shared<ActivitiesArguments>();
  Command* command =
      etl->add_subcommand("activities", "Activities by their ids, as trees, longest first");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_flag("--json", arguments->inputs.json, "One JSON object a session, with all rows");
  command->add_option("--rows", arguments->rows, "Rows of the text")->capture_default_str();
  add_etl_filter(command, arguments->filter);
  command->footer(
      "Examples:\n  tailgate etl activities trace.etl\n"
      "  tailgate etl activities --provider Microsoft-Windows-WebIO --rows 10 trace.etl\n"
      "  tailgate etl activities --pid 4711 --json trace.etl");
  command->callback(
      [&action, arguments] { action = [arguments] { return print_activities(*arguments); }; });
}

}  // namespace tailgate
