#include "providers/shared/tracefs/trace_session.h"

#include <fmt/format.h>

#include <string>

#include "harness/base/error.h"

namespace tailgate::tracefs {

TraceSession::TraceSession(const TrialContext& context, WhenFull when_full)
    : context_(context), when_full_(when_full) {}

std::filesystem::path session_directory(const TrialContext& context, unsigned session) {
  if (session == 0) return context.directory;
  return context.directory / ("session-" + std::to_string(session));
}

void TraceSession::start() {
  const Options& options = context_.options;
  const InstanceOptions how{
      .buffer_bytes = static_cast<std::uint64_t>(options.integer("buffer_bytes")),
      .overwrite = options.boolean("overwrite"),
      .clock = context_.clock.parameters().kind};
  instance_ = std::make_unique<Instance>(context_.directory, how);
  for (unsigned i = 1; i < context_.sessions; ++i) {
    const std::filesystem::path directory = session_directory(context_, i);
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    if (failed) {
      throw system_error("mkdir", directory.string(), failed.value(),
                         "choose a trial directory that can be written to");
    }
    further_.push_back(std::make_unique<Instance>(directory, how));
  }
}

std::vector<std::pair<std::string, std::string>> TraceSession::granted() const {
  return instance_->granted();
}

void TraceSession::listen(bool on, SwitchWay way) {
  if (way != SwitchWay::session) {
    throw Error(fmt::format("the kernel's trace buffer has no {}", enum_text(way)),
                "switch it as a whole");
  }
  instance_->record(on);
}

void TraceSession::stop() {
  if (!instance_ || stopped_) return;
  stopped_ = true;
  instance_->record(false);
  for (const auto& instance : further_) instance->record(false);
  const BufferCounts counts = buffer_counts(instance_->folder());
  if (counts.overrun_events > 0) losses_.push_back({"overrun", counts.overrun_events});
  if (when_full_ == WhenFull::lost && counts.dropped_events > 0) {
    losses_.push_back({"dropped", counts.dropped_events});
  }
}

}  // namespace tailgate::tracefs
