#include "providers/planted/planted.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "harness/os/sleep.h"
#include "harness/sink/wrapped_sink.h"
#include "providers/planted/burner.h"
#include "providers/planted/lock_holder.h"
#include "providers/planted/more_work.h"
#include "providers/planted/plant.h"

namespace tailgate {
namespace {

constexpr std::string_view kPrefix = "plant_";

std::filesystem::path counter_path(const TrialContext& context) {
  return context.directory / "planted.work";
}

// The cost of one clock read: the least of several means, because preemption can only add to a
// mean.
double clock_read_ns(const Clock& clock) {
  constexpr int kMeans = 20;
  constexpr int kReads = 100;
  double least_ns = std::numeric_limits<double>::max();
  for (int mean = 0; mean < kMeans; ++mean) {
    const std::uint64_t start_ns = clock.now_ns();
    std::uint64_t end_ns = start_ns;
    for (int read = 0; read < kReads; ++read) end_ns = clock.now_ns();
    least_ns = std::min(least_ns, static_cast<double>(end_ns - start_ns) / kReads);
  }
  return least_ns;
}

class PlantedSession : public WrappedSession {
 public:
  PlantedSession(std::unique_ptr<Session> session, const TrialContext& context)
      : WrappedSession(std::move(session)),
        counter_(counter_path(context)),
        plant_(plant_from(context.options)) {}

  void start() override {
    WrappedSession::start();
    if (plant_.daemon) burner_.emplace(counter_, plant_.daemon_ns);
  }

  std::vector<DaemonProcess> daemons() const override {
    std::vector<DaemonProcess> daemons = WrappedSession::daemons();
    if (burner_) daemons.push_back({"planted", burner_->pid()});
    return daemons;
  }

  void stop() override {
    if (burner_) burner_->stop();
    WrappedSession::stop();
  }

 private:
  std::filesystem::path counter_;
  Plant plant_;
  std::optional<Burner> burner_;
};

class PlantedProvider : public Provider {
 public:
  PlantedProvider(std::unique_ptr<Provider> provider, const TrialContext& context)
      : provider_(std::move(provider)),
        clock_(context.clock),
        clock_read_ns_(clock_read_ns(clock_)),
        plant_(plant_from(context.options)) {
    for (unsigned i = 0; i < context.threads; ++i) {
      // Another run draws other calls: what is rare would else hit the same call of every run.
      threads_.emplace_back(std::uint64_t{context.run} << 32 | i);
    }
    if (plant_.daemon) work_.emplace(counter_path(context));
    if (plant_.written_bytes > 0) file_.emplace(context.directory / "planted.bytes");
    if (plant_.sync_every > 0) synced_.emplace(context.directory / "planted.synced");
    if (plant_.lock_ns > 0) lock_.emplace(plant_.lock_ns, plant_.lock_every_ns);
    sleep_for_ns(plant_.start_ns);
  }

  void warm_up(unsigned thread) override { provider_->warm_up(thread); }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    const std::uint64_t start_ns = clock_.now_ns();
    ThreadState& state = threads_[thread];
    const bool changed = changes(thread, event.size(), start_ns);
    const bool dropped = changed && is_dropped(state);
    const EmitStatus status = dropped ? kAccepted : provider_->emit(thread, event);
    if (changed) work_more(state);
    // Also after a call that is not changed, which then costs what a call of the other side does.
    const std::uint64_t end_ns = clock_.now_ns();
    const std::uint64_t until_ns = changed ? release_ns(state, start_ns, end_ns) : 0;
    if (until_ns != 0) wait_until(until_ns);
    return status;
  }

  std::vector<std::string> refusal_causes() const override { return provider_->refusal_causes(); }

  void close() override {
    if (!std::exchange(closed_, true)) sleep_for_ns(plant_.stop_ns);
    provider_->close();
    if ((file_ && file_->failed()) || (synced_ && synced_->failed())) {
      throw Error("the bytes of a planted change could not be written",
                  "free space in the --scratch folder");
    }
  }

  std::vector<Loss> losses() const override {
    std::vector<Loss> losses = provider_->losses();
    if (plant_.loss_share > 0) {
      Loss planted{"planted", 0};
      for (const ThreadState& state : threads_) planted.events += state.dropped;
      losses.push_back(std::move(planted));
    }
    return losses;
  }

 private:
  struct alignas(64) ThreadState {
    explicit ThreadState(std::uint64_t seed) : random(seed) {}
    DelayRandom random;
    Leak leak;
    std::uint64_t tail_left = 0;  // calls of a burst that are still to come
    std::uint64_t dropped = 0;
    double system_calls = 0;      // that are due
    std::uint64_t unwritten = 0;  // bytes that are due
    std::uint64_t unsynced = 0;   // calls since the last sync
  };

  bool changes(unsigned thread, std::size_t event_bytes, std::uint64_t start_ns) noexcept {
    const PlantedCalls& calls = plant_.calls;
    // Also of a call that is not changed: the time after the first one counts.
    const std::uint64_t origin = origin_ns(start_ns);
    return (!calls.thread || *calls.thread == thread) && event_bytes > calls.over_bytes &&
           start_ns >= origin + calls.after_ns;
  }

  bool is_dropped(ThreadState& state) noexcept {
    if (plant_.loss_share <= 0 || state.random.next_unit() > plant_.loss_share) return false;
    ++state.dropped;
    return true;
  }

  void work_more(ThreadState& state) noexcept {
    if (plant_.leak_bytes > 0) state.leak.grow(plant_.leak_bytes);
    if (work_) work_->add();
    if (plant_.system_calls > 0) {
      for (state.system_calls += plant_.system_calls; state.system_calls >= 1;
           --state.system_calls) {
        make_system_call();
      }
    }
    if (file_) {
      for (state.unwritten += plant_.written_bytes; state.unwritten >= BlockFile::kBlockBytes;
           state.unwritten -= BlockFile::kBlockBytes) {
        file_->write_block();
      }
    }
    if (synced_ && ++state.unsynced >= plant_.sync_every) {
      state.unsynced = 0;
      synced_->write_block();
      synced_->sync();
    }
    if (lock_) lock_->pass();
  }

  // The time at which a call may return that the sink finished at end_ns. 0: nothing is planted
  // into this call.
  std::uint64_t release_ns(ThreadState& state, std::uint64_t start_ns,
                           std::uint64_t end_ns) noexcept {
    std::uint64_t until_ns = plant_.slower_share > 0 ? end_ns + longer_ns(end_ns - start_ns) : 0;
    if (plant_.slower_ns > 0) {
      until_ns =
          std::max(until_ns, end_ns) + less_half_a_read(static_cast<double>(plant_.slower_ns));
    }
    if (plant_.tail_share > 0 && is_in_tail(state)) {
      until_ns = std::max(until_ns, end_ns) + plant_.tail_ns;
    }
    if (plant_.stalls.length_ns > 0) {
      const std::uint64_t stall_end_ns = plant_.stalls.release_ns(origin_ns(start_ns), start_ns);
      if (stall_end_ns > start_ns) until_ns = std::max(until_ns, stall_end_ns);
    }
    return until_ns;
  }

  // A burst begins as much more rarely as it is long, so that the share of the calls holds. Of the
  // calls that can begin one, all but those within a burst, more must do so.
  bool is_in_tail(ThreadState& state) noexcept {
    if (state.tail_left > 0) {
      --state.tail_left;
      return true;
    }
    const double share = plant_.tail_share;
    const auto burst = static_cast<double>(plant_.tail_burst);
    if (state.random.next_unit() > share / (share + burst * (1 - share))) return false;
    state.tail_left = plant_.tail_burst - 1;
    return true;
  }

  void wait_until(std::uint64_t until_ns) const noexcept {
    if (!plant_.sleeps) {
      planted_loop(clock_, until_ns);
      return;
    }
    for (std::uint64_t now_ns = clock_.now_ns(); now_ns < until_ns; now_ns = clock_.now_ns()) {
      sleep_for_ns(until_ns - now_ns);
    }
  }

  // How long to wait after a call that took spent_ns between the wrapper's two clock reads, so that
  // the caller sees it take slower_share longer. The caller's own two reads add one clock read at
  // either end.
  std::uint64_t longer_ns(std::uint64_t spent_ns) const noexcept {
    const double seen_ns = static_cast<double>(spent_ns) + 2 * clock_read_ns_;
    return less_half_a_read(seen_ns * plant_.slower_share);
  }

  // The waiting loop ends half a read late on average.
  std::uint64_t less_half_a_read(double ns) const noexcept {
    return static_cast<std::uint64_t>(std::max(0.0, ns - clock_read_ns_ / 2));
  }

  // The start of the first call that any thread made.
  std::uint64_t origin_ns(std::uint64_t start_ns) noexcept {
    std::uint64_t origin = origin_ns_.load(std::memory_order_relaxed);
    if (origin != kNoOrigin) [[likely]]
      return origin;
    origin_ns_.compare_exchange_strong(origin, start_ns, std::memory_order_relaxed);
    return origin == kNoOrigin ? start_ns : origin;
  }

  static constexpr std::uint64_t kNoOrigin = ~std::uint64_t{0};

  std::unique_ptr<Provider> provider_;
  Clock clock_;
  double clock_read_ns_;
  Plant plant_;
  std::vector<ThreadState> threads_;
  std::optional<WorkCounter> work_;
  std::optional<BlockFile> file_;
  std::optional<BlockFile> synced_;
  std::optional<LockHolder> lock_;
  bool closed_ = false;
  std::atomic<std::uint64_t> origin_ns_ = kNoOrigin;
};

class PlantedSink : public WrappedSink {
 public:
  explicit PlantedSink(std::shared_ptr<const SinkType> sink)
      : WrappedSink(std::move(sink), "a planted change", plant_options()) {}

  Capabilities capabilities(const Options& options) const override {
    Capabilities can = WrappedSink::capabilities(options);
    can.deferred_work = can.deferred_work || plants_daemon(options);
    return can;
  }

  Probe probe(const Options& options) const override {
    if (plants_daemon(options) && !burner_available()) {
      return {.available = false,
              .reason = "tailgate cannot plant a daemon on this system",
              .remedy = "leave plant_daemon and plant_daemon_ns out"};
    }
    return WrappedSink::probe(options);
  }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    return std::make_unique<PlantedSession>(WrappedSink::make_session(context), context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<PlantedProvider>(WrappedSink::open_provider(context), context);
  }
};

}  // namespace

bool is_plant_option(std::string_view name) {
  return name.starts_with(kPrefix);
}

std::unique_ptr<const SinkType> plant_into(std::shared_ptr<const SinkType> sink) {
  return std::make_unique<PlantedSink>(std::move(sink));
}

}  // namespace tailgate
