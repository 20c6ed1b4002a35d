// tailgate etl anonymize: a copy of a trace that can be given to others.
#include <fmt/format.h>

#include <memory>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/cli/etl_inputs.h"
#include "harness/etl/anonymize.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

struct AnonymizeArguments {
  EtlInputs inputs;
  etl::AnonymizeOptions options;
  std::string out;
  double max_mb = 0;
  bool force = false;
};

int write_copy(AnonymizeArguments& arguments) {
  constexpr double kBytesPerMb = 1e6;
  constexpr double kMostMb = 1e9;
  auto traces = open_etl_traces(arguments.inputs, true);
  as_usage([&] {
    if (traces->pointers.size() != 1) {
      throw Error(fmt::format("{} traces are too many for one copy", traces->pointers.size()),
                  "name one file");
    }
    if (!(arguments.max_mb >= 0 && arguments.max_mb <= kMostMb)) {
      throw Error(fmt::format("{} MB is no size", arguments.max_mb), "give --max-mb 1 or more");
    }
  });
  arguments.options.max_bytes = static_cast<std::uint64_t>(arguments.max_mb * kBytesPerMb);
  const InterruptFlag interrupt;
  const etl::AnonymizeCounts counts = anonymize(*traces->pointers.front(), traces->decoder,
                                                arguments.options, arguments.out, arguments.force);
  if (InterruptFlag::raised()) return kExitInterrupted;
  print_etl_text(fmt::format(
      "{} records in {} buffers, {} bytes: {}\n"
      "left out: {} buffers by time or size, {} that cannot be read, {} bytes behind damage\n"
      "Kept: numbers, times, ids, pointers and stacks, the lengths and signs of texts, and\n"
      "the names of providers, events and fields. What no schema describes is zeros.\n"
      "Look at the copy before you give it away: tailgate etl dump {}\n",
      counts.records, counts.buffers, counts.bytes, printable(arguments.out),
      counts.buffers_left_out, counts.buffers_unreadable, counts.cut_bytes,
      printable(arguments.out)));
  return kExitDone;
}

}  // namespace

void add_etl_anonymize(Command* etl, Action& action) {
  auto arguments = std::make_shared<AnonymizeArguments>();
  Command* command = etl->add_subcommand("anonymize", "A copy without texts, to give it to others");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--out", arguments->out, "The copy")->required()->type_name("FILE.etl");
  command->add_flag("--force", arguments->force, "Replace the file if there is one");
  command->add_option("--from-ms", arguments->options.from_ms,
                      "Only buffers from this time after the start");
  command->add_option("--to-ms", arguments->options.to_ms, "Only up to this time, likewise");
  command->add_option("--max-mb", arguments->max_mb, "At most this size; 0: any");
  command->footer(
      "The copy keeps the headers of records, numbers, times, ids, pointers and stacks,\n"
      "and the names of providers, events and fields. In texts letters become x and\n"
      "digits 0. What no schema describes becomes zeros, such as the payloads of events\n"
      "that are shown as payload=0x....\n\n"
      "Examples:\n  tailgate etl anonymize trace.etl --out copy.etl\n"
      "  tailgate etl anonymize trace.etl --to-ms 2000 --max-mb 5 --out copy.etl");
  command->callback(
      [&action, arguments] { action = [arguments] { return write_copy(*arguments); }; });
}

}  // namespace tailgate
