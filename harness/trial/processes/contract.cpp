#include "harness/trial/processes/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/os/guarded_memory.h"
#include "harness/os/process.h"
#include "harness/trial/processes/processes.h"

namespace tailgate {
namespace {

constexpr const char* kRemedy = "see what tailgate/sink.h says of the call";

// Emits events whose last byte is the last that the process may touch.
class GuardedEmitter {
 public:
  explicit GuardedEmitter(const TrialContext& context)
      : context_(context),
        pattern_(prepare_event(context.encoding, kMaxEventBytes)),
        memory_(pattern_.size()) {}

  // Returns whether the provider took the event. Throws Error if it changed it, or returned a
  // status without a name.
  bool emit(Provider& provider, std::size_t size_bytes) {
    std::byte* event = memory_.last(size_bytes);
    std::copy_n(pattern_.begin(), size_bytes, event);
    stamp_event(event, context_.encoding,
                {.run = context_.run,
                 .thread = 0,
                 .size_bytes = static_cast<std::uint16_t>(size_bytes),
                 .sequence = sequence_++,
                 .emit_ns = context_.clock.now_ns()});
    const std::vector<std::byte> before(event, event + size_bytes);
    const EmitStatus status = provider.emit(0, {event, size_bytes});
    if (!std::equal(before.begin(), before.end(), event)) {
      throw Error("emit changed the event that it was given", kRemedy);
    }
    const std::size_t causes = provider.refusal_causes().size();
    if (status > causes) {
      throw Error(fmt::format("emit returned {}, and there are {} refusal causes", status, causes),
                  kRemedy);
    }
    return status == kAccepted;
  }

 private:
  const TrialContext& context_;
  std::vector<std::byte> pattern_;
  GuardedMemory memory_;
  std::uint64_t sequence_ = 0;
};

void open_emit_and_close(const TrialSink& sink) {
  const std::unique_ptr<Provider> provider = sink.type->open_provider(sink.context);
  provider->warm_up(0);
  GuardedEmitter emitter(sink.context);
  const std::size_t least_bytes = min_event_bytes(sink.context.encoding);
  std::size_t accepted = 0;
  for (const std::size_t size_bytes :
       {least_bytes, least_bytes + 1, std::size_t{500}, sink.context.max_event_bytes}) {
    accepted += emitter.emit(*provider, size_bytes) ? 1 : 0;
  }
  if (accepted == 0) throw Error("emit refused all of four events", kRemedy);
  provider->close();
  if (emitter.emit(*provider, least_bytes)) {
    throw Error("emit took an event after close", kRemedy);
  }
  provider->close();
  static_cast<void>(provider->losses());
}

}  // namespace

void make_contract_calls(const TrialSink& sink) {
  // What a library opens once, such as the system's random numbers, is open after the first time.
  open_emit_and_close(sink);
  const std::size_t before = open_descriptors();
  open_emit_and_close(sink);
  const std::size_t after = open_descriptors();
  if (after <= before) return;
  throw Error(fmt::format("{} descriptors that it opened were still open after it was closed",
                          after - before),
              kRemedy);
}

std::string check_contract(const SinkChoice& sink, const TrialSettings& settings,
                           const std::filesystem::path& directory) {
  LoadPlan load;
  load.payload = {PayloadLaw::fixed, 4096, 0};
  TrialProcesses processes(
      {.sink = sink, .load = load, .settings = settings, .directory = directory, .contract = true},
      [](const char*) {});
  std::string failure;
  try {
    processes.start_session();
    processes.start_provider();
    if (processes.went_well()) processes.wait_for_provider(Phase::done, "the contract's calls");
    processes.end_provider();
    processes.stop_session();
    failure = processes.outcome_detail();
    if (failure.empty() && !processes.remarks().empty()) failure = processes.remarks().front().what;
  } catch (const Error& error) {
    failure = error.what_failed();
  }
  processes.remove_files();
  return failure;
}

}  // namespace tailgate
