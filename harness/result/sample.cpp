#include "harness/result/sample.h"

#include "harness/result/disturbance.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kEvents = 20'000;
constexpr std::uint64_t kSecondNs = 1'000'000'000;

// Values first + 1000, first + 2000 … ns: event i took i + 1 microseconds more than `first`.
Latency staircase(std::uint64_t first_ns, std::uint64_t begin, std::uint64_t end) {
  Histogram histogram{HistogramRange()};
  for (std::uint64_t i = begin; i < end; ++i) histogram.record(first_ns + 1000 * (i + 1));
  return make_latency(histogram);
}

Load sample_load() {
  Load load;
  load.shape = Shape::steady;
  load.rate_hz = 10'000;
  load.end_rate_hz = 10'000;
  load.payload = "128";
  load.warmup_s = 0.5;
  load.duration_s = 2;
  load.pacing = Pacing::hybrid;
  load.seed = 42;
  return load;
}

Interval sample_interval(const Trial& trial, std::uint64_t second) {
  Interval interval;
  interval.start_ns = trial.start_ns + second * kSecondNs;
  interval.end_ns = interval.start_ns + kSecondNs;
  const std::uint64_t begin = second * kEvents / 2;
  interval.service = staircase(trial.index, begin, begin + kEvents / 2);
  interval.response = staircase(trial.index + 500, begin, begin + kEvents / 2);
  return interval;
}

Noise sample_noise() {
  Noise noise;
  noise.observed_ns = 100'000'000;
  noise.gaps_over_10us = 3;
  noise.gaps_over_100us = 1;
  noise.max_gap_ns = 182'000;
  noise.lost_share = 0.0023;
  return noise;
}

Neighbours sample_neighbours() {
  Neighbours neighbours;
  neighbours.observed_ns = 2'700'000'000;
  neighbours.processes = {{"cc1plus", 0.875}, {"kworker", 0.0625}};
  neighbours.stolen_ns = 30'000'000;
  neighbours.taken_ns = 125'000'000;
  return neighbours;
}

Floor sample_floor() {
  Floor floor;
  Histogram histogram{HistogramRange()};
  histogram.record(24, 990);
  histogram.record(31, 10);
  floor.service = make_latency(histogram);
  floor.loop_ns = 38.5;
  floor.two_clock_reads_ns = 33.25;
  return floor;
}

RoleUse sample_use(const char* role, unsigned processes, std::uint64_t cpu_ns) {
  RoleUse use;
  use.role = role;
  use.processes = processes;
  use.counters.cpu_ns = cpu_ns;
  return use;
}

// The overhead of a trial that writes 20,000 events of 128 bytes in two seconds on a machine with
// two processors.
Overhead sample_overhead(const Trial& trial, std::uint64_t provider_cpu_ns) {
  Overhead overhead;
  overhead.start_ns = trial.start_ns;
  overhead.end_ns = trial.end_ns;
  overhead.events = kEvents;
  overhead.processors = 2;
  overhead.samples = 3;
  overhead.sampler_cpu_ns = 900'000;
  overhead.sampler_longest_ns = 400'000;
  overhead.limits = "the kernel's threads are not visible here (a container?); they are in rest";
  RoleUse provider = sample_use("provider", 1, provider_cpu_ns);
  provider.counters.spun_ns = 1'900'000'000;
  provider.counters.switches = 200;
  provider.counters.minor_faults = 10;
  provider.counters.major_faults = 0;
  provider.counters.written_bytes = kEvents * 128;
  overhead.roles = {provider, sample_use("daemons", 1, 40'000'000),
                    sample_use("consumer", 1, 100'000'000), sample_use("rest", 0, 20'000'000),
                    sample_use("machine", 0, provider_cpu_ns + 160'000'000)};
  return overhead;
}

Trial sample_trial(unsigned index) {
  Trial trial;
  trial.index = index;
  trial.run = 7000 + index;
  trial.load = sample_load();
  trial.outcome = TrialOutcome::completed;
  trial.started_utc = "2026-03-01T12:00:0" + std::to_string(3 * index) + "Z";
  trial.start_ns = (3 * index + 1) * kSecondNs;
  trial.end_ns = trial.start_ns + 2 * kSecondNs;
  trial.measured = kEvents;
  trial.achieved_rate_hz = 10'000;
  trial.service = staircase(index, 0, kEvents);
  trial.response = staircase(index + 500, 0, kEvents);
  Histogram lag{HistogramRange()};
  lag.record(500, kEvents);
  trial.start_lag = make_latency(lag);
  trial.intervals = {sample_interval(trial, 0), sample_interval(trial, 1)};
  trial.slowest = {
      {0, 24'999, trial.end_ns - 20'000'500, trial.end_ns - 20'000'000, trial.end_ns, 1}};
  trial.ledger.checked = true;
  trial.ledger.emitted = 25'000;
  trial.ledger.delivered = 25'000;
  trial.consumer.mode = ConsumerMode::live;
  trial.consumer.events = 25'000;
  trial.consumer.bytes = 25'000 * 128;
  trial.consumer.read_s = 0.25;
  trial.consumer.poll_interval_s = 0.001;
  trial.consumer.delivery = staircase(100'000, 0, kEvents);
  trial.daemons = {{"collector", 125'000'000}, {"relay", std::nullopt}};
  trial.overhead = sample_overhead(trial, 1'960'000'000 + index * 1'000'000);
  trial.intervals[0].roles = {sample_use("provider", 1, 980'000'000)};
  trial.noise = sample_noise();
  trial.neighbours = sample_neighbours();
  trial.floor = sample_floor();
  trial.memory_locked = true;
  trial.granted = {{"mode", "mmap"}};
  return trial;
}

// The control trial on the null sink: no daemons, no consumer, and 20 ms less in the provider.
Trial sample_control(unsigned index) {
  Trial trial = sample_trial(index);
  trial.overhead = sample_overhead(trial, 1'940'000'000);
  std::erase_if(trial.overhead->roles,
                [](const RoleUse& use) { return use.role == "daemons" || use.role == "consumer"; });
  trial.overhead->roles.back().counters.cpu_ns = 1'960'000'000;
  trial.intervals.clear();
  trial.slowest.clear();
  trial.daemons.clear();
  trial.consumer = {};
  trial.consumer.mode = ConsumerMode::none;
  return trial;
}

// The trial's slowest call: it starts 500 ns late, spends 5 ms in the program, 9 ms waiting behind
// another thread, 5 ms in write() blocked by storage, and 1 ms without any record.
ExplainedCall sample_explained_call(const Trial& trial) {
  const SlowCall& slow = trial.slowest.front();
  constexpr std::uint64_t kMs = 1'000'000;
  const std::uint64_t at_ns = slow.start_ns;
  ExplainedCall call;
  call.pid = 4321;
  call.sequence = slow.sequence;
  call.intended_ns = slow.intended_ns;
  call.start_ns = slow.start_ns;
  call.end_ns = slow.end_ns;
  call.cpu = slow.cpu;
  call.slow_service = true;
  call.slow_response = true;
  call.slices = {
      {slow.intended_ns, at_ns, "queued", "", 0, ""},
      {at_ns, at_ns + 5 * kMs, "running", "", 0, ""},
      {at_ns + 5 * kMs, at_ns + 14 * kMs, "waiting", "burner", 99, ""},
      {at_ns + 14 * kMs, at_ns + 19 * kMs, "blocked_io", "writer", 77, "write; 254:0 WS"},
      {at_ns + 19 * kMs, slow.end_ns, "unknown", "write", 0, ""},
  };
  call.functions = CallFunctions{
      .steps = {{at_ns + 19 * kMs, at_ns + 19 * kMs + 250'000, "vfs_write"},
                {at_ns + 19 * kMs + 250'000, slow.end_ns - 1000, "ext4_file_write_iter [ext4]"}},
      .steps_left_out = 1,
      .left_out_ns = 1000};
  return call;
}

ActivityWindow sample_window(const ExplainedCall& call) {
  constexpr std::uint64_t kMs = 1'000'000;
  ActivityWindow window;
  window.sequence = call.sequence;
  window.start_ns = call.intended_ns - kMs;
  window.end_ns = call.end_ns + kMs;
  const std::uint64_t at_ns = call.start_ns;
  window.runs = {{0, window.start_ns, window.end_ns, 0, "idle"},
                 {1, window.start_ns, at_ns + 5 * kMs, call.pid, "tailgate"},
                 {1, at_ns + 5 * kMs, at_ns + 14 * kMs, 99, "burner"},
                 {1, at_ns + 14 * kMs, at_ns + 19 * kMs, 0, "idle"},
                 {1, at_ns + 19 * kMs, window.end_ns, call.pid, "tailgate"}};
  window.spans = {{"interrupt", "timer", 1, 0, at_ns + 5 * kMs - 3000, at_ns + 5 * kMs},
                  {"syscall", "write", 1, call.pid, at_ns + 14 * kMs, call.end_ns},
                  {"block_io", "254:0 WS by writer", -1, 77, at_ns + 14 * kMs, at_ns + 19 * kMs}};
  window.wakes = {{at_ns + 19 * kMs - 1000, 1, call.pid, 0}};
  return window;
}

ExplainedTail sample_tail(const char* measure, std::uint64_t extra_ns) {
  constexpr std::uint64_t kMs = 1'000'000;
  ExplainedTail tail;
  tail.measure = measure;
  tail.quantile = 0.999;
  tail.threshold_ns = 19'981'000 + extra_ns;
  tail.usual_ns = 5 * kMs;
  tail.calls = 1;
  tail.calls_missing = 19;
  tail.time_ns = 20 * kMs + extra_ns;
  tail.excess_ns = tail.time_ns - tail.usual_ns;
  tail.causes = {{"waiting", 9 * kMs, 9 * kMs, 1},
                 {"blocked_io", 5 * kMs, 5 * kMs, 1},
                 {"unknown", kMs, kMs, 1}};
  if (extra_ns > 0) tail.causes.push_back({"queued", extra_ns, extra_ns, 1});
  tail.causes.push_back({"running", 5 * kMs, 0, 1});
  tail.culprits = {{"waiting", "burner", 99, 9 * kMs, 1}, {"blocked_io", "writer", 77, 5 * kMs, 1}};
  tail.functions = TailFunctions{
      .functions = {{"ext4_file_write_iter [ext4]", 749'000, 1, 1}, {"vfs_write", 250'000, 1, 1}},
      .left_out_ns = 1000};
  return tail;
}

// 100 samples of the load's thread, of which 70 waited for the schedule and 25 were in the kernel,
// and 10 of a daemon. Of the slow call there is one.
Profile sample_profile(const ExplainedCall& call) {
  Profile profile;
  profile.method = "cpu_clock";
  profile.rate_hz = 997;
  profile.callers = "dwarf";
  profile.kernel = true;
  profile.samples = 130;
  profile.lost = 2;
  profile.functions = {{"main", "tailgate"},
                       {"run_load", "tailgate"},
                       {"FileProvider::emit(unsigned)", "tailgate"},
                       {"ksys_write", "kernel"},
                       {"[daemon]", "daemon"}};
  profile.roles.resize(2);
  profile.roles[0] = {.role = "load", .threads = 1, .samples = 100, .cut_stacks = 1};
  profile.roles[0].functions = {{1, 70, 100}, {3, 25, 25}, {2, 5, 30}, {0, 0, 100}};
  profile.roles[0].stacks = {{{0, 1}, 70}, {{0, 1, 2, 3}, 25}, {{0, 1, 2}, 4}};
  profile.roles[0].left_out = 1;
  profile.roles[1] = {.role = "daemons", .threads = 1, .samples = 10, .cut_stacks = 10};
  profile.roles[1].functions = {{4, 10, 10}};
  profile.roles[1].stacks = {{{4}, 10}};
  profile.tails = {{"service", 1, 1, 1, {{3, 1, 1}}}, {"response", 1, 1, 1, {{3, 1, 1}}}};
  profile.marks = {{call.start_ns + 1000, "load", call.pid, 1, {0, 1, 2, 3}}};
  return profile;
}

// The traced trial, under a trace that lost three records.
Trial sample_traced(unsigned index) {
  Trial trial = sample_trial(index);
  trial.intervals.clear();
  Explanation explanation;
  explanation.trace.method = "kernel_trace";
  explanation.trace.start_ns = trial.start_ns - kSecondNs / 2;
  explanation.trace.end_ns = trial.end_ns + 1'000'000;
  explanation.trace.records = 81'234;
  explanation.trace.bytes = 3'456'789;
  explanation.trace.losses = {{0, 3}};
  explanation.trace.system_calls = true;
  explanation.tails = {sample_tail("service", 0), sample_tail("response", 500)};
  explanation.calls = {sample_explained_call(trial)};
  explanation.windows = {sample_window(explanation.calls.front())};
  explanation.profile = sample_profile(explanation.calls.front());
  trial.explanation = explanation;
  return trial;
}

Trial sample_losing_trial(unsigned index) {
  Trial trial = sample_trial(index);
  trial.achieved_rate_hz = 9'500;
  trial.rate_missed = true;
  trial.ledger.delivered = 24'890;
  trial.ledger.lost = 100;
  trial.ledger.losses = {{"buffer full", "session", 100}};
  trial.ledger.unaccounted = 10;
  trial.ledger.unaccounted_cause = "the consumer read 10 events fewer than the session kept";
  trial.remarks = {{"achieved 9500 of 10000 events per second",
                    "lower rate_hz or give the load threads a processor of their own"},
                   {"10 events are unaccounted for", "see ledger.unaccounted_cause"}};
  return trial;
}

Trial sample_crashed_trial(unsigned index) {
  Trial trial;
  trial.index = index;
  trial.run = 7000 + index;
  trial.load = sample_load();
  trial.outcome = TrialOutcome::crashed;
  trial.outcome_detail = "SIGSEGV in the provider process";
  trial.started_utc = "2026-03-01T12:00:09Z";
  trial.consumer.mode = ConsumerMode::none;
  trial.ledger.emitted = 12;
  trial.ledger.in_flight = 1;
  return trial;
}

void describe_environment(Result& result) {
  result.scenario = {"steady", "quick", {{"rate_hz", "10000"}, {"duration_s", "2"}}};
  result.sink.name = "file";
  result.sink.label = "file:mode=mmap";
  result.sink.options = {{"mode", "mmap"}, {"fsync_every", "0"}};
  result.sink.live_read = true;
  result.sink.read_back = true;
  result.sink.accounts_losses = true;
  result.sink.survives = Survives::kill;
  result.placement = {{1}, {0}, {0}};
  result.machine = {"0123456789abcdef",
                    "Debian GNU/Linux 12",
                    "6.1.0-30-amd64",
                    "Example CPU",
                    2,
                    4'000'000'000,
                    "none seen",
                    {{"governor", "performance"}}};
  result.build = {"0.1.0", "unknown", false, "GCC 12.2.0", "-O2", "Release"};
  result.clock = {"tsc", 2.5e9, 1.5, 16.6, 20, 60, 0.1, 0.2};
}

}  // namespace

Result sample_result() {
  Result result;
  result.id = "5f0c7d1e9a3b2468";
  result.started_utc = "2026-03-01T12:00:00Z";
  result.finished_utc = "2026-03-01T12:00:12Z";
  result.complete = true;
  describe_environment(result);
  result.trials = {sample_trial(0), sample_trial(1), sample_losing_trial(2),
                   sample_crashed_trial(3)};
  result.controls = {sample_control(0), sample_control(1), sample_control(2), sample_control(3)};
  result.explained = true;
  result.traced = {sample_traced(0), sample_traced(1)};
  result.traced[1].outcome = TrialOutcome::unchecked;
  result.traced[1].ledger.checked = false;
  result.traced[1].ledger.unchecked_cause =
      "the consumer ended by signal 9 (killed) after 512 events";
  result.summary = summarize(result);
  result.disturbance = disturbances(result);
  result.remarks = {{"1 of 4 trials did not complete", "see trials[].outcome_detail"}};
  return result;
}

}  // namespace tailgate
