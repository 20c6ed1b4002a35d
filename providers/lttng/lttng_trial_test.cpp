// Whole trials with LTTng's own daemons, including failures of these.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "harness/base/testing/test_directory.h"
#include "providers/lttng/consumer.h"
#include "providers/lttng/control.h"
#include "providers/lttng/ctf_samples.h"
#include "providers/lttng/ctf_trace.h"
#include "providers/shared/daemon/descendants.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

using namespace tailgate;

namespace {

bool available() {
  const SinkChoice choice = sink_choice("lttng");
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return probe.available;
}

TrialSettings settings() {
  TrialSettings settings = stress_settings();
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0;
  return settings;
}

LoadPlan load_of(std::uint64_t events, double rate_hz) {
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.events = events;
  load.duration_s = 0;
  load.warmup_s = 0;
  load.threads = 2;
  return load;
}

using Meanwhile = std::function<void(const TrialProgress&)>;
void nothing(const TrialProgress&) {}

Trial run(const std::string& sink, const LoadPlan& load, const Meanwhile& meanwhile = nothing) {
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings(), scratch.path() / "trial", meanwhile);
}

// Checks that every missing event is counted and that no event was read that was not emitted.
void check_balanced(const Trial& trial) {
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.emitted == trial.ledger.delivered + trial.ledger.lost);
  CHECK(trial.ledger.duplicates + trial.ledger.corrupted + trial.ledger.damaged_bytes == 0);
}

// The processes of that name that this process's trial started.
std::vector<HeldProcess> started(const std::string& name) {
  std::vector<HeldProcess> found;
  for (HeldProcess& process : descendants(getpid())) {
    if (process.name() == name) found.push_back(std::move(process));
  }
  return found;
}

// Sends a signal to the processes of one name, once, when the trial first reaches a point.
class Once {
 public:
  Once(std::string when, std::string name, int signal_number)
      : when_(std::move(when)), name_(std::move(name)), signal_(signal_number) {}
  void operator()(const TrialProgress& progress) {
    if (done_ || progress.what != when_) return;
    done_ = true;
    for (const HeldProcess& process : started(name_)) kill(process.pid(), signal_);
  }

 private:
  std::string when_;
  std::string name_;
  int signal_;
  bool done_ = false;
};

struct Keep : CtfVisitor {
  void event(const CtfEvent& event) override {
    EventStamp stamp;
    if (check_event(event.payload, EventEncoding::binary, stamp) == EventCheck::intact) {
      stamps.emplace_back(stamp, event.timestamp);
    }
  }
  void damage(std::size_t) override {}
  std::vector<std::pair<EventStamp, std::uint64_t>> stamps;
};

}  // namespace

struct Texts : CtfVisitor {
  void event(const CtfEvent& event) override {
    texts.emplace_back(reinterpret_cast<const char*>(event.payload.data()), event.payload.size());
  }
  void damage(std::size_t) override {}
  std::vector<std::string> texts;
};

TEST_CASE("a file that a rotation moved is read on, and not again") {
  const auto packet = [](const std::string& text) {
    return sample_packet({.events = {{1, text}}});
  };
  const TestDirectory directory;
  const std::filesystem::path folder = directory / "ust";
  const std::filesystem::path chunk = directory / "archives" / "1" / "ust";
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(chunk);
  write_sample(folder / "metadata", metadata_packet(sample_metadata()));
  write_sample(folder / "events_0", packet("a"));
  CtfTraceReader reader(directory.path());
  Texts read;
  CHECK(reader.poll(read) == 1);
  std::filesystem::rename(folder / "events_0", chunk / "events_0");
  std::filesystem::copy_file(folder / "metadata", chunk / "metadata");
  std::ofstream(chunk / "events_0", std::ios::app | std::ios::binary) << packet("b");
  write_sample(folder / "events_0", packet("c"));
  reader.finish(read);
  std::sort(read.texts.begin(), read.texts.end());
  CHECK(read.texts == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("trace files that overwrite the oldest keep their cap, and what went is counted") {
  if (!available()) return;
  TrialSettings watched = settings();
  watched.watch_storage = true;
  LoadPlan load = load_of(10'000, 20'000);
  load.threads = 1;
  load.payload = parse_payload("200");
  const Scratch scratch({}, false);
  const Trial trial = run_trial(
      sink_choice("lttng:subbuf_bytes=16Ki:subbuf_count=16:file_bytes=64Ki:files_count=4"), load,
      watched, scratch.path() / "trial", nothing);
  check_balanced(trial);
  // A busy machine may be too late to empty the buffers.
  const std::uint64_t discarded = lost_to(trial.ledger, "discarded");
  CHECK(lost_to(trial.ledger, "removed at the cap") + discarded == trial.ledger.lost);
  CHECK(trial.ledger.lost > 7'000);
  CHECK(trial.ledger.reordered == 0);
  REQUIRE(trial.kept_events);
  CHECK(trial.kept_events->gone_newest + trial.kept_events->gone_between <= discarded);
  REQUIRE(trial.storage);
  for (const StorageLook& look : trial.storage->kept) CHECK(look.most_bytes <= 4 * 65536 + 32768);
}

TEST_CASE("an event that is disabled and enabled under load is recorded exactly in between") {
  if (!available()) return;
  TrialSettings toggled = settings();
  toggled.actions = {{.what = ActionKind::disable,
                      .who = ActionTarget::session,
                      .at_s = 0.1,
                      .for_s = 0.1,
                      .every_s = 0.2}};
  LoadPlan load = load_of(0, 10'000);
  load.duration_s = 0.5;
  const Scratch scratch({}, false);
  const Trial trial =
      run_trial(sink_choice("lttng"), load, toggled, scratch.path() / "trial", nothing);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 0);
  REQUIRE(trial.switching);
  CHECK(trial.switching->switches >= 3);
  REQUIRE(trial.switching->events);
  CHECK(trial.switching->events->off > 500);
  CHECK(trial.switching->events->missed == 0);
  CHECK(trial.switching->events->leaked == 0);
  CHECK(trial.switching->events->lost_between == 0);
}

TEST_CASE("an event's level is not changed while the session runs") {
  if (!available()) return;
  TrialSettings toggled = settings();
  toggled.actions = {{.what = ActionKind::disable,
                      .who = ActionTarget::session,
                      .at_s = 0.05,
                      .by = SwitchWay::level}};
  LoadPlan load = load_of(0, 1'000);
  load.duration_s = 0.1;
  const Scratch scratch({}, false);
  const Trial trial =
      run_trial(sink_choice("lttng"), load, toggled, scratch.path() / "trial", nothing);
  REQUIRE(trial.actions);
  CHECK(trial.actions->at(0).refused == "a session of LTTng does not change an event's level");
  check_balanced(trial);
}

TEST_CASE("the ledger balances with every setting") {
  if (!available()) return;
  const std::string sink =
      GENERATE("lttng", "lttng:buffers=pid", "lttng:loss=overwrite", "lttng:loss=block",
               "lttng:output=snapshot", "lttng:output=live", "lttng:read_timer_us=10k");
  INFO(sink);
  const Trial trial = run(sink, load_of(4000, 20'000));
  check_balanced(trial);
  CHECK(trial.ledger.delivered == 4000);
  CHECK_FALSE(remarked(trial, "lttng"));
}

TEST_CASE("events of a live session are late because they wait for its timer") {
  if (!available()) return;
  TrialSettings traced = settings();
  traced.trace = activity::TraceMethod::best;
  const Scratch scratch({}, false);
  const Trial trial = run_trial(sink_choice("lttng:output=live:switch_timer_us=200000"),
                                load_of(10'000, 5'000), traced, scratch.path() / "trial", nothing);
  check_balanced(trial);
  REQUIRE(trial.explanation);
  if (trial.explanation->trace.method != "kernel_trace") return;
  const ExplainedTail& tail = trial.explanation->tails.back();
  REQUIRE(tail.measure == "delivery");
  REQUIRE(tail.calls > 0);
  CHECK(tail.threshold_ns > 150'000'000);
  std::uint64_t buffered_ns = 0;
  for (const CauseTime& cause : tail.causes) {
    if (cause.cause == "session_buffer") buffered_ns = cause.time_ns;
  }
  INFO(buffered_ns << " of " << tail.time_ns);
  CHECK(buffered_ns > tail.time_ns * 8 / 10);
}

TEST_CASE("small buffers at full load: every loss is counted") {
  if (!available()) return;
  const std::string loss = GENERATE("discard", "block", "overwrite");
  LoadPlan load = load_of(100'000, 1e6);
  if (loss == "block") load.events = 2'000;
  const Trial trial = run("lttng:subbuf_bytes=4096:subbuf_count=2:loss=" + loss, load);
  INFO(loss << ": " << describe(trial));
  CHECK(trial.ledger.emitted == load.events);
  CHECK(trial.ledger.delivered > 0);
  check_balanced(trial);
  if (loss != "block") CHECK(trial.ledger.lost > 0);
}

// Four threads take turns on one processor and end one after the other, so that the last one's
// events overwrite the last events of the others. A thread that is interrupted within its call
// makes LTTng discard what the others write.
TEST_CASE("threads that overwrite each other's last events: every loss is counted") {
  if (!available()) return;
  const std::string mode = GENERATE("loss=overwrite", "output=snapshot");
  LoadPlan load = load_of(2'000'000, 0);
  load.shape = Shape::max;
  load.threads = 4;
  const Trial trial = run("lttng:" + mode, load);
  INFO(mode << ": " << describe(trial));
  CHECK(trial.ledger.emitted == load.events);
  check_balanced(trial);
  CHECK(lost_to(trial.ledger, "overwritten") > 0);
}

// Packets were overwritten before the daemon died, so there is room for the events that it had.
TEST_CASE("events lost to a killed daemon are not counted as overwritten") {
  if (!available()) return;
  OnceDuringLoad kill_it(0.4, [] {
    for (const HeldProcess& process : started("lttng-consumerd")) kill(process.pid(), SIGKILL);
  });
  const Trial trial =
      run("lttng:loss=overwrite:subbuf_bytes=4096:subbuf_count=2", load_of(300'000, 300'000),
          [&](const TrialProgress& progress) { kill_it(progress); });
  INFO(describe(trial));
  CHECK(trial.ledger.emitted == 300'000);
  CHECK(remarked(trial, "lttng-consumerd"));
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.unaccounted > 0);
  CHECK(lost_to(trial.ledger, "overwritten") == 0);
}

// Packets 0 and 5 of a stream, with one event each; the tracer discarded 7 events.
struct TraceWithGap {
  TraceWithGap() {
    std::filesystem::create_directories(directory / "trace");
    write_sample(directory / "trace" / "metadata", metadata_packet(sample_metadata()));
    const std::string payload(90, 'x');  // 100 bytes with its header: 6 bytes, and its length: 4
    write_sample(directory / "trace" / "events_0",
                 sample_packet({.sequence = 0, .discarded = 7, .events = {{1, payload}}}) +
                     sample_packet({.sequence = 5, .discarded = 0, .events = {{2, payload}}}));
  }
  std::string losses(std::uint64_t missing) const {
    const TrialContext context = {
        .options = sink_choice("lttng:loss=overwrite:subbuf_bytes=4096").options,
        .directory = directory.path()};
    lttng_detail::TraceConsumer consumer(context, 0, true);
    struct : EventVisitor {
      void event(std::span<const std::byte>) override {}
      void damage(std::size_t) override {}
    } ignore;
    while (consumer.poll(ignore) > 0) {
    }
    consumer.finish(ignore);
    std::string text;
    for (const Loss& loss : consumer.losses(missing)) {
      text += loss.cause + " " + std::to_string(loss.events) + " ";
    }
    return text;
  }
  void complete() const { write_sample(lttng_detail::completion_mark(directory.path()), ""); }

  TestDirectory directory;
};

TEST_CASE("no more events count as overwritten than the missing packets have room for") {
  const TraceWithGap trace;
  CHECK(trace.losses(50) == "discarded 7 ");  // the daemons may not have written all of the trace
  trace.complete();
  CHECK(trace.losses(7) == "discarded 7 ");
  CHECK(trace.losses(50) == "discarded 7 overwritten 43 ");
  CHECK(trace.losses(1'000'000) == "discarded 7 overwritten 160 ");  // 4 x (4096 - 84) / 100
}

TEST_CASE("nothing counts as overwritten when the trace is damaged") {
  const TraceWithGap trace;
  trace.complete();
  std::ofstream(trace.directory / "trace" / "events_0", std::ios::app) << "torn";
  CHECK(trace.losses(50) == "discarded 7 ");
}

// Counts of a real trial: 15314564 events emitted, 13020563 read back.
TEST_CASE("a counter wrap that never happened is removed from the daemon's count") {
  CHECK(lttng_detail::without_false_wraps(9'223'372'036'857'069'809u) == 15'314'564 - 13'020'563);
  CHECK(lttng_detail::without_false_wraps(2'294'001) == 2'294'001);
}

// With two threads blocking can lose events. When one thread is interrupted within its call and the
// buffer wraps around to its unfinished event, LTTng discards the other thread's events: it waits
// for readers only.
TEST_CASE("a single thread that blocks loses nothing") {
  if (!available()) return;
  LoadPlan load = load_of(1'000, 1e6);
  load.threads = 1;
  const Trial trial = run("lttng:subbuf_bytes=4096:subbuf_count=2:loss=block", load);
  check_balanced(trial);
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.service.max_ns > 10'000'000);
}

TEST_CASE("every event lost to a stopped daemon is counted") {
  if (!available()) return;
  const std::string name = GENERATE("lttng-consumerd", "lttng-sessiond");
  Once stop("load", name, SIGSTOP);
  const Trial trial = run("lttng:subbuf_bytes=16Ki:subbuf_count=2", load_of(20'000, 100'000),
                          [&](const TrialProgress& progress) { stop(progress); });
  check_balanced(trial);
  if (name == "lttng-consumerd") CHECK(trial.ledger.lost > 0);
}

TEST_CASE("a killed namespace holder is named, and every loss is still counted") {
  if (!available()) return;
  Once kill_it("load", "tailgate-holder", SIGKILL);
  const Trial trial = run("lttng:subbuf_bytes=16Ki:subbuf_count=2", load_of(20'000, 100'000),
                          [&](const TrialProgress& progress) { kill_it(progress); });
  INFO(describe(trial));
  check_balanced(trial);
  CHECK(remarked(trial, "tailgate-holder"));
}

TEST_CASE("a killed daemon leaves a remark, and the trial ends with a result") {
  if (!available()) return;
  const std::string name = GENERATE("lttng-consumerd", "lttng-sessiond");
  Once kill_it("load", name, SIGKILL);
  const Trial trial = run("lttng", load_of(5000, 20'000),
                          [&](const TrialProgress& progress) { kill_it(progress); });
  INFO(describe(trial));
  // Without the session daemon the trace may have no complete metadata, so that nobody can read it.
  CHECK(trial.outcome ==
        (trial.ledger.checked ? TrialOutcome::completed : TrialOutcome::unchecked));
  CHECK(trial.ledger.unchecked() == !trial.ledger.checked);
  CHECK(trial.ledger.emitted == 5000);
  CHECK(remarked(trial, name));
  CHECK(remarked(trial, "ended"));
  CHECK(trial.ledger.unaccounted >= 0);
  CHECK(started("lttng-consumerd").empty());
}

TEST_CASE("a session daemon whose socket was removed leaves a remark") {
  if (!available()) return;
  bool done = false;
  const Trial trial = run("lttng", load_of(2000, 20'000), [&](const TrialProgress& progress) {
    if (done || progress.what != "load") return;
    done = true;
    for (const HeldProcess& holder : started("tailgate-holder")) {
      const std::string run_folder =
          "/proc/" + std::to_string(holder.pid()) + "/" + "root/run/lttng/";
      std::filesystem::remove(run_folder + "client-lttng-sessiond");
      std::filesystem::remove(run_folder + "lttng-ust-sock-8");
    }
  });
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.emitted == 2000);
  CHECK(remarked(trial, "lttng"));
}

// Runs a trial on a file system of that size, in a mount namespace that ends with this process.
Trial run_on_small_disk(const std::string& size, const LoadPlan& load) {
  const Scratch scratch({}, false);
  REQUIRE(unshare(CLONE_NEWNS) == 0);
  REQUIRE(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
  const std::filesystem::path small = scratch.path() / "small";
  std::filesystem::create_directory(small);
  REQUIRE(mount("tmpfs", small.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0);
  Trial trial =
      run_trial(sink_choice("lttng:subbuf_bytes=64Ki"), load, settings(), small / "trial", nothing);
  umount2(small.c_str(), MNT_DETACH);
  return trial;
}

bool may_mount() {
  if (geteuid() != 0) WARN("skipped: mounting a small file system needs root");
  return geteuid() == 0;
}

TEST_CASE("a disk that fills up: written events are read back, the loss leaves a remark") {
  if (!available() || !may_mount()) return;
  const Trial trial = run_on_small_disk("4m", load_of(60'000, 50'000));
  INFO(describe(trial));
  CHECK(trial.ledger.emitted == 60'000);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.delivered > 0);
  CHECK(trial.ledger.unaccounted > 0);
  CHECK(trial.ledger.delivered + trial.ledger.unaccounted >= 60'000 - 60'000 / 4);
  CHECK(remarked(trial, "no space left"));
}

// LTTng writes the trace's declarations, without which no event can be read, on the first tick of
// the switch timer. A daemon that is late may write them while the disk still has room.
TEST_CASE("a disk that is full before the trace's declarations: at most what fits is read back") {
  if (!available() || !may_mount()) return;
  const Trial trial = run_on_small_disk("64k", load_of(3'000, 100'000));
  INFO(describe(trial));
  CHECK(trial.ledger.emitted == 3'000);
  CHECK(trial.ledger.delivered < 64 * 1024 / 128);
  CHECK(remarked(trial, "no space left"));
}

TEST_CASE("the trace's times are times of the run clock") {
  if (!available()) return;
  TrialSettings how = settings();
  if (how.clock.kind != ClockKind::tsc) {
    WARN("skipped: the run clock is not the time-stamp counter");
    return;
  }
  how.keep_files = true;
  const Scratch scratch({}, false);
  LoadPlan load = load_of(1000, 20'000);
  load.threads = 1;
  run_trial(sink_choice("lttng"), load, how, scratch.path() / "trial", nothing);
  Keep keep;
  CtfTraceReader reader(scratch.path() / "trial" / "sink" / "trace");
  while (reader.poll(keep) > 0) {
  }
  REQUIRE(keep.stamps.size() == 1000);
  const Clock clock(how.clock);
  std::size_t within = 0;
  for (std::size_t i = 0; i + 1 < keep.stamps.size(); ++i) {
    const std::uint64_t traced_ns = clock.ns_from_ticks(keep.stamps[i].second);
    // The tracer wrote the event after its call began and before the thread's next call.
    within +=
        traced_ns >= keep.stamps[i].first.emit_ns && traced_ns <= keep.stamps[i + 1].first.emit_ns
            ? 1
            : 0;
  }
  CHECK(within == 999);
}
