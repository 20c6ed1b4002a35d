#include "harness/profile/profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tailgate::profile {
namespace {

constexpr std::size_t kMaxFunctions = 500;
constexpr std::size_t kMaxStacks = 1000;
constexpr std::size_t kMaxCallFunctions = 50;
constexpr std::size_t kMaxMarks = 4000;

std::vector<std::uint32_t> outermost_first(const StackSample& sample) {
  return {sample.functions.rbegin(), sample.functions.rend()};
}

// The sum over the samples of one role.
class RoleSum {
 public:
  void add(const StackSample& sample) {
    ++sum_.samples;
    sum_.cut_stacks += sample.cut ? 1 : 0;
    threads_.insert(sample.thread);
    if (sample.functions.empty()) return;
    ++stacks_[outermost_first(sample)];
    ++functions_[sample.functions.front()].exclusive;
    // A function that calls itself is in the stack several times.
    const std::set<std::uint32_t> distinct(sample.functions.begin(), sample.functions.end());
    for (const std::uint32_t function : distinct) ++functions_[function].inclusive;
  }

  bool empty() const { return sum_.samples == 0; }

  RoleProfile take(SampledRole role) {
    sum_.role = role_name(role);
    sum_.threads = static_cast<std::uint32_t>(threads_.size());
    take_stacks();
    take_functions();
    return std::move(sum_);
  }

 private:
  void take_stacks() {
    for (const auto& [functions, samples] : stacks_) sum_.stacks.push_back({functions, samples});
    std::stable_sort(sum_.stacks.begin(), sum_.stacks.end(),
                     [](const auto& a, const auto& b) { return a.samples > b.samples; });
    std::uint64_t listed = 0;
    if (sum_.stacks.size() > kMaxStacks) sum_.stacks.resize(kMaxStacks);
    for (const ProfiledStack& stack : sum_.stacks) {
      listed += stack.samples;
      named_.insert(stack.functions.begin(), stack.functions.end());
    }
    sum_.left_out = sum_.samples - listed;
  }

  void take_functions() {
    for (auto& [function, samples] : functions_) {
      samples.function = function;
      sum_.functions.push_back(samples);
    }
    std::sort(sum_.functions.begin(), sum_.functions.end(), [](const auto& a, const auto& b) {
      return std::tuple(b.exclusive, b.inclusive, a.function) <
             std::tuple(a.exclusive, a.inclusive, b.function);
    });
    if (sum_.functions.size() <= kMaxFunctions) return;
    const auto rest = sum_.functions.begin() + kMaxFunctions;
    sum_.functions.erase(
        std::remove_if(rest, sum_.functions.end(),
                       [&](const FunctionSamples& one) { return !named_.contains(one.function); }),
        sum_.functions.end());
  }

  RoleProfile sum_;
  std::set<std::uint32_t> threads_;
  std::set<std::uint32_t> named_;  // by the listed stacks
  std::map<std::vector<std::uint32_t>, std::uint64_t> stacks_;
  std::unordered_map<std::uint32_t, FunctionSamples> functions_;
};

// Finds a load thread's samples by time.
class LoadSamples {
 public:
  LoadSamples(const Samples& samples, const std::vector<std::uint32_t>& threads)
      : by_thread_(threads.size()) {
    for (const StackSample& sample : samples.list) {
      const auto place = std::find(threads.begin(), threads.end(), sample.thread);
      if (place == threads.end() || sample.functions.empty()) continue;
      by_thread_[static_cast<std::size_t>(place - threads.begin())].push_back(&sample);
    }
    for (auto& list : by_thread_) {
      std::sort(list.begin(), list.end(),
                [](const auto* a, const auto* b) { return a->time_ns < b->time_ns; });
    }
  }

  // The samples of the thread in [begin, end].
  std::span<const StackSample* const> between(unsigned thread, std::uint64_t begin_ns,
                                              std::uint64_t end_ns) const {
    if (thread >= by_thread_.size()) return {};
    const auto& list = by_thread_[thread];
    const auto first = std::lower_bound(
        list.begin(), list.end(), begin_ns,
        [](const StackSample* sample, std::uint64_t wanted) { return sample->time_ns < wanted; });
    auto last = first;
    while (last != list.end() && (*last)->time_ns <= end_ns) ++last;
    return {first, last};
  }

 private:
  std::vector<std::vector<const StackSample*>> by_thread_;
};

ProfiledTail profile_tail(const LoadSamples& samples, const ExplainedTail& tail,
                          const std::vector<SlowCall>& calls) {
  const bool service = tail.measure == "service";
  ProfiledTail profiled{.measure = tail.measure};
  std::unordered_map<std::uint32_t, CallFunction> functions;
  for (const SlowCall& call : calls) {
    const std::uint64_t begin_ns = service ? call.start_ns : call.intended_ns;
    if (call.end_ns - begin_ns < tail.threshold_ns) continue;
    ++profiled.calls;
    std::set<std::uint32_t> of_call;
    for (const StackSample* sample : samples.between(call.thread, begin_ns, call.end_ns)) {
      ++profiled.samples;
      ++functions[sample->functions.front()].samples;
      of_call.insert(sample->functions.front());
    }
    profiled.calls_sampled += of_call.empty() ? 0 : 1;
    for (const std::uint32_t function : of_call) ++functions[function].calls;
  }
  for (auto& [function, samples_in] : functions) {
    samples_in.function = function;
    profiled.functions.push_back(samples_in);
  }
  std::sort(profiled.functions.begin(), profiled.functions.end(), [](const auto& a, const auto& b) {
    return std::tuple(b.samples, a.function) < std::tuple(a.samples, b.function);
  });
  if (profiled.functions.size() > kMaxCallFunctions) profiled.functions.resize(kMaxCallFunctions);
  return profiled;
}

// Whether the time lies in a window, or in a listed call, of the explanation.
class ShownTime {
 public:
  explicit ShownTime(const Explanation& explanation) {
    for (const ActivityWindow& window : explanation.windows) {
      spans_.emplace_back(window.start_ns, window.end_ns);
    }
    for (const ExplainedCall& call : explanation.calls) {
      spans_.emplace_back(std::min(call.intended_ns, call.start_ns), call.end_ns);
    }
  }

  bool contains(std::uint64_t time_ns) const {
    return std::any_of(spans_.begin(), spans_.end(), [time_ns](const auto& span) {
      return span.first <= time_ns && time_ns <= span.second;
    });
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spans_;
};

void add_marks(const Samples& samples, const Explanation& explanation, Profile& profile) {
  const ShownTime shown(explanation);
  for (const StackSample& sample : samples.list) {
    if (!shown.contains(sample.time_ns)) continue;
    profile.marks.push_back({.time_ns = sample.time_ns,
                             .role = role_name(sample.role),
                             .pid = sample.thread,
                             .cpu = sample.cpu,
                             .functions = outermost_first(sample)});
  }
  std::stable_sort(profile.marks.begin(), profile.marks.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  if (profile.marks.size() <= kMaxMarks) return;
  profile.marks_left_out = profile.marks.size() - kMaxMarks;
  profile.marks.resize(kMaxMarks);
}

// Keeps of the samplers' functions those that the profile names.
class Renumbering {
 public:
  explicit Renumbering(const std::vector<ProfiledFunction>& all) : all_(all) {}

  void apply(std::uint32_t& function) {
    const auto [place, is_new] =
        places_.try_emplace(function, static_cast<std::uint32_t>(kept_.size()));
    if (is_new) kept_.push_back(all_[function]);
    function = place->second;
  }

  std::vector<ProfiledFunction> take() { return std::move(kept_); }

 private:
  const std::vector<ProfiledFunction>& all_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;
  std::vector<ProfiledFunction> kept_;
};

void keep_named_functions(const Samples& samples, Profile& profile) {
  Renumbering renumbering(samples.functions.functions());
  for (RoleProfile& role : profile.roles) {
    for (FunctionSamples& one : role.functions) renumbering.apply(one.function);
    for (ProfiledStack& stack : role.stacks) {
      for (std::uint32_t& function : stack.functions) renumbering.apply(function);
    }
  }
  for (ProfiledTail& tail : profile.tails) {
    for (CallFunction& one : tail.functions) renumbering.apply(one.function);
  }
  for (ProfileSample& mark : profile.marks) {
    for (std::uint32_t& function : mark.functions) renumbering.apply(function);
  }
  profile.functions = renumbering.take();
}

}  // namespace

const char* role_name(SampledRole role) {
  static constexpr std::array<const char*, kSampledRoles> kNames = {"load", "provider", "daemons"};
  return kNames[static_cast<std::size_t>(role)];
}

std::uint32_t FunctionTable::place_of(const std::string& name, const std::string& module) {
  const auto [place, is_new] =
      places_.try_emplace(std::pair(name, module), static_cast<std::uint32_t>(functions_.size()));
  if (is_new) functions_.push_back({name, module});
  return place->second;
}

Profile make_profile(const Samples& samples, const Explanation& explanation,
                     const ProfileRequest& request) {
  Profile profile{.method = samples.method,
                  .limits = samples.limits,
                  .rate_hz = samples.rate_hz,
                  .callers = samples.callers,
                  .kernel = samples.kernel,
                  .samples = samples.list.size(),
                  .lost = samples.lost};
  std::array<RoleSum, kSampledRoles> roles;
  for (const StackSample& sample : samples.list) {
    if (sample.time_ns < request.begin_ns || sample.time_ns > request.end_ns) continue;
    roles[static_cast<std::size_t>(sample.role)].add(sample);
  }
  for (std::size_t role = 0; role < kSampledRoles; ++role) {
    if (roles[role].empty()) continue;
    profile.roles.push_back(roles[role].take(static_cast<SampledRole>(role)));
  }
  const LoadSamples of_load(samples, request.threads);
  for (const ExplainedTail& tail : explanation.tails) {
    if (tail.measure == "delivery") continue;  // not a time of the load's threads
    profile.tails.push_back(profile_tail(
        of_load, tail, tail.measure == "service" ? request.slowest : request.slowest_responses));
  }
  add_marks(samples, explanation, profile);
  keep_named_functions(samples, profile);
  return profile;
}

Profile no_profile(const std::string& why_not) {
  return {.method = "none", .limits = why_not, .callers = "none"};
}

}  // namespace tailgate::profile
