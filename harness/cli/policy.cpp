// tailgate policy: checks a policy file and shows what it comes to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/known_names.h"
#include "harness/cli/preset_folders.h"
#include "harness/cli/terminal.h"
#include "harness/gate/effect_text.h"
#include "harness/gate/policy.h"
#include "harness/os/machine.h"
#include "harness/run/preset.h"

namespace tailgate {
namespace {

struct PolicyRequest {
  std::filesystem::path file;
  std::string scenario;
  std::string sink;
  bool reference = false;
};

std::string margin_text(const MetricKind& kind, const MetricRule& rule) {
  if (!rule.gate && !rule.class_gate) return "reported only";
  MetricJudgement metric;
  metric.unit = kind.unit;
  metric.effect_kind = kind.effect;
  std::string text = kind.count == CountOf::calls ? fmt::format("{:+.3g} a second", rule.margin)
                                                  : effect_text(metric, rule.margin);
  if (rule.at_least > 0) text += fmt::format(", or {:.6g} {}", rule.at_least, kind.unit);
  if (rule.more > 0) text += fmt::format(", and {:g} % of A's", rule.more * 100);
  if (kind.tail_share > 0) text += fmt::format("; finds {}", effect_text(metric, rule.find));
  if (!rule.gate) return "reported only, unless the machine's class has at most " + text;
  return text;
}

// The margins of this machine's class for a sink, at the loads for which it has some.
void show_class_margins(const Policy& policy, const std::string& sink) {
  if (sink.empty() || policy.class_margins.empty()) return;
  const std::string here = collect_machine_info().fingerprint;
  std::size_t shown = 0;
  for (const MachineClass& one : policy.classes) {
    if (std::find(one.machines.begin(), one.machines.end(), here) == one.machines.end()) continue;
    for (const ClassMargin& margin : one.margins) {
      if (margin.sink != sink) continue;
      say("  on this machine at {}: {} at most {:+.3g} %{} ({})\n", margin.load, margin.metric,
          margin.margin * 100,
          margin.finds > 0 ? fmt::format(", which finds {:+.3g} %", margin.finds * 100) : "",
          margin.origin);
      ++shown;
    }
  }
  if (shown == 0) {
    say("  no margin of this machine's class, {}, for {} in {}\n", here, sink,
        policy.class_margins.string());
  }
}

void show_policy(const Policy& policy, const PolicyRequest& request) {
  const DuetSubject subject = subject_named(request.scenario, request.sink);
  say("policy {}: looks after {} rounds\n", policy.origin, fmt::join(policy.looks.rounds, ", "));
  say("false fail at most {:g}, false pass at most {:g}, {:g} s a duet, dirty builds {}\n",
      policy.looks.false_fail, policy.looks.false_pass, policy.time_budget_s,
      policy.allow_dirty_builds ? "allowed" : "forbidden");
  if (!policy.looks.resumed.empty()) {
    say("resumed duets: further looks after {} rounds, with {:g} of both errors\n",
        fmt::join(policy.looks.resumed, ", "), policy.looks.resumed_share);
  }
  if (!policy.nightly_reference.empty()) {
    const Policy night = policy.of_nights();
    say("nights: looks after {} rounds, {:g} s a duet, false fail at most {:g}\n",
        fmt::join(night.looks_at(subject, 0).rounds, ", "), night.time_budget_s,
        night.looks.false_fail);
  }
  for (const MetricKind& kind : metric_kinds()) {
    say("  {:<20} {}\n", kind.name, margin_text(kind, policy.rule(kind, subject)));
  }
  show_class_margins(policy, request.sink);
  for (const Waiver& waiver : policy.waivers) {
    const MetricKind& kind = *find_metric(waiver.metric);
    MetricJudgement metric;
    metric.unit = kind.unit;
    metric.effect_kind = kind.effect;
    say("  waiver until {}: {} {} to {} ({}: {})\n", waiver.expires, waiver.metric,
        effect_text(metric, waiver.low), effect_text(metric, waiver.high), waiver.commit,
        waiver.reason);
  }
}

// The scopes and runs of a policy, as they name sinks and scenarios.
std::vector<PolicyScope> scopes_of(const Policy& policy) {
  std::vector<PolicyScope> scopes;
  for (const ScopedSettings& settings : policy.settings) scopes.push_back(settings.scope);
  for (const Waiver& waiver : policy.waivers) scopes.push_back(waiver.scope);
  for (const PolicyRun& run : policy.runs) {
    for (const std::string& sink : run.sinks) scopes.push_back({run.scenario, sink});
  }
  return scopes;
}

// Throws Error for a name that neither the policy nor this program has. Rules hold for every sink,
// so those that the policy does not name may be asked for; a policy may be for sinks and presets
// that are elsewhere.
void check_names(const PolicyRequest& request, const Policy& policy, const Catalog& catalog) {
  const std::vector<PolicyScope> scopes = scopes_of(policy);
  const auto any = [&](auto is_it) { return std::any_of(scopes.begin(), scopes.end(), is_it); };
  const bool known_sink = any([&](const PolicyScope& scope) {
    return name_of_sink(scope.sink) == name_of_sink(request.sink);
  });
  if (!request.sink.empty() && !known_sink) check_sink_name(catalog.sinks, request.sink);
  const bool known_scenario =
      any([&](const PolicyScope& scope) { return scope.scenario == request.scenario; });
  if (!request.scenario.empty() && !known_scenario) {
    find_preset(catalog, request.scenario, preset_folders());
  }
}

}  // namespace

void commands::add_policy_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("policy", "Check and show what the gate decides by");
  const auto request = std::make_shared<PolicyRequest>();
  command->add_option("file", request->file, "The policy; without it the built-in one")
      ->type_name("FILE");
  CommandOption* scenario =
      command
          ->add_option("--scenario", request->scenario, "As it holds for this scenario or preset")
          ->type_name("SCENARIO");
  CommandOption* sink =
      command->add_option("--sink", request->sink, "As it holds for this sink")->type_name("SINK");
  command->add_flag("--reference", request->reference, "Only the revision pinned for nights")
      ->excludes(scenario)
      ->excludes(sink);
  command->footer(
      "Examples:\n"
      "  tailgate policy ci/policy.toml\n"
      "  tailgate policy ci/policy.toml --sink journald --scenario burst");
  command->callback([request, &catalog, &action] {
    action = [request, &catalog] {
      const Policy policy = policy_at(request->file, false);
      as_usage([&] { check_names(*request, policy, catalog); });
      if (request->reference) {
        say("{}\n", policy.nightly_reference);
      } else {
        show_policy(policy, *request);
      }
      return kExitDone;
    };
  });
}

}  // namespace tailgate
