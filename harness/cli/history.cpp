// tailgate history: the nights, in a file or on a server.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/history_arguments.h"
#include "harness/cli/history_findings.h"
#include "harness/cli/history_fleet.h"
#include "harness/cli/history_import.h"
#include "harness/cli/history_text.h"
#include "harness/cli/known_names.h"
#include "harness/cli/terminal.h"
#include "harness/history/export.h"
#include "harness/history/history.h"
#include "harness/history/machine_events.h"
#include "harness/os/atomic_file.h"

namespace tailgate {
namespace {

using history::Access;
using history::History;
using history::Kind;
using history::Merge;
using history::Question;

// What the subcommands that read have in common.
struct HistoryArguments {
  std::string place;
  Question question;
  std::string merge = "nothing";
  unsigned nights = 0;  // the last so many; 0: all
  bool metrics = false;
  bool changes = false;
  std::string format;
  std::filesystem::path out;
};

void check_machine(const std::string& name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  if (name.size() <= 64 && std::all_of(name.begin(), name.end(), fits)) return;
  throw UsageError(Error("--machine = '" + name + "' is no name of a machine",
                         "give up to 64 letters, digits, '.', '_' and '-'"));
}

Merge merge_of(const std::string& text) {
  if (text == "night") return Merge::night;
  if (text == "group") return Merge::group;
  return text == "all" ? Merge::all : Merge::nothing;
}

// A history knows sinks that this build may not have.
void check_sink(const SinkCatalog& sinks, History& history, const std::string& sink) {
  if (sink.empty()) return;
  std::vector<std::string> measured;
  for (const history::Series& series : history.series({})) {
    if (series.sink == sink) return;
    measured.push_back(name_of_sink(series.sink));
  }
  as_usage([&] { check_sink_name(sinks, measured, sink); });
}

// Opens the history for reading, with what was asked.
History opened(HistoryArguments& arguments, const SinkCatalog& sinks) {
  const history::Filter& filter = arguments.question.filter;
  check_night("--since", filter.since);
  check_night("--until", filter.until);
  arguments.question.merge = merge_of(arguments.merge);
  History history = History::open(arguments.place, Access::read);
  check_sink(sinks, history, filter.sink);
  if (arguments.nights > 0) {
    arguments.question.filter.since = history.first_of_last_nights(arguments.nights);
  }
  return history;
}

void add_nights_and_names(Command* command, HistoryArguments& arguments) {
  history::Filter& filter = arguments.question.filter;
  add_history_place(command, arguments.place);
  CommandOption* since =
      command->add_option("--since", filter.since, "From this night on")->type_name("DATE");
  CommandOption* until =
      command->add_option("--until", filter.until, "To this night, included")->type_name("DATE");
  command->add_option("--nights", arguments.nights, "The last N that have documents")
      ->range(1u, 100'000u)
      ->type_name("N")
      ->excludes(since)
      ->excludes(until);
  command->add_option("--machine", filter.machine, "Its name, or the fingerprint of a group")
      ->type_name("NAME");
  command->add_option("--kind", filter.kind, "Only these documents")->one_of(enum_choices<Kind>());
  command->add_option("--scenario", filter.scenario, "Or the name of a preset")->type_name("NAME");
  command->add_option("--sink", filter.sink, "With any options, or with these")->type_name("SINK");
}

void add_series(Command* command, HistoryArguments& arguments) {
  history::Filter& filter = arguments.question.filter;
  command->add_option("--load", filter.load, "As the table shows it")->type_name("LOAD");
  command->add_option("--part", filter.part, "A role or a cause; of duets: a, b, effect")
      ->type_name("PART");
  command
      ->add_option("--merge", arguments.merge,
                   "What becomes one value: a night's on a machine;\n"
                   "in a group of equal machines; a whole group's")
      ->one_of({"nothing", "night", "group", "all"})
      ->capture_default_str();
}

void add_import(Command* history, Action& action) {
  const auto request = std::make_shared<HistoryImport>();
  request->spool = "out/history-spool";
  Command* command = history->add_subcommand("import", "Add results, duets and verdicts");
  command->add_option("paths", request->paths, "Documents, and folders that hold some")
      ->required()
      ->type_name("FILE|DIR");
  add_history_place(command, request->place);
  command->add_option("--night", request->night, "Their night; else the UTC date of each start")
      ->type_name("DATE");
  command->add_option("--machine", request->machine, "Name of the machine; else its fingerprint")
      ->type_name("NAME");
  command
      ->add_option("--spool", request->spool,
                   "Keeps what the server could not take; the next\n"
                   "import stores it")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer(
      "What is there already counts once, and a later state of a run that was growing\n"
      "replaces the earlier. A document is stored whole or not at all. One that cannot\n"
      "be read is named and left out; the exit code is then 1. Duets go to the charts,\n"
      "and what these find is printed.\n"
      "\n"
      "Examples:\n"
      "  tailgate history import out/nightly/2026-11-25 out/nightly/2026-11-25/results\n"
      "  tailgate history import out --machine m7 --history postgresql://me@db/nights");
  command->callback([request, &action] {
    action = [request] {
      check_night("--night", request->night);
      check_machine(request->machine);
      const std::filesystem::path folder = std::filesystem::path(request->place).parent_path();
      if (!history::is_server(request->place) && !folder.empty()) {
        std::filesystem::create_directories(folder);
      }
      return import_documents(*request) ? kExitDone : kExitFailed;
    };
  });
}

void add_list(Command* history, const SinkCatalog& sinks, Action& action) {
  const auto arguments = std::make_shared<HistoryArguments>();
  Command* command = history->add_subcommand("list", "Show what documents there are");
  add_nights_and_names(command, *arguments);
  CommandOption* metrics =
      command->add_flag("--metrics", arguments->metrics, "Show what can be asked of them instead");
  command->add_flag("--changes", arguments->changes, "Show when machines changed: kernel, compiler")
      ->excludes(metrics);
  command->footer(
      "Examples:\n"
      "  tailgate history list --since 2026-11-01 --kind verdict\n"
      "  tailgate history list --metrics --sink file\n"
      "  tailgate history list --changes --machine m7");
  command->callback([arguments, &sinks, &action] {
    action = [arguments, &sinks] {
      History history = opened(*arguments, sinks);
      const history::Filter& filter = arguments->question.filter;
      if (arguments->metrics) {
        std::cout << history_metrics_text(history.series(filter));
      } else if (arguments->changes) {
        std::cout << history_events_text(history::machine_events(history.list(filter)));
      } else {
        std::cout << history_documents_text(history.list(filter));
      }
      return kExitDone;
    };
  });
}

void add_query(Command* history, const SinkCatalog& sinks, Action& action) {
  const auto arguments = std::make_shared<HistoryArguments>();
  Command* command = history->add_subcommand("query", "Show one metric, night by night");
  command->add_option("--metric", arguments->question.metric, "As response_ns_p99.9, lost_events")
      ->required()
      ->type_name("METRIC");
  add_nights_and_names(command, *arguments);
  add_series(command, *arguments);
  command->footer(
      "Of a distribution any percentile can be asked, and min, max, mean and count.\n"
      "Merged distributions are added up; of merged figures it is the median. A * in a\n"
      "metric's name stands for any letters, call_ns_in_* for a call by cause. What all\n"
      "rows share stands above the table. Scripts read 'tailgate history export csv'.\n"
      "\n"
      "Examples:\n"
      "  tailgate history query --metric response_ns_p99.9 --sink file --nights 14\n"
      "  tailgate history query --metric response_ns_p50 --merge group --sink null\n"
      "  tailgate history query --metric cpu_ns_per_event --part provider\n"
      "  tailgate history query --metric response_ns_p99 --part effect");
  command->callback([arguments, &sinks, &action] {
    action = [arguments, &sinks] {
      History history = opened(*arguments, sinks);
      const std::string& metric = arguments->question.metric;
      std::cout << history_answers_text(metric, history.query(arguments->question));
      return kExitDone;
    };
  });
}

void add_export(Command* history, const SinkCatalog& sinks, Action& action) {
  const auto arguments = std::make_shared<HistoryArguments>();
  Command* command = history->add_subcommand("export", "Write values for other tools");
  command->add_option("format", arguments->format, "csv, or openmetrics for Prometheus")
      ->required()
      ->one_of({"csv", "openmetrics"})
      ->type_name("FORMAT");
  command->add_option("--metric", arguments->question.metric, "Only this one, as for 'query'")
      ->type_name("METRIC");
  add_nights_and_names(command, *arguments);
  add_series(command, *arguments);
  command->add_option("-o,--out", arguments->out, "The file; else to standard output")
      ->type_name("FILE");
  command->footer(
      "csv has a row for each value. openmetrics has one for each night and machine,\n"
      "with its time; durations are in seconds.\n"
      "\n"
      "Examples:\n"
      "  tailgate history export csv --sink file > file.csv\n"
      "  tailgate history export openmetrics --out nights.txt\n"
      "  promtool tsdb create-blocks-from openmetrics nights.txt prometheus/data");
  command->callback([arguments, &sinks, &action] {
    action = [arguments, &sinks] {
      History history = opened(*arguments, sinks);
      const std::string text = arguments->format == "csv"
                                   ? history::to_csv(history, arguments->question)
                                   : history::to_openmetrics(history, arguments->question);
      if (arguments->out.empty()) {
        std::cout << text;
      } else {
        write_file_atomically(arguments->out, text);
      }
      return kExitDone;
    };
  });
}

}  // namespace

void commands::add_history_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command =
      program.add_subcommand("history", "Keep the nights, and ask for any percentile");
  command->require_subcommand();
  command->footer(
      "Examples:\n"
      "  tailgate history import out/nightly/2026-11-25/results\n"
      "  tailgate history query --metric response_ns_p99.9 --sink file --nights 14\n"
      "  tailgate history findings");
  add_import(command, action);
  add_list(command, catalog.sinks, action);
  add_query(command, catalog.sinks, action);
  add_export(command, catalog.sinks, action);
  add_history_findings(command, action);
  add_history_fleet(command, action);
}

}  // namespace tailgate
