#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/gate/policy.h"

namespace tailgate {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;
constexpr std::int64_t kMostRounds = 1000;
constexpr double kLargestMargin = 1e15;
constexpr double kLargestChance = 100;

class PolicyReader {
 public:
  explicit PolicyReader(std::string origin) : origin_(std::move(origin)) {}

  Policy read(std::string_view text) {
    const toml::table root = parse(text);
    check_keys(root, {"gate", "metrics", "scoped", "waiver", "run", "nightly"});
    Policy policy;
    policy.origin = origin_;
    if (const toml::table* gate = table_at(root, "gate")) read_gate(*gate, policy);
    if (const toml::table* metrics = table_at(root, "metrics")) {
      policy.metrics = read_metrics(*metrics);
    }
    for (const toml::table* scoped : tables_at(root, "scoped")) {
      check_keys(*scoped, {"scenario", "sink", "metrics"});
      policy.scoped.push_back({read_scope(*scoped), {}});
      const toml::table* metrics = table_at(*scoped, "metrics");
      if (metrics == nullptr) fail(*scoped, "it sets no metrics", "add [scoped.metrics.NAME]");
      policy.scoped.back().metrics = read_metrics(*metrics);
    }
    check_rules(root, policy);
    for (const toml::table* waiver : tables_at(root, "waiver")) {
      policy.waivers.push_back(read_waiver(*waiver));
    }
    for (const toml::table* run : tables_at(root, "run")) policy.runs.push_back(read_run(*run));
    if (const toml::table* nightly = table_at(root, "nightly")) {
      check_keys(*nightly, {"reference"});
      policy.nightly_reference = text_at(*nightly, "reference", "the revision of a build");
    }
    return policy;
  }

 private:
  toml::table parse(std::string_view text) const {
    try {
      return toml::parse(text, origin_);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}: {}", place(error.source()), error.description()),
                  "mend the TOML there");
    }
  }

  std::string place(const toml::source_region& source) const {
    return fmt::format("{}:{}", origin_, source.begin.line);
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& what,
                         const std::string& remedy) const {
    throw Error(fmt::format("{}: {}", place(node.source()), what), remedy);
  }

  [[noreturn]] void refuse_name(const toml::node& node, const std::string& what,
                                const std::vector<std::string>& known) const {
    const std::size_t quote = what.find('\'') + 1;
    const std::string near = nearest_name(what.substr(quote, what.rfind('\'') - quote), known);
    fail(node, what,
         near.empty() ? fmt::format("give one of: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean '{}'?", near));
  }

  void check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      refuse_name(node, fmt::format("unknown key '{}'", key.str()), known);
    }
  }

  // The table under a key; null where there is none.
  const toml::table* table_at(const toml::table& in, std::string_view key) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) {
      fail(*node, fmt::format("{} is not a table", key),
           fmt::format("write [{}] above its settings", key));
    }
    return node->as_table();
  }

  // The tables of a list under a key; none where there is no such key.
  std::vector<const toml::table*> tables_at(const toml::table& in, std::string_view key) const {
    std::vector<const toml::table*> tables;
    const toml::node* node = in.get(key);
    if (node == nullptr) return tables;
    const toml::array* list = node->as_array();
    const std::string remedy = fmt::format("write [[{}]] before each", key);
    if (list == nullptr) fail(*node, fmt::format("{} is not a list of tables", key), remedy);
    for (const toml::node& entry : *list) {
      if (!entry.is_table()) fail(entry, fmt::format("{} is not a table", key), remedy);
      tables.push_back(entry.as_table());
    }
    return tables;
  }

  const toml::node& required(const toml::table& in, std::string_view key,
                             std::string_view meaning) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) {
      fail(in, fmt::format("'{}' is missing", key), fmt::format("add {} = …: {}", key, meaning));
    }
    return *node;
  }

  std::string text_of(const toml::node& node, std::string_view key) const {
    const auto text = node.value_exact<std::string>();
    if (!text) fail(node, fmt::format("{} is not a text", key), "put it in quotes");
    if (text->empty()) fail(node, fmt::format("{} is empty", key), "say what it is");
    return *text;
  }

  std::string text_at(const toml::table& in, std::string_view key, std::string_view meaning) const {
    return text_of(required(in, key, meaning), key);
  }

  double number_of(const toml::node& node, std::string_view key, double low, double high) const {
    const auto number = node.value<double>();
    if (!number || node.is_boolean()) {
      fail(node, fmt::format("{} is not a number", key),
           fmt::format("give one from {} to {}", low, high));
    }
    if (!(*number >= low && *number <= high)) {
      fail(node, fmt::format("{} = {} is not from {} to {}", key, *number, low, high),
           "give a value within");
    }
    return *number;
  }

  void read_number(const toml::table& in, std::string_view key, double low, double high,
                   double& into) const {
    if (const toml::node* node = in.get(key)) into = number_of(*node, key, low, high);
  }

  void read_number(const toml::table& in, std::string_view key, double low, double high,
                   std::optional<double>& into) const {
    if (const toml::node* node = in.get(key)) into = number_of(*node, key, low, high);
  }

  template <class Into>
  void read_flag(const toml::table& in, std::string_view key, Into& into) const {
    const toml::node* node = in.get(key);
    if (node == nullptr) return;
    const auto flag = node->value_exact<bool>();
    if (!flag) fail(*node, fmt::format("{} is not true or false", key), "write true or false");
    into = *flag;
  }

  void read_gate(const toml::table& gate, Policy& policy) const {
    check_keys(gate, {"method", "looks", "false_fail", "false_pass", "time_budget_s",
                      "most_missed_rounds", "allow_dirty_builds"});
    if (const toml::node* node = gate.get("method")) {
      const std::string method = text_of(*node, "method");
      if (method != "looks" && method != "anytime") {
        refuse_name(*node, fmt::format("there is no method '{}'", method), {"looks", "anytime"});
      }
      policy.method = method == "looks" ? GateMethod::looks : GateMethod::anytime;
    }
    if (const toml::node* node = gate.get("looks")) policy.looks.rounds = read_looks(*node);
    read_number(gate, "false_fail", 1e-9, 0.5, policy.looks.false_fail);
    read_number(gate, "false_pass", 1e-9, 0.5, policy.looks.false_pass);
    const double least = 1 / static_cast<double>(policy.looks.patterns);
    if (policy.looks.fail_level() < least) {
      const auto looks = static_cast<double>(policy.looks.rounds.size());
      fail(gate,
           fmt::format("false_fail = {} among {} looks is finer than {} sign patterns tell",
                       policy.looks.false_fail, looks, policy.looks.patterns),
           fmt::format("make it at least {:.2g}, or look less often", least * looks));
    }
    read_number(gate, "time_budget_s", 1, 86'400, policy.time_budget_s);
    read_number(gate, "most_missed_rounds", 0, 1, policy.most_missed_rounds);
    read_flag(gate, "allow_dirty_builds", policy.allow_dirty_builds);
  }

  std::vector<std::size_t> read_looks(const toml::node& node) const {
    const toml::array* list = node.as_array();
    const std::string remedy = "write, for example, looks = [15, 25, 35, 50]";
    if (list == nullptr || list->empty()) fail(node, "looks is not a list of rounds", remedy);
    std::vector<std::size_t> looks;
    for (const toml::node& entry : *list) {
      const auto rounds = entry.value_exact<std::int64_t>();
      if (!rounds || *rounds < 1 || *rounds > kMostRounds) {
        fail(entry, fmt::format("a look is not a whole number from 1 to {}", kMostRounds), remedy);
      }
      if (!looks.empty() && static_cast<std::size_t>(*rounds) <= looks.back()) {
        fail(entry, fmt::format("look {} does not come after {}", *rounds, looks.back()), remedy);
      }
      looks.push_back(static_cast<std::size_t>(*rounds));
    }
    return looks;
  }

  const MetricKind& metric_named(const toml::node& node, std::string_view name) const {
    if (const MetricKind* kind = find_metric(name)) return *kind;
    std::vector<std::string> known;
    for (const MetricKind& kind : metric_kinds()) known.push_back(kind.name);
    refuse_name(node, fmt::format("there is no metric '{}'", name), known);
  }

  std::vector<MetricSettings> read_metrics(const toml::table& metrics) const {
    std::vector<MetricSettings> all;
    for (const auto& entry : metrics) {
      const std::string_view key = entry.first.str();
      const toml::node& node = entry.second;
      const MetricKind& kind = metric_named(node, key);
      const toml::table* table = node.as_table();
      if (table == nullptr) {
        fail(node, fmt::format("metrics.{} is not a table", key),
             fmt::format("write [metrics.{}] with one setting a line", key));
      }
      check_keys(*table, {"gate", "margin", "at_least", "chance", "find"});
      MetricSettings& settings = all.emplace_back();
      settings.metric = kind.name;
      read_flag(*table, "gate", settings.gate);
      read_number(*table, "margin", 0, kLargestMargin, settings.margin);
      read_number(*table, "at_least", 0, kLargestMargin, settings.at_least);
      read_number(*table, "chance", 0, kLargestChance, settings.chance);
      read_number(*table, "find", 0, kLargestMargin, settings.find);
      const auto only = [&](const char* name, bool given, bool has, const char* of) {
        if (!given || has) return;
        fail(node, fmt::format("metrics.{} has no '{}'", kind.name, name),
             fmt::format("leave it out: only {} have one", of));
      };
      only("find", settings.find.has_value(), kind.tail_share > 0, "quantiles");
      only("at_least", settings.at_least.has_value(), kind.effect == EffectKind::ratio, "ratios");
      only("chance", settings.chance.has_value(), kind.chance > 0, "counts of calls");
    }
    return all;
  }

  PolicyScope read_scope(const toml::table& in) const {
    PolicyScope scope;
    if (const toml::node* node = in.get("scenario")) scope.scenario = text_of(*node, "scenario");
    if (const toml::node* node = in.get("sink")) scope.sink = text_of(*node, "sink");
    return scope;
  }

  // What is gated needs a margin above 0, and a quantile a change to find beyond it.
  void check_rules(const toml::table& root, const Policy& policy) const {
    std::vector<PolicyScope> scopes = {{}};
    for (const ScopedSettings& settings : policy.scoped) scopes.push_back(settings.scope);
    for (const PolicyScope& scope : scopes) {
      DuetSubject subject;
      subject.scenario.name = scope.scenario;
      subject.sink.name = scope.sink;
      for (const MetricKind& kind : metric_kinds()) {
        const MetricRule rule = policy.rule(kind, subject);
        if (!rule.gate) continue;
        if (!(rule.margin > 0)) {
          fail(root, fmt::format("metrics.{} is gated with a margin of {}", kind.name, rule.margin),
               "give a margin above 0, or gate = false");
        }
        if (kind.tail_share > 0 && !(rule.find > rule.margin)) {
          fail(root,
               fmt::format("metrics.{}: find = {} is not above the margin {}", kind.name, rule.find,
                           rule.margin),
               "give a larger change to find, or a smaller margin");
        }
      }
    }
  }

  Waiver read_waiver(const toml::table& in) const {
    check_keys(
        in, {"metric", "scenario", "sink", "ratio", "difference", "commit", "reason", "expires"});
    Waiver waiver;
    waiver.scope = read_scope(in);
    const std::string name = text_at(in, "metric", "the metric that changed");
    const MetricKind& kind = metric_named(*in.get("metric"), name);
    waiver.metric = kind.name;
    const bool ratio = kind.effect == EffectKind::ratio;
    const char* key = ratio ? "ratio" : "difference";
    const char* other = ratio ? "difference" : "ratio";
    if (const toml::node* node = in.get(other)) {
      fail(*node, fmt::format("{} is judged by its {}, not its {}", name, key, other),
           fmt::format("write {} = [low, high]", key));
    }
    const toml::node& node = required(in, key, "[low, high], what is expected of B against A");
    const toml::array* list = node.as_array();
    if (list == nullptr || list->size() != 2) {
      fail(node, fmt::format("{} is not a list of two numbers", key), "write [low, high]");
    }
    const double least = ratio ? 1e-6 : -kLargestMargin;
    waiver.low = number_of(*list->get(0), key, least, kLargestMargin) - (ratio ? 1 : 0);
    waiver.high = number_of(*list->get(1), key, least, kLargestMargin) - (ratio ? 1 : 0);
    if (waiver.low >= waiver.high) {
      fail(node, fmt::format("{}: the first number is not below the second", key),
           "write [low, high]");
    }
    waiver.commit = read_commit(required(in, "commit", "the commit that made the change"));
    waiver.reason = text_at(in, "reason", "why the change is wanted");
    waiver.expires = read_date(required(in, "expires", "the last day on which it holds"));
    return waiver;
  }

  std::string read_commit(const toml::node& node) const {
    std::string commit = text_of(node, "commit");
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (commit.size() < 7 || commit.size() > 40 ||
        !std::all_of(commit.begin(), commit.end(), is_digit)) {
      fail(node, fmt::format("commit '{}' is not a commit's hash", commit),
           "write 7 to 40 of its hexadecimal digits, as 'git log --oneline' shows them");
    }
    return commit;
  }

  std::string read_date(const toml::node& node) const {
    const auto date = node.value_exact<toml::date>();
    if (!date) fail(node, "expires is not a date", "write expires = 2027-01-31, without quotes");
    return fmt::format("{:04}-{:02}-{:02}", date->year, date->month, date->day);
  }

  PolicyRun read_run(const toml::table& in) const {
    check_keys(in, {"scenario", "sinks", "set", "nightly"});
    PolicyRun run;
    read_flag(in, "nightly", run.nightly);
    run.scenario = text_at(in, "scenario", "a scenario or a preset");
    const toml::node& sinks = required(in, "sinks", "a list of sinks");
    const toml::array* list = sinks.as_array();
    if (list == nullptr || list->empty()) {
      fail(sinks, "sinks is not a list of sinks", "write sinks = [\"file\", \"lttng\"]");
    }
    for (const toml::node& entry : *list) run.sinks.push_back(text_of(entry, "a sink"));
    const toml::table* set = table_at(in, "set");
    if (set == nullptr) return run;
    for (const auto& [key, node] : *set) {
      run.set.push_back(fmt::format("{}={}", key.str(), setting_text(node, key.str())));
    }
    return run;
  }

  std::string setting_text(const toml::node& node, std::string_view key) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
    if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
    if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
    fail(node, fmt::format("{} is neither a number, a text, nor true or false", key),
         "give one of these");
  }

  std::string origin_;
};

}  // namespace

Policy parse_policy(std::string_view text, const std::string& origin) {
  return PolicyReader(origin).read(text);
}

Policy load_policy(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t size_bytes = std::filesystem::file_size(file, failed);
  std::ifstream input(file, std::ios::binary);
  if (failed || !input) {
    throw Error(fmt::format("cannot read the policy '{}'", file.string()),
                "name an existing file, or leave the option out for the built-in policy");
  }
  if (size_bytes > kMaxFileBytes) {
    throw Error(fmt::format("'{}' has {} bytes", file.string(), size_bytes),
                fmt::format("a policy has at most {}", kMaxFileBytes));
  }
  const std::string text((std::istreambuf_iterator<char>(input)), std::istreambuf_iterator<char>());
  return parse_policy(text, file.string());
}

}  // namespace tailgate
