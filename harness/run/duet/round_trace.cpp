#include "harness/run/duet/round_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/explain/start_trace.h"
#include "harness/run/duet/call_parts.h"
#include "harness/run/duet/duet_plan.h"

namespace tailgate {

using profile::SampledRole;

namespace {

// A program in another language may not report the ids of its threads.
std::vector<std::uint32_t> known(std::vector<std::uint32_t> threads) {
  std::erase(threads, 0u);
  return threads;
}

}  // namespace

RoundTrace::RoundTrace(const Round& round, const RoundTracePlan& plan)
    : clock_(plan.clock),
      a_{.processes = round.processes('A')},
      b_{.processes = round.processes('B')} {
  std::vector<std::uint32_t> threads = a_.processes.threads;
  threads.insert(threads.end(), b_.processes.threads.begin(), b_.processes.threads.end());
  trace_ = activity::start_trace({.method = activity::TraceMethod::best,
                                  .directory = plan.directory,
                                  .clock = plan.clock,
                                  .threads = known(threads),
                                  .cpus = {}});
  start_sampler(plan, a_);
  start_sampler(plan, b_);
  start_faults(plan, a_);
  start_faults(plan, b_);
  a_.memory.before = round.provider_rss_bytes('A');
  b_.memory.before = round.provider_rss_bytes('B');
  begin_ns_ = clock_.now_ns();
}

RoundTrace::~RoundTrace() = default;

void RoundTrace::add_limit(const std::string& limit) {
  if (limit.empty() || std::find(limits_.begin(), limits_.end(), limit) != limits_.end()) return;
  limits_.push_back(limit);
}

void RoundTrace::start_sampler(const RoundTracePlan& plan, Side& side) {
  profile::SamplerOptions options{
      .rate_hz = plan.sample_hz, .clock = plan.clock, .load = known(side.processes.threads)};
  options.directory = plan.directory;
  for (const WatchedProcess& process : side.processes.processes) {
    if (process.role == Role::provider) {
      options.processes.push_back({SampledRole::provider, process.pid});
    } else if (process.role == Role::daemons) {
      options.processes.push_back({SampledRole::daemons, process.pid});
    }
  }
  try {
    side.sampler = profile::start_sampler(options);
  } catch (const Error& error) {
    add_limit(fmt::format("no functions: {}", error.what()));
  }
}

// What the provider's processes take into memory, from now on.
void RoundTrace::start_faults(const RoundTracePlan& plan, Side& side) {
  profile::SamplerOptions options{.sampled = profile::Sampled::page_faults, .clock = plan.clock};
  options.directory = plan.directory;
  for (const WatchedProcess& process : side.processes.processes) {
    if (process.role != Role::provider) continue;
    options.processes.push_back({SampledRole::provider, process.pid});
  }
  try {
    side.faults = profile::start_sampler(options);
  } catch (const Error& error) {
    add_limit(fmt::format("memory has no functions: {}", error.what()));
  }
}

void RoundTrace::stop(const Round& round) {
  end_ns_ = clock_.now_ns();
  a_.memory.after = round.provider_rss_bytes('A');
  b_.memory.after = round.provider_rss_bytes('B');
  for (Side* side : {&a_, &b_}) {
    if (side->sampler) side->sampler->stop();
    if (side->faults) side->faults->stop();
  }
  trace_->stop();
  a_.calls = round.logged_calls('A');
  b_.calls = round.logged_calls('B');
}

void RoundTrace::read_samples(Side& side) {
  if (!side.sampler) return;
  side.samples = side.sampler->read();
  side.sampler.reset();
  sample_method_ = side.samples.method;
  samples_ += side.samples.list.size();
  add_limit(side.samples.limits);
}

std::optional<activity::SideAmounts> RoundTrace::memory_of(Side& side, const DuetSide& figures) {
  if (!side.faults) return {};
  const profile::Samples faults = side.faults->read();
  side.faults.reset();
  add_limit(faults.limits);
  if (faults.lost > 0) add_limit("the functions of some page faults: they came too fast");
  return memory_parts(figures.rss_bytes, side.memory, faults);
}

TracedAmounts RoundTrace::amounts(const DuetRound& outcome) {
  activity::Timeline timeline(1'000'000'000, 0);
  timeline.keep_intervals();
  for (const Side* side : {&a_, &b_}) {
    for (const std::uint32_t thread : known(side->processes.threads)) timeline.watch(thread);
    for (const auto* sampler : {side->sampler.get(), side->faults.get()}) {
      if (sampler != nullptr) timeline.set_bystander(sampler->collector());
    }
  }
  const TraceUsed used = trace_->read(timeline);
  trace_method_ = used.method;
  add_limit(used.limits);
  for (Side* side : {&a_, &b_}) read_samples(*side);
  TracedAmounts amounts;
  add_calls(timeline, used, a_, amounts.call.a, amounts.slow_call.a);
  add_calls(timeline, used, b_, amounts.call.b, amounts.slow_call.b);
  add_others(a_, outcome.a, amounts.daemons.a, amounts.other_threads.a);
  add_others(b_, outcome.b, amounts.daemons.b, amounts.other_threads.b);
  std::optional<activity::SideAmounts> a = memory_of(a_, outcome.a);
  std::optional<activity::SideAmounts> b = memory_of(b_, outcome.b);
  if (a && b) amounts.memory = {.a = std::move(*a), .b = std::move(*b)};
  return amounts;
}

void RoundTrace::add_calls(const activity::Timeline& timeline, const TraceUsed& used,
                           const Side& side, activity::SideAmounts& call,
                           activity::SideAmounts& slow_call) const {
  TracedSide traced{.timeline = timeline,
                    .trace = used,
                    .samples = side.samples,
                    .threads = {},
                    .dropped_per_turn = kDroppedPerTurn};
  for (std::size_t i = 0; i < side.calls.size(); ++i) {
    traced.threads.push_back({side.processes.threads.at(i), side.calls[i]});
  }
  CallParts parts = call_parts(traced);
  call = std::move(parts.call);
  slow_call = std::move(parts.slow_call);
}

// The daemons' time is the system's own account; that of the provider's other threads is by samples
// alone, since the account is of the whole process.
void RoundTrace::add_others(const Side& side, const DuetSide& figures,
                            activity::SideAmounts& daemons,
                            activity::SideAmounts& other_threads) const {
  if (figures.cpu_events == 0) return;
  const auto events = static_cast<double>(figures.cpu_events);
  const auto parts = [&](SampledRole role, double whole) {
    return role_parts(side.samples, role, begin_ns_, end_ns_, whole);
  };
  if (figures.daemon_cpu_ns) {
    daemons = parts(SampledRole::daemons, static_cast<double>(*figures.daemon_cpu_ns) / events);
  }
  const std::uint64_t count = samples_of(side.samples, SampledRole::provider, begin_ns_, end_ns_);
  if (count == 0) return;
  other_threads = parts(SampledRole::provider,
                        static_cast<double>(count) * 1e9 / side.samples.rate_hz / events);
}

std::string RoundTrace::daemons() const {
  std::set<std::string> names;
  for (const Side* side : {&a_, &b_}) {
    for (const WatchedProcess& process : side->processes.processes) {
      if (process.role == Role::daemons) names.insert(process.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tailgate
