#include "harness/report/merged_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/error.h"
#include "harness/report/merged_tails.h"

namespace tailgate {
namespace {

// Gives the functions of several profiles common places.
class Functions {
 public:
  std::uint32_t place_of(const Profile& profile, std::uint32_t function) {
    // A file of any origin may name a place that is none.
    const ProfiledFunction named = function < profile.functions.size()
                                       ? profile.functions[function]
                                       : ProfiledFunction{"[?]", "?"};
    const auto [place, is_new] = places_.try_emplace(std::pair(named.name, named.module),
                                                     static_cast<std::uint32_t>(list_.size()));
    if (is_new) list_.push_back(named);
    return place->second;
  }

  std::vector<ProfiledFunction> take() { return std::move(list_); }

 private:
  std::map<std::pair<std::string, std::string>, std::uint32_t> places_;
  std::vector<ProfiledFunction> list_;
};

class RoleSum {
 public:
  void add(const Profile& profile, const RoleProfile& role, Functions& functions) {
    sum_.role = role.role;
    sum_.threads += role.threads;
    sum_.samples += role.samples;
    sum_.cut_stacks += role.cut_stacks;
    sum_.left_out += role.left_out;
    for (const FunctionSamples& one : role.functions) {
      FunctionSamples& all = functions_[functions.place_of(profile, one.function)];
      all.exclusive += one.exclusive;
      all.inclusive += one.inclusive;
    }
    for (const ProfiledStack& stack : role.stacks) {
      std::vector<std::uint32_t> places;
      for (const std::uint32_t one : stack.functions) {
        places.push_back(functions.place_of(profile, one));
      }
      stacks_[std::move(places)] += stack.samples;
    }
  }

  RoleProfile take() {
    for (auto& [function, samples] : functions_) {
      samples.function = function;
      sum_.functions.push_back(samples);
    }
    std::sort(sum_.functions.begin(), sum_.functions.end(), [](const auto& a, const auto& b) {
      return std::tuple(b.exclusive, b.inclusive, a.function) <
             std::tuple(a.exclusive, a.inclusive, b.function);
    });
    for (const auto& [functions, samples] : stacks_) sum_.stacks.push_back({functions, samples});
    std::stable_sort(sum_.stacks.begin(), sum_.stacks.end(),
                     [](const auto& a, const auto& b) { return a.samples > b.samples; });
    return std::move(sum_);
  }

 private:
  RoleProfile sum_;
  std::map<std::uint32_t, FunctionSamples> functions_;
  std::map<std::vector<std::uint32_t>, std::uint64_t> stacks_;
};

class ProfileTailSum {
 public:
  void add(const Profile& profile, const ProfiledTail& tail, Functions& functions) {
    sum_.measure = tail.measure;
    sum_.calls += tail.calls;
    sum_.calls_sampled += tail.calls_sampled;
    sum_.samples += tail.samples;
    for (const CallFunction& one : tail.functions) {
      CallFunction& all = functions_[functions.place_of(profile, one.function)];
      all.samples += one.samples;
      all.calls += one.calls;
    }
  }

  ProfiledTail take() {
    for (auto& [function, samples] : functions_) {
      samples.function = function;
      sum_.functions.push_back(samples);
    }
    std::stable_sort(sum_.functions.begin(), sum_.functions.end(),
                     [](const auto& a, const auto& b) { return a.samples > b.samples; });
    return std::move(sum_);
  }

 private:
  ProfiledTail sum_;
  std::map<std::uint32_t, CallFunction> functions_;
};

// Sums by a name, in the order in which the names came.
template <class Sum>
class NamedSums {
 public:
  Sum& operator[](const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, sums_.size());
    if (is_new) sums_.emplace_back();
    return sums_[place->second];
  }

  auto take() {
    std::vector<decltype(sums_.front().take())> all;
    for (Sum& sum : sums_) all.push_back(sum.take());
    return all;
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Sum> sums_;
};

// Texts of several trials, each once.
class Texts {
 public:
  void add(const std::string& text) {
    if (!text.empty()) texts_.insert(text);
  }
  std::string joined(const char* between) const {
    std::string all;
    for (const std::string& text : texts_) all += (all.empty() ? "" : between) + text;
    return all;
  }

 private:
  std::set<std::string> texts_;
};

}  // namespace

std::optional<Profile> merged_profile(const Result& result, unsigned step) {
  Functions functions;
  NamedSums<RoleSum> roles;
  NamedSums<ProfileTailSum> tails;
  Texts methods;
  Texts limits;
  Texts callers;
  std::optional<Profile> merged;
  for (const Trial* trial : explained_trials(result, step)) {
    if (!trial->explanation->profile) continue;
    const Profile& profile = *trial->explanation->profile;
    if (!merged) merged = Profile{.rate_hz = profile.rate_hz, .kernel = true};
    methods.add(profile.method);
    limits.add(profile.limits);
    callers.add(profile.callers);
    merged->kernel = merged->kernel && profile.kernel;
    merged->samples += profile.samples;
    merged->lost += profile.lost;
    for (const RoleProfile& role : profile.roles) roles[role.role].add(profile, role, functions);
    for (const ProfiledTail& tail : profile.tails) {
      tails[tail.measure].add(profile, tail, functions);
    }
  }
  if (!merged) return merged;
  merged->method = methods.joined(", ");
  merged->limits = limits.joined("; ");
  merged->callers = callers.joined(", ");
  merged->roles = roles.take();
  merged->tails = tails.take();
  merged->functions = functions.take();
  return merged;
}

std::vector<NamedRole> profiled_roles(const Result& result,
                                      std::vector<ProfiledFunction>& functions) {
  std::set<unsigned> steps;
  for (const Trial& trial : result.traced) steps.insert(trial.step);
  std::vector<NamedRole> all;
  Functions common;
  for (const unsigned step : steps) {
    const std::optional<Profile> profile = merged_profile(result, step);
    if (!profile) continue;
    for (const RoleProfile& role : profile->roles) {
      RoleSum renumbered;
      renumbered.add(*profile, role, common);
      const std::string name =
          steps.size() > 1 ? fmt::format("step {}: {}", step, role.role) : role.role;
      all.push_back({name, renumbered.take()});
    }
  }
  if (all.empty()) {
    throw Error("the result holds no sampled functions",
                "run again with --explain; 'tailgate explain' says why there are none");
  }
  functions = common.take();
  return all;
}

}  // namespace tailgate
