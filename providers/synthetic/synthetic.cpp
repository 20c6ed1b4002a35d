// The synthetic sink delays, stalls, loses and damages exactly as its options say, so that a test
// can compare what the harness reports with what was planted. The laws are in README.md.
#include "harness/sink/sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "harness/os/sleep.h"
#include "providers/synthetic/call_plan.h"
#include "providers/synthetic/delay_law.h"
#include "providers/synthetic/drift.h"
#include "providers/synthetic/kept_back.h"
#include "providers/synthetic/planted_faults.h"
#include "providers/synthetic/reader_room.h"
#include "providers/synthetic/stack_cost.h"
#include "providers/synthetic/stored.h"
#include "providers/synthetic/switched.h"
#include "providers/synthetic/turn_queue.h"

namespace tailgate {
namespace {

using namespace synthetic_detail;

std::filesystem::path switch_path(const TrialContext& context) {
  return context.directory / ".synthetic.switch";
}

std::filesystem::path rival_path(const TrialContext& context) {
  return context.directory / ".synthetic.rival";
}

std::filesystem::path reader_path(const TrialContext& context) {
  return context.directory / ".synthetic.reader";
}

// How many consumers read beside the trial's own.
std::filesystem::path further_readers_path(const TrialContext& context) {
  return context.directory / ".synthetic.further-readers";
}

// What a provider process or a consumer that is not the first one does, if it is to fail.
enum class FurtherFails : std::uint8_t { no, open, crash };

FurtherFails further_fails(const TrialContext& context) {
  const std::string& how = context.options.text("further_fails");
  if (how == "no" || (context.process == 0 && context.consumer == 0)) return FurtherFails::no;
  if (how == "open") throw Error("synthetic: planted: it cannot be opened", "");
  return FurtherFails::crash;
}

ReaderRoom reader_room_of(const Options& options) {
  return reader_room(options.integer("reader_room_events"), options.text("reader_full"));
}

// How calls get in each other's way, and how the load thread 0 and further sessions are slower.
struct SharingPlan {
  explicit SharingPlan(const TrialContext& context)
      : sleeps(context.options.boolean("sleep")),
        first_thread_times(1 + context.options.real("first_thread_percent") / 100),
        session_times(1 + context.options.real("session_percent") / 100 * (context.sessions - 1)),
        reader_times(context.options.real("reader_percent") / 100) {}

  bool sleeps;
  double first_thread_times;
  double session_times;
  double reader_times;  // more for each further consumer
};

// The lock that serialises calls; nothing if none does.
std::unique_ptr<TurnQueue> turn_queue(const TrialContext& context) {
  const std::string& within = context.options.text("serial");
  if (within == "none") return nullptr;
  const unsigned process = within == "process" ? context.process : 0;
  return std::make_unique<TurnQueue>(context.directory / fmt::format(".turns-{}", process));
}

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Refusals, in the order of refusal_causes().
constexpr EmitStatus kClosed = 1;
constexpr EmitStatus kPlanted = 2;
constexpr EmitStatus kStoreFull = 3;

class SyntheticProvider : public Provider {
 public:
  explicit SyntheticProvider(const TrialContext& context)
      : clock_(context.clock),
        law_(delay_law(context.options)),
        stalls_(stall_plan(context.options)),
        plan_(context.options),
        drift_(context.options),
        stack_(context.options),
        fails_(further_fails(context)),
        opened_path_(store_path(context, context.process).string()),
        switched_(switch_path(context), switch_law(context.options)),
        rival_(rival_path(context), rival_law(context.options)),
        room_(reader_room_of(context.options)),
        read_(reader_path(context)),
        further_readers_(further_readers_path(context)),
        sharing_(context),
        queue_(turn_queue(context)),
        store_(context) {
    if (context.rival_may_start) rival_store_.emplace(context);
    const auto seed = static_cast<std::uint64_t>(context.options.integer("seed"));
    const auto kept = static_cast<std::size_t>(std::max(
        context.options.integer("kill_loses_events"), context.options.integer("hide_last_events")));
    hides_last_ = context.options.integer("hide_last_events") > 0;
    for (unsigned i = 0; i < context.threads; ++i) {
      threads_.emplace_back(seed + (i << 20), KeptBack(kept, context.max_event_bytes));
    }
  }

  EmitStatus emit(unsigned thread, std::span<const std::byte> event) noexcept override {
    if (queue_) queue_->enter();
    const EmitStatus status = emit_in_turn(thread, event);
    if (queue_) queue_->leave();
    return status;
  }

  std::vector<std::string> refusal_causes() const override {
    return {"closed", "planted", "store full"};
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    for (ThreadState& state : threads_) {
      if (hides_last_) continue;
      state.kept.release([this](std::span<const std::byte> event) { return store_.append(event); });
    }
    store_.close();
    if (rival_store_) rival_store_->close();
  }

  std::vector<Loss> losses() const override {
    std::uint64_t lost = 0;
    for (const ThreadState& state : threads_) lost += state.lost;
    std::vector<Loss> losses = {{"planted", lost}};
    const std::uint64_t removed = store_.removed_events();
    if (removed > 0) losses.push_back({"removed at the cap", removed});
    return losses;
  }

 private:
  struct alignas(64) ThreadState {
    ThreadState(std::uint64_t seed, KeptBack kept_back)
        : random(seed), kept(std::move(kept_back)) {}
    DelayRandom random;
    KeptBack kept;
    std::uint64_t calls = 0;
    std::uint64_t lost = 0;
    std::uint64_t switches_seen = 0;
    std::uint64_t rival_switches_seen = 0;
    std::vector<std::string> grown;  // memory for what the consumer has not read, and leaks
    std::vector<OpenFile> opened;    // leaks
  };

  EmitStatus emit_in_turn(unsigned thread, std::span<const std::byte> event) noexcept {
    const std::uint64_t start_ns = clock_.now_ns();
    ThreadState& state = threads_[thread];
    const SwitchedCall switched = switched_.call(start_ns, state.switches_seen);
    if (!switched.recorded) {
      ++state.calls;
      wait_until(start_ns + switched.delay_ns);
      return closed_ ? kClosed : kAccepted;
    }
    std::uint64_t release_ns = start_ns;
    if (stalls_.length_ns != 0) release_ns = stalls_.release_ns(origin_ns(start_ns), start_ns);
    const SwitchedCall rival = rival_.call(start_ns, state.rival_switches_seen);
    release_ns += service_ns(thread, state) + switched.delay_ns + rival.delay_ns;
    release_ns += stack_.of_caller_ns();
    if (drift_.ns_per_s > 0) release_ns += drifted_ns(start_ns);
    if (drift_.leak_bytes > 0) state.grown.emplace_back(drift_.leak_bytes, 'x');
    const EmitStatus status = rival.recorded ? take(state, event) : drop(state);
    wait_until(release_ns);
    return status;
  }

  // Reported nowhere.
  EmitStatus drop(ThreadState& state) const noexcept {
    ++state.calls;
    return closed_ ? kClosed : kAccepted;
  }

  EmitStatus take(ThreadState& state, std::span<const std::byte> event) noexcept {
    const std::uint64_t call = ++state.calls;
    if (strikes(call, drift_.leak_descriptors_every)) {
      state.opened.emplace_back(std::fopen(opened_path_.c_str(), "rb"));
    }
    if (closed_) return kClosed;
    if (call == plan_.hang_at) hang();
    if (call == plan_.crash_at || fails_ == FurtherFails::crash) std::abort();
    if (strikes(call, plan_.refuse_every)) return kPlanted;
    if (plan_.refuse_over_bytes != 0 && event.size() > plan_.refuse_over_bytes) return kPlanted;
    if (strikes(call, plan_.lose_every)) {
      ++state.lost;
      return kAccepted;
    }
    if (strikes(call, plan_.hide_every)) return kAccepted;
    if (room_.events != 0 && !has_room(state)) {
      ++state.lost;
      return kAccepted;
    }
    if (rival_store_) rival_store_->add(event);
    stored_.fetch_add(1, std::memory_order_relaxed);
    const bool stored = state.kept.keep(
        event, [this](std::span<const std::byte> oldest) { return store_.append(oldest); });
    return stored ? kAccepted : kStoreFull;
  }

  bool is_behind() const noexcept {
    return stored_.load(std::memory_order_relaxed) - read_.events() >= room_.events;
  }

  // Makes room for an event, as planned, where the consumer is behind; returns whether there is.
  bool has_room(ThreadState& state) noexcept {
    if (!is_behind()) return true;
    if (room_.then == WhenReaderIsBehind::lose) return false;
    if (room_.then == WhenReaderIsBehind::grow) {
      state.grown.emplace_back(kGrowthBytes, 'x');
      return true;
    }
    while (is_behind()) std::this_thread::yield();
    return true;
  }

  std::uint64_t service_ns(unsigned thread, ThreadState& state) noexcept {
    double times = sharing_.session_times * (thread == 0 ? sharing_.first_thread_times : 1);
    if (sharing_.reader_times > 0) {
      times *= 1 + sharing_.reader_times * static_cast<double>(further_readers_.events());
    }
    const std::uint64_t drawn_ns = law_.draw_ns(state.random);
    return times == 1 ? drawn_ns
                      : static_cast<std::uint64_t>(times * static_cast<double>(drawn_ns));
  }

  // By how much calls have become slower since the first one.
  std::uint64_t drifted_ns(std::uint64_t start_ns) noexcept {
    const auto since_ns = static_cast<double>(start_ns - std::min(start_ns, origin_ns(start_ns)));
    return static_cast<std::uint64_t>(since_ns / 1e9 * drift_.ns_per_s);
  }

  void wait_until(std::uint64_t release_ns) const noexcept {
    std::uint64_t now_ns = clock_.now_ns();
    while (now_ns < release_ns) {
      if (sharing_.sleeps) sleep_for_ns(release_ns - now_ns);
      now_ns = clock_.now_ns();
    }
  }

  // The start of the first call that any thread made.
  std::uint64_t origin_ns(std::uint64_t start_ns) noexcept {
    std::uint64_t origin = origin_ns_.load(std::memory_order_relaxed);
    if (origin != kNoOrigin) [[likely]]
      return origin;
    origin_ns_.compare_exchange_strong(origin, start_ns, std::memory_order_relaxed);
    return origin == kNoOrigin ? start_ns : origin;
  }

  static constexpr std::size_t kGrowthBytes = 8192;  // for each event
  static constexpr std::uint64_t kNoOrigin = ~std::uint64_t{0};

  Clock clock_;
  DelayLaw law_;
  StallPlan stalls_;
  CallPlan plan_;
  DriftPlan drift_;
  StackCost stack_;
  FurtherFails fails_;
  std::string opened_path_;
  SwitchedProvider switched_;
  RivalSwitch rival_;
  ReaderRoom room_;
  ReaderCount read_;
  ReaderCount further_readers_;
  std::atomic<std::uint64_t> stored_ = 0;
  SharingPlan sharing_;
  std::unique_ptr<TurnQueue> queue_;
  SyntheticStore store_;
  std::optional<RivalStore> rival_store_;
  std::vector<ThreadState> threads_;
  std::atomic<std::uint64_t> origin_ns_ = kNoOrigin;
  bool closed_ = false;
  bool hides_last_ = false;
};

class SyntheticConsumer : public Consumer {
 public:
  explicit SyntheticConsumer(const TrialContext& context)
      : planter_(fault_plan(context.options), context.encoding),
        read_(reader_path(context)),
        further_readers_(further_readers_path(context)),
        is_further_(context.consumer != 0),
        fails_(further_fails(context)),
        crash_at_(static_cast<std::uint64_t>(context.options.integer("read_crash_at"))) {
    for (unsigned i = 0; i < context.processes; ++i) stored_.push_back(open_store(context, i));
    if (is_further_) further_readers_.add(1);
  }

  std::size_t poll(EventVisitor& visitor) override {
    Planting planting(planter_, visitor);
    std::size_t read = 0;
    for (const auto& store : stored_) read += store->poll(planting);
    events_ += read;
    if (!is_further_) read_.add(read);
    if (crash_at_ != 0 && events_ >= crash_at_) std::abort();
    if (fails_ == FurtherFails::crash && events_ > 0) std::abort();
    return read;
  }

  void finish(EventVisitor& visitor) override {
    Planting planting(planter_, visitor);
    for (const auto& store : stored_) store->finish(planting);
    planter_.release_held(visitor);
    if (is_further_) further_readers_.subtract(1);
  }

 private:
  class Planting : public EventVisitor {
   public:
    Planting(FaultPlanter& planter, EventVisitor& to) : planter_(planter), to_(to) {}
    void event(std::span<const std::byte> bytes) override { planter_.event(bytes, to_); }
    void damage(std::size_t bytes) override { to_.damage(bytes); }

   private:
    FaultPlanter& planter_;
    EventVisitor& to_;
  };

  std::vector<std::unique_ptr<Consumer>> stored_;  // of each provider process
  FaultPlanter planter_;
  ReaderCount read_;
  ReaderCount further_readers_;
  bool is_further_;  // not the trial's own
  FurtherFails fails_;
  std::uint64_t crash_at_;
  std::uint64_t events_ = 0;
};

// Creates the stores, so that a consumer finds them before the providers have opened them.
class SyntheticSession : public Session {
 public:
  explicit SyntheticSession(const TrialContext& context)
      : cap_bytes_(cap_bytes(context)),
        switch_path_(switch_path(context)),
        requests_path_(rotations_path(context)),
        rival_path_(rival_path(context)),
        clock_(context.clock) {
    for (unsigned i = 0; i < context.processes; ++i) {
      paths_.push_back(store_path(context, i));
      if (context.rival_may_start) paths_.push_back(store_path(context, i, 1));
    }
    if (context.rival_may_start) rival_session_path_ = rival_session_path(context);
  }

  void start() override {
    for (const std::filesystem::path& path : paths_) {
      if (!std::ofstream(path, std::ios::trunc)) {
        throw system_error("open", path.string(), errno,
                           "choose a trial directory that can be written to");
      }
    }
    switch_.emplace(switch_path_);
    if (cap_bytes_ > 0) requests_.emplace(requests_path_);
    rival_.emplace(rival_path_);
    if (!rival_session_path_.empty()) rival_session_.emplace(rival_session_path_);
  }
  std::vector<std::pair<std::string, std::string>> granted() const override {
    if (cap_bytes_ == 0) return {};
    return {{"cap_bytes", std::to_string(cap_bytes_)}};
  }
  void listen(bool on, SwitchWay) override { switch_.value().set(on, clock_.now_ns()); }
  void listen_as_rival(bool on, SwitchWay) override { rival_.value().set(on, clock_.now_ns()); }
  void rotate() override {
    if (!requests_) return Session::rotate();
    constexpr std::chrono::seconds kPatience{1};
    if (!requests_->ask(kPatience)) throw Error("no event for 1 s, so no other file", "");
  }
  // The first session learns of it as of any other of the rival's switches.
  void start_rival() override {
    rival_session_.value().set(false, clock_.now_ns());
    rival_.value().set(false, clock_.now_ns());
  }
  void end_rival() override {
    rival_session_.value().set(true, clock_.now_ns());
    rival_.value().set(true, clock_.now_ns());
  }
  // Windows removes no file that is mapped.
  void stop() override {
    switch_.reset();
    rival_.reset();
    requests_.reset();
    rival_session_.reset();
  }

 private:
  std::vector<std::filesystem::path> paths_;
  std::uint64_t cap_bytes_;  // 0: none
  std::filesystem::path switch_path_;
  std::filesystem::path requests_path_;
  std::filesystem::path rival_path_;
  Clock clock_;
  std::optional<SharedSwitch> switch_;
  std::optional<SharedSwitch> rival_;
  std::optional<RotationRequests> requests_;
  std::filesystem::path rival_session_path_;  // empty: a scenario starts none
  std::optional<SharedSwitch> rival_session_;
};

class SyntheticSink : public SinkType {
 public:
  std::string name() const override { return "synthetic"; }
  std::string description() const override {
    return "delays, stalls and losses as planted, to test the harness";
  }

  OptionTable options() const override;

  Capabilities capabilities(const Options& options) const override {
    const bool keeps_back = options.integer("kill_loses_events") > 0 ||
                            options.integer("hide_last_events") > 0 ||
                            options.integer("cap_bytes") > 0;
    const bool shared =
        options.integer("cap_bytes") == 0 && options.integer("reader_room_events") == 0;
    return {.read_back = true,
            .live_read = options.integer("cap_bytes") == 0,
            .accounts_losses = true,
            .survives = keeps_back ? Survives::nothing : Survives::kill,
            .may_refuse = true,
            .multi_process = shared,
            .multi_session = true,
            .own_sessions = shared,
            .multi_consumer = shared && options.integer("reader_room_events") == 0};
  }

  Probe probe(const Options&) const override { return {}; }

  std::unique_ptr<Session> make_session(const TrialContext& context) const override {
    stall_plan(context.options);  // reports contradictory options when a run starts
    return std::make_unique<SyntheticSession>(context);
  }
  std::unique_ptr<Provider> open_provider(const TrialContext& context) const override {
    return std::make_unique<SyntheticProvider>(context);
  }
  std::unique_ptr<Consumer> open_consumer(const TrialContext& context) const override {
    return std::make_unique<SyntheticConsumer>(context);
  }
};

OptionSpec count_option(std::string name, std::string help) {
  return {.name = std::move(name),
          .type = OptionType::integer,
          .default_value = "0",
          .help = std::move(help) + " (0: never)",
          .min = 0};
}

OptionTable SyntheticSink::options() const {
  constexpr double kMaxNs = 60e9;
  const OptionType integer = OptionType::integer;
  const OptionType real = OptionType::real;
  return {
      {"law",
       OptionType::choice,
       "fixed",
       "distribution of the service times",
       0,
       0,
       {"fixed", "uniform", "exponential", "lognormal"}},
      {"service_ns", integer, "500",
       "the service time; uniform: on (0, 2x], exponential: the mean, lognormal: the median", 0,
       kMaxNs},
      {"sigma", real, "0.5", "lognormal: standard deviation of the logarithm", 0, 10},
      {"slow_share", real, "0", "share of calls, drawn at random, that take slow_ns instead", 0, 1},
      {"slow_ns", integer, "100_000", "the service time of those calls", 0, kMaxNs},
      {"stall_ms", real, "0", "length of a stall: a call that begins in it waits for its end", 0,
       60e3},
      {"stall_first_s", real, "1", "time from the first call to the first stall", 0, 86400},
      {"stall_every_s", real, "1", "time from stall to stall (0: only one stall)", 0, 86400},
      count_option("refuse_every", "every n-th call of each thread is refused"),
      count_option("lose_every", "… is accepted, lost, and reported as lost"),
      count_option("hide_every", "… is accepted, lost, and reported nowhere"),
      count_option("corrupt_every", "every n-th stored event of each thread is read back changed"),
      count_option("duplicate_every", "… is read back twice"),
      count_option("reorder_every", "… is read back after its successor"),
      count_option("hang_at", "a thread's call of this number never returns"),
      count_option("crash_at", "a thread's call of this number aborts the process"),
      count_option("read_crash_at", "the consumer aborts when it has read so many events"),
      {"refuse_over_bytes", integer, "0", "longer events are refused (0: none)", 0, 65535},
      {"cut_over_bytes", integer, "0", "longer events are read back up to that length (0: none)", 0,
       65535},
      {"replace_invalid_utf8", OptionType::boolean, "false",
       "bytes of a body that are not UTF-8 are read back as U+FFFD"},
      {"kill_loses_events", integer, "0",
       "the last so many events of each thread stay in the program until it closes", 0, 1e6},
      {"off_service_ns", integer, "0", "the service time while the session is disabled", 0, kMaxNs},
      {"toggle_stall_us", real, "0",
       "the first call of each thread after a switch of the session takes so much longer", 0, 60e6},
      {"toggle_lag_ms", real, "0", "events are not stored for so long after an enable", 0, 60e3},
      {"toggle_leak_ms", real, "0", "events are still stored for so long after a disable", 0, 60e3},
      {"rival_stall_us", real, "0",
       "the same, after a switch of the second session by its own controller", 0, 60e6},
      {"rival_gap_ms", real, "0",
       "events are not stored for so long after such a switch, and reported nowhere", 0, 60e3},
      count_option("rival_lose_every", "every n-th event is missing in a rival's session"),
      {"reader_room_events", integer, "0",
       "room for so many events that a live consumer has not read (0: without limit)", 0, 1e9},
      {"reader_full",
       OptionType::choice,
       "wait",
       "what a call does when that room is full: waits for the consumer, loses its event and "
       "reports it, or takes more memory",
       0,
       0,
       {"wait", "lose", "grow"}},
      {"hide_last_events", integer, "0",
       "the last so many events of each thread are never stored, and reported nowhere", 0, 1e6},
      {"cap_bytes", integer, "0",
       "the store is four files that together keep this cap: the oldest is removed (0: one file)",
       0, 1e12},
      {"cap_late_events", integer, "0",
       "a file is removed only so many events after it should have been", 0, 1e9},
      {"rotate_loses_events", integer, "0",
       "cap_bytes: at each rotation the next so many events are accepted and lost, uncounted", 0,
       1e9},
      {"sleep", OptionType::boolean, "false", "calls sleep for their service time, not spin"},
      {"serial",
       OptionType::choice,
       "none",
       "calls wait for one another, in the order in which they came: in a process, or in all",
       0,
       0,
       {"none", "process", "session"}},
      {"first_thread_percent", real, "0", "the calls of load thread 0 take so much longer", 0, 1e8},
      {"session_percent", real, "0", "each further session makes calls so much longer", 0, 1e6},
      {"reader_percent", real, "0", "each further consumer makes calls so much longer", 0, 1e8},
      {"further_fails",
       OptionType::choice,
       "no",
       "a further provider process or consumer cannot open the path, or aborts at its first event",
       0,
       0,
       {"no", "open", "crash"}},
      {"leak_bytes", integer, "0", "each call takes so much memory and keeps it", 0, 1e6},
      count_option("leak_descriptors_every",
                   "every n-th call of each thread opens a file and keeps it open"),
      {"drift_ns_per_s", real, "0", "calls take so much longer for each second since the first one",
       0, 1e9},
      {"stack", OptionType::boolean, "false", "a call captures its caller's stack"},
      {"stack_frame_ns", integer, "0", "with stack: a call takes longer for each frame of it", 0,
       kMaxNs},
      {"seed", integer, "1", "seed of all random numbers", 0},
  };
}

}  // namespace

std::unique_ptr<const SinkType> make_synthetic_sink(const SinkCatalog&) {
  return std::make_unique<SyntheticSink>();
}

}  // namespace tailgate
