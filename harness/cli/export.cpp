#include "harness/cli/export.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>

#include "harness/base/atomic_file.h"
#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

std::string exported(const Exporter& exporter, LatencyKind kind, std::optional<unsigned> step,
                     const std::filesystem::path& path) {
  Result result = load_result(path);
  std::ostringstream text;
  try {
    if (step) result = select_step(result, *step);
    exporter.write(result, {.kind = kind}, text);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what_failed()), error.remedy());
  }
  return std::move(text).str();
}

std::string formats_help() {
  std::string text = "Formats:\n";
  for (const Exporter* exporter : exporters()) {
    text += fmt::format("  {:<14} {}\n", exporter->name(), exporter->description());
  }
  return text;
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw Error(
        fmt::format("cannot make the directory '{}': {}", directory.string(), error.message()),
        "name another with --out");
  }
}

}  // namespace

void export_results(const ExportRequest& request, std::ostream& out) {
  const auto [exporter, kind] = as_usage([&] {
    return std::pair(&find_exporter(request.format), parse_latency_kind(request.metric));
  });
  const std::vector<std::filesystem::path> files = find_result_files(request.paths);
  if (request.directory.empty()) {
    if (files.size() != 1) {
      throw UsageError(Error(fmt::format("{} results do not fit into one output", files.size()),
                             "name a directory for the files with --out, or give one result"));
    }
    out << exported(*exporter, kind, request.step, files.front());
    return;
  }
  make_directory(request.directory);
  for (const std::filesystem::path& file : files) {
    const std::filesystem::path target =
        request.directory / (file.stem().string() + exporter->extension());
    write_file_atomically(target, exported(*exporter, kind, request.step, file));
    out << target.string() << '\n';
  }
}

void add_export_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("export", "Convert results for other tools");
  const auto request = std::make_shared<ExportRequest>();
  command->add_option("format", request->format, "What to convert to (see below)")
      ->required()
      ->type_name("FORMAT");
  command->add_option("paths", request->paths, "Result files, and directories that hold some")
      ->required()
      ->type_name("FILE|DIR");
  command->add_option("--metric", request->metric, "response, service, delivery or start_lag")
      ->capture_default_str()
      ->type_name("NAME");
  command->add_option("--step", request->step, "Only this step of a sweep, from 0")->type_name("N");
  command
      ->add_option("-o,--out", request->directory, "Folder for the files; else to standard output")
      ->type_name("DIR");
  command->footer(formats_help() +
                  "\n"
                  "Examples:\n"
                  "  tailgate export csv 'out/bench/steady@null.json'\n"
                  "  tailgate export gbench out/bench --out out/gbench\n"
                  "  tailgate export hgrm --metric service --step 2 'out/bench/sweep@file.json'");
  command->callback([request, &action] {
    action = [request] {
      export_results(*request, std::cout);
      return kExitDone;
    };
  });
}

}  // namespace tailgate
