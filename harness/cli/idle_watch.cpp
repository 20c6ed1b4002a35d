#include "harness/cli/idle_watch.h"

#include <chrono>

#include "harness/os/sleep.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kPeriodNs = 1'000'000'000;

}  // namespace

bool IdleWatch::wait(IdleCriterion criterion, const std::function<bool()>& give_up,
                     const std::function<void(double)>& busy) {
  using Time = std::chrono::steady_clock;
  Sample before = sampler_->sample();
  Time::time_point since = Time::now();
  while (!criterion.reached()) {
    if (give_up()) return false;
    sleep_for_ns(kPeriodNs);
    const Sample now = sampler_->sample();
    const std::chrono::duration<double> period = Time::now() - since;
    const std::vector<RoleUse> uses = uses_between(before, now);
    const Counters::Count used_ns = counters_of(uses, Role::machine).cpu_ns;
    // Where nobody counts what the machine uses, it is never known to be idle.
    const double used = used_ns ? static_cast<double>(*used_ns) / 1e9 / period.count()
                                : static_cast<double>(online_processors());
    criterion.note(used, period.count());
    busy(used);
    before = now;
    since += std::chrono::duration_cast<Time::duration>(period);
  }
  return true;
}

}  // namespace tailgate
