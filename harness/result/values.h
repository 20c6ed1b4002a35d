// Result fields whose values come from a fixed list. A file contains the texts, which only these
// tables define.
#pragma once

#include <cstdint>

#include "harness/base/enum_text.h"
#include "harness/base/survives.h"

namespace tailgate {

// How a trial, or one side of a duet's round, ended.
enum class TrialOutcome {
  completed,
  failed,       // an error prevented it from continuing
  crashed,      // the provider process ended by itself
  killed,       // the provider process was killed
  hung,         // a call, open or close did not return in time
  interrupted,  // by the user, or because the other side of the round ended
  unchecked,    // the load ran to its end, but its events could not be read back
};
template <>
inline constexpr auto kEnumTexts<TrialOutcome> =
    enum_texts<TrialOutcome>({{TrialOutcome::completed, "completed"},
                              {TrialOutcome::failed, "failed"},
                              {TrialOutcome::crashed, "crashed"},
                              {TrialOutcome::killed, "killed"},
                              {TrialOutcome::hung, "hung"},
                              {TrialOutcome::interrupted, "interrupted"},
                              {TrialOutcome::unchecked, "unchecked"}});

// The shape of a load. The enum's size is fixed because the load's plan is in shared memory.
enum class Shape : std::uint32_t {
  steady,   // one event every 1/rate
  poisson,  // independent arrivals: exponential intervals
  burst,    // several events at once, then a pause
  ramp,     // the rate rises or falls linearly over the recorded duration
  max,      // closed loop: the next event when the previous call returns
};
template <>
inline constexpr auto kEnumTexts<Shape> = enum_texts<Shape>({{Shape::steady, "steady"},
                                                             {Shape::poisson, "poisson"},
                                                             {Shape::burst, "burst"},
                                                             {Shape::ramp, "ramp"},
                                                             {Shape::max, "max"}});

// How a load thread waits for an event's intended time.
enum class Pacing : std::uint32_t {
  spin,    // read the clock until the intended time: most exact, but keeps the processor busy
  hybrid,  // sleep during long waits, spin during the last part
  sleep,   // sleep until the intended time: frees the processor, but wakes late
};
template <>
inline constexpr auto kEnumTexts<Pacing> = enum_texts<Pacing>({{Pacing::spin, "spin"},
                                                               {Pacing::hybrid, "hybrid"},
                                                               {Pacing::sleep, "sleep"}});

// When the consumer reads.
enum class ConsumerMode { none, live, after };
template <>
inline constexpr auto kEnumTexts<ConsumerMode> = enum_texts<ConsumerMode>(
    {{ConsumerMode::none, "none"}, {ConsumerMode::live, "live"}, {ConsumerMode::after, "after"}});

// How a metric compares the two sides of a round: B / A, or B - A.
enum class EffectKind { ratio, difference };
template <>
inline constexpr auto kEnumTexts<EffectKind> =
    enum_texts<EffectKind>({{EffectKind::ratio, "ratio"}, {EffectKind::difference, "difference"}});

// What the gate decided on one metric.
enum class MetricOutcome {
  pass,
  fail,
  undecided,
  reported,    // not gated
  unmeasured,  // no effect in some round
};
template <>
inline constexpr auto kEnumTexts<MetricOutcome> =
    enum_texts<MetricOutcome>({{MetricOutcome::pass, "pass"},
                               {MetricOutcome::fail, "fail"},
                               {MetricOutcome::undecided, "undecided"},
                               {MetricOutcome::reported, "reported"},
                               {MetricOutcome::unmeasured, "unmeasured"}});

// The gate's verdict on a duet.
enum class VerdictOutcome {
  pass,
  fail,
  inconclusive,  // more rounds would decide
  invalid,       // the sides may not be compared
};
template <>
inline constexpr auto kEnumTexts<VerdictOutcome> =
    enum_texts<VerdictOutcome>({{VerdictOutcome::pass, "pass"},
                                {VerdictOutcome::fail, "fail"},
                                {VerdictOutcome::inconclusive, "inconclusive"},
                                {VerdictOutcome::invalid, "invalid"}});

}  // namespace tailgate
