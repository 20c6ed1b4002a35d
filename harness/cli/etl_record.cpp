// tailgate etl record: what Windows' kernel does, in a trace.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/base/comma_list.h"
#include "harness/cli/etl_inputs.h"
#include "harness/cli/terminal.h"
#include "harness/etw/kernel_flags.h"
#include "harness/etw/kernel_session.h"
#include "harness/etw/kernel_stacks.h"
#include "harness/os/atomic_file.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

struct RecordArguments {
  std::string out;
  std::string flags = "process,thread,img,cswitch,dispatcher,dpc,isr,profile";
  std::string stacks;
  double seconds = 0;
  unsigned max_mib = 512;
  std::string clock = "counter";
  bool force = false;
  bool list_flags = false;
};

std::uint32_t chosen_flags(const std::string& text) {
  try {
    return etw::kernel_flag_bits(comma_list(text));
  } catch (const Error& error) {
    throw UsageError(error);
  }
}

std::vector<etw::KernelStack> chosen_stacks(const std::string& text, std::uint32_t flags) {
  if (text.empty()) return {};
  try {
    return etw::kernel_stacks(comma_list(text), flags);
  } catch (const Error& error) {
    throw UsageError(error);
  }
}

int list_kernel_flags() {
  say_lines(fmt::format("{:<13} {:>9}  {}\n", "flag", "bit", "what the kernel records"));
  for (const etw::KernelFlag& flag : etw::kKernelFlags) {
    say_lines(fmt::format("{:<13} {:>#9x}  {}\n", flag.name, flag.bit, flag.what));
  }
  say_lines(fmt::format("\n{:<31} {}\n", "event, for --stacks", "its flag"));
  for (const etw::KernelStack& event : etw::kKernelStacks) {
    say_lines(fmt::format("{:<31} {}\n", event.name, event.flag));
  }
  return kExitDone;
}

// What was asked for and is not recorded would look in the trace as if it had not happened.
void check_granted_flags(etw::KernelSession& session, std::uint32_t wanted) {
  const std::uint32_t missing = wanted & ~session.granted_flags();
  if (missing == 0) return;
  session.stop();
  throw Error(fmt::format("Windows does not record {}", etw::kernel_flag_names(missing)),
              "leave it out of --flags");
}

// Until the time is over, the user interrupts, or the session ends by itself.
void wait_for_end(etw::KernelSession& session, double seconds) {
  using Seconds = std::chrono::duration<double>;
  constexpr std::chrono::milliseconds kLook{100};
  const auto start = std::chrono::steady_clock::now();
  StatusLine status;
  for (;;) {
    const Seconds past = std::chrono::steady_clock::now() - start;
    const etw::KernelSessionCounts counts = session.counts();
    if (InterruptFlag::raised() || counts.ended) return;
    if (seconds > 0 && past.count() >= seconds) return;
    const std::string until = seconds > 0 ? fmt::format(" of {:g}", seconds) : "";
    status.show(fmt::format("recording: {:.0f}{} s, {} MiB, {} events lost{}", past.count(), until,
                            counts.buffers_written * counts.buffer_bytes >> 20, counts.events_lost,
                            seconds > 0 ? "" : "; Ctrl-C ends it"));
    std::this_thread::sleep_for(kLook);
  }
}

void say_recorded(const RecordArguments& arguments, const etw::KernelSessionCounts& counts) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(arguments.out, unknown);
  say("{}: {} bytes\n", arguments.out, unknown ? 0 : bytes);
  if (counts.events_lost + counts.buffers_lost > 0) {
    say("lost: {} events that found no free buffer, {} buffers that could not be written\n",
        counts.events_lost, counts.buffers_lost);
  }
  if (counts.ended) {
    say("the session ended before its stop: at {} MiB, by another program, or by a full disk\n",
        arguments.max_mib);
  }
  if (!counts.failure.empty()) say("{}\n", counts.failure);
  say("next: tailgate etl info {0}; tailgate etl cpu {0}{1}\n", arguments.out,
      arguments.stacks.empty() ? "" : "; tailgate etl stacks " + arguments.out);
}

int record_kernel(const RecordArguments& arguments) {
  if (arguments.list_flags) return list_kernel_flags();
  if (arguments.out.empty()) {
    throw UsageError(Error("no file is named", "tailgate etl record FILE.etl"));
  }
  const std::uint32_t flags = chosen_flags(arguments.flags);
  const std::vector<etw::KernelStack> stacks = chosen_stacks(arguments.stacks, flags);
  const std::filesystem::path out = arguments.out;
  if (!arguments.force && std::filesystem::exists(out)) {
    throw UsageError(Error(fmt::format("'{}' exists already, and is not overwritten", out.string()),
                           "name another file, or give --force"));
  }
  const std::filesystem::path folder = out.parent_path().empty() ? "." : out.parent_path();
  const Probe probe = etw::probe_kernel_session();
  if (!probe.available) throw Error(probe.reason, probe.remedy);
  check_writable(folder);
  // Windows writes it; it gets its name when it is whole.
  std::filesystem::path growing = std::filesystem::absolute(out);
  growing += ".recording";
  const InterruptFlag interrupt;
  etw::KernelSessionCounts counts;
  try {
    const auto session = etw::start_kernel_session(
        {.label = "record",
         .file = growing,
         .flags = flags,
         .clock = arguments.clock == "cpu" ? ClockKind::tsc : ClockKind::os_monotonic,
         .max_file_mib = arguments.max_mib,
         .stacks = stacks});
    check_granted_flags(*session, flags);
    wait_for_end(*session, arguments.seconds);
    counts = session->stop();
    std::filesystem::rename(growing, out);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(growing, ignored);
    throw;
  }
  say_recorded(arguments, counts);
  return kExitDone;
}

}  // namespace

void add_etl_record(Command* etl, Action& action) {
  auto arguments = std::make_shared<RecordArguments>();
  Command* command = etl->add_subcommand("record", "Records Windows' kernel to a trace");
  command->add_option("file", arguments->out, "The trace")->type_name("FILE.etl");
  command->add_option("--flags", arguments->flags, "What to record, with commas between")
      ->type_name("FLAG,...")
      ->capture_default_str();
  command->add_option("--stacks", arguments->stacks, "Events that are recorded with their stacks")
      ->type_name("EVENT,...");
  command->add_option("--seconds", arguments->seconds, "How long; 0: until Ctrl-C")
      ->range(0.0, 86400.0)
      ->capture_default_str();
  command->add_option("--max-mib", arguments->max_mib, "Size at which the recording ends")
      ->range(1u, 1u << 20)
      ->capture_default_str();
  command
      ->add_option("--clock", arguments->clock, "Of the time stamps: performance or cycle counter")
      ->one_of({"counter", "cpu"})
      ->capture_default_str();
  command->add_flag("--force", arguments->force, "Replace the file if there is one");
  command->add_flag("--list-flags", arguments->list_flags, "Lists them, and records nothing");
  command->footer(
      "Needs Windows 8 or later and an elevated prompt. Losses are counted and printed.\n"
      "Stacks need the flags process and img, too, which name their code.\n"
      "Examples:\n  tailgate etl record --seconds 10 kernel.etl\n"
      "  tailgate etl record --flags process,thread,diskio,filename disk.etl\n"
      "  tailgate etl record --stacks CSwitch,SampledProfile kernel.etl\n"
      "  tailgate etl record --list-flags");
  command->callback(
      [&action, arguments] { action = [arguments] { return record_kernel(*arguments); }; });
}

}  // namespace tailgate
