#include "harness/trial/overhead_meter.h"

#include <algorithm>
#include <utility>

#include "harness/os/process.h"

namespace tailgate {

OverheadMeter::OverheadMeter(const ClockParameters& clock, const std::filesystem::path& directory,
                             std::function<LoadCounts()> counts)
    : clock_(clock), counts_(std::move(counts)), sampler_(make_sampler(directory)) {}

void OverheadMeter::watch(const WatchedProcess& process) {
  if (process.role == Role::daemons) daemon_names_.push_back(process.name);
  sampler_->watch(process);
}

OverheadMeter::Moment OverheadMeter::now() {
  Moment moment;
  const std::uint64_t cpu_before_ns = thread_cpu_ns();
  const std::uint64_t before_ns = clock_.now_ns();
  const LoadCounts counts = counts_();
  moment.events = counts.events;
  moment.victim_rounds = counts.victim_rounds;
  if (victim_pid_ != 0) moment.victim_cpu_ns = process_cpu_ns(victim_pid_).value_or(0);
  moment.sample = sampler_->sample();
  moment.sample[Role::provider].counters.spun_ns = counts.spun_ns;
  moment.at_ns = clock_.now_ns();
  ++samples_;
  sampler_cpu_ns_ += thread_cpu_ns() - cpu_before_ns;
  sampler_longest_ns_ = std::max(sampler_longest_ns_, moment.at_ns - before_ns);
  return moment;
}

void OverheadMeter::begin() {
  begun_ = true;
  samples_ = 0;
  sampler_cpu_ns_ = 0;
  sampler_longest_ns_ = 0;
  first_ = last_ = now();
}

std::vector<RoleUse> OverheadMeter::cut() {
  const Moment moment = now();
  std::vector<RoleUse> uses = uses_between(last_.sample, moment.sample);
  last_ = moment;
  return uses;
}

std::vector<RoleUse> OverheadMeter::end() {
  if (!begun_ || ended_) return {};
  ended_ = true;
  return cut();
}

void OverheadMeter::report(Trial& trial) const {
  const std::vector<Counters::Count> daemons = sampler_->daemons_cpu_ns();
  for (std::size_t i = 0; i < daemons.size(); ++i) {
    trial.daemons.push_back({daemon_names_[i], daemons[i]});
  }
  if (!ended_) return;
  trial.overhead = Overhead{.start_ns = first_.at_ns,
                            .end_ns = last_.at_ns,
                            .events = last_.events - first_.events,
                            .processors = online_processors(),
                            .roles = uses_between(first_.sample, last_.sample),
                            .samples = samples_,
                            .sampler_cpu_ns = sampler_cpu_ns_,
                            .sampler_longest_ns = sampler_longest_ns_,
                            .limits = sampler_->limits()};
  if (victim_pid_ == 0) return;
  const std::uint64_t rounds = last_.victim_rounds - first_.victim_rounds;
  const double span_s = static_cast<double>(last_.at_ns - first_.at_ns) / 1e9;
  trial.victim = VictimUse{.rounds = rounds,
                           .rounds_per_s = static_cast<double>(rounds) / span_s,
                           .cpu_ns = last_.victim_cpu_ns - first_.victim_cpu_ns};
}

}  // namespace tailgate
