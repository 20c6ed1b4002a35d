#include "harness/cli/etl_inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/error.h"
#include "harness/cli/terminal.h"
#include "harness/etl/schemas.h"
#include "harness/etl/where.h"
#include "harness/os/affinity.h"

namespace tailgate {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read '" + path + "'", "name a file that you may read");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void open_file(const std::filesystem::path& path, EtlTraces& traces) {
  if (!etl::is_container(path)) {
    traces.files.push_back(std::make_unique<etl::TraceFile>(path));
    traces.pointers.push_back(traces.files.back().get());
    return;
  }
  traces.containers.push_back(std::make_unique<etl::UnpackedTraces>(path));
  for (const auto& file : traces.containers.back()->files()) traces.pointers.push_back(file.get());
}

// Behind the traces: the events of a log are put on the clock of the first of them.
void open_log(const std::filesystem::path& path, EtlTraces& traces) {
  const etl::LogFileHeader* beside =
      traces.pointers.empty() ? nullptr : &traces.pointers.front()->header();
  traces.logs.push_back(std::make_unique<etl::EventLogTrace>(path, beside));
  traces.pointers.push_back(&traces.logs.back()->file());
  if (const std::uint64_t unreadable = traces.logs.back()->unreadable(); unreadable != 0) {
    tell("'{}': {} of its records cannot be read\n", path.string(), unreadable);
  }
}

}  // namespace

void add_etl_inputs(Command* command, EtlInputs& inputs, bool with_schemas) {
  command->add_option("files", inputs.files, "Traces, event logs (.evtx, their XML); merged")
      ->required()
      ->type_name("FILE.etl");
  if (!with_schemas) return;
  command
      ->add_option("--manifest", inputs.manifests, "Manifest of a registered provider; repeatable")
      ->one_value_each_time()
      ->type_name("FILE.man");
  command->add_option("--tmf", inputs.tmf_files, "Message format file for WPP; repeatable")
      ->one_value_each_time()
      ->type_name("FILE.tmf");
}

std::unique_ptr<EtlTraces> open_etl_traces(const EtlInputs& inputs, bool with_schemas) {
  auto traces = std::make_unique<EtlTraces>();
  for (const std::string& path : inputs.files) {
    if (!etl::is_event_log(path)) open_file(path, *traces);
  }
  for (const std::string& path : inputs.files) {
    if (etl::is_event_log(path)) open_log(path, *traces);
  }
  if (with_schemas) add_bundled_schemas(traces->decoder);
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

bool print_etl_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return true;
  }
  if (errno == EPIPE) std::clearerr(stdout);  // the reader has seen enough, which is no failure
  return false;
}

void add_etl_threads(Command* command, unsigned& threads) {
  constexpr unsigned kMaxThreads = 64;
  // Each thread has a stack of 8 MB: with more than four of them, decoding would not stay within
  // 64 MB.
  constexpr std::size_t kUsualThreads = 4;
  threads = static_cast<unsigned>(std::clamp<std::size_t>(initial_cpus().size(), 1, kUsualThreads));
  command->add_option("--threads", threads, "Threads that decode; one a processor, at most 4")
      ->range(1u, kMaxThreads);
}

void add_etl_filter(Command* command, EtlFilterArguments& arguments) {
  etl::EventFilter& filter = arguments.filter;
  command->add_option("--provider", filter.providers, "Only this provider (name or GUID)")
      ->one_value_each_time();
  command->add_option("--event", filter.events, "Only this event (name, task, opcode or id)")
      ->one_value_each_time();
  command->add_option("--pid", filter.process_ids, "Only events of this process")
      ->one_value_each_time();
  command->add_option("--where", arguments.where, "Only those that meet 'pid == 4 and Size > 4096'")
      ->type_name("CONDITION");
  command->add_option("--from-ms", filter.from_ms, "Only from this time after the session's start");
  command->add_option("--to-ms", filter.to_ms, "Only up to this time, likewise");
  command->add_option("--since", arguments.times.since, "From this time: 2020-07-29T00:06:22Z")
      ->type_name("TIME");
  command->add_option("--until", arguments.times.until, "Up to this time, likewise")
      ->type_name("TIME");
  command->add_option("--last", arguments.times.last, "Only the end of the trace: 5m, 30s, 2h")
      ->type_name("DURATION");
}

void finish_etl_filter(EtlFilterArguments& arguments, const EtlTraces& traces, bool local_times) {
  as_usage([&] {
    if (!arguments.where.empty()) {
      arguments.filter.where = std::make_shared<const etl::Where>(arguments.where);
    }
    set_times(arguments.times, local_times, traces.pointers, arguments.filter);
  });
}

}  // namespace tailgate
