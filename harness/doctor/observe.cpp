#include "harness/doctor/observe.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/explain/start_trace.h"
#include "harness/os/affinity.h"
#include "harness/os/atomic_file.h"
#include "harness/os/process.h"
#include "harness/overhead/sampler.h"
#include "harness/overhead/system_call_counter.h"
#include "harness/overhead/taken_time.h"
#include "harness/trial/collector.h"
#include "harness/trial/noise.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

bool is_tailgate(std::string_view name) {
  return name == "tailgate" || name.starts_with("tg-");
}

unsigned tailgates_in(const std::vector<ProcessTime>& processes, const NeighbourWatch& watch) {
  return static_cast<unsigned>(
      std::count_if(processes.begin(), processes.end(), [&](const ProcessTime& process) {
        return is_tailgate(process.name) && !watch.is_own(process.pid);
      }));
}

// On the load's processor, in a thread of its own, as a trial does.
Noise watched_noise(const Clock& clock, int cpu, double seconds) {
  NoiseBlock block{};
  std::exception_ptr failure;
  std::thread([&] {
    try {
      if (cpu >= 0) bind_this_thread({cpu});
      block = observe_noise(clock, static_cast<std::uint64_t>(seconds * 1e9));
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return noise_of(block);
}

void watch(MachineFacts& facts, double seconds) {
  const Clock clock(facts.clock);
  NeighbourWatch neighbours(this_process_number());
  const std::optional<std::vector<ProcessTime>> before = process_times();
  if (before) neighbours.look(*before);
  const auto stolen = [&] {
    return facts.watched_cpu < 0 ? std::optional<std::uint64_t>() : stolen_ns(facts.watched_cpu);
  };
  const std::optional<std::uint64_t> stolen_before = stolen();
  const std::uint64_t start_ns = clock.now_ns();
  facts.noise = watched_noise(clock, facts.watched_cpu, seconds);
  facts.watched_ns = clock.now_ns() - start_ns;
  const std::optional<std::uint64_t> stolen_after = stolen();
  if (stolen_before && stolen_after && *stolen_after >= *stolen_before) {
    facts.stolen_ns = *stolen_after - *stolen_before;
  }
  const std::optional<std::vector<ProcessTime>> after = process_times();
  if (!before || !after) return;
  neighbours.look(*after);
  facts.neighbours = neighbours.largest(after->size());
  facts.other_tailgates = tailgates_in(*after, neighbours);
}

void try_locking(MachineFacts& facts) {
  TrialMemory memory = TrialMemory::create(TrialPlan{});
  facts.memory_bytes = memory.memory().size_bytes();
  facts.memory_locked = memory.memory().lock();
}

// Not while anything is watched: as long as a counter exists, every system call is slower.
Probe probe_system_calls() {
  try {
    const SystemCallCounter counter({this_process_number()});
    return {};
  } catch (const Error& error) {
    return {false, error.what_failed(), error.remedy()};
  }
}

// The folder, or the nearest one above it that exists: a run makes the rest.
ScratchFacts scratch_facts(fs::path folder) {
  std::error_code failed;
  folder = fs::absolute(folder, failed);
  while (!fs::exists(folder, failed) && folder.has_relative_path()) folder = folder.parent_path();
  ScratchFacts facts{.folder = folder, .failure = "", .free_bytes = {}, .in_memory = {}};
  try {
    check_writable(folder);
  } catch (const Error& error) {
    facts.failure = error.what_failed();
    return facts;
  }
  const fs::space_info space = fs::space(folder, failed);
  if (!failed) facts.free_bytes = space.available;
  facts.in_memory = is_in_memory(folder);
  return facts;
}

void probe_sinks(MachineFacts& facts, const SinkCatalog& sinks) {
  for (const auto& type : sinks.all()) {
    if (type.get() == &sinks.floor()) continue;
    const bool here = type->probe(sinks.choice(type->name()).options).available;
    (here ? facts.sinks : facts.missing_sinks).push_back(type->name());
  }
}

}  // namespace

MachineFacts observe_machine(const DoctorPlan& plan, const SinkCatalog& sinks) {
  MachineFacts facts;
  facts.machine = collect_machine_info();
  facts.limits = read_system_limits();
  facts.cpus = initial_cpus();
  facts.all_cpus = online_processors();
  facts.placement = plan.placement;
  if (!plan.placement.load_cpus.empty()) facts.watched_cpu = plan.placement.load_cpus.front();
  facts.clock = measure_clock();
  {
    // As the controller of a run, out of the load's way.
    const ScopedAffinity restore;
    bind_this_thread(plan.placement.controller_cpus);
    watch(facts, plan.watch_s);
  }
  try_locking(facts);
  facts.trace = activity::probe_trace();
  facts.system_calls = probe_system_calls();
  facts.scratch = scratch_facts(plan.scratch);
  probe_sinks(facts, sinks);
  return facts;
}

}  // namespace tailgate
