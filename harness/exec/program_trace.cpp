#include "harness/exec/program_trace.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/explain/explain.h"
#include "harness/explain/start_trace.h"
#include "harness/profile/profile.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {

ProgramTrace::ProgramTrace(const ProgramTracePlan& plan)
    : trace_(activity::start_trace({.method = plan.method,
                                    .directory = plan.directory,
                                    .clock = plan.clock,
                                    .threads = {},
                                    .cpus = {}})) {
  if (plan.sample_hz <= 0) return;
  try {
    sampler_ = profile::start_sampler({.rate_hz = plan.sample_hz,
                                       .clock = plan.clock,
                                       .processes = plan.processes,
                                       .directory = plan.directory});
  } catch (const Error& error) {
    why_not_sampled_ = error.what();
  }
}

void ProgramTrace::stop() {
  if (sampler_) sampler_->stop();
  trace_->stop();
}

Explanation ProgramTrace::explain(const std::vector<std::uint32_t>& threads,
                                  const std::vector<SlowCall>& slowest, const CallTimes& times) {
  // The timeline begins at 0: nothing of the program happened before the trace's first record.
  activity::Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  for (const std::uint32_t thread : threads) timeline.watch(thread);
  if (sampler_) timeline.set_bystander(sampler_->collector());
  const TraceUsed used = trace_->read(timeline);
  Explanation explanation = activity::explain(timeline, {.trace = used,
                                                         .threads = threads,
                                                         .slowest = slowest,
                                                         .slowest_responses = {},
                                                         .service = times.service,
                                                         .response = times.response,
                                                         .quantile = kExplainedQuantile});
  add_profile(explanation, threads, slowest);
  return explanation;
}

// The load is the whole program: what of it is a thread whose calls were timed is known only now.
void ProgramTrace::add_profile(Explanation& explanation, const std::vector<std::uint32_t>& threads,
                               const std::vector<SlowCall>& slowest) {
  if (!why_not_sampled_.empty()) explanation.profile = profile::no_profile(why_not_sampled_);
  if (!sampler_) return;
  profile::Samples samples = sampler_->read();
  for (profile::StackSample& sample : samples.list) {
    if (std::find(threads.begin(), threads.end(), sample.thread) != threads.end()) {
      sample.role = profile::SampledRole::load;
    }
  }
  explanation.profile = profile::make_profile(samples, explanation,
                                              {.begin_ns = explanation.trace.start_ns,
                                               .end_ns = explanation.trace.end_ns,
                                               .threads = threads,
                                               .slowest = slowest});
}

}  // namespace tailgate
