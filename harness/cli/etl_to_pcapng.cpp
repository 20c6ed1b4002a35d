// tailgate etl to-pcapng: the packets in a trace, for Wireshark and tcpdump.
#include <fmt/format.h>

#include <memory>

#include "harness/base/quoting.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/packets.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

struct ToPcapngArguments {
  EtlInputs inputs;
  EtlFilterArguments filter;
  std::string out;
  bool drops = false;
  bool force = false;
};

std::string summary(const etl::PacketCounts& counts, const std::string& out) {
  std::string text = fmt::format("{} packets of {} interfaces: {}\n", counts.packets,
                                 counts.interfaces, printable(out));
  const auto add = [&text](std::uint64_t count, std::string_view what) {
    if (count != 0) text += fmt::format("{} {}\n", count, what);
  };
  add(counts.drops_left_out, "reports of dropped packets are left out; --drops adds them");
  add(counts.unreadable, "events of the capture drivers are not readable");
  add(counts.never_complete, "packets are left out, because parts of them are missing");
  return text;
}

int write_packets(ToPcapngArguments& arguments) {
  auto traces = open_etl_traces(arguments.inputs, true);
  finish_etl_filter(arguments.filter, *traces, false);
  const InterruptFlag interrupt;
  const etl::PacketCounts counts =
      write_pcapng(traces->pointers, traces->decoder, arguments.filter.filter, arguments.drops,
                   arguments.out, arguments.force);
  if (InterruptFlag::raised()) return kExitInterrupted;
  if (!counts.why_nothing.empty()) tell_lines(counts.why_nothing + "\n");
  print_etl_text(summary(counts, arguments.out));
  return kExitDone;
}

}  // namespace

void add_etl_to_pcapng(Command* etl, Action& action) {
  auto arguments = std::make_shared<ToPcapngArguments>();
  Command* command = etl->add_subcommand("to-pcapng", "Packets of netsh's and pktmon's captures");
  add_etl_inputs(command, arguments->inputs, true);
  command->add_option("--out", arguments->out, "The capture")->required()->type_name("FILE.pcapng");
  command->add_flag("--drops", arguments->drops, "Also pktmon's drops, on interfaces of their own");
  command->add_flag("--force", arguments->force, "Replace the file if there is one");
  add_etl_filter(command, arguments->filter);
  command->footer(
      "pktmon reports a packet at every component that it passes; tcpdump reads only\n"
      "captures whose interfaces are all of one kind, Wireshark reads any.\n"
      "Examples:\n  tailgate etl to-pcapng trace.etl --out trace.pcapng\n"
      "  tailgate etl to-pcapng --where 'ComponentId == 12' --manifest pktmon.man \\\n"
      "      trace.etl --out nic.pcapng");
  command->callback(
      [&action, arguments] { action = [arguments] { return write_packets(*arguments); }; });
}

}  // namespace tailgate
