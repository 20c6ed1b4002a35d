// tailgate etl: reads event trace logs (.etl) on any system.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/etl_verify.h"
#include "harness/cli/terminal.h"
#include "harness/etl/memory_use.h"
#include "harness/etl/profile.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"
#include "harness/etl/waits.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

using etl::TraceFile;

void add_info(Command* etl, Action& action) {
  auto inputs = std::make_shared<EtlInputs>();
  Command* command = etl->add_subcommand("info", "Sessions, losses, damage, buffers, providers");
  add_etl_inputs(command, *inputs, true);
  command->add_flag("--json", inputs->json, "One JSON object a file");
  command->callback([&action, inputs] {
    action = [inputs] {
      // One at a time: what one file describes says nothing about another here.
      for (const std::string& path : inputs->files) {
        EtlInputs one = *inputs;
        one.files = {path};
        auto traces = open_etl_traces(one, true);
        const etl::ContainerBytes* container =
            traces->containers.empty() ? nullptr : &traces->containers.front()->bytes();
        for (const TraceFile* file : traces->pointers) {
          report_info(*file, traces->decoder, inputs->format(), print_etl_text, container);
        }
      }
      return kExitDone;
    };
  });
}

void add_stats(Command* etl, Action& action) {
  auto inputs = std::make_shared<EtlInputs>();
  Command* command =
      etl->add_subcommand("stats", "Number of events by provider, event and version");
  add_etl_inputs(command, *inputs, true);
  command->add_flag("--json", inputs->json, "One JSON object");
  command->callback([&action, inputs] {
    action = [inputs] {
      auto traces = open_etl_traces(*inputs, true);
      report_stats(traces->pointers, traces->decoder, inputs->format(), print_etl_text);
      return kExitDone;
    };
  });
}

using ReportTables = decltype(&etl::report_cpu);

// A subcommand that prints tables of what the kernel recorded.
void add_tables(Command* etl, Action& action, const char* name, const char* help,
                ReportTables report) {
  auto inputs = std::make_shared<EtlInputs>();
  auto rows = std::make_shared<std::size_t>(20);
  Command* command = etl->add_subcommand(name, help);
  add_etl_inputs(command, *inputs, false);
  command->add_flag("--json", inputs->json, "One JSON object a session, with all rows");
  command->add_option("--rows", *rows, "Rows of each table")->capture_default_str();
  command->callback([&action, inputs, rows, report] {
    action = [inputs, rows, report] {
      auto traces = open_etl_traces(*inputs, false);
      report(traces->pointers, inputs->format(), *rows, print_etl_text);
      return kExitDone;
    };
  });
}

void add_profile(Command* etl, Action& action) {
  auto inputs = std::make_shared<EtlInputs>();
  auto format = std::make_shared<std::string>("text");
  auto rows = std::make_shared<std::size_t>(20);
  auto symbols = std::make_shared<std::string>();
  Command* command = etl->add_subcommand("profile", "CPU samples by processor, process and image");
  add_etl_inputs(command, *inputs, false);
  command->add_option("--format", *format, "Tables, or stacks for other viewers")
      ->one_of({"text", "json", "folded", "speedscope"})
      ->capture_default_str();
  command->add_option("--rows", *rows, "Rows of each table of the text")->capture_default_str();
  command->add_option("--symbols", *symbols, "Folder of PDBs, Breakpad texts and perf maps")
      ->type_name("DIR");
  command->footer(
      "Traces of several computers or boots have a profile each.\n\n"
      "Examples:\n  tailgate etl profile --rows 5 kernel.etl\n"
      "  tailgate etl profile --symbols C:\\symbols kernel.etl\n"
      "  tailgate etl profile --symbols out --format speedscope kernel.etl > p.json");
  command->callback([&action, inputs, format, rows, symbols] {
    action = [inputs, format, rows, symbols] {
      using etl::ProfileFormat;
      static const std::map<std::string, ProfileFormat> kFormats = {
          {"text", ProfileFormat::text},
          {"json", ProfileFormat::json},
          {"folded", ProfileFormat::folded},
          {"speedscope", ProfileFormat::speedscope}};
      auto traces = open_etl_traces(*inputs, false);
      etl::ProfileOptions options{kFormats.at(*format), *rows};
      if (!symbols->empty()) options.symbols = *symbols;
      const std::string unused = report_profile(traces->pointers, options, print_etl_text);
      if (!unused.empty()) tell_lines(unused);
      return kExitDone;
    };
  });
}

struct DumpArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  etl::DumpOptions options;
  std::string columns;
  bool csv = false;
  bool xml = false;
  std::string shown_time = "ms";

  etl::DumpFormat format() const {
    if (inputs.json) return etl::DumpFormat::json_lines;
    if (xml) return etl::DumpFormat::xml;
    return csv ? etl::DumpFormat::csv : etl::DumpFormat::tsv;
  }
};

// The names between commas, but for those in back quotes.
std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  if (list.empty()) return names;
  names.emplace_back();
  bool quoted = false;
  for (char c : list) {
    if (c == '`') quoted = !quoted;
    if (c == ',' && !quoted) {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

void add_dump(Command* etl, Action& action) {
  auto arguments = std::make_shared<DumpArguments>();
  Command* command = etl->add_subcommand("dump", "Every event with its fields, in order of time");
  add_etl_inputs(command, arguments->inputs, true);
  auto* json = command->add_flag("--json", arguments->inputs.json, "JSON lines instead of TSV");
  auto* csv = command->add_flag("--csv", arguments->csv, "Comma-separated values instead of TSV");
  csv->excludes(json);
  auto* xml =
      command->add_flag("--xml", arguments->xml, "XML as of the Windows Event Log instead of TSV");
  xml->excludes(json);
  xml->excludes(csv);
  command
      ->add_option("--columns", arguments->columns, "Only these, by commas: time_ms,pid,event,Size")
      ->type_name("NAMES")
      ->excludes(json)
      ->excludes(xml);
  add_etl_filter(command, arguments->filter);
  command
      ->add_option("--time", arguments->shown_time,
                   "Milliseconds since the start, or UTC, or local")
      ->one_of({"ms", "utc", "local"})
      ->capture_default_str();
  command->add_option("--limit", arguments->options.max_events, "Stop after this many events");
  add_etl_threads(command, arguments->options.threads);
  command->callback([&action, arguments] {
    action = [arguments] {
      etl::DumpOptions& options = arguments->options;
      options.format = arguments->format();
      as_usage([&] {
        for (const std::string& name : names_in(arguments->columns)) {
          options.columns.push_back(etl::EventPath::parse(name));
        }
      });
      const bool local = arguments->shown_time == "local";
      if (arguments->shown_time != "ms") {
        options.time = local ? etl::DumpTime::local : etl::DumpTime::utc;
      }
      auto traces = open_etl_traces(arguments->inputs, true);
      finish_etl_filter(arguments->filter, *traces, local);
      options.filter = arguments->filter.filter;
      const std::string nothing =
          dump_events(traces->pointers, traces->decoder, options, print_etl_text);
      if (!nothing.empty()) tell_lines(nothing + "\n");
      return kExitDone;
    };
  });
}

void add_verify(Command* etl, Action& action) {
  auto inputs = std::make_shared<EtlInputs>();
  auto result = std::make_shared<std::string>();
  Command* command =
      etl->add_subcommand("verify", "Check the ledger of an ETW run against its trace");
  command->add_option("result", *result, "Result file of the run")
      ->required()
      ->type_name("FILE.json");
  add_etl_inputs(command, *inputs, false);
  command->callback([&action, inputs, result] {
    action = [inputs, result] {
      auto traces = open_etl_traces(*inputs, false);
      const EtlLedger ledger = verify_etl(load_result(*result), traces->pointers);
      print_etl_text(etl_ledger_text(ledger));
      return ledger.agrees() ? kExitDone : kExitFailed;
    };
  });
}

}  // namespace

void commands::add_etl_command(Command& program, const Catalog&, Action& action) {
  Command* etl = program.add_subcommand("etl", "Read event trace logs (.etl) of Windows");
  etl->require_subcommand();
  etl->footer(
      "Examples:\n  tailgate etl info trace.etl\n"
      "  tailgate etl dump --provider Microsoft-Windows-DotNETRuntime --json trace.etl\n"
      "  tailgate etl dump --manifest clr.man --pid 4711 trace.etl | head\n"
      "  tailgate etl dump --where 'id == 4624' Security.evtx\n"
      "  tailgate etl dump trace.etl System.evtx        in order of time\n"
      "  tailgate etl cpu kernel.etl\n"
      "  tailgate etl profile --format folded kernel.etl > stacks.txt\n"
      "  tailgate etl spans --format hlog trace.etl > durations.hlog");
  etl->callback(fail_writes_to_closed_pipes);
  add_info(etl, action);
  add_dump(etl, action);
  add_stats(etl, action);
  add_tables(etl, action, "cpu", "CPU time by process, thread, DPC, ISR; wake-ups",
             etl::report_cpu);
  add_profile(etl, action);
  add_tables(etl, action, "waits", "What threads waited for, and who readied them",
             etl::report_waits);
  add_tables(etl, action, "memory", "Memory and blocks of heaps that were not freed",
             etl::report_memory);
  add_etl_stacks(etl, action);
  add_etl_buffers(etl, action);
  add_etl_spans(etl, action);
  add_etl_activities(etl, action);
  add_etl_to_sqlite(etl, action);
  add_etl_record(etl, action);
  add_etl_to_pcapng(etl, action);
  add_etl_to_perfetto(etl, action);
  add_etl_anonymize(etl, action);
  add_verify(etl, action);
}

}  // namespace tailgate
