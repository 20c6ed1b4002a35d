#include "harness/gate/policy.h"

namespace tailgate {
namespace {

void apply(const std::vector<MetricSettings>& all, std::string_view metric, MetricRule& rule) {
  for (const MetricSettings& settings : all) {
    if (settings.metric != metric) continue;
    rule.gate = settings.gate.value_or(rule.gate);
    rule.margin = settings.margin.value_or(rule.margin);
    rule.at_least = settings.at_least.value_or(rule.at_least);
    rule.chance = settings.chance.value_or(rule.chance);
    rule.find = settings.find.value_or(rule.find);
  }
}

}  // namespace

// Calls block while the daemon does not read, once in some hundred events: those make the tail, and
// how many there are and for how long differs more between two rounds than any margin.
// ci/CALIBRATION.md holds what was measured.
const std::vector<ScopedSettings>& built_in_scoped() {
  static const std::vector<ScopedSettings> scoped = {{{"", "journald"},
                                                      {{"response_ns_p99", false, {}, {}, {}, {}},
                                                       {"response_ns_p99_9", false, {}, {}, {}, {}},
                                                       {"calls_blocked", false, {}, {}, {}, {}}}}};
  return scoped;
}

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
  MetricRule rule{kind.gated, kind.margin, kind.at_least, kind.chance, kind.find};
  apply(metrics, kind.name, rule);
  for (const auto* all : {&built_in_scoped(), &scoped}) {
    for (const ScopedSettings& settings : *all) {
      if (settings.scope.matches(subject)) apply(settings.metrics, kind.name, rule);
    }
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
