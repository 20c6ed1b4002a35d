// Why side B of a duet is worse than side A: rounds of both sides under a trace, with sampled
// functions, and the difference between the sides cut into parts. harness/result/result.h says how
// these structs become files, and harness/run/duet/README.md how the parts are measured.
//
// All times are nanoseconds for each event, as means over the traced rounds; amounts have a unit of
// their own. A difference is B's less A's: above 0 where B takes longer or loses more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tailgate {

// The version of this part. A field that is added later is optional, so that it stays the same; it
// rises when a field changes its meaning.
inline constexpr int kDifferenceVersion = 1;

// Memory that differs by less than this share of it is not told and not followed: a few pages.
inline constexpr double kLeastShareOfMemory = 0.01;

// Whether a confidence interval says that a value is not 0. Without an interval nothing does.
inline bool excludes_0(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high && (*low > 0 || *high < 0);
}

// One part of a difference.
struct DifferencePart {
  std::string cause = {};
  std::string name = {};
  std::string module = {};
  std::string caller = {};
  double a_ns = 0;
  double b_ns = 0;
  double difference_ns = 0;
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};
  bool distinct = false;

  template <class Visitor>
  static void describe(Visitor& v) {
    using P = DifferencePart;
    v("cause", &P::cause,
      "function (a function of the program, a library or the kernel ran), rest (what no other part "
      "names, and the parts that are not listed), or as in CallSlice; waiting and the blocked ones "
      "are no processor time");
    v("name", &P::name,
      "the function, else as in CallSlice: the system call, the tracepoint, the thread that had "
      "the processor");
    v("module", &P::module, "of a function, as in ProfiledFunction; else empty");
    v("caller", &P::caller,
      "the function that called it: of a system call, and of a function of the C library. The one "
      "to which most of the difference belongs; empty where the samples name none");
    v("a_ns", &P::a_ns, "side A");
    v("b_ns", &P::b_ns, "side B");
    v("difference_ns", &P::difference_ns, "the difference");
    v("low_ns", &P::low_ns,
      "lower end of its 95 % confidence interval (Student's t over the rounds); absent with one "
      "round");
    v("high_ns", &P::high_ns, "upper end of that interval");
    v("distinct", &P::distinct,
      "whether it is not 0 by an interval that is as much wider as there are parts (Bonferroni)");
  }
};

// The time of one cause in every traced round, so that nights can be compared.
struct CauseRounds {
  std::string cause = {};
  std::vector<double> a_ns = {};
  std::vector<double> b_ns = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    using C = CauseRounds;
    v("cause", &C::cause,
      "own_code (all that is on the processor outside of system calls and interrupts: functions of "
      "the program and its libraries, the way into system calls and out of them, gaps), "
      "kernel_code "
      "(of daemons and of other threads: functions of the kernel), rest, or as in CallSlice; a "
      "system call with its name, waits with the thread that had the processor or ended the wait: "
      "syscall_write, blocked_socket_rsyslogd");
    v("a_ns", &C::a_ns, "side A, round by round");
    v("b_ns", &C::b_ns, "side B, likewise");
  }
};

// One time that was compared, and its parts, which add up to it.
struct DifferenceSum {
  std::string measure = {};
  std::string processes = {};
  double a_ns = 0;
  double b_ns = 0;
  double difference_ns = 0;
  std::optional<double> low_ns = {};
  std::optional<double> high_ns = {};
  std::optional<double> untraced_ns = {};
  std::optional<double> untraced_low_ns = {};
  std::optional<double> untraced_high_ns = {};
  std::vector<DifferencePart> parts = {};
  std::optional<std::vector<CauseRounds>> causes = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    using S = DifferenceSum;
    v("measure", &S::measure,
      "call (the mean of the calls up to their 99th percentile, as the metric service_ns_mean), "
      "slow_call (the mean of those beyond it), daemons (processor time of the session's daemons "
      "an event) or other_threads (that of the provider's threads that make no calls); of commands "
      "processor_time (of a run, as its cpu_ns)");
    v("processes", &S::processes, "names of the daemons; else empty");
    v("a_ns", &S::a_ns, "side A, in the traced rounds");
    v("b_ns", &S::b_ns, "side B, likewise");
    v("difference_ns", &S::difference_ns, "the difference: the sum of the parts' differences");
    v("low_ns", &S::low_ns, "as in DifferencePart");
    v("high_ns", &S::high_ns, "as in DifferencePart");
    v("untraced_ns", &S::untraced_ns,
      "the same difference in the duet's own rounds, without a trace, the median over them; what "
      "difference_ns has above it, the trace adds. Absent where the rounds do not measure it");
    v("untraced_low_ns", &S::untraced_low_ns,
      "lower end of its 95 % confidence interval (order statistics); absent with few rounds");
    v("untraced_high_ns", &S::untraced_high_ns, "upper end of that interval");
    v("parts", &S::parts,
      "the parts, those whose interval is without 0 first, largest difference first; at most 20 "
      "and the rest, which is last");
    v("causes", &S::causes,
      "the same time by cause, all of it, round by round; absent in older files");
  }
};

// One part of a difference between amounts.
struct AmountPart {
  std::string cause = {};
  std::string name = {};
  std::string module = {};
  std::string caller = {};
  double a = 0;
  double b = 0;
  double difference = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};
  bool distinct = false;

  template <class Visitor>
  static void describe(Visitor& v) {
    using P = AmountPart;
    v("cause", &P::cause,
      "loss, memory, allocated, or rest (what no other part names, and what is not listed)");
    v("name", &P::name,
      "of a loss its cause, as in LossCount; of memory the function that took it in the turns, or "
      "one of: before the trace, daemons, system libraries (for none of the program's functions); "
      "of allocations the sizes of the blocks; else empty");
    v("module", &P::module,
      "of a loss who reported it, as in LossCount; of a function its module; else empty");
    v("caller", &P::caller,
      "of a function, as in DifferencePart; of allocations the function that made most of them; "
      "else empty");
    v("a", &P::a, "side A, in the sum's unit");
    v("b", &P::b, "side B, likewise");
    v("difference", &P::difference, "the difference");
    v("low", &P::low, "lower end of its 95 % confidence interval, as in DifferencePart");
    v("high", &P::high, "upper end of that interval");
    v("distinct", &P::distinct, "as in DifferencePart");
  }
};

// One amount that was compared, and its parts, which add up to it.
struct AmountSum {
  std::string measure = {};
  std::string unit = {};
  unsigned rounds = 0;
  double a = 0;
  double b = 0;
  double difference = 0;
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::optional<double> untraced = {};
  std::optional<double> untraced_low = {};
  std::optional<double> untraced_high = {};
  std::vector<AmountPart> parts = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    using S = AmountSum;
    v("measure", &S::measure,
      "losses (events that the sink reports as lost, of those emitted, as the metric events_lost), "
      "memory (that the provider and the session's daemons have at the end, as the metric "
      "rss_bytes), allocated (blocks that the provider allocated in the turns and had not freed at "
      "their end, in rounds of their own; absent where memory does not differ)");
    v("unit", &S::unit, "of all its figures: per million events, bytes");
    v("rounds", &S::rounds,
      "traced rounds in which it is known of both sides; one has no intervals");
    v("a", &S::a, "side A, the mean over these rounds");
    v("b", &S::b, "side B, likewise");
    v("difference", &S::difference, "the difference: the sum of the parts' differences");
    v("low", &S::low, "as in AmountPart");
    v("high", &S::high, "as in AmountPart");
    v("untraced", &S::untraced,
      "the same difference in the duet's own rounds, without a trace, the mean over them: losses "
      "are 0 in most rounds of many sinks, and so is their median; absent where the rounds do not "
      "measure it");
    v("untraced_low", &S::untraced_low,
      "lower end of its 95 % confidence interval (Student's t); absent with one round");
    v("untraced_high", &S::untraced_high, "upper end of that interval");
    v("parts", &S::parts, "as in DifferenceSum");
  }
};

struct Difference {
  int version = kDifferenceVersion;
  unsigned rounds = 0;
  std::uint64_t duration_ns = 0;
  std::string trace = {};
  std::string sampled = {};
  double sample_hz = 0;
  std::uint64_t samples = 0;
  std::string limits = {};
  std::vector<DifferenceSum> sums = {};
  std::optional<std::vector<AmountSum>> amounts = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("version", &Difference::version, "version of this part of the schema");
    v("rounds", &Difference::rounds, "traced rounds that both sides completed");
    v("duration_ns", &Difference::duration_ns, "time that they took, with their evaluation");
    v("trace", &Difference::trace, "as method in TraceUsed");
    v("sampled", &Difference::sampled, "as method in Profile");
    v("sample_hz", &Difference::sample_hz, "as rate_hz in Profile");
    v("samples", &Difference::samples, "samples of all these rounds and both sides");
    v("limits", &Difference::limits,
      "what could not be seen here, why, and what would help; empty for nothing");
    v("sums", &Difference::sums,
      "the times that were compared; a sum that neither side has is left out");
    v("amounts", &Difference::amounts,
      "what was compared beside times: losses; likewise. Absent in older files");
  }
};

}  // namespace tailgate
