#include "harness/run/duet/duet_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr double kTurnS = 0.02;
constexpr double kDrainedTurnS = 0.05;
constexpr double kSideS = 1.0;  // seconds of load per side and round
// Less with drains, since they take time, too: the gate's fifty rounds must fit into two minutes.
constexpr double kDrainedSideS = 0.9;
constexpr double kMinEvents = 200;
constexpr double kMinBursts = 4;
constexpr unsigned kMinTurns = 4;
constexpr unsigned kMaxTurns = 50;
constexpr double kMaxRequestedTurns = 10'000;
constexpr double kMaxCalls = 2'000'000;  // of all threads: 64 MB of log
// A turn of a closed loop ends when its share of the log is full.
constexpr double kMaxCallsClosedLoop = 1e6;

// Of each load thread.
double rate_hz(const LoadPlan& load) {
  if (load.shape == Shape::burst) return static_cast<double>(load.burst_events) / load.burst_gap_s;
  return load.rate_hz / load.threads;
}

double turn_s(const LoadPlan& load, bool drained, const TurnWishes& wishes) {
  if (wishes.turn_ms) return *wishes.turn_ms / 1e3;
  double length_s = drained ? kDrainedTurnS : kTurnS;
  if (load.shape == Shape::max) return length_s;
  length_s = std::max(length_s, kMinEvents / rate_hz(load));
  if (load.shape == Shape::burst) {
    length_s = std::max(length_s, kMinBursts * load.burst_gap_s);
    length_s = std::ceil(length_s / load.burst_gap_s - 1e-9) * load.burst_gap_s;
  }
  return length_s;
}

unsigned turn_count(double length_s, bool drained, const TurnWishes& wishes) {
  if (wishes.turns) return *wishes.turns;
  const double wanted = std::round((drained ? kDrainedSideS : kSideS) / length_s);
  return static_cast<unsigned>(std::clamp<double>(wanted, kMinTurns, kMaxTurns));
}

void check_can_be_cut(const LoadPlan& load) {
  if (load.processes > 1) {
    throw Error(
        fmt::format("processes = {}: a side of a duet has one provider process", load.processes),
        "compare with processes=1, or threads instead");
  }
  if (load.shape == Shape::ramp) {
    throw Error("a ramp cannot be divided into equal turns",
                "compare steady rates: scenario steady or burst");
  }
  if (load.shape == Shape::max && load.burst_events > 0) {
    throw Error("batches with pauses are not compared in turns: they show no response times",
                "compare under a load: scenario steady or burst");
  }
}

}  // namespace

TurnPlan plan_turns(const LoadPlan& load, bool drained, const TurnWishes& wishes) {
  check_can_be_cut(load);
  const double length_s = turn_s(load, drained, wishes);
  const unsigned count = turn_count(length_s, drained, wishes);
  const bool closed_loop = load.shape == Shape::max;
  const double calls_closed_loop = kMaxCallsClosedLoop / load.threads;
  const double events = closed_loop ? calls_closed_loop / count : rate_hz(load) * length_s;
  if (events < 2.0 * kDroppedPerTurn) {
    throw Error(
        fmt::format("a turn of {:.4g} ms has {:.3g} events of each thread, of which the first {} "
                    "are left out",
                    length_s * 1e3, events, kDroppedPerTurn),
        "make turns longer with --turn-ms, or raise rate_hz");
  }
  // A turn with Poisson arrivals may have more events than the mean: allow five standard
  // deviations. Rounding may add one more burst.
  const double more = 5 * std::sqrt(events) + 2 + static_cast<double>(load.burst_events);
  const double room = closed_loop ? calls_closed_loop : count * (events + more);
  if (room * load.threads > kMaxCalls || count > kMaxRequestedTurns) {
    throw Error(fmt::format("{} turns of {:.3g} events exceed the maximum of a round ({:.3g})",
                            count, events * load.threads, kMaxCalls),
                "use fewer or shorter turns (--turns, --turn-ms), or a lower rate_hz");
  }
  return {.count = count + wishes.warmup_turns,
          .warmup = wishes.warmup_turns,
          .length_ns = static_cast<std::uint64_t>(std::llround(length_s * 1e9)),
          .max_calls = static_cast<std::uint64_t>(room)};
}

TurnPlan common_turns(const LoadPlan& a, const LoadPlan& b, bool drained,
                      const TurnWishes& wishes) {
  const TurnPlan for_a = plan_turns(a, drained, wishes);
  const TurnPlan for_b = plan_turns(b, drained, wishes);
  TurnWishes common = wishes;
  common.turn_ms = static_cast<double>(std::max(for_a.length_ns, for_b.length_ns)) / 1e6;
  common.turns = std::min(for_a.count, for_b.count) - wishes.warmup_turns;
  TurnPlan plan = plan_turns(a, drained, common);
  plan.max_calls = std::max(plan.max_calls, plan_turns(b, drained, common).max_calls);
  return plan;
}

LoadPlan load_in_turns(LoadPlan load, const TurnPlan& turns) {
  const double length_s = static_cast<double>(turns.length_ns) / 1e9;
  load.warmup_s = turns.warmup * length_s;
  load.duration_s = (turns.count - turns.warmup) * length_s;
  load.events = 0;
  return load;
}

Generation plan_generation(unsigned rounds_to_look, unsigned long_rounds,
                           unsigned generation_rounds) {
  const unsigned generations = std::max(1u, rounds_to_look / generation_rounds);
  const unsigned rounds = (rounds_to_look + generations - 1) / generations;
  const unsigned share = std::min(rounds, generation_rounds) * long_rounds / kGenerationRounds;
  // Only beside another round can one live longer than its own turns.
  const unsigned long_lived = std::min(share, rounds - 1);
  return {.fresh = rounds - long_lived, .long_lived = long_lived};
}

Visit plan_visit(const std::string& turn_order, unsigned visit, unsigned visits) {
  const std::size_t pairs = turn_order.size() / 2;
  const std::size_t first = 2 * (pairs * visit / visits);
  return {.first = first, .turns = 2 * (pairs * (visit + 1) / visits) - first};
}

RoundOrder round_order(std::uint64_t seed, unsigned round, unsigned turns, unsigned warmup) {
  // The C++ standard defines this generator's output, so the order is the same on every platform.
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(round)};
  std::mt19937_64 random(sequence);
  const auto coin = [&random] { return (random() >> 63) != 0; };
  RoundOrder order;
  order.a_first = coin();
  for (unsigned i = 0; i < warmup; ++i) order.warmup += coin() ? "AB" : "BA";
  for (unsigned i = 0; i < turns; ++i) order.turns += coin() ? "AB" : "BA";
  order.a_made_first = coin();
  constexpr unsigned kStackAlignmentBytes = 16;
  constexpr unsigned kPageBytes = 4096;
  for (unsigned* bytes : {&order.environment_bytes_a, &order.environment_bytes_b}) {
    const std::uint64_t drawn = random() % (kPageBytes / kStackAlignmentBytes + 1);
    *bytes = kStackAlignmentBytes * static_cast<unsigned>(drawn);
  }
  return order;
}

std::pair<std::string, std::string> environment_of_round(unsigned bytes) {
  return {"TAILGATE_PADDING", std::string(bytes, 'x')};
}

}  // namespace tailgate
