// tailgate etl to-sqlite: a trace's events as tables of an SQLite database.
#include <fmt/format.h>

#include <memory>

#include "harness/base/quoting.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/to_sqlite.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

struct ToSqliteArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  std::string out;
  etl::SqliteOptions options;
};

int write_tables(ToSqliteArguments& arguments) {
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  const InterruptFlag interrupt;
  arguments.options.filter = arguments.filter.filter;
  const etl::SqliteCounts counts =
      write_sqlite(traces->pointers, traces->decoder, arguments.options, arguments.out);
  if (InterruptFlag::raised()) return kExitInterrupted;
  if (!counts.why_nothing.empty()) tell_lines(counts.why_nothing + "\n");
  print_etl_text(fmt::format("{} events in {} tables: {}\n", counts.events, counts.tables,
                             printable(arguments.out)));
  return kExitDone;
}

}  // namespace

void add_etl_to_sqlite(Command* etl, Action& action) {
  auto arguments = std::make_shared<ToSqliteArguments>();
  Command* command =
      etl->add_subcommand("to-sqlite", "A table for each provider and event, in SQLite");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--out", arguments->out, "The database")
      ->required()
      ->type_name("FILE.sqlite");
  command->add_flag("--force", arguments->options.replace, "Replace the file if there is one");
  add_etl_filter(command, arguments->filter);
  add_etl_threads(command, arguments->options.threads);
  command->footer(
      "Examples:\n  tailgate etl to-sqlite trace.etl --out trace.sqlite\n"
      "  sqlite3 trace.sqlite 'SELECT * FROM event_tables ORDER BY events DESC'\n"
      "  sqlite3 trace.sqlite 'SELECT pid, sum(TransferSize)\n"
      "      FROM \"Windows Kernel/DiskIo/Read\" GROUP BY pid'");
  command->callback(
      [&action, arguments] { action = [arguments] { return write_tables(*arguments); }; });
}

}  // namespace tailgate
