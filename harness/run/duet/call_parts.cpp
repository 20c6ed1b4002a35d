#include "harness/run/duet/call_parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "harness/explain/call_cutter.h"
#include "harness/run/duet/side_figures.h"
#include "harness/run/duet/system_modules.h"

namespace tailgate {
namespace {

using activity::Cause;
using activity::PartName;
using activity::SideAmounts;
using activity::Slice;
using profile::Samples;
using profile::StackSample;

constexpr double kUsualShare = 0.99;
constexpr char kNoTrace[] = "none";
constexpr double kRoundingShare = 1e-9;
// The sampler makes a call at most this much longer, without its interrupt where the trace shows
// it.
constexpr std::uint64_t kSampleCostNs = 100'000;

// Finds in a sample's stack what a part is named after.
class Stacks {
 public:
  explicit Stacks(const Samples& samples) : functions_(samples.functions.functions()) {}

  // The function that ran, or that an interrupt interrupted: where an interrupt took the processor
  // from a thread, the sample that was due is taken when the thread has it again.
  PartName function(const StackSample& sample) const {
    const std::vector<std::uint32_t>& stack = sample.functions;
    const auto at = static_cast<std::size_t>(interrupt_frames(sample));
    const ProfiledFunction& function = functions_[at < stack.size() ? stack[at] : stack.front()];
    return {"function", function.name, function.module};
  }

  // The first function outwards that is neither the kernel's nor of a system library; empty if that
  // is the one that ran, or there is none.
  std::string caller(const StackSample& sample) const {
    const std::vector<std::uint32_t>& stack = sample.functions;
    for (auto at = stack.begin() + kernel_frames(sample); at != stack.end(); ++at) {
      if (is_of_system(functions_[*at].module)) continue;
      return at == stack.begin() + interrupt_frames(sample) ? "" : functions_[*at].name;
    }
    return "";
  }

  // Whether the thread itself is there, not an interrupt on top of it.
  bool is_in_kernel(const StackSample& sample) const {
    return kernel_frames(sample) > interrupt_frames(sample);
  }

 private:
  // By Linux' names of the code that interrupts enter on x86 (arch/x86/include/asm/idtentry.h).
  bool enters_interrupt(std::uint32_t place) const {
    const auto& [name, module] = functions_[place];
    return module == "kernel" &&
           (name.starts_with("asm_sysvec_") || name == "asm_common_interrupt");
  }

  // Up to the outermost interrupt.
  std::ptrdiff_t interrupt_frames(const StackSample& sample) const {
    const std::vector<std::uint32_t>& stack = sample.functions;
    const auto outermost = std::find_if(stack.rbegin(), stack.rend(), [this](std::uint32_t place) {
      return enters_interrupt(place);
    });
    return outermost.base() - stack.begin();
  }

  // The kernel's own code stands at both ends of its part of a stack, its modules in between.
  std::ptrdiff_t kernel_frames(const StackSample& sample) const {
    const std::vector<std::uint32_t>& stack = sample.functions;
    const auto outermost = std::find_if(stack.rbegin(), stack.rend(), [this](std::uint32_t place) {
      return functions_[place].module == "kernel";
    });
    return outermost.base() - stack.begin();
  }

  const std::vector<ProfiledFunction>& functions_;
};

// Samples of one part: how many, in which functions, called by whom.
struct PartSamples {
  double count = 0;
  std::map<PartName, double> functions = {};
  std::map<std::string, double> callers = {};                         // of all
  std::map<PartName, std::map<std::string, double>> callers_of = {};  // of each function

  // entered: the part that the sample belongs to in place of its function; or no cause.
  void add(const StackSample& sample, const Stacks& stacks, const PartName& entered = {}) {
    const PartName function = entered.cause.empty() ? stacks.function(sample) : entered;
    const std::string caller = stacks.caller(sample);
    ++count;
    ++functions[function];
    if (caller.empty()) return;
    ++callers[caller];
    ++callers_of[function][caller];
  }
};

std::map<std::string, double> divided_by(std::map<std::string, double> counts, double whole) {
  for (auto& [name, count] : counts) count /= whole;
  return counts;
}

// Adds functions that take `ns` together, in proportion to their samples.
void add_functions(const PartSamples& samples, double ns, SideAmounts& times) {
  for (const auto& [function, count] : samples.functions) {
    times.parts[function] += ns * count / samples.count;
    const auto callers = samples.callers_of.find(function);
    if (callers == samples.callers_of.end()) continue;
    times.callers.try_emplace(function, divided_by(callers->second, count));
  }
}

bool is_on_processor(Cause cause) {
  switch (cause) {
    case Cause::waiting:
    case Cause::blocked_storage:
    case Cause::blocked_lock:
    case Cause::blocked_socket:
    case Cause::blocked_sleep:
    case Cause::blocked_other:
    case Cause::stopped:
      return false;
    default:
      return true;
  }
}

bool is_interrupt(Cause cause) {
  return cause == Cause::interrupt || cause == Cause::softirq;
}

// Where a sample is taken, the trace shows the time around the interrupt as a short gap.
bool may_be_of_sample(const Slice& slice) {
  const bool gap = slice.cause == Cause::machine || slice.cause == Cause::kernel_gap ||
                   slice.cause == Cause::unknown;
  return gap && slice.end - slice.begin <= static_cast<activity::Ticks>(kSampleCostNs);
}

struct PlacedSample {
  std::uint32_t kind = 0;  // of the part that it was taken in
  const StackSample* sample = nullptr;
  PartName entered = {};  // as PartSamples::add takes it
};

// A call, cut.
struct CutCall {
  std::uint64_t ns = 0;            // without the sampler's interrupts
  std::uint64_t processor_ns = 0;  // the part of it in which the thread had a processor
  std::uint64_t gap_ns = 0;        // in gaps beside samples, which samples may have made
  std::vector<std::pair<std::uint32_t, std::uint64_t>> parts = {};  // index, ns
  std::vector<PlacedSample> samples = {};
};

class SideCutter {
 public:
  explicit SideCutter(const TracedSide& side)
      : side_(side),
        stacks_(side.samples),
        cutter_(side.timeline, {.begin = static_cast<activity::Ticks>(side.trace.start_ns),
                                .end = static_cast<activity::Ticks>(side.trace.end_ns),
                                .system_calls = side.trace.system_calls}) {}

  CallParts parts() {
    std::vector<std::uint64_t> all_ns;
    for (const TracedThread& thread : side_.threads) {
      for (const CallRecord* call : calls_of(thread))
        all_ns.push_back(call->end_ns - call->start_ns);
    }
    usual_ns_ = lower_median(std::move(all_ns));
    for (const TracedThread& thread : side_.threads) cut(thread);
    CallParts parts;
    if (cut_.empty()) return parts;
    take_off_sampler();
    const std::uint64_t limit_ns = limit();
    const std::uint64_t sampled_limit_ns = sampled_limit(limit_ns);
    const auto is_usual = [&](const CutCall& call) { return call.ns <= limit_ns; };
    const auto is_sampled_in_usual = [&](const CutCall& call) {
      return call.ns <= (call.samples.empty() ? limit_ns : sampled_limit_ns);
    };
    parts.call = sum(is_usual, is_sampled_in_usual);
    parts.slow_call = sum(std::not_fn(is_usual), std::not_fn(is_sampled_in_usual));
    return parts;
  }

 private:
  std::vector<const CallRecord*> calls_of(const TracedThread& thread) const {
    std::vector<const CallRecord*> calls;
    std::uint32_t turn = 0;
    unsigned in_turn = 0;
    for (const CallRecord& call : thread.calls) {
      in_turn = call.turn == turn ? in_turn + 1 : 1;
      turn = call.turn;
      if (in_turn <= side_.dropped_per_turn || only_lost_processor(call)) continue;
      if (call.kind == CallKind::preempted && !is_traced()) continue;
      calls.push_back(&call);
    }
    return calls;
  }

  // Whether waiting for a processor is told apart.
  bool is_traced() const { return side_.trace.method != kNoTrace; }

  std::vector<const StackSample*> samples_of(std::uint32_t thread) const {
    std::vector<const StackSample*> samples;
    for (const StackSample& sample : side_.samples.list) {
      if (sample.thread == thread && !sample.functions.empty()) samples.push_back(&sample);
    }
    std::sort(samples.begin(), samples.end(),
              [](const auto* a, const auto* b) { return a->time_ns < b->time_ns; });
    return samples;
  }

  void cut(const TracedThread& thread) {
    const std::vector<const StackSample*> samples = samples_of(thread.thread);
    auto next = samples.begin();
    for (const CallRecord* call : calls_of(thread)) {
      while (next != samples.end() && (*next)->time_ns < call->start_ns) ++next;
      const auto first = next;
      while (next != samples.end() && (*next)->time_ns <= call->end_ns) ++next;
      cut(thread.thread, *call, {first, next});
    }
  }

  void cut(std::uint32_t thread, const CallRecord& call,
           std::span<const StackSample* const> samples) {
    const auto start = static_cast<activity::Ticks>(call.start_ns);
    std::vector<Slice> slices = cutter_.cut({.thread = thread,
                                             .intended = start,
                                             .start = start,
                                             .end = static_cast<activity::Ticks>(call.end_ns),
                                             .usual = static_cast<activity::Ticks>(usual_ns_)});
    CutCall& done = cut_.emplace_back();
    std::vector<bool> of_sampler(slices.size());
    for (const StackSample* sample : samples) place(*sample, slices, of_sampler, done);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const auto ns = static_cast<std::uint64_t>(slices[i].end - slices[i].begin);
      if (of_sampler[i] && is_interrupt(slices[i].cause)) continue;
      if (call.kind == CallKind::preempted && slices[i].cause == Cause::waiting) continue;
      if (of_sampler[i]) done.gap_ns += ns;
      done.ns += ns;
      if (is_on_processor(slices[i].cause)) done.processor_ns += ns;
      done.parts.emplace_back(index_of(slices[i]), ns);
    }
  }

  // Where interrupts are slow, most samples make a gap; of a gap beside a sample, as much is the
  // sampler's as most sampled calls have.
  void take_off_sampler() {
    std::vector<std::uint64_t> gaps_ns;
    for (const CutCall& call : cut_) {
      if (!call.samples.empty()) gaps_ns.push_back(call.gap_ns);
    }
    const std::uint64_t usual_gap_ns = lower_median(std::move(gaps_ns));
    for (CutCall& call : cut_) {
      const std::uint64_t made_ns = std::min(call.gap_ns, usual_gap_ns);
      if (made_ns == 0) continue;
      const double left = static_cast<double>(call.ns - made_ns) / static_cast<double>(call.ns);
      call.ns -= made_ns;
      for (auto& [kind, ns] : call.parts) {
        ns = static_cast<std::uint64_t>(static_cast<double>(ns) * left);
      }
    }
  }

  // A sample belongs to what the sampler's interrupt interrupted.
  void place(const StackSample& sample, const std::vector<Slice>& slices,
             std::vector<bool>& of_sampler, CutCall& call) {
    const auto time = static_cast<activity::Ticks>(sample.time_ns);
    auto at = std::find_if(slices.begin(), slices.end(),
                           [time](const Slice& slice) { return time < slice.end; });
    if (at == slices.end()) return;
    const activity::Ticks taken = at->cause == Cause::interrupt ? at->begin : time;
    if (at->cause == Cause::interrupt) {
      const auto i = static_cast<std::size_t>(at - slices.begin());
      of_sampler[i] = true;
      if (i > 0 && may_be_of_sample(slices[i - 1])) of_sampler[i - 1] = true;
      if (i + 1 < slices.size() && may_be_of_sample(slices[i + 1])) of_sampler[i + 1] = true;
    }
    // A gap in own code is own code where the sample is of no kernel function.
    const bool in_kernel = stacks_.is_in_kernel(sample);
    const auto is_made = [in_kernel](const Slice& slice) {
      return is_interrupt(slice.cause) ||
             (may_be_of_sample(slice) && (in_kernel || slice.cause != Cause::machine));
    };
    while (at != slices.begin() && is_made(*at)) --at;
    PlacedSample& placed = call.samples.emplace_back();
    const bool own_code = at->cause == Cause::running || at->cause == Cause::machine ||
                          (at->cause == Cause::system_call && !in_kernel);
    placed.kind = own_code ? kOwnCode : index_of(*at);
    placed.sample = &sample;
    if (own_code && in_kernel) {
      placed.entered = nearest_system_call(slices, taken);
    }
  }

  // On its way into a system call or out of it a thread is in the kernel, and the trace does not
  // show it yet, or any more.
  static PartName nearest_system_call(const std::vector<Slice>& slices, activity::Ticks time) {
    PartName nearest;
    activity::Ticks least = std::numeric_limits<activity::Ticks>::max();
    for (const Slice& slice : slices) {
      if (slice.cause != Cause::system_call) continue;
      const activity::Ticks away = std::max(slice.begin - time, time - slice.end);
      if (away >= least) continue;
      least = away;
      nearest = {std::string(cause_name(slice.cause)), slice.name};
    }
    return nearest;
  }

  std::uint32_t index_of(const Slice& slice) {
    const auto [place, is_new] =
        places_.try_emplace({slice.cause, slice.name}, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.emplace_back(slice.cause, slice.name);
    return place->second;
  }

  // The time at the 99th percentile of the calls, each with its weight. trimmed_mean_ns cuts there.
  std::uint64_t limit() const {
    std::vector<std::pair<std::uint64_t, double>> all;  // ns, calls
    for (const CutCall& call : cut_) all.emplace_back(call.ns, weight(call));
    const auto add = [](double sum, const auto& one) { return sum + one.second; };
    double whole = std::accumulate(all.begin(), all.end(), 0.0, add);
    if (whole == 0) {
      for (auto& [ns, calls] : all) calls = 1;
      whole = static_cast<double>(all.size());
    }
    std::sort(all.begin(), all.end());
    double left = whole * (1 - kUsualShare) * (1 + kRoundingShare);
    while (all.size() > 1 && all.back().second <= left) {
      left -= all.back().second;
      all.pop_back();
    }
    return all.back().first;
  }

  // What divides usual from slow calls among the sampled ones. Their lengths alone do not tell: the
  // sampler makes each longer, by different times, of which the trace shows a part. But a sample
  // hits a call with a probability in proportion to the call's time. So the share of slow calls
  // among the sampled ones is their share of the time of all calls, and the longest are taken.
  std::uint64_t sampled_limit(std::uint64_t limit_ns) const {
    std::vector<std::uint64_t> sampled_ns;
    double all_ns = 0;
    double usual_ns = 0;
    for (const CutCall& call : cut_) {
      if (!call.samples.empty()) sampled_ns.push_back(call.ns);
      const double ns = weight(call) * static_cast<double>(call.processor_ns);
      all_ns += ns;
      if (call.ns <= limit_ns) usual_ns += ns;
    }
    if (sampled_ns.empty() || usual_ns == all_ns) return limit_ns;
    const auto usual = std::lround(usual_ns / all_ns * static_cast<double>(sampled_ns.size()));
    if (usual == 0) return limit_ns;
    std::nth_element(sampled_ns.begin(), sampled_ns.begin() + usual - 1, sampled_ns.end());
    return std::clamp(sampled_ns[static_cast<std::size_t>(usual - 1)], limit_ns,
                      limit_ns + kSampleCostNs);
  }

  // How many calls this one stands for. A sample makes its call longer, so a sampled call stands
  // for none, and each other one also for those of its length that were sampled: as many as 1 / (1
  // - the probability of a sample) in all (Horvitz and Thompson, J. Am. Stat. Assoc. 47, 1952).
  // Where most calls of a length are sampled, all count, without what can be told of the sampler.
  double weight(const CutCall& call) const {
    constexpr double kMostlySampled = 0.5;
    const double sampled = static_cast<double>(call.processor_ns) * side_.samples.rate_hz / 1e9;
    if (sampled > kMostlySampled) return 1;
    return call.samples.empty() ? 1 / (1 - sampled) : 0;
  }

  // The mean call among those chosen; functions from the samples in others, where those are more.
  template <class Chosen, class Sampled>
  SideAmounts sum(Chosen chosen, Sampled sampled) const {
    std::vector<double> ns(kinds_.size());
    std::vector<PartSamples> samples(kinds_.size());
    double calls = 0;
    double sampled_share = 0;  // calls that are sampled for each that is chosen
    const bool weighted = std::any_of(cut_.begin(), cut_.end(), [&](const CutCall& call) {
      return chosen(call) && weight(call) > 0;
    });
    for (const CutCall& call : cut_) {
      if (sampled(call)) {
        ++sampled_share;
        for (const PlacedSample& one : call.samples) {
          samples[one.kind].add(*one.sample, stacks_, one.entered);
        }
      }
      if (!chosen(call)) continue;
      const double count = weighted ? weight(call) : 1;
      calls += count;
      for (const auto& [kind, time_ns] : call.parts)
        ns[kind] += count * static_cast<double>(time_ns);
    }
    SideAmounts times;
    if (calls == 0) return times;
    double gaps_ns = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      ns[kind] /= calls;
      times.whole += ns[kind];
      add_cause(kind, ns[kind], times);
      if (kinds_[kind].first == Cause::machine) {
        gaps_ns += ns[kind];
      } else if (kind != kOwnCode && ns[kind] > 0) {
        add_kind(kind, ns[kind], samples[kind], sampled_share, times);
      }
    }
    add_own_code(ns[kOwnCode], gaps_ns, samples[kOwnCode], sampled_share, times);
    return times;
  }

  // By the trace alone. It has what a thread does on its way into a system call and out of it in
  // own code, as it has gaps there; how much of that is whose, samples say, and those are few.
  void add_cause(std::size_t kind, double ns, SideAmounts& times) const {
    if (!side_.trace.system_calls || ns == 0) return;
    const auto& [cause, name] = kinds_[kind];
    times.causes[{std::string(cause_name(cause)), name}] += ns;
  }

  // A sample stands for the time from one to the next.
  double sampled_ns(const PartSamples& samples, double calls) const {
    return samples.count * 1e9 / side_.samples.rate_hz / calls;
  }

  // calls: in which the samples were taken. Where the kernel was sampled, too, the samples divide
  // the time of own code, which is known by the trace. A gap may be own code that computes for
  // long, or the machine: what the samples stand for is own code.
  void add_own_code(double ns, double gaps_ns, const PartSamples& samples, double calls,
                    SideAmounts& times) const {
    double own_ns = 0;
    if (samples.count > 0) {
      const double least_ns = side_.samples.kernel ? ns : 0;
      own_ns = std::clamp(sampled_ns(samples, calls), least_ns, ns + gaps_ns);
      add_functions(samples, own_ns, times);
    }
    const double rest_ns = ns + gaps_ns - own_ns;
    const double machine_ns = std::min(rest_ns, gaps_ns);
    if (machine_ns > 0) times.parts[{std::string(cause_name(Cause::machine))}] += machine_ns;
    if (rest_ns > machine_ns) {
      times.parts[{std::string(cause_name(Cause::running))}] += rest_ns - machine_ns;
    }
  }

  // Without system calls in the trace, what has no other cause is divided among functions, as far
  // as the samples go.
  void add_kind(std::size_t kind, double ns, const PartSamples& samples, double calls,
                SideAmounts& times) const {
    const auto& [cause, name] = kinds_[kind];
    const PartName part{std::string(cause_name(cause)), name};
    const bool is_code =
        (cause == Cause::unknown || cause == Cause::untraced) && !side_.trace.system_calls;
    if (!is_code || samples.count == 0) {
      times.parts[part] += ns;
      if (samples.count > 0) {
        times.callers.insert_or_assign(part, divided_by(samples.callers, samples.count));
      }
      return;
    }
    const double own_ns = std::min(ns, sampled_ns(samples, calls));
    add_functions(samples, own_ns, times);
    if (ns > own_ns) times.parts[part] += ns - own_ns;
  }

  const TracedSide& side_;
  Stacks stacks_;
  activity::CallCutter cutter_;
  std::uint64_t usual_ns_ = 0;
  static constexpr std::uint32_t kOwnCode = 0;  // the first kind
  std::map<std::pair<Cause, std::string>, std::uint32_t> places_ = {{{Cause::running, ""}, 0}};
  std::vector<std::pair<Cause, std::string>> kinds_ = {{Cause::running, ""}};
  std::vector<CutCall> cut_;
};

bool is_within(const StackSample& sample, profile::SampledRole role, std::uint64_t begin_ns,
               std::uint64_t end_ns) {
  return sample.role == role && sample.time_ns >= begin_ns && sample.time_ns <= end_ns &&
         !sample.functions.empty();
}

}  // namespace

CallParts call_parts(const TracedSide& side) {
  return SideCutter(side).parts();
}

SideAmounts role_parts(const Samples& samples, profile::SampledRole role, std::uint64_t begin_ns,
                       std::uint64_t end_ns, double whole) {
  const Stacks stacks(samples);
  PartSamples all;
  for (const StackSample& sample : samples.list) {
    if (is_within(sample, role, begin_ns, end_ns)) all.add(sample, stacks);
  }
  SideAmounts times{.whole = whole};
  if (all.count > 0) add_functions(all, whole, times);
  return times;
}

std::uint64_t samples_of(const Samples& samples, profile::SampledRole role, std::uint64_t begin_ns,
                         std::uint64_t end_ns) {
  return static_cast<std::uint64_t>(std::count_if(
      samples.list.begin(), samples.list.end(),
      [&](const StackSample& sample) { return is_within(sample, role, begin_ns, end_ns); }));
}

}  // namespace tailgate
