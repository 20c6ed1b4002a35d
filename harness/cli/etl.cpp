// tailgate etl: reads event trace logs (.etl) on any system.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/etl_verify.h"
#include "harness/cli/terminal.h"
#include "harness/etl/container.h"
#include "harness/etl/profile.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

using etl::Decoder;
using etl::TextFormat;
using etl::TraceFile;

// What the subcommands share.
struct Inputs {
  std::vector<std::string> files;
  std::vector<std::string> manifests;
  std::vector<std::string> tmf_files;
  bool json = false;

  TextFormat format() const { return json ? TextFormat::json : TextFormat::text; }
};

struct OpenTraces {
  std::vector<std::unique_ptr<etl::UnpackedTraces>> containers;
  std::vector<std::unique_ptr<TraceFile>> files;
  std::vector<const TraceFile*> pointers;
  Decoder decoder;
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read '" + path + "'", "name a file that you may read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void open_file(const std::filesystem::path& path, OpenTraces& traces) {
  if (!etl::is_container(path)) {
    traces.files.push_back(std::make_unique<TraceFile>(path));
    traces.pointers.push_back(traces.files.back().get());
    return;
  }
  traces.containers.push_back(std::make_unique<etl::UnpackedTraces>(path));
  for (const auto& file : traces.containers.back()->files()) traces.pointers.push_back(file.get());
}

std::unique_ptr<OpenTraces> open_traces(const Inputs& inputs, bool with_schemas) {
  auto traces = std::make_unique<OpenTraces>();
  for (const std::string& path : inputs.files) open_file(path, *traces);
  for (const std::string& path : inputs.manifests) {
    std::string xml = read_file(path);
    traces->decoder.add_manifest({reinterpret_cast<const std::uint8_t*>(xml.data()), xml.size()});
  }
  for (const std::string& path : inputs.tmf_files) {
    traces->decoder.add_tmf(read_file(path), path);
  }
  if (with_schemas) traces->decoder.learn(traces->pointers);
  return traces;
}

bool print_all_of(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

void add_inputs(Command* command, Inputs& inputs, bool with_schemas) {
  command->add_option("files", inputs.files, "Trace files; one trace's siblings are merged")
      ->required()
      ->type_name("FILE.etl");
  if (!with_schemas) return;
  command
      ->add_option("--manifest", inputs.manifests, "Manifest of a registered provider; repeatable")
      ->type_name("FILE.man");
  command->add_option("--tmf", inputs.tmf_files, "Message format file for WPP; repeatable")
      ->type_name("FILE.tmf");
}

void add_info(Command* etl, Action& action) {
  auto inputs = std::make_shared<Inputs>();
  Command* command = etl->add_subcommand("info", "Sessions, losses, damage, buffers, providers");
  add_inputs(command, *inputs, true);
  command->add_flag("--json", inputs->json, "One JSON object a file");
  command->callback([&action, inputs] {
    action = [inputs] {
      // One at a time: what one file describes says nothing about another here.
      for (const std::string& path : inputs->files) {
        Inputs one = *inputs;
        one.files = {path};
        auto traces = open_traces(one, true);
        for (const TraceFile* file : traces->pointers) {
          report_info(*file, traces->decoder, inputs->format(), print_all_of);
        }
      }
      return kExitDone;
    };
  });
}

void add_stats(Command* etl, Action& action) {
  auto inputs = std::make_shared<Inputs>();
  Command* command =
      etl->add_subcommand("stats", "Number of events by provider, event and version");
  add_inputs(command, *inputs, true);
  command->add_flag("--json", inputs->json, "One JSON object");
  command->callback([&action, inputs] {
    action = [inputs] {
      auto traces = open_traces(*inputs, true);
      report_stats(traces->pointers, traces->decoder, inputs->format(), print_all_of);
      return kExitDone;
    };
  });
}

void add_cpu(Command* etl, Action& action) {
  auto inputs = std::make_shared<Inputs>();
  auto rows = std::make_shared<std::size_t>(20);
  Command* command = etl->add_subcommand("cpu", "CPU time by process, thread, DPC, ISR; wake-ups");
  add_inputs(command, *inputs, false);
  command->add_flag("--json", inputs->json, "One JSON object a session, with all rows");
  command->add_option("--rows", *rows, "Rows of each table")->capture_default_str();
  command->callback([&action, inputs, rows] {
    action = [inputs, rows] {
      auto traces = open_traces(*inputs, false);
      report_cpu(traces->pointers, inputs->format(), *rows, print_all_of);
      return kExitDone;
    };
  });
}

void add_profile(Command* etl, Action& action) {
  auto inputs = std::make_shared<Inputs>();
  auto format = std::make_shared<std::string>("text");
  auto rows = std::make_shared<std::size_t>(20);
  Command* command = etl->add_subcommand("profile", "CPU samples by processor, process and image");
  add_inputs(command, *inputs, false);
  command->add_option("--format", *format, "Tables, or stacks for other viewers")
      ->one_of({"text", "json", "folded", "speedscope"})
      ->capture_default_str();
  command->add_option("--rows", *rows, "Rows of each table of the text")->capture_default_str();
  command->callback([&action, inputs, format, rows] {
    action = [inputs, format, rows] {
      using etl::ProfileFormat;
      static const std::map<std::string, ProfileFormat> kFormats = {
          {"text", ProfileFormat::text},
          {"json", ProfileFormat::json},
          {"folded", ProfileFormat::folded},
          {"speedscope", ProfileFormat::speedscope}};
      auto traces = open_traces(*inputs, false);
      report_profile(traces->pointers, kFormats.at(*format), *rows, print_all_of);
      return kExitDone;
    };
  });
}

struct DumpArguments {
  Inputs inputs;
  etl::DumpOptions options;
  etl::TimeTexts times;
  std::string shown_time = "ms";
};

void add_times(Command* command, DumpArguments& arguments) {
  command
      ->add_option("--time", arguments.shown_time, "Milliseconds since the start, or UTC, or local")
      ->one_of({"ms", "utc", "local"})
      ->capture_default_str();
  command->add_option("--since", arguments.times.since, "From this time: 2020-07-29T00:06:22Z")
      ->type_name("TIME");
  command->add_option("--until", arguments.times.until, "Up to this time, likewise")
      ->type_name("TIME");
  command->add_option("--last", arguments.times.last, "Only the end of the trace: 5m, 30s, 2h")
      ->type_name("DURATION");
}

void set_dump_times(const DumpArguments& arguments, const OpenTraces& traces,
                    etl::DumpOptions& options) {
  const bool local = arguments.shown_time == "local";
  if (arguments.shown_time != "ms") {
    options.time = local ? etl::DumpTime::local : etl::DumpTime::utc;
  }
  set_times(arguments.times, local, traces.pointers, options.filter);
}

void add_dump(Command* etl, Action& action) {
  auto arguments = std::make_shared<DumpArguments>();
  Command* command = etl->add_subcommand("dump", "Every event with its fields, in order of time");
  add_inputs(command, arguments->inputs, true);
  etl::EventFilter& filter = arguments->options.filter;
  command->add_flag("--json", arguments->inputs.json, "JSON lines instead of TSV");
  command->add_option("--provider", filter.providers, "Only this provider (name or GUID)");
  command->add_option("--event", filter.events, "Only this event (name, task, opcode or id)");
  command->add_option("--pid", filter.process_ids, "Only events of this process");
  command->add_option("--from-ms", filter.from_ms, "Only from this time after the session's start");
  command->add_option("--to-ms", filter.to_ms, "Only up to this time, likewise");
  add_times(command, *arguments);
  command->add_option("--limit", arguments->options.max_events, "Stop after this many events");
  command->callback([&action, arguments] {
    action = [arguments] {
      etl::DumpOptions& options = arguments->options;
      options.format = arguments->inputs.json ? etl::DumpFormat::json_lines : etl::DumpFormat::tsv;
      auto traces = open_traces(arguments->inputs, true);
      set_dump_times(*arguments, *traces, options);
      const std::string nothing =
          dump_events(traces->pointers, traces->decoder, options, print_all_of);
      if (!nothing.empty()) tell_lines(nothing + "\n");
      return kExitDone;
    };
  });
}

void add_verify(Command* etl, Action& action) {
  auto inputs = std::make_shared<Inputs>();
  auto result = std::make_shared<std::string>();
  Command* command =
      etl->add_subcommand("verify", "Check the ledger of an ETW run against its trace");
  command->add_option("result", *result, "Result file of the run")
      ->required()
      ->type_name("FILE.json");
  add_inputs(command, *inputs, false);
  command->callback([&action, inputs, result] {
    action = [inputs, result] {
      auto traces = open_traces(*inputs, false);
      const EtlLedger ledger = verify_etl(load_result(*result), traces->pointers);
      print_all_of(etl_ledger_text(ledger));
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
      "  tailgate etl cpu kernel.etl\n"
      "  tailgate etl profile --format folded kernel.etl > stacks.txt");
  etl->callback(fail_writes_to_closed_pipes);
  add_info(etl, action);
  add_dump(etl, action);
  add_stats(etl, action);
  add_cpu(etl, action);
  add_profile(etl, action);
  add_verify(etl, action);
}

}  // namespace tailgate
