#include "harness/gate/policy.h"

namespace tailgate {
namespace {

void apply(const std::vector<MetricSettings>& all, std::string_view metric, MetricRule& rule) {
  for (const MetricSettings& settings : all) {
    if (settings.metric != metric) continue;
    rule.gate = settings.gate.value_or(rule.gate);
    rule.margin = settings.margin.value_or(rule.margin);
    rule.at_least = settings.at_least.value_or(rule.at_least);
    rule.find = settings.find.value_or(rule.find);
  }
}

}  // namespace

std::string_view gate_method_name(GateMethod method) {
  return method == GateMethod::looks ? "looks" : "anytime";
}

bool PolicyScope::matches(const DuetSubject& subject) const {
  const bool right_scenario =
      scenario.empty() || scenario == subject.scenario.name || scenario == subject.scenario.preset;
  const bool right_sink = sink.empty() || sink == subject.sink.name || sink == subject.sink.label;
  return right_scenario && right_sink;
}

MetricRule Policy::rule(const MetricKind& kind, const DuetSubject& subject) const {
  MetricRule rule{kind.gated, kind.margin, kind.at_least, kind.find};
  apply(metrics, kind.name, rule);
  for (const ScopedSettings& settings : scoped) {
    if (settings.scope.matches(subject)) apply(settings.metrics, kind.name, rule);
  }
  return rule;
}

const Waiver* Policy::waiver(std::string_view metric, const DuetSubject& subject) const {
  const Waiver* found = nullptr;
  for (const Waiver& waiver : waivers) {
    if (waiver.metric == metric && waiver.scope.matches(subject)) found = &waiver;
  }
  return found;
}

}  // namespace tailgate
