#include "harness/gate/policy.h"

#include <algorithm>

namespace tailgate {
namespace {

void apply(const MetricSettings& settings, MetricRule& rule) {
  rule.gate = settings.gate.value_or(rule.gate);
  rule.margin = settings.margin.value_or(rule.margin);
  rule.find = settings.find.value_or(rule.find);
  rule.at_least = settings.at_least.value_or(rule.at_least);
  rule.more = settings.more.value_or(rule.more);
  rule.class_gate = settings.class_gate.value_or(rule.class_gate);
}

// A cap never makes a margin larger, and gates only what the policy gates or leaves to the class.
void apply(const ClassMargin& cap, MetricRule& rule) {
  const bool gates = rule.class_gate && !rule.gate && cap.margin <= rule.margin;
  if (!gates && !(rule.gate && cap.margin < rule.margin)) return;
  rule.gate = true;
  rule.margin = cap.margin;
  rule.margin_from = cap.origin;
}

}  // namespace

bool PolicyScope::matches(const DuetSubject& subject) const {
  const bool right_scenario =
      scenario.empty() || scenario == subject.scenario.name || scenario == subject.scenario.preset;
  const std::string& label = subject.sink.label;
  const bool right_sink =
      sink.empty() || sink == subject.sink.name || sink == label || label.starts_with(sink + ":");
  return right_scenario && right_sink;
}

Looks Policy::looks_at(const DuetSubject& subject, unsigned generation_rounds) const {
  std::size_t first = generation_rounds;
  for (const FirstLook& one : first_looks) {
    if (one.scope.matches(subject)) first = std::max(first, one.rounds);
  }
  return looks.from_round(first);
}

MetricRule Policy::rule(const MetricKind& kind, const DuetSubject& subject) const {
  MetricRule rule;
  for (const ScopedSettings& scoped : settings) {
    if (!scoped.scope.matches(subject)) continue;
    for (const MetricSettings& metric : scoped.metrics) {
      if (metric.metric == kind.name) apply(metric, rule);
    }
  }
  for (const ClassMargin& cap : caps) {
    if (cap.metric == kind.name) apply(cap, rule);
  }
  return rule;
}

double Policy::layout_spread(const DuetSubject& subject) const {
  double spread = 0;
  for (const ScopedSettings& scoped : settings) {
    if (scoped.layout_spread && scoped.scope.matches(subject)) spread = *scoped.layout_spread;
  }
  return spread;
}

const SpentMargin* PinHistory::spent_of(std::string_view metric) const {
  const auto found = std::find_if(spent.begin(), spent.end(),
                                  [&](const SpentMargin& entry) { return entry.metric == metric; });
  return found == spent.end() ? nullptr : &*found;
}

Policy Policy::of_nights() const {
  Policy night = *this;
  night.looks = at_night.looks;
  night.first_looks = at_night.first_looks;
  night.time_budget_s = at_night.time_budget_s;
  return night;
}

const Waiver* Policy::waiver(std::string_view metric, const DuetSubject& subject) const {
  const Waiver* found = nullptr;
  for (const Waiver& waiver : waivers) {
    if (waiver.metric == metric && waiver.scope.matches(subject)) found = &waiver;
  }
  return found;
}

DuetSubject subject_named(const std::string& scenario, const std::string& sink) {
  DuetSubject subject;
  subject.scenario.name = scenario;
  subject.sink.name = sink.substr(0, sink.find(':'));
  subject.sink.label = sink;
  return subject;
}

Policy with_class_margins(Policy policy, std::string_view fingerprint, const DuetSubject& subject) {
  if (policy.classes.empty()) return policy;
  const std::string load = load_text(subject);
  for (const MachineClass& one : policy.classes) {
    const bool is_it =
        std::find(one.machines.begin(), one.machines.end(), fingerprint) != one.machines.end();
    if (!is_it) continue;
    for (const ClassMargin& margin : one.margins) {
      if (margin.sink == subject.sink.label && margin.load == load) policy.caps.push_back(margin);
    }
  }
  return policy;
}

}  // namespace tailgate
