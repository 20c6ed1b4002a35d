#include "providers/shared/tracefs/trace_session.h"

#include <fmt/format.h>

#include <string>

#include "harness/base/error.h"
#include "providers/shared/sessions/own_sessions.h"

namespace tailgate::tracefs {
namespace {

void switch_instance(const Instance& instance, bool on, SwitchWay way) {
  if (way != SwitchWay::session) {
    throw Error(fmt::format("the kernel's trace buffer has no {}", enum_text(way)),
                "switch it as a whole");
  }
  instance.record(on);
}

}  // namespace

TraceSession::TraceSession(const TrialContext& context, WhenFull when_full)
    : context_(context), when_full_(when_full) {}

InstanceOptions TraceSession::instance_options(const TrialContext& context) {
  return {.buffer_bytes = static_cast<std::uint64_t>(context.options.integer("buffer_bytes")),
          .overwrite = context.options.boolean("overwrite"),
          .clock = context.clock.parameters().kind};
}

void TraceSession::start() {
  const InstanceOptions how = instance_options(context_);
  instance_ = std::make_unique<Instance>(context_.directory, how);
  create_session_directories(context_);
  for (unsigned i = 1; i < context_.sessions; ++i) {
    further_.push_back(std::make_unique<Instance>(session_directory(context_, i), how));
  }
}

std::vector<std::pair<std::string, std::string>> TraceSession::granted() const {
  return instance_->granted();
}

void TraceSession::listen(bool on, SwitchWay way) {
  switch_instance(*instance_, on, way);
}

void TraceSession::listen_as_rival(bool on, SwitchWay way) {
  if (further_.empty()) return Session::listen_as_rival(on, way);
  switch_instance(*further_.front(), on, way);
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
