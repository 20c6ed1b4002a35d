#include "harness/trial/collector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <utility>

#include "harness/result/latency.h"
#include "harness/result/step_facts.h"

namespace tailgate {
namespace {

// The time that the schedule planned (up to one mean interval after the last intended time), and
// the time that was needed.
struct Span {
  double scheduled_ns = 0;
  double needed_ns = 0;
  std::uint64_t unissued = 0;
};

// Returns the mean interval between two events of one thread at the end of the load.
double mean_gap_ns(const LoadPlan& load) {
  switch (load.shape) {
    case Shape::max:
      return 0;
    case Shape::burst:
      return load.burst_gap_s * 1e9;
    case Shape::ramp:
      return 1e9 * load.threads / load.end_rate_hz;
    case Shape::steady:
    case Shape::poisson:
      break;
  }
  return 1e9 * load.threads / load.rate_hz;
}

Span load_span(const TrialMemory& memory, std::uint64_t record_start_ns) {
  const LoadPlan& load = memory.plan().load;
  const double gap_ns = mean_gap_ns(load);
  Span span;
  for (unsigned i = 0; i < load.threads; ++i) {
    const ThreadBlock& thread = memory.thread(i);
    const auto since_start = [&](std::uint64_t at_ns) {
      return at_ns > record_start_ns ? static_cast<double>(at_ns - record_start_ns) : 0;
    };
    span.scheduled_ns =
        std::max(span.scheduled_ns, since_start(thread.last_intended_ns.load()) + gap_ns);
    span.needed_ns = std::max(span.needed_ns, since_start(thread.last_end_ns.load()));
    span.unissued += thread.unissued.load();
  }
  span.needed_ns = std::max(span.needed_ns, span.scheduled_ns);
  return span;
}

// A load is late that needed more than 1 % more time than was planned.
constexpr double kLateness = 1.01;

bool is_late(const Span& span) {
  return span.needed_ns > span.scheduled_ns * kLateness;
}

void add_slots(const SlowSlot* slots, std::uint32_t count, unsigned thread,
               std::vector<SlowCall>& calls) {
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t end_ns = slots[k].end_ns.load(std::memory_order_acquire);
    const std::uint64_t start_ns = slots[k].start_ns.load();
    const std::uint64_t intended_ns = slots[k].intended_ns.load();
    if (end_ns == 0 || start_ns > end_ns || intended_ns > end_ns) continue;
    calls.push_back({.thread = thread,
                     .sequence = slots[k].sequence.load(),
                     .intended_ns = intended_ns,
                     .start_ns = start_ns,
                     .end_ns = end_ns,
                     .cpu = static_cast<int>(slots[k].cpu.load())});
  }
}

// The load that was planned, of each thread.
struct Planned {
  double ns;
  double events;
};

Planned planned_load(const Span& span, double gap_ns, const Trial& trial) {
  const auto threads = static_cast<double>(trial.load.threads);
  const auto unissued = static_cast<double>(span.unissued);
  return {.ns = span.scheduled_ns + unissued * gap_ns / threads,
          .events = (static_cast<double>(trial.measured) + unissued) / threads};
}

// Whether a thread that needs so much for each event, and is never disturbed, is late.
bool is_too_much(const Planned& planned, double event_ns) {
  return planned.events * event_ns > planned.ns * kLateness;
}

// Whether the load would have fitted into its time if others had taken nothing: what it needed
// without that time, and for the events that were never issued as much each, is what was planned.
// The median call, which the slow ones do not move, takes that time in any case.
bool would_have_held(const Span& span, double gap_ns, const Trial& trial) {
  const std::uint64_t taken_ns = trial.neighbours ? trial.neighbours->taken_ns.value_or(0) : 0;
  if (taken_ns == 0 || trial.measured == 0) return false;
  const Planned planned = planned_load(span, gap_ns, trial);
  const double own_ns = std::max(0.0, span.needed_ns - static_cast<double>(taken_ns));
  const double measured_each = static_cast<double>(trial.measured) / trial.load.threads;
  const double least_ns =
      std::max(trial.floor.two_clock_reads_ns, static_cast<double>(trial.service.p50_ns));
  return !is_too_much(planned, std::max(least_ns, own_ns / measured_each));
}

// Says that no sink could have held the rate, since the harness reads the clock twice for each
// event.
Remark beyond_driver_remark(Remark remark, double two_clock_reads_ns, unsigned threads) {
  remark.what += fmt::format(
      "; no sink could: {} thread{} of the load can time {:.3g} events/s at most here, so this is "
      "the driver's limit, not the sink's",
      threads, threads == 1 ? "" : "s", 1e9 * threads / two_clock_reads_ns);
  return remark;
}

// Says that a missed rate is not the sink's fault, where that is proven.
Remark missed_rate_remark(Remark remark, const Trial& trial) {
  if (!trial.missed_by_machine.value_or(false)) return remark;
  remark.what += fmt::format(
      "; {} took at least {:.4g} s of it from the load's processor: the machine's fault, not the "
      "sink's",
      takers_of({&*trial.neighbours}), static_cast<double>(*trial.neighbours->taken_ns) / 1e9);
  remark.remedy =
      "end other programs, or bind the load to other processors with --load-cpus, and run again";
  return remark;
}

// In a closed loop a call's intended time is its start, so response times equal service times, and
// the driver records them only once.
Metric recorded_as(const TrialMemory& memory, Metric metric) {
  const bool closed_loop = memory.plan().load.shape == Shape::max;
  return closed_loop && metric == Metric::response ? Metric::service : metric;
}

// Where all load threads record that metric.
std::vector<const std::uint64_t*> words_of(const TrialMemory& memory, Metric metric) {
  std::vector<const std::uint64_t*> words;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    words.push_back(memory.words(i, recorded_as(memory, metric)));
  }
  return words;
}

Histogram start_lag(const TrialMemory& memory, std::uint64_t measured) {
  if (memory.plan().load.shape != Shape::max) return merged(memory, Metric::start_lag);
  Histogram none(memory.layout());
  none.record(0, measured);
  return none;
}

// The most values that all histograms of a trial may hold, so that no sum of them overflows.
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 62;
constexpr const char* kOverflown = "they hold more calls than there can have been";

// Returns a histogram's number of values and takes it from the room; nothing if it does not fit.
std::optional<std::uint64_t> total_of(const HistogramLayout& layout, const std::uint64_t* words,
                                      std::uint64_t& room) {
  const std::uint64_t before = room;
  for (std::size_t word = 0; word < HistogramWriter::words(layout); ++word) {
    const std::uint64_t count =
        std::atomic_ref<const std::uint64_t>(words[word]).load(std::memory_order_relaxed);
    if (count > room) return std::nullopt;
    room -= count;
  }
  return before - room;
}

// What a kill took along that the scenario planned is no defect of the sink.
bool has_unplanned_loss(const LedgerAccount& ledger) {
  return std::any_of(ledger.losses.begin(), ledger.losses.end(), [](const LossCount& loss) {
    return loss.events > 0 && loss.reported_by != "scenario";
  });
}

WriterUse writer_use(const TrialMemory& memory, unsigned number, std::uint64_t start_ns) {
  const LoadPlan& load = memory.plan().load;
  const auto recorded = [&](Metric metric) {
    return make_latency(
        snapshot(memory.layout(), memory.words(number, recorded_as(memory, metric))));
  };
  WriterUse use{.thread = number,
                .process = number / threads_each(load),
                .service = recorded(Metric::service),
                .response = recorded(Metric::response)};
  use.measured = use.service.count;
  const std::uint64_t end_ns = memory.thread(number).last_end_ns.load();
  if (start_ns != 0 && end_ns > start_ns) {
    use.achieved_rate_hz =
        1e9 * static_cast<double>(use.measured) / static_cast<double>(end_ns - start_ns);
  }
  return use;
}

}  // namespace

IntervalCollector::IntervalCollector(const TrialMemory& memory)
    : service_(memory.layout(), words_of(memory, Metric::service)),
      response_(memory.layout(), words_of(memory, Metric::response)) {}

void IntervalCollector::cut(std::uint64_t start_ns, std::uint64_t now_ns,
                            std::vector<RoleUse> roles) {
  series_.add({.start_ns = last_ns_ == 0 ? start_ns : last_ns_,
               .end_ns = now_ns,
               .service = make_latency(service_.next()),
               .response = make_latency(response_.next()),
               .roles = std::move(roles)});
  last_ns_ = now_ns;
}

void IntervalCollector::report(Trial& trial) {
  trial.intervals = series_.take();
  if (series_.joined_each() > 1) trial.remarks.push_back(joined_remark(trial.intervals));
}

void record_pending_calls(TrialMemory& memory) {
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    ThreadBlock& thread = memory.thread(i);
    const std::uint64_t pending = thread.pending_service_ns.exchange(0);
    if (pending == 0) continue;
    std::uint64_t* const words = memory.words(i, Metric::service);
    const std::uint64_t recorded = snapshot(memory.layout(), words).total_count();
    // The provider may have been killed between recording a call and saying so.
    if (recorded >= thread.finished.load() - thread.unrecorded.load()) continue;
    HistogramWriter(memory.layout(), words).record(pending - 1);
  }
}

std::string why_not_measured(const TrialMemory& memory, bool whole_load) {
  std::uint64_t room = kMostCalls;
  for (const std::uint64_t* words : {memory.floor_words(), memory.delivery_words()}) {
    if (!total_of(memory.layout(), words, room)) return kOverflown;
  }
  const bool closed_loop = memory.plan().load.shape == Shape::max;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    std::array<std::uint64_t, kThreadMetrics> totals{};
    for (std::size_t metric = 0; metric < kThreadMetrics; ++metric) {
      const auto total =
          total_of(memory.layout(), memory.words(i, static_cast<Metric>(metric)), room);
      if (!total) return kOverflown;
      totals[metric] = *total;
    }
    const std::uint64_t finished = memory.thread(i).finished.load();
    const auto service = totals[static_cast<std::size_t>(Metric::service)];
    if (service > finished) {
      return fmt::format("thread {} recorded {} calls, and {} have returned: that cannot be", i,
                         service, finished);
    }
    const auto other = std::find_if(totals.begin(), totals.end(),
                                    [&](std::uint64_t total) { return total != service; });
    if (whole_load && !closed_loop && other != totals.end()) {
      return fmt::format(
          "thread {} recorded {} service times and {} response times or start lags: "
          "that cannot be",
          i, service, *other);
    }
  }
  return "";
}

void discard_measurements(const TrialMemory& memory) {
  const std::size_t words = HistogramWriter::words(memory.layout());
  std::fill_n(memory.floor_words(), words, 0);
  std::fill_n(memory.delivery_words(), words, 0);
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    for (std::size_t metric = 0; metric < kThreadMetrics; ++metric) {
      std::fill_n(memory.words(i, static_cast<Metric>(metric)), words, 0);
    }
  }
}

Histogram merged(const TrialMemory& memory, Metric metric) {
  return snapshot(memory.layout(), words_of(memory, metric));
}

std::vector<SlowCall> slowest_calls(const TrialMemory& memory) {
  std::vector<SlowCall> calls;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    add_slots(memory.slowest(i), memory.plan().slowest, i, calls);
  }
  std::sort(calls.begin(), calls.end(), [](const SlowCall& a, const SlowCall& b) {
    return a.end_ns - a.start_ns > b.end_ns - b.start_ns;
  });
  return calls;
}

std::vector<SlowCall> slowest_responses(const TrialMemory& memory) {
  std::vector<SlowCall> calls;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    add_slots(memory.slowest_responses(i), memory.plan().slowest_responses, i, calls);
  }
  std::sort(calls.begin(), calls.end(), [](const SlowCall& a, const SlowCall& b) {
    return a.end_ns - a.intended_ns > b.end_ns - b.intended_ns;
  });
  return calls;
}

void collect_measurements(const TrialMemory& memory, Trial& trial) {
  const LoadPlan& load = memory.plan().load;
  const ProviderBlock& provider = memory.header().provider;
  const Histogram service = merged(memory, Metric::service);
  trial.measured = service.total_count();
  trial.service = make_latency(service);
  trial.response = make_latency(merged(memory, Metric::response));
  trial.start_lag = make_latency(start_lag(memory, trial.measured));
  trial.slowest = slowest_calls(memory);
  trial.noise = noise_of(provider.noise);
  trial.floor = {.service = make_latency(snapshot(memory.layout(), memory.floor_words())),
                 .loop_ns = provider.floor.loop_ns,
                 .two_clock_reads_ns = provider.floor.two_clock_reads_ns};
  trial.memory_locked = provider.memory_locked.load() != 0;

  const std::uint64_t go_ns = memory.header().go_ns.load();
  if (go_ns == 0) return;
  trial.start_ns = go_ns + static_cast<std::uint64_t>(load.warmup_s * 1e9);
  if (load.threads > 1) {
    trial.writers.emplace();
    for (unsigned i = 0; i < load.threads; ++i) {
      trial.writers->push_back(writer_use(memory, i, trial.start_ns));
    }
  }
  for (unsigned i = 0; i < load.threads; ++i) {
    trial.end_ns = std::max(trial.end_ns, memory.thread(i).last_end_ns.load());
  }
  const Span span = load_span(memory, trial.start_ns);
  trial.unissued = span.unissued;
  trial.rate_missed = span.unissued > 0;
  if (trial.measured == 0 || span.needed_ns <= 0) return;
  const auto measured = static_cast<double>(trial.measured);
  trial.achieved_rate_hz = measured / span.needed_ns * 1e9;
  trial.rate_missed = trial.rate_missed || (load.shape != Shape::max && is_late(span));
}

void judge_missed_rate(const TrialMemory& memory, Trial& trial) {
  if (!trial.rate_missed) return;
  const Span span = load_span(memory, trial.start_ns);
  trial.missed_by_machine = would_have_held(span, mean_gap_ns(memory.plan().load), trial);
}

Noise noise_of(const NoiseBlock& block) {
  return {.observed_ns = block.observed_ns,
          .gaps_over_10us = block.gaps_over_10us,
          .gaps_over_100us = block.gaps_over_100us,
          .gaps_over_1ms = block.gaps_over_1ms,
          .max_gap_ns = block.max_gap_ns,
          .lost_share = block.observed_ns == 0 ? 0
                                               : static_cast<double>(block.lost_ns) /
                                                     static_cast<double>(block.observed_ns)};
}

void add_noise_remark(Trial& trial) {
  if (trial.noise.lost_share <= kBusyShare) return;
  std::string what = fmt::format(
      "an idle thread on the load's processor did not run for {:.1f} % of the time before the load",
      trial.noise.lost_share * 100);
  if (trial.neighbours) {
    std::vector<std::string> uses;
    for (const NeighbourUse& use : notable_neighbours({&*trial.neighbours})) {
      uses.push_back(fmt::format("{} {:.0f} %", use.name, use.cpu_share * 100));
    }
    if (!uses.empty()) {
      what += fmt::format("; then and during the load others used, of one processor: {}",
                          fmt::join(uses, ", "));
    }
  }
  trial.remarks.push_back(
      {std::move(what),
       "end other programs, or bind the load to other processors with --load-cpus"});
}

// "12 of 300 events (4 %) were lost: full buffer 10, closed 2".
std::string loss_text(const LedgerAccount& ledger) {
  std::vector<std::string> causes;
  for (const LossCount& loss : ledger.losses) {
    if (loss.events > 0) causes.push_back(fmt::format("{} {}", loss.cause, loss.events));
  }
  const double share = static_cast<double>(ledger.lost) /
                       static_cast<double>(std::max<std::uint64_t>(1, ledger.emitted));
  return fmt::format("{} of {} events ({:.3g} %) were lost: {}", ledger.lost, ledger.emitted,
                     share * 100, fmt::join(causes, ", "));
}

std::string loss_remedy(const LedgerAccount& ledger) {
  if (ledger.lost >= ledger.emitted) {
    return "the sink takes no such event: change the load or the sink's options";
  }
  return "lower rate_hz, or give the sink larger buffers";
}

void add_remarks(const TrialMemory& memory, Trial& trial) {
  const auto remark = [&trial](std::string what, std::string remedy) {
    trial.remarks.push_back({std::move(what), std::move(remedy)});
  };
  const LoadPlan& load = memory.plan().load;
  const Span span = load_span(memory, trial.start_ns);
  // A load whose processes are stopped or killed on purpose is late by that.
  if (trial.rate_missed && is_late(span) && !trial.actions) {
    // Events that were never issued are in the plan, too.
    const double planned_s =
        span.unissued > 0 && load.duration_s > 0 ? load.duration_s : span.scheduled_ns / 1e9;
    const Remark late = {
        fmt::format(
            "the load took {:.4g} s, where {:.4g} s were planned: {:.6g} events/s of "
            "{:.6g}",
            span.needed_ns / 1e9, planned_s, trial.achieved_rate_hz,
            load.shape == Shape::ramp ? (load.rate_hz + load.end_rate_hz) / 2 : load.rate_hz),
        "lower rate_hz, or use the trial only to see the sink's behaviour under overload"};
    const double reads_ns = trial.floor.two_clock_reads_ns;
    const bool beyond = is_too_much(planned_load(span, mean_gap_ns(load), trial), reads_ns);
    trial.remarks.push_back(beyond ? beyond_driver_remark(late, reads_ns, load.threads)
                                   : missed_rate_remark(late, trial));
  }
  if (trial.unissued > 0) {
    remark(fmt::format("{} scheduled events were never issued: the time was over", trial.unissued),
           trial.missed_by_machine.value_or(false)
               ? "the response quantiles are lower bounds; run again on an idle machine"
               : "the response quantiles are lower bounds; lower rate_hz");
  }
  if (has_unplanned_loss(trial.ledger)) {
    remark(loss_text(trial.ledger), loss_remedy(trial.ledger));
  }
  if (trial.ledger.unaccounted != 0) {
    remark(fmt::format("{} events are unaccounted for: {}", trial.ledger.unaccounted,
                       trial.ledger.unaccounted_cause),
           "do not compare this trial's figures with others");
  }
  if (trial.response.overflow > 0) {
    remark(fmt::format("{} response times are above the histogram's range of {:.4g} s",
                       trial.response.overflow,
                       static_cast<double>(memory.plan().range.highest_trackable) / 1e9),
           "the maximum is a lower bound; lower the rate");
  }
  add_noise_remark(trial);
  if (!trial.memory_locked && trial.outcome == TrialOutcome::completed) {
    remark("the memory for measurements could not be locked in RAM", "raise the limit 'ulimit -l'");
  }
}

Load describe_load(const LoadPlan& plan) {
  const bool ramp = plan.shape == Shape::ramp;
  const bool closed = plan.shape == Shape::max;
  return {.shape = plan.shape,
          .rate_hz = closed ? 0 : plan.rate_hz,
          .end_rate_hz = closed ? 0
                         : ramp ? plan.end_rate_hz
                                : plan.rate_hz,
          .burst_events = plan.burst_events,
          .burst_gap_s = plan.burst_gap_s,
          .threads = plan.threads,
          .processes = plan.processes > 1 ? std::optional(plan.processes) : std::nullopt,
          .sessions = plan.sessions > 1 ? std::optional(plan.sessions) : std::nullopt,
          .own_sessions =
              plan.own_sessions != 0 && plan.sessions > 1 ? std::optional(true) : std::nullopt,
          .payload = payload_text(plan.payload),
          .warmup_s = plan.warmup_s,
          .duration_s = plan.duration_s,
          .events = plan.events,
          .pacing = plan.pacing,
          .seed = plan.seed};
}

}  // namespace tailgate
