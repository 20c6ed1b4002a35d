#include "harness/gate/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "harness/base/error.h"
#include "harness/base/options.h"
#include "harness/gate/amount.h"

namespace tailgate {
namespace {

constexpr std::size_t kMostBoundBytes = 1000;
constexpr double kMostRateHz = 1e9;
constexpr const char* kBudgetForm = "write, for example, 'file@20k: p99 < 50us, lost = 0'";

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// What a kind of bound is written with, and by which relations.
struct Spelling {
  std::span<const AmountUnit> units;
  std::string_view relations;  // one after another, with spaces
  const char* form;
};

const Spelling& spelling_of(BoundKind kind) {
  static const Spelling times = {kTimeUnits, " < <= ", "p99 < 50us (ns, us, ms or s)"};
  static const Spelling cpu = {kTimeUnits, " < <= ", "cpu < 2us (an event; ns, us, ms or s)"};
  static const Spelling lost = {kCountUnits, " < <= = ", "lost = 0, lost <= 10 or lost < 0.1%"};
  static const Spelling rate = {kRateUnits, " >= > ", "rate >= 20k (events per second)"};
  static const Spelling rss = {kByteUnits, " < <= ", "rss < 64MiB (B, kB, MB, GB, KiB …)"};
  switch (kind) {
    case BoundKind::quantile:
      return times;
    case BoundKind::lost:
      return lost;
    case BoundKind::cpu:
      return cpu;
    case BoundKind::rate:
      return rate;
    case BoundKind::rss:
      break;
  }
  return rss;
}

const std::vector<BudgetQuantity>& budget_quantities() {
  static const std::vector<BudgetQuantity> all = [] {
    std::vector<BudgetQuantity> made;
    const auto add = [&](const char* name, Latency Trial::*times, std::uint64_t Latency::*time_ns,
                         double tail_share) {
      made.push_back({name, BoundKind::quantile, times, time_ns, tail_share});
    };
    add("p50", &Trial::response, &Latency::p50_ns, 0.5);
    add("p90", &Trial::response, &Latency::p90_ns, 0.1);
    add("p99", &Trial::response, &Latency::p99_ns, 0.01);
    add("p99.9", &Trial::response, &Latency::p99_9_ns, 0.001);
    add("max", &Trial::response, &Latency::max_ns, 0);
    add("service p50", &Trial::service, &Latency::p50_ns, 0.5);
    add("service p90", &Trial::service, &Latency::p90_ns, 0.1);
    add("service p99", &Trial::service, &Latency::p99_ns, 0.01);
    add("service p99.9", &Trial::service, &Latency::p99_9_ns, 0.001);
    add("service max", &Trial::service, &Latency::max_ns, 0);
    made.push_back({"lost", BoundKind::lost});
    made.push_back({"cpu", BoundKind::cpu});
    made.push_back({"rate", BoundKind::rate});
    made.push_back({"rss", BoundKind::rss});
    return made;
  }();
  return all;
}

const BudgetQuantity* find_quantity(std::string_view name) {
  for (const BudgetQuantity& quantity : budget_quantities()) {
    if (quantity.name == name) return &quantity;
  }
  return nullptr;
}

[[noreturn]] void refuse_quantity(std::string_view bound, const std::string& name) {
  std::vector<std::string> known;
  for (const BudgetQuantity& quantity : budget_quantities()) known.emplace_back(quantity.name);
  throw Error(fmt::format("'{}' bounds '{}', which is no figure of a budget", bound, name),
              choice_remedy(name, known));
}

RelationParts parts_of(std::string_view text) {
  if (const auto parts = relation_parts(text)) return *parts;
  throw Error(fmt::format("'{}' is no bound: it has no <, <=, =, >= or >", text),
              "write, for example, 'p99 < 50us' or 'lost = 0'");
}

BoundRelation relation_of(std::string_view bound, std::string_view relation,
                          const Spelling& spelling) {
  if (spelling.relations.find(fmt::format(" {} ", relation)) == std::string_view::npos) {
    throw Error(fmt::format("'{}' is not bounded by '{}'", bound, relation),
                fmt::format("write {}", spelling.form));
  }
  return *enum_value<BoundRelation>(relation);
}

// Limits that every result would keep, or none.
void check_limit(const BudgetBound& bound, const Spelling& spelling) {
  const bool lost = bound.quantity->kind == BoundKind::lost;
  const bool allows_none = bound.relation == BoundRelation::below && bound.limit <= 0;
  const bool no_number = lost && !bound.is_share && bound.limit != std::floor(bound.limit);
  const bool exact_loss = bound.relation == BoundRelation::exactly && bound.limit != 0;
  const bool beyond_all = bound.is_share && bound.limit > 1;
  const bool too_fast = bound.quantity->kind == BoundKind::rate && bound.limit > kMostRateHz;
  if (!std::isfinite(bound.limit) || bound.limit < 0 || allows_none || no_number || exact_loss ||
      beyond_all || too_fast || (!lost && bound.limit <= 0)) {
    throw Error(fmt::format("'{}' is no bound that a path can keep or break", bound.text),
                fmt::format("write {}", spelling.form));
  }
}

// Whether a bound begins here: a quantity and a relation.
bool begins_bound(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=");
  return at != std::string_view::npos &&
         find_quantity(with_single_spaces(text.substr(0, at))) != nullptr;
}

// The colon between a budget's subject and its bounds. Labels of sinks have colons, too: the first
// one that a bound follows, else the first one that a space follows, else the last one.
std::size_t colon_of(std::string_view text) {
  std::size_t before_space = std::string_view::npos;
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (begins_bound(rest)) return at;
    const bool space = rest.empty() || is_blank(rest.front());
    if (space && before_space == std::string_view::npos) before_space = at;
  }
  return before_space != std::string_view::npos ? before_space : text.rfind(':');
}

std::optional<double> rate_of(std::string_view text) {
  if (text == "max") return 0;
  const auto amount = amount_of(text, kRateUnits);
  if (!amount || amount->unit == nullptr) return {};
  const double rate_hz = amount->number * amount->unit->size;
  return rate_hz > 0 && rate_hz <= kMostRateHz ? std::optional(rate_hz) : std::nullopt;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

void read_subject(std::string_view subject, Budget& budget) {
  const std::size_t last = subject.rfind('@');
  if (last != std::string_view::npos) {
    budget.rate_hz = rate_of(trimmed(subject.substr(last + 1)));
    if (budget.rate_hz) subject = trimmed(subject.substr(0, last));
  }
  const std::size_t first = subject.find('@');
  if (first != std::string_view::npos && is_plain_name(subject.substr(0, first))) {
    budget.scenario = subject.substr(0, first);
    subject = trimmed(subject.substr(first + 1));
  }
  // What looks like a rate and is none would become the name of a sink.
  const bool number = subject.find_first_of("0123456789+-.") == 0;
  if (!budget.scenario.empty() && number && subject.find('/') == std::string_view::npos) {
    throw Error(fmt::format("'{}@{}': '{}' is no rate", budget.scenario, subject, subject),
                "write events per second, file@20000 or file@20k, or file@max");
  }
  budget.sink = subject;
  if (budget.sink.empty()) throw Error("a budget names no sink", kBudgetForm);
}

template <class F>
void for_each_part(std::string_view text, char separator, F visit) {
  while (true) {
    const std::size_t at = text.find(separator);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

bool relation_holds(BoundRelation relation, double value, double limit) {
  switch (relation) {
    case BoundRelation::below:
      return value < limit;
    case BoundRelation::at_most:
      return value <= limit;
    case BoundRelation::exactly:
      return value == limit;
    case BoundRelation::at_least:
      return value >= limit;
    case BoundRelation::above:
      break;
  }
  return value > limit;
}

bool BudgetBound::holds(double value) const {
  return relation_holds(relation, value, limit);
}

std::string Budget::subject() const {
  std::string text = scenario.empty() ? sink : scenario + "@" + sink;
  if (!rate_hz) return text;
  if (*rate_hz == 0) return text + "@max";
  return *rate_hz >= 1000 ? fmt::format("{}@{:g}k", text, *rate_hz / 1000)
                          : fmt::format("{}@{:g}", text, *rate_hz);
}

bool Budget::matches(const Result& result, const StepSummary& step) const {
  if (sink != result.sink.label && sink != result.sink.name) return false;
  if (!scenario.empty() && scenario != result.scenario.name && scenario != result.scenario.preset) {
    return false;
  }
  return !rate_hz || std::abs(step.rate_hz - *rate_hz) <= 1e-6 * *rate_hz;
}

double parse_budget_rate(std::string_view text) {
  if (const std::optional<double> rate_hz = rate_of(trimmed(text))) return *rate_hz;
  throw Error(fmt::format("'{}' is no rate", text),
              "write events per second, 20000 or 20k, up to 1G, or max");
}

BudgetBound parse_bound(std::string_view given) {
  const std::string_view text = trimmed(given);
  if (text.size() > kMostBoundBytes) {
    throw Error(fmt::format("a bound of {} bytes is too long", text.size()), kBudgetForm);
  }
  const RelationParts parts = parts_of(text);
  const std::string name = with_single_spaces(parts.name);
  BudgetBound bound;
  bound.quantity = find_quantity(name);
  if (bound.quantity == nullptr) refuse_quantity(text, name);
  const Spelling& spelling = spelling_of(bound.quantity->kind);
  bound.relation = relation_of(text, parts.relation, spelling);
  const std::optional<Amount> amount = amount_of(parts.value, spelling.units);
  if (!amount || amount->unit == nullptr) {
    throw Error(
        amount ? fmt::format("'{}': '{}' does not end in a unit of {}", text, parts.value, name)
               : fmt::format("'{}': '{}' is no number", text, parts.value),
        fmt::format("write {}", spelling.form));
  }
  bound.limit = amount->number * amount->unit->size;
  bound.is_share = amount->unit->name == "%";
  std::string value(parts.value);
  std::erase_if(value, is_blank);
  bound.text = fmt::format("{} {} {}", name, parts.relation, value);
  check_limit(bound, spelling);
  return bound;
}

void check_bounds(const std::vector<BudgetBound>& bounds) {
  if (bounds.empty()) throw Error("a budget has no bounds", kBudgetForm);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (bounds[i].quantity != bounds[j].quantity) continue;
      throw Error(fmt::format("'{}' and '{}' bound the same", bounds[j].text, bounds[i].text),
                  "keep one of them");
    }
  }
}

Budget parse_budget(std::string_view given) {
  const std::string_view text = trimmed(given);
  if (text.size() > kMostBoundBytes) {
    throw Error(fmt::format("a budget of {} bytes is too long", text.size()),
                "write at most 1000 bytes, or several budgets");
  }
  const std::size_t colon = colon_of(text);
  if (colon == std::string_view::npos) {
    throw Error(fmt::format("'{}' is no budget: no bounds follow a sink and a colon", text),
                kBudgetForm);
  }
  Budget budget;
  read_subject(trimmed(text.substr(0, colon)), budget);
  for_each_part(text.substr(colon + 1), ',',
                [&](std::string_view part) { budget.bounds.push_back(parse_bound(part)); });
  check_bounds(budget.bounds);
  return budget;
}

}  // namespace tailgate
