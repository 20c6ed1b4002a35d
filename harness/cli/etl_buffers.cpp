// tailgate etl buffers: how fast a session filled its buffers.
#include <memory>
#include <string>

#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etl/buffers_report.h"

namespace tailgate {

void add_etl_buffers(Command* etl, Action& action) {
  auto inputs = std::make_shared<EtlInputs>();
  auto interval_ms = std::make_shared<double>(0);
  Command* command = etl->add_subcommand("buffers", "Buffers filled, by processor over time");
  add_etl_inputs(command, *inputs, false);
  command->add_flag("--json", inputs->json, "JSON lines instead of TSV");
  command->add_option("--interval-ms", *interval_ms,
                      "Interval's length; 0: a twentieth of the trace");
  command->footer(
      "Examples:\n  tailgate etl buffers trace.etl\n"
      "  tailgate etl buffers --interval-ms 1000 trace.etl");
  command->callback([&action, inputs, interval_ms] {
    action = [inputs, interval_ms] {
      auto traces = open_etl_traces(*inputs, false);
      std::string note;
      as_usage([&] {
        note = report_buffers(traces->pointers, *interval_ms, inputs->format(), print_etl_text);
      });
      if (!note.empty()) tell_lines(note + "\n");
      return kExitDone;
    };
  });
}

}  // namespace tailgate
