#include <algorithm>
#include <exception>
#include <optional>

#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/os/sleep.h"
#include "harness/trial/ledger.h"
#include "harness/trial/line_comparison.h"
#include "harness/trial/processes/role.h"
#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/slow_deliveries.h"
#include "harness/trial/survival.h"
#include "harness/trial/switches.h"

namespace tailgate {
namespace {

class ConsumerProcess : public EventVisitor {
 public:
  ConsumerProcess(const SinkCatalog& sinks, TrialMemory& memory, unsigned number)
      : header_(memory.header()),
        block_(consumer_block(header_, number)),
        is_own_(number == 0),
        sink_(trial_sink(memory.plan(), sinks.choice(memory.plan().sink.get(), SinkUse::open))),
        clock_(memory.plan().clock),
        live_(memory.plan().live != 0 && is_own_),
        delivery_(memory.layout(), memory.delivery_words()),
        slowest_(memory.plan().slow_deliveries),
        memory_(memory),
        comparison_(is_own_ ? comparison_of(memory, sink_) : std::nullopt),
        ledger_(
            memory.plan().run, memory.plan().load.threads, sink_.context.encoding,
            [&memory](unsigned thread) {
              return memory.thread(thread).started.load(std::memory_order_acquire);
            },
            [&memory](unsigned thread) { return end_of_survival(memory, thread); },
            comparison_ ? &comparison_->lines() : nullptr) {
    if (memory.plan().max_switches > 0 && is_own_) ledger_.keep_times();
    sink_.context.consumer = number;
    sink_.context.session = block_.session.load(std::memory_order_acquire);
  }

  void run() {
    bind_this_thread(cpu_list(memory_.plan().consumer_cpus));
    block_.os_thread.store(this_thread_number(), std::memory_order_release);
    consumer_ = sink_.type->open_consumer(sink_.context);
    block_.ready_ns.store(clock_.now_ns(), std::memory_order_relaxed);
    block_.phase.store(Phase::ready, std::memory_order_release);
    try {
      read_to_the_end();
      consumer_->finish(*this);
    } catch (...) {
      // What the other copies hold is known, although not all could be read.
      if (comparison_) comparison_->finish();
      throw;
    }
    if (comparison_) comparison_->finish();
    publish();
    block_.phase.store(Phase::done, std::memory_order_release);
  }

  void event(std::span<const std::byte> bytes) override {
    EventStamp stamp;
    if (ledger_.add(bytes, stamp) && live_) record_delivery(stamp);
    if (comparison_ && makes_one_copy_) comparison_->add(0, bytes);
    events_ += 1;
    bytes_ += bytes.size();
  }

  void copy(std::size_t number, std::span<const std::byte> bytes) override {
    if (comparison_) comparison_->add(number, bytes);
  }

  void damage(std::size_t bytes) override { ledger_.add_damage(bytes); }

 private:
  static std::optional<LineComparison> comparison_of(TrialMemory& memory, const TrialSink& sink) {
    if (memory.plan().load.payload.law != PayloadLaw::lines) return std::nullopt;
    const std::size_t copies = sink.type->copies(sink.context.options).size();
    return LineComparison(memory, sink.context.encoding, std::max<std::size_t>(1, copies));
  }

  // Whether a round of a duet leaves this side alone, but for probes: no turn has begun for as long
  // as the others of a visit and their drains take.
  bool is_between_visits() {
    const TurnPlan& turns = memory_.plan().turns;
    if (turns.count == 0) return false;
    constexpr std::uint64_t kDrainsNs = 300'000'000;
    const TurnBlock& turn = header_.turn;
    const std::uint32_t grants = turn.granted.load(std::memory_order_acquire);
    const std::uint64_t now_ns = clock_.now_ns();
    if (grants != grants_seen_ && turn.grant.load(std::memory_order_relaxed) == Grant::turn) {
      turn_seen_ns_ = now_ns;
    }
    grants_seen_ = grants;
    return now_ns > turn_seen_ns_ + 4 * turns.length_ns + kDrainsNs;
  }

  // Up to eighteen consumers of long rounds wait at once. If all polled as often as usual, they
  // would take most of a processor where a system call is slow.
  void wait() {
    constexpr std::uint64_t kLonger = 40;
    const std::uint64_t usual_ns = memory_.plan().poll_interval_ns;
    sleep_for_ns(is_between_visits() ? kLonger * usual_ns : usual_ns);
  }

  void read_to_the_end() {
    while (true) {
      // Read the flag before the poll: then this poll or a later one reads all events from before
      // the session's end.
      const bool over = header_.session_over.load(std::memory_order_acquire) != 0 ||
                        block_.stop.load(std::memory_order_acquire) != 0;
      const std::uint64_t before_ns = clock_.now_ns();
      const std::size_t events = consumer_->poll(*this);
      if (events == 0) {
        if (over) return;
        wait();
        continue;
      }
      block_.busy_ns += clock_.now_ns() - before_ns;
      block_.events = events_;
      block_.bytes = bytes_;
    }
  }

  void record_delivery(const EventStamp& stamp) {
    if (record_from_ns_ == 0) {
      record_from_ns_ = header_.go_ns.load(std::memory_order_acquire) +
                        static_cast<std::uint64_t>(memory_.plan().load.warmup_s * 1e9);
    }
    const std::uint64_t now_ns = clock_.now_ns();
    if (stamp.emit_ns < record_from_ns_) return;
    delivery_.record(now_ns > stamp.emit_ns ? now_ns - stamp.emit_ns : 0);
    if (now_ns > stamp.emit_ns) {
      slowest_.offer({stamp.thread, stamp.sequence, stamp.emit_ns, now_ns});
    }
  }

  void publish() {
    block_.counts = ledger_.counts();
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      if (ledger_.has(i, memory_.thread(i).finished.load())) ++block_.counts.delivered_in_flight;
      const std::uint64_t accepted = memory_.thread(i).finished.load();
      block_.threads[i] = ledger_.read_of(i, std::min(accepted, end_of_survival(memory_, i)));
    }
    if (!is_own_) return;
    slowest_.publish(memory_);
    block_.switches = read_switches(memory_, [this](unsigned thread, std::uint64_t sequence) {
      return ledger_.time_of(thread, sequence);
    });
    std::uint64_t missing = missing_events(memory_, block_.counts);
    // Those that were refused are not missing.
    missing -=
        std::min(missing, block_.switches.not_delivered -
                              std::min(block_.switches.not_delivered, block_.switches.refused));
    publish_losses(consumer_->losses(missing), block_.losses, block_.loss_count);
  }

  TrialHeader& header_;
  ConsumerBlock& block_;
  bool is_own_;  // not one that a scenario started
  TrialSink sink_;
  Clock clock_;
  bool live_;
  HistogramWriter delivery_;
  SlowestDeliveries slowest_;
  TrialMemory& memory_;
  std::optional<LineComparison> comparison_;
  const bool makes_one_copy_ = sink_.type->copies(sink_.context.options).empty();
  Ledger ledger_;
  std::unique_ptr<Consumer> consumer_;
  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t record_from_ns_ = 0;
  std::uint32_t grants_seen_ = 0;   // of the duet's turns and probes
  std::uint64_t turn_seen_ns_ = 0;  // when the last turn was granted, on the run clock
};

}  // namespace

int run_consumer_process(const SinkCatalog& sinks, const std::string& shared_memory_handle,
                         unsigned number) {
  prepare_child_process();
  name_this_thread("tg-consumer");
  TrialMemory memory = TrialMemory::open_inherited(shared_memory_handle);
  try {
    ConsumerProcess(sinks, memory, number).run();
    return 0;
  } catch (const std::exception& error) {
    ConsumerBlock& block = consumer_block(memory.header(), number);
    block.error.set(error.what());
    block.phase.store(Phase::failed, std::memory_order_release);
    return 1;
  }
}

}  // namespace tailgate
