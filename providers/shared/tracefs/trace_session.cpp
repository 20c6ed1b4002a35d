#include "providers/shared/tracefs/trace_session.h"

#include <fmt/format.h>

namespace tailgate::tracefs {

TraceSession::TraceSession(const TrialContext& context, WhenFull when_full)
    : context_(context), when_full_(when_full) {}

void TraceSession::start() {
  const Options& options = context_.options;
  instance_ = std::make_unique<Instance>(
      context_.directory,
      InstanceOptions{.buffer_bytes = static_cast<std::uint64_t>(options.integer("buffer_bytes")),
                      .overwrite = options.boolean("overwrite"),
                      .clock = context_.clock.parameters().kind});
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
  const BufferCounts counts = buffer_counts(instance_->folder());
  if (counts.overrun_events > 0) losses_.push_back({"overrun", counts.overrun_events});
  if (when_full_ == WhenFull::lost && counts.dropped_events > 0) {
    losses_.push_back({"dropped", counts.dropped_events});
  }
}

}  // namespace tailgate::tracefs
