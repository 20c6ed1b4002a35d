// tailgate etl stacks: where in the code the events of a trace come from.
#include <memory>

#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/stacks.h"

namespace tailgate {
namespace {

struct StacksArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  std::string format = "text";
  std::string symbols;
  std::size_t rows = 20;
};

int print_stacks(StacksArguments& arguments) {
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  etl::StacksOptions options{
      arguments.format == "folded" ? etl::StacksFormat::folded : etl::StacksFormat::text,
      arguments.rows};
  if (!arguments.symbols.empty()) options.symbols = arguments.symbols;
  const std::string nothing = report_stacks(traces->pointers, traces->decoder,
                                            arguments.filter.filter, options, print_etl_text);
  if (!nothing.empty()) tell_lines(nothing + "\n");
  return kExitDone;
}

}  // namespace

void add_etl_stacks(Command* etl, Action& action) {
  auto arguments = std::make_shared<StacksArguments>();
  Command* command = etl->add_subcommand("stacks", "Stacks of any events, by process");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--format", arguments->format, "Text, or a line a stack for flame graphs")
      ->one_of({"text", "folded"})
      ->capture_default_str();
  command->add_option("--rows", arguments->rows, "Stacks of the text")->capture_default_str();
  command
      ->add_option("--symbols", arguments->symbols, "Folder of PDBs, Breakpad texts and perf maps")
      ->type_name("DIR");
  add_etl_filter(command, arguments->filter);
  command->footer(
      "Examples:\n  tailgate etl stacks --event DiskIo/Read trace.etl\n"
      "  tailgate etl stacks --event CSwitch --format folded trace.etl > switches.txt\n"
      "  tailgate etl stacks --event GCAllocationTick trace.etl");
  command->callback(
      [&action, arguments] { action = [arguments] { return print_stacks(*arguments); }; });
}

}  // namespace tailgate
