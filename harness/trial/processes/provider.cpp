#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/trial/driver.h"
#include "harness/trial/noise.h"
#include "harness/trial/processes/contract.h"
#include "harness/trial/processes/driver_program.h"
#include "harness/trial/processes/role.h"
#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/turns.h"

namespace tailgate {
namespace {

// A count that threads raise and others wait for. Not std::atomic's wait: where libstdc++ has no
// futex (GCC 12 for Windows), it looks at the value before it takes the lock, and misses a
// notification in between.
class Count {
 public:
  void raise() {
    const std::lock_guard guard(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait_for(unsigned count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned count_ = 0;
};

// The load's threads. The kernel discards per-thread counters, such as the run-queue wait, when a
// thread ends. So the threads stay asleep after the load until the controller has read the
// counters.
class LoadThreads {
 public:
  LoadThreads(unsigned count, const std::function<void(unsigned)>& load) {
    for (unsigned i = 0; i < count; ++i) {
      threads_.emplace_back([this, load, i] {
        load(i);
        loaded_.raise();
        released_.wait_for(1);
      });
    }
  }
  ~LoadThreads() {
    released_.raise();
    for (std::thread& thread : threads_) thread.join();
  }
  LoadThreads(const LoadThreads&) = delete;
  LoadThreads& operator=(const LoadThreads&) = delete;

  // Waits until all threads have emitted their last event.
  void wait() { loaded_.wait_for(static_cast<unsigned>(threads_.size())); }

 private:
  Count loaded_;
  Count released_;
  std::vector<std::thread> threads_;
};

class ProviderProcess {
 public:
  ProviderProcess(const SinkCatalog& sinks, TrialMemory& memory, unsigned process)
      : memory_(memory),
        header_(memory.header()),
        block_(provider_block(header_, process)),
        process_(process),
        floor_(sinks.floor()),
        sink_(trial_sink(memory.plan(), sinks.choice(memory.plan().sink.get(), SinkUse::open))) {
    sink_.context.process = process;
  }

  void run() {
    if (!sink_.capabilities.driver_language.empty()) hand_over();
    if (memory_.plan().contract != 0) {
      make_contract_calls(sink_);
    } else {
      run_load();
    }
    block_.phase.store(Phase::done, std::memory_order_release);
    wait_until_sampled();
  }

 private:
  // Leaves the load to the sink's program, which also measures the floor of its own loop.
  [[noreturn]] void hand_over() {
    bind_this_thread(cpu_list(memory_.plan().all_cpus));
    on_load_processor([this] { observe_surroundings(); });
    const DriverProgram program = sink_.type->driver(sink_.context);
    publish_refusal_causes(program.refusal_causes);
    become_driver(memory_, sink_, program);
  }

  void run_load() {
    // Threads that the sink starts may run on all processors.
    bind_this_thread(cpu_list(memory_.plan().all_cpus));
    block_.memory_locked = memory_.memory().lock() ? 1 : 0;
    if (process_ == 0) {
      on_load_processor([this] {
        observe_surroundings();
        block_.floor = measure_floor(memory_.plan(), floor_,
                                     HistogramWriter(memory_.layout(), memory_.floor_words()));
      });
    }
    const std::uint64_t began_ns = now_ns();
    provider_ = sink_.type->open_provider(sink_.context);
    publish_refusal_causes(provider_->refusal_causes());
    const unsigned count = threads_each(memory_.plan().load);
    LoadThreads threads(count, [this, count](unsigned i) { load_thread(process_ * count + i); });
    wait_until_warm();
    block_.open_ns.store(passed_ns(began_ns), std::memory_order_relaxed);
    block_.phase.store(Phase::ready, std::memory_order_release);
    threads.wait();
    block_.phase.store(Phase::closing, std::memory_order_release);
    const std::uint64_t closing_ns = now_ns();
    provider_->close();
    block_.close_ns.store(passed_ns(closing_ns), std::memory_order_relaxed);
    publish_losses(provider_->losses(), block_.losses, block_.loss_count);
  }

  std::uint64_t now_ns() const { return sink_.context.clock.now_ns(); }

  // At least 1, also by a clock with coarse steps: 0 stands for what has not happened.
  std::uint64_t passed_ns(std::uint64_t since_ns) const {
    return std::max<std::uint64_t>(1, now_ns() - since_ns);
  }

  // The process's counters can be read only as long as it exists.
  void wait_until_sampled() const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (header_.sampled.load(std::memory_order_acquire) == 0 &&
           std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  // Before the sink is opened.
  void on_load_processor(const std::function<void()>& measure) {
    std::thread([this, &measure] {
      bind(0);
      measure();
    }).join();
  }

  void observe_surroundings() {
    const TrialPlan& plan = memory_.plan();
    block_.noise = observe_noise(Clock(plan.clock), plan.noise_ns);
  }

  void publish_refusal_causes(const std::vector<std::string>& causes) {
    for (std::size_t i = 0; i < causes.size() && i < Provider::kMaxRefusalCauses; ++i) {
      block_.refusal_causes[i].set(causes[i]);
    }
  }

  // The controller has checked that these processors exist. If one has disappeared since, the
  // thread stays where it is, and the processor numbers of slow calls show that.
  void bind(unsigned thread) {
    const std::vector<int> cpus = cpu_list(memory_.plan().load_cpus);
    if (cpus.empty()) return;
    try {
      bind_this_thread({cpus[thread % cpus.size()]});
    } catch (const std::exception& error) {
      block_.error.set(error.what());
    }
  }

  std::uint64_t wait_for_go() const {
    std::uint64_t go_ns = 0;
    while ((go_ns = header_.go_ns.load(std::memory_order_acquire)) == 0) {
      if (block_.stop.load(std::memory_order_relaxed) != 0) break;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    if (go_ns != 0) block_.phase.store(Phase::loading, std::memory_order_release);
    return go_ns;
  }

  // Waits for all load threads. Throws what one of them threw.
  void wait_until_warm() {
    warm_.wait_for(threads_each(memory_.plan().load));
    const std::lock_guard guard(cold_mutex_);
    if (!cold_) return;
    block_.stop = 1;
    std::rethrow_exception(cold_);
  }

  void warm_up(unsigned number) {
    std::exception_ptr failure;
    try {
      provider_->warm_up(number);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) {
      const std::lock_guard guard(cold_mutex_);
      cold_ = failure;
    }
    warm_.raise();
  }

  bool is_late() const {
    const LoadPlan& load = memory_.plan().load;
    return process_ >= load.processes - load.late_processes;
  }

  // A process that starts late has what is left of the load. Returns whether anything is.
  bool leave_out_passed(LoadPlan& load, std::uint64_t& start_ns) const {
    const std::uint64_t began_ns = start_ns;
    start_ns = std::max(start_ns, now_ns());
    const double passed_s = static_cast<double>(start_ns - began_ns) / 1e9;
    const double recorded_s = std::max(0.0, passed_s - load.warmup_s);
    load.warmup_s = std::max(0.0, load.warmup_s - passed_s);
    load.duration_s -= recorded_s;
    return load.duration_s > 0;
  }

  void load_thread(unsigned number) {
    bind(number);
    name_this_thread("tg-load-" + std::to_string(number));
    memory_.thread(number).os_thread.store(this_thread_number(), std::memory_order_release);
    warm_up(number);
    const TrialPlan& plan = memory_.plan();
    const HistogramLayout& layout = memory_.layout();
    std::uint64_t start_ns = wait_for_go();
    if (start_ns == 0) return;
    LoadPlan rest = plan.load;
    if (is_late() && !leave_out_passed(rest, start_ns)) return;
    const LoadThread load = {.plan = rest,
                             .thread = number,
                             .run = plan.run,
                             .encoding = sink_.context.encoding,
                             .clock = sink_.context.clock,
                             .start_ns = start_ns,
                             .stop = block_.stop};
    if (plan.turns.count > 0) {
      drive_turns(load, *provider_,
                  {.plan = plan.turns,
                   .progress = memory_.thread(number),
                   .turn = header_.turn,
                   .log = memory_.log(number),
                   .calls = memory_.calls(number)});
      return;
    }
    drive_load(load, *provider_,
               {.progress = memory_.thread(number),
                .slowest = memory_.slowest(number),
                .slowest_count = plan.slowest,
                .slowest_responses = memory_.slowest_responses(number),
                .slowest_responses_count = plan.slowest_responses,
                .service = HistogramWriter(layout, memory_.words(number, Metric::service)),
                .response = HistogramWriter(layout, memory_.words(number, Metric::response)),
                .start_lag = HistogramWriter(layout, memory_.words(number, Metric::start_lag))});
  }

  TrialMemory& memory_;
  TrialHeader& header_;
  ProviderBlock& block_;
  unsigned process_;
  const SinkType& floor_;
  TrialSink sink_;
  std::unique_ptr<Provider> provider_;
  Count warm_;  // load threads
  std::mutex cold_mutex_;
  std::exception_ptr cold_;  // why a load thread could not warm up
};

}  // namespace

int run_provider_process(const SinkCatalog& sinks, const std::string& shared_memory_handle,
                         unsigned process) {
  prepare_child_process();
  name_this_thread("tg-provider");
  TrialMemory memory = TrialMemory::open_inherited(shared_memory_handle);
  try {
    ProviderProcess(sinks, memory, process).run();
    return 0;
  } catch (const std::exception& error) {
    ProviderBlock& block = provider_block(memory.header(), process);
    block.error.set(error.what());
    block.phase.store(Phase::failed, std::memory_order_release);
    return 1;
  }
}

}  // namespace tailgate
