#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/base/toml_reader.h"
#include "harness/base/toml_texts.h"
#include "harness/gate/default_policy.h"  // made from default_policy.toml by the build
#include "harness/gate/policy.h"

namespace tailgate {
namespace {

constexpr std::int64_t kMaxRounds = 1000;
constexpr double kLargestMargin = 1e15;
constexpr double kLargestSpread = 1;

// The name of a scenario or of a sink with its options. Commands hand it on as an argument, where a
// dash begins an option.
std::string name_text(const TomlNode& node, std::string_view name) {
  std::string text = nonempty_text(node, name);
  if (text.starts_with('-')) {
    node.fail(fmt::format("{} = '{}' begins with a dash", name, text),
              "'tailgate scenarios' and 'tailgate sinks' list the names");
  }
  return text;
}

// Sets a number, where the table has one of that key.
template <class Into>
void read_number(const TomlNode& in, std::string_view key, double low, double high, Into& into) {
  if (const TomlNode* node = in.find(key)) into = node->number(key, low, high);
}

template <class Into>
void read_flag(const TomlNode& in, std::string_view key, Into& into) {
  if (const TomlNode* node = in.find(key)) into = node->flag(key);
}

// Looks that come after one at `last` rounds.
std::vector<std::size_t> read_looks(const TomlNode& node, const std::string& remedy,
                                    std::size_t last) {
  if (!node.is_list()) node.fail(fmt::format("{} is not a list of rounds", node.key()), remedy);
  std::vector<std::size_t> looks;
  for (const TomlNode& entry : node.entries()) {
    const auto rounds = entry.whole();
    if (!rounds || *rounds < 1 || *rounds > kMaxRounds) {
      entry.fail(fmt::format("a look is not a whole number from 1 to {}", kMaxRounds), remedy);
    }
    if (static_cast<std::size_t>(*rounds) <= last) {
      entry.fail(fmt::format("look {} does not come after {}", *rounds, last), remedy);
    }
    last = static_cast<std::size_t>(*rounds);
    looks.push_back(last);
  }
  return looks;
}

// Looks of resumed duets that stand for other first looks count as far as they come after those.
void read_all_looks(const TomlNode& in, Looks& looks) {
  if (const TomlNode* node = in.find("looks")) {
    const std::string remedy = "write, for example, looks = [15, 30, 50]";
    looks.rounds = read_looks(*node, remedy, 0);
    if (looks.rounds.empty()) node->fail("looks is not a list of rounds", remedy);
    std::erase_if(looks.resumed, [&](std::size_t at) { return at <= looks.rounds.back(); });
  }
  if (const TomlNode* node = in.find("resumed_looks")) {
    looks.resumed = read_looks(*node, "write, for example, resumed_looks = [100, 200], or []",
                               looks.rounds.back());
  }
  read_number(in, "resumed_share", 0.01, 0.5, looks.resumed_share);
  read_number(in, "false_fail", 1e-9, 0.5, looks.false_fail);
  read_number(in, "false_pass", 1e-9, 0.5, looks.false_pass);
  const double least = 1 / static_cast<double>(looks.patterns);
  if (looks.fail_level() < least) {
    in.fail(fmt::format("false_fail = {} among {} looks is finer than {} sign patterns tell",
                        looks.false_fail, looks.rounds.size(), looks.patterns),
            fmt::format("make it at least {:.2g}, or look less often",
                        least * looks.false_fail / looks.fail_level()));
  }
}

// There is one method, which older policies name.
void check_method(const TomlNode& node) {
  const std::string method = nonempty_text(node, "method");
  if (method == "looks") return;
  if (method == "anytime") {
    node.fail("the method 'anytime' is gone: the gate decides by interim analyses alone",
              "remove the line; 'looks = [10, 15, 20 …]' looks more often, 'false_fail' bounds the "
              "same error");
  }
  node.refuse_name(fmt::format("there is no method '{}'", method), method, {"looks"});
}

void read_gate(const TomlNode& gate, Policy& policy) {
  gate.check_keys({"method", "looks", "resumed_looks", "resumed_share", "false_fail", "false_pass",
                   "time_budget_s", "most_missed_rounds", "allow_dirty_builds", "class_margins",
                   "layout_spread", "explain_s"});
  if (const TomlNode* method = gate.find("method")) check_method(*method);
  read_all_looks(gate, policy.looks);
  read_number(gate, "time_budget_s", 1, 86'400, policy.time_budget_s);
  read_number(gate, "most_missed_rounds", 0, 1, policy.most_missed_rounds);
  read_flag(gate, "allow_dirty_builds", policy.allow_dirty_builds);
  read_number(gate, "explain_s", 0, 600, policy.explain_s);
  if (const TomlNode* folder = gate.find("class_margins")) {
    policy.class_margins = nonempty_text(*folder, "class_margins");
  }
}

FirstLook read_first_look(const TomlNode& in, const Looks& looks) {
  in.check_keys({"sink", "scenario", "rounds"});
  FirstLook first;
  if (const TomlNode* sink = in.find("sink")) first.scope.sink = nonempty_text(*sink, "sink");
  if (const TomlNode* scenario = in.find("scenario")) {
    first.scope.scenario = nonempty_text(*scenario, "scenario");
  }
  if (first.scope.sink.empty() && first.scope.scenario.empty()) {
    in.fail("this first look is for no sink and no scenario",
            "write sink = \"NAME\"; for all duets, leave early ones out of looks");
  }
  const TomlNode& rounds = in.required("rounds", "of the first look");
  const auto last = static_cast<double>(looks.rounds.back());
  first.rounds = static_cast<std::size_t>(rounds.number("rounds", 1, last));
  return first;
}

// What holds at night where it differs from [gate].
void read_nightly(const TomlNode& nightly, Policy& policy) {
  nightly.check_keys({"reference", "chain", "looks", "resumed_looks", "resumed_share", "false_fail",
                      "false_pass", "time_budget_s", "first_look"});
  policy.nightly_reference = required_text(nightly, "reference", "the revision of a build");
  if (const TomlNode* chain = nightly.find("chain")) {
    policy.nightly_chain = nonempty_text(*chain, "chain");
  }
  read_all_looks(nightly, policy.at_night.looks);
  read_number(nightly, "time_budget_s", 1, 86'400, policy.at_night.time_budget_s);
  for (const TomlNode* first : nightly.tables_at("first_look")) {
    policy.at_night.first_looks.push_back(read_first_look(*first, policy.at_night.looks));
  }
}

const MetricKind& metric_named(const TomlNode& node, std::string_view name) {
  if (const MetricKind* kind = find_metric(name)) return *kind;
  std::vector<std::string> known;
  for (const MetricKind& kind : metric_kinds()) known.emplace_back(kind.name);
  node.refuse_name(fmt::format("there is no metric '{}'", name), name, known);
}

MetricSettings read_metric(const TomlNode& node) {
  const MetricKind& kind = metric_named(node, node.key());
  if (!node.is_table()) {
    node.fail(fmt::format("metrics.{} is not a table", kind.name),
              fmt::format("write [metrics.{}] with one setting a line", kind.name));
  }
  if (const TomlNode* chance = node.find("chance")) {
    chance->fail(fmt::format("metrics.{}: the setting 'chance' is gone", kind.name),
                 "write 'more' = the share of A's count that B may have more, besides the margin");
  }
  node.check_keys({"gate", "margin", "find", "at_least", "more", "class_gate"});
  MetricSettings settings;
  settings.metric = kind.name;
  read_flag(node, "gate", settings.gate);
  read_number(node, "margin", 0, kLargestMargin, settings.margin);
  read_number(node, "find", 0, kLargestMargin, settings.find);
  read_number(node, "at_least", 0, kLargestMargin, settings.at_least);
  read_number(node, "more", 0, kLargestMargin, settings.more);
  read_flag(node, "class_gate", settings.class_gate);
  const auto only = [&](const char* name, bool given, bool has, const char* of) {
    if (!given || has) return;
    node.fail(fmt::format("metrics.{} has no '{}'", kind.name, name),
              fmt::format("leave it out: only {} have one", of));
  };
  only("find", settings.find.has_value(), kind.tail_share > 0, "quantiles");
  only("class_gate", settings.class_gate.has_value(), kind.effect == EffectKind::ratio, "ratios");
  only("at_least", settings.at_least.has_value(), kind.effect == EffectKind::ratio, "ratios");
  only("more", settings.more.has_value(), kind.count != CountOf::nothing, "counts");
  return settings;
}

std::vector<MetricSettings> read_metrics(const TomlNode& metrics) {
  std::vector<MetricSettings> all;
  for (const TomlNode& metric : metrics.entries()) all.push_back(read_metric(metric));
  return all;
}

PolicyScope read_scope(const TomlNode& in) {
  PolicyScope scope;
  if (const TomlNode* node = in.find("scenario")) scope.scenario = nonempty_text(*node, "scenario");
  if (const TomlNode* node = in.find("sink")) scope.sink = nonempty_text(*node, "sink");
  return scope;
}

ScopedSettings read_scoped(const TomlNode& scoped) {
  scoped.check_keys({"scenario", "sink", "metrics", "layout_spread"});
  ScopedSettings settings{read_scope(scoped)};
  read_number(scoped, "layout_spread", 0, kLargestSpread, settings.layout_spread);
  const TomlNode* metrics = scoped.table_at("metrics");
  if (metrics != nullptr) settings.metrics = read_metrics(*metrics);
  if (metrics == nullptr && !settings.layout_spread) {
    scoped.fail("it sets no metrics", "add [scoped.metrics.NAME]");
  }
  return settings;
}

// What is gated needs a margin above 0, and a quantile a change to find beyond it: in general, and
// in each scope that the policy names itself.
void check_rules(const TomlNode& root, const Policy& policy,
                 const std::vector<PolicyScope>& scopes) {
  for (const PolicyScope& scope : scopes) {
    const DuetSubject subject = subject_named(scope.scenario, scope.sink);
    for (const MetricKind& kind : metric_kinds()) {
      const MetricRule rule = policy.rule(kind, subject);
      if (!rule.gate && !rule.class_gate) continue;
      if (!(rule.margin > 0)) {
        root.fail(fmt::format("metrics.{} is gated with a margin of {}", kind.name, rule.margin),
                  "give a margin above 0, or gate = false");
      }
      if (kind.tail_share > 0 && !(rule.find > rule.margin)) {
        root.fail(fmt::format("metrics.{}: find = {} is not above the margin {}", kind.name,
                              rule.find, rule.margin),
                  "give a larger change to find, or a smaller margin");
      }
    }
  }
}

void read_settings(const TomlNode& root, Policy& policy) {
  std::vector<PolicyScope> scopes = {{}};
  ScopedSettings all;
  if (const TomlNode* metrics = root.table_at("metrics")) all.metrics = read_metrics(*metrics);
  if (const TomlNode* gate = root.table_at("gate")) {
    read_number(*gate, "layout_spread", 0, kLargestSpread, all.layout_spread);
  }
  if (!all.metrics.empty() || all.layout_spread) policy.settings.push_back(all);
  for (const TomlNode* scoped : root.tables_at("scoped")) {
    scopes.push_back(policy.settings.emplace_back(read_scoped(*scoped)).scope);
  }
  check_rules(root, policy, scopes);
}

std::string read_commit(const TomlNode& node) {
  std::string commit = nonempty_text(node, "commit");
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (commit.size() < 7 || commit.size() > 40 ||
      !std::all_of(commit.begin(), commit.end(), is_digit)) {
    node.fail(fmt::format("commit '{}' is not a commit's hash", commit),
              "write 7 to 40 of its hexadecimal digits, as 'git log --oneline' shows them");
  }
  return commit;
}

// The interval of effects that is agreed on.
void read_interval(const TomlNode& in, const MetricKind& kind, Waiver& waiver) {
  const bool ratio = kind.effect == EffectKind::ratio;
  const char* key = ratio ? "ratio" : "difference";
  const char* other = ratio ? "difference" : "ratio";
  if (const TomlNode* node = in.find(other)) {
    node->fail(fmt::format("{} is judged by its {}, not its {}", kind.name, key, other),
               fmt::format("write {} = [low, high]", key));
  }
  const TomlNode& node = in.required(key, "[low, high], what is expected of B against A");
  if (!node.is_list() || node.entries().size() != 2) {
    node.fail(fmt::format("{} is not a list of two numbers", key), "write [low, high]");
  }
  const double least = ratio ? 1e-6 : -kLargestMargin;
  waiver.low = node.entries()[0].number(key, least, kLargestMargin) - (ratio ? 1 : 0);
  waiver.high = node.entries()[1].number(key, least, kLargestMargin) - (ratio ? 1 : 0);
  if (waiver.low >= waiver.high) {
    node.fail(fmt::format("{}: the first number is not below the second", key),
              "write [low, high]");
  }
}

Waiver read_waiver(const TomlNode& in) {
  in.check_keys(
      {"metric", "scenario", "sink", "ratio", "difference", "commit", "reason", "expires"});
  Waiver waiver;
  waiver.scope = read_scope(in);
  const std::string name = required_text(in, "metric", "the metric that changed");
  const MetricKind& kind = metric_named(*in.find("metric"), name);
  waiver.metric = kind.name;
  read_interval(in, kind, waiver);
  waiver.commit = read_commit(in.required("commit", "the commit that made the change"));
  waiver.reason = required_text(in, "reason", "why the change is wanted");
  const TomlNode& expires = in.required("expires", "the last day on which it holds");
  const auto date = expires.date();
  if (!date) expires.fail("expires is not a date", "write expires = 2027-01-31, without quotes");
  waiver.expires = *date;
  return waiver;
}

PolicyRun read_run(const TomlNode& in) {
  in.check_keys({"scenario", "sinks", "set", "nightly", "generation_rounds"});
  PolicyRun run;
  read_flag(in, "nightly", run.nightly);
  run.scenario = name_text(in.required("scenario", "a scenario or a preset"), "scenario");
  const TomlNode& sinks = in.required("sinks", "a list of sinks");
  if (!sinks.is_list() || sinks.entries().empty()) {
    sinks.fail("sinks is not a list of sinks", "write sinks = [\"file\", \"lttng\"]");
  }
  for (const TomlNode& sink : sinks.entries()) run.sinks.push_back(name_text(sink, "a sink"));
  if (const TomlNode* node = in.find("generation_rounds")) {
    run.generation_rounds = static_cast<unsigned>(node->number("generation_rounds", 2, kMaxRounds));
  }
  const TomlNode* set = in.table_at("set");
  if (set == nullptr) return run;
  for (const TomlNode& setting : set->entries()) {
    const auto text = setting.option_text();
    if (!text) {
      setting.fail(fmt::format("{} is neither a number, a text, nor true or false", setting.key()),
                   "give one of these");
    }
    run.set.push_back(fmt::format("{}={}", setting.key(), *text));
  }
  return run;
}

// Reads the runs. Each duet has a file of its own, named by what distinguishes it.
std::vector<PolicyRun> read_runs(const TomlNode& root) {
  std::vector<PolicyRun> runs;
  std::set<std::string> duets;
  for (const TomlNode* in : root.tables_at("run")) {
    runs.push_back(read_run(*in));
    const PolicyRun& run = runs.back();
    for (const std::string& sink : run.sinks) {
      const std::string duet =
          fmt::format("{} {} {} {}", run.scenario, sink, fmt::join(run.set, " "),
                      run.generation_rounds.value_or(0));
      if (duets.insert(duet).second) continue;
      in->fail(fmt::format("the duet of '{}' with '{}' is named twice", run.scenario, sink),
               "remove one of them, or give it other settings with 'set'");
    }
  }
  return runs;
}

// What the text says, on top of a policy.
Policy read_policy(Policy policy, std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  // A project's file is a policy, too; harness/project reads the last three.
  root.check_keys(
      {"gate", "metrics", "scoped", "waiver", "run", "nightly", "build", "benchmark", "policy"});
  policy.origin = origin;
  if (const TomlNode* gate = root.table_at("gate")) read_gate(*gate, policy);
  read_settings(root, policy);
  for (const TomlNode* waiver : root.tables_at("waiver")) {
    policy.waivers.push_back(read_waiver(*waiver));
  }
  policy.runs = read_runs(root);
  policy.at_night = {policy.looks, policy.time_budget_s};
  if (const TomlNode* nightly = root.table_at("nightly")) read_nightly(*nightly, policy);
  return policy;
}

}  // namespace

const Policy& default_policy() {
  static const Policy policy = [] {
    Policy made = read_policy({}, kDefaultPolicyToml, "harness/gate/default_policy.toml");
    made.origin = "built in";
    return made;
  }();
  return policy;
}

Policy parse_policy(std::string_view text, const std::string& origin) {
  return read_policy(default_policy(), text, origin);
}

Policy load_policy(const std::filesystem::path& file) {
  Policy policy = parse_policy(
      read_toml_file(file, "policy",
                     "name an existing file, or leave the option out for the built-in policy"),
      file.string());
  if (!policy.class_margins.empty()) {
    policy.classes = load_machine_classes(file.parent_path() / policy.class_margins);
  }
  return policy;
}

}  // namespace tailgate
