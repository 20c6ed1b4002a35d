#include "harness/trial/neighbour_meter.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

constexpr std::size_t kMostNeighbours = 8;
constexpr std::uint64_t kFollowNs = 20'000'000;

bool are_apart(const std::vector<int>& cpus, const std::vector<int>& load_cpus) {
  if (cpus.empty() || load_cpus.empty()) return false;
  return std::none_of(cpus.begin(), cpus.end(), [&](int cpu) {
    return std::find(load_cpus.begin(), load_cpus.end(), cpu) != load_cpus.end();
  });
}

std::uint64_t above(std::uint64_t value, std::uint64_t base) {
  return value > base ? value - base : 0;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

std::uint64_t time_taken_ns(const std::vector<ThreadTimes>& threads, bool one_processor_each,
                            std::uint64_t own_elsewhere_ns,
                            const std::vector<std::uint64_t>& stolen_ns) {
  if (threads.empty()) return 0;
  std::uint64_t ran_ns = 0;
  for (const ThreadTimes& thread : threads) ran_ns += thread.ran_ns;
  std::uint64_t least_ns = ~std::uint64_t{0};
  for (const ThreadTimes& thread : threads) {
    // Threads that share a processor wait for one another.
    const std::uint64_t others_ns = one_processor_each ? 0 : ran_ns - thread.ran_ns;
    least_ns = std::min(least_ns, above(thread.waited_ns, own_elsewhere_ns + others_ns));
  }
  const auto least_stolen = std::min_element(stolen_ns.begin(), stolen_ns.end());
  return least_ns + (least_stolen == stolen_ns.end() ? 0 : *least_stolen);
}

NeighbourMeter::NeighbourMeter(const Clock& clock, std::vector<int> load_cpus,
                               const std::vector<int>& consumer_cpus)
    : clock_(clock),
      load_cpus_(std::move(load_cpus)),
      consumer_apart_(are_apart(consumer_cpus, load_cpus_)),
      controller_apart_(are_apart(allowed_cpus(), load_cpus_)),
      watch_(this_process_number()) {}

// Empty unless all are known.
std::vector<std::uint64_t> NeighbourMeter::stolen_by_cpu() const {
  std::vector<std::uint64_t> all;
  for (const int cpu : load_cpus_) {
    const std::optional<std::uint64_t> ns = stolen_ns(cpu);
    if (!ns) return {};
    all.push_back(*ns);
  }
  return all;
}

void NeighbourMeter::look(const std::vector<int>& own) {
  const std::optional<std::vector<ProcessTime>> now = process_times();
  last_ns_ = clock_.now_ns();
  last_stolen_ns_ = stolen_by_cpu();
  if (first_ns_ == 0) {
    first_ns_ = last_ns_;
    first_stolen_ns_ = last_stolen_ns_;
  }
  if (!now) return;
  told_ = true;
  watch_.look(*now, own);
}

NeighbourMeter::LoadTimes NeighbourMeter::load_times() const {
  LoadTimes times{.threads = {}, .stolen_ns = stolen_by_cpu()};
  for (const LoadThreadId& thread : load_) {
    const std::optional<ThreadTimes> one = thread_times(thread.pid, thread.thread);
    if (!one) return {.threads = {}, .stolen_ns = times.stolen_ns};
    times.threads.push_back(*one);
  }
  return times;
}

void NeighbourMeter::begin_load(const std::vector<LoadThreadId>& load) {
  load_ = load;
  begin_ = last_ = load_times();
}

void NeighbourMeter::follow_load() {
  const std::uint64_t now_ns = clock_.now_ns();
  if (begin_.threads.empty() || now_ns - followed_ns_ < kFollowNs) return;
  followed_ns_ = now_ns;
  LoadTimes times = load_times();
  if (!times.threads.empty()) last_ = std::move(times);
}

// What the trial's processes used besides the load's threads, where they may run on the load's
// processors; nothing if that is not known.
std::optional<std::uint64_t> NeighbourMeter::own_elsewhere_ns(const Trial& trial,
                                                              std::uint64_t load_ran_ns) const {
  if (!trial.overhead) return {};
  std::uint64_t used_ns = 0;
  for (const RoleUse& use : trial.overhead->roles) {
    const bool apart = (use.role == "consumer" && consumer_apart_) ||
                       (use.role == "controller" && controller_apart_);
    if (use.processes == 0 || apart || use.role == "rest" || use.role == "machine") continue;
    if (!use.counters.cpu_ns) return {};
    const bool is_provider = use.role == "provider";
    used_ns += above(*use.counters.cpu_ns, is_provider ? load_ran_ns : 0);
  }
  return used_ns;
}

std::optional<std::uint64_t> NeighbourMeter::taken_ns(const Trial& trial) const {
  if (begin_.threads.empty() || begin_.threads.size() != last_.threads.size()) return {};
  std::vector<ThreadTimes> during;
  std::uint64_t ran_ns = 0;
  for (std::size_t i = 0; i < last_.threads.size(); ++i) {
    during.push_back({above(last_.threads[i].ran_ns, begin_.threads[i].ran_ns),
                      above(last_.threads[i].waited_ns, begin_.threads[i].waited_ns)});
    ran_ns += during.back().ran_ns;
  }
  std::vector<std::uint64_t> stolen;
  if (begin_.stolen_ns.size() == last_.stolen_ns.size()) {
    for (std::size_t i = 0; i < last_.stolen_ns.size(); ++i) {
      stolen.push_back(above(last_.stolen_ns[i], begin_.stolen_ns[i]));
    }
  }
  const std::optional<std::uint64_t> own_ns = own_elsewhere_ns(trial, ran_ns);
  if (!own_ns) return {};
  return time_taken_ns(during, during.size() <= load_cpus_.size(), *own_ns, stolen);
}

void NeighbourMeter::report(Trial& trial) const {
  if (!told_ || last_ns_ <= first_ns_) return;
  Neighbours neighbours;
  neighbours.observed_ns = last_ns_ - first_ns_;
  for (const Neighbour& neighbour : watch_.largest(kMostNeighbours)) {
    neighbours.processes.push_back(
        {neighbour.name,
         static_cast<double>(neighbour.cpu_ns) / static_cast<double>(neighbours.observed_ns)});
  }
  if (!last_stolen_ns_.empty() && last_stolen_ns_.size() == first_stolen_ns_.size()) {
    neighbours.stolen_ns = above(sum_of(last_stolen_ns_), sum_of(first_stolen_ns_));
  }
  neighbours.taken_ns = taken_ns(trial);
  trial.neighbours = std::move(neighbours);
}

}  // namespace tailgate
