// tailgate policy: checks a policy file and shows what it comes to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/gate_verdicts.h"
#include "harness/cli/terminal.h"
#include "harness/gate/effect_text.h"
#include "harness/gate/policy.h"
#include "harness/os/machine.h"

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
  DuetSubject subject;
  subject.scenario.name = request.scenario;
  subject.sink.name = request.sink.substr(0, request.sink.find(':'));
  subject.sink.label = request.sink;
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
        fmt::join(night.looks.rounds, ", "), night.time_budget_s, night.looks.false_fail);
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

}  // namespace

void commands::add_policy_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("policy", "Check and show what the gate decides by");
  const auto request = std::make_shared<PolicyRequest>();
  command->add_option("file", request->file, "The policy; without it the built-in one")
      ->type_name("FILE");
  command->add_option("--scenario", request->scenario, "As it holds for this scenario or preset")
      ->type_name("SCENARIO");
  command->add_option("--sink", request->sink, "As it holds for this sink")->type_name("SINK");
  command->add_flag("--reference", request->reference, "Only the revision pinned for nights");
  command->footer(
      "Examples:\n"
      "  tailgate policy ci/policy.toml\n"
      "  tailgate policy ci/policy.toml --sink journald --scenario burst");
  command->callback([request, &action] {
    action = [request] {
      const Policy policy = policy_at(request->file, false);
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
