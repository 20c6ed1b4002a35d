// tailgate etl spans: how long lasted what the events of a trace start and stop.
#include <map>
#include <memory>

#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/spans.h"

namespace tailgate {
namespace {

struct SpansArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  etl::SpanOptions options;
  std::string format = "text";
  std::size_t rows = 50;
};

int print_spans(SpansArguments& arguments) {
  using etl::SpanFormat;
  static const std::map<std::string, SpanFormat> kFormats = {{"text", SpanFormat::text},
                                                             {"json", SpanFormat::json},
                                                             {"hlog", SpanFormat::hlog},
                                                             {"tsv", SpanFormat::tsv}};
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  arguments.options.filter = arguments.filter.filter;
  const std::string nothing =
      report_spans(traces->pointers, traces->decoder, arguments.options,
                   kFormats.at(arguments.format), arguments.rows, print_etl_text);
  if (!nothing.empty()) tell_lines(nothing + "\n");
  return kExitDone;
}

}  // namespace

void add_etl_spans(Command* etl, Action& action) {
  auto arguments = std::make_shared<SpansArguments>();
  Command* command = etl->add_subcommand("spans", "Durations between starts and stops");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--pair", arguments->options.pairs, "Events that start and end a span")
      ->one_value_each_time()
      ->type_name("START=STOP");
  command
      ->add_option("--by", arguments->options.by,
                   "activity, thread, process or the name of a field")
      ->capture_default_str();
  command->add_option("--format", arguments->format, "Table, HdrHistogram's log, or every span")
      ->one_of({"text", "json", "hlog", "tsv"})
      ->capture_default_str();
  command->add_option("--rows", arguments->rows, "Rows of the table")->capture_default_str();
  add_etl_filter(command, arguments->filter);
  command->footer(
      "Examples:\n  tailgate etl spans trace.etl\n"
      "  tailgate etl spans --event GCStart --event GCEnd --format hlog trace.etl\n"
      "  tailgate etl spans --pair TaskBegin=TaskDone --by TaskId trace.etl\n"
      "  tailgate etl spans --pair Heartbeat=Heartbeat --by process trace.etl");
  command->callback(
      [&action, arguments] { action = [arguments] { return print_spans(*arguments); }; });
}

}  // namespace tailgate
