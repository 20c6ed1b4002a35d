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

void apply_matching(const std::vector<ScopedSettings>& all, const DuetSubject& subject,
                    std::string_view metric, MetricRule& rule) {
  for (const ScopedSettings& settings : all) {
    if (settings.scope.matches(subject)) apply(settings.metrics, metric, rule);
  }
}

}  // namespace

// journald: calls block while the daemon does not read, once in some hundred events. Those make the
// tail, and how many there are and for how long differs more between two rounds than any margin.
// Its daemon's memory is large and steady. syslog: calls block likewise. LTTng: calls take 0.15 to
// 0.4 us, now one and now the other; their mean varies least from round to round and stands in for
// the median. Pauses of milliseconds make the tail of the response time, none in one round and
// several in the next; that of the calls themselves can be compared. Asynchronous spdlog: calls
// wait for the queue's lock, or for the thread to be scheduled that holds it, which makes the tail
// noisier. ci/CALIBRATION.md holds what was measured.
const std::vector<ScopedSettings>& built_in_scoped() {
  static const std::vector<MetricSettings> waits_for_reader = {
      {"response_ns_p99", false, {}, {}, {}, {}},
      {"response_ns_p99_9", false, {}, {}, {}, {}},
      {"calls_blocked", false, {}, {}, {}, {}}};
  static const std::vector<ScopedSettings> scoped = {
      {{"", "journald"}, waits_for_reader},
      {{"", "journald"}, {{"rss_bytes", {}, 0.01, {}, {}, {}}}},
      {{"", "syslog"}, waits_for_reader},
      {{"", "lttng"},
       {{"response_ns_p50", {}, 0.1, {}, {}, 0.25},
        {"response_ns_p99", false, {}, {}, {}, {}},
        {"response_ns_p99_9", false, {}, {}, {}, {}},
        {"service_ns_p99", true, 0.15, {}, {}, 0.25},
        {"service_ns_mean", {}, 0.035, {}, {}, {}},
        {"cpu_ns_per_event", {}, 0.045, {}, {}, {}}}},
      {{"", "spdlog:mode=async_block"},
       {{"response_ns_p99", {}, 0.25, {}, {}, 0.5}, {"response_ns_p99_9", {}, 0.4, {}, {}, 1.0}}}};
  return scoped;
}

std::string_view gate_method_name(GateMethod method) {
  return method == GateMethod::looks ? "looks" : "anytime";
}

bool PolicyScope::matches(const DuetSubject& subject) const {
  const bool right_scenario =
      scenario.empty() || scenario == subject.scenario.name || scenario == subject.scenario.preset;
  const std::string& label = subject.sink.label;
  const bool right_sink =
      sink.empty() || sink == subject.sink.name || sink == label || label.starts_with(sink + ":");
  return right_scenario && right_sink;
}

MetricRule Policy::rule(const MetricKind& kind, const DuetSubject& subject) const {
  MetricRule rule{kind.gated, kind.margin, kind.at_least, kind.chance, kind.find};
  apply_matching(built_in_scoped(), subject, kind.name, rule);
  apply(metrics, kind.name, rule);
  apply_matching(scoped, subject, kind.name, rule);
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
