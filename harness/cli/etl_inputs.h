// What the subcommands of `tailgate etl` share: the traces that they read, and the filter of those
// that show events.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/etl/container.h"
#include "harness/etl/decoder.h"
#include "harness/etl/event_log.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate {

struct EtlInputs {
  std::vector<std::string> files;
  std::vector<std::string> manifests;
  std::vector<std::string> tmf_files;
  bool json = false;

  etl::TextFormat format() const { return json ? etl::TextFormat::json : etl::TextFormat::text; }
};

struct EtlTraces {
  std::vector<std::unique_ptr<etl::UnpackedTraces>> containers;
  std::vector<std::unique_ptr<etl::TraceFile>> files;
  std::vector<std::unique_ptr<etl::EventLogTrace>> logs;
  std::vector<const etl::TraceFile*> pointers;
  etl::Decoder decoder;
};

// Adds the files; with_schemas: and those that describe events.
void add_etl_inputs(Command* command, EtlInputs& inputs, bool with_schemas);

// Opens the files. with_schemas: reads them once to learn what they describe. Throws Error.
std::unique_ptr<EtlTraces> open_etl_traces(const EtlInputs& inputs, bool with_schemas);

// A TextSink to standard output. False once its reader has closed it, or when it cannot be written.
bool print_etl_text(std::string_view text);

// Adds --threads, and sets it to what suits this machine.
void add_etl_threads(Command* command, unsigned& threads);

// The options that choose events.
struct EtlFilterArguments {
  etl::EventFilter filter;
  etl::TimeTexts times;
  std::string where;
};
void add_etl_filter(Command* command, EtlFilterArguments& arguments);

// Parses what the filter's options say. local_times: in the time zone of the machine that recorded.
// Throws Error.
void finish_etl_filter(EtlFilterArguments& arguments, const EtlTraces& traces, bool local_times);

// The subcommands that have files of their own.
void add_etl_activities(Command* etl, Action& action);
void add_etl_spans(Command* etl, Action& action);
void add_etl_to_sqlite(Command* etl, Action& action);
void add_etl_to_pcapng(Command* etl, Action& action);
void add_etl_to_perfetto(Command* etl, Action& action);
void add_etl_record(Command* etl, Action& action);
void add_etl_stacks(Command* etl, Action& action);
void add_etl_buffers(Command* etl, Action& action);
void add_etl_anonymize(Command* etl, Action& action);

}  // namespace tailgate
