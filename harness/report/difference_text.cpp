#include "harness/report/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/report/cause_words.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxParts = 3;
// A call in a hundred is a slow one.
constexpr double kSlowShare = 0.01;

std::string signed_duration(double ns) {
  return (std::round(ns) >= 1 ? "+" : "") + human_duration(ns);
}

// "+38ns (+33ns to +44ns)".
std::string with_interval(double ns, const std::optional<double>& low,
                          const std::optional<double>& high) {
  if (!low || !high) return signed_duration(ns);
  return fmt::format("{} ({} to {})", signed_duration(ns), signed_duration(*low),
                     signed_duration(*high));
}

// Of amounts: "+12.5", "-123456", "+1.235M".
std::string signed_amount(double amount) {
  constexpr double kExact = 1000;
  if (std::abs(amount) < kExact) return fmt::format("{:+.3g}", amount);
  return (amount > 0 ? "+" : "") + human_count(std::int64_t{std::llround(amount)});
}

bool is_memory(const AmountSum& sum) {
  return sum.measure == "memory";
}

bool is_bytes(const AmountSum& sum) {
  return sum.unit == "bytes";
}

// "+1.235MB": in the sum's unit.
std::string signed_amount(const AmountSum& sum, double amount) {
  if (!is_bytes(sum)) return signed_amount(amount);
  const auto bytes = static_cast<std::uint64_t>(std::llround(std::abs(amount)));
  return (amount < 0 ? "-" : "+") + human_count(bytes) + "B";
}

std::string with_interval(const AmountSum& sum, double amount, const std::optional<double>& low,
                          const std::optional<double>& high) {
  if (!low || !high) return signed_amount(sum, amount);
  return fmt::format("{} ({} to {})", signed_amount(sum, amount), signed_amount(sum, *low),
                     signed_amount(sum, *high));
}

std::string per_what(const DifferenceSum& sum) {
  if (sum.measure == "call") return "a call";
  if (sum.measure == "slow_call") return "a call beyond p99";
  if (sum.measure == "processor_time") return "processor time a run";
  if (sum.measure == "other_threads") {
    return "processor time an event in the provider's other threads";
  }
  return "processor time an event in " +
         (sum.processes.empty() ? "the session's daemons" : sum.processes);
}

std::string name_of(const DifferencePart& part) {
  if (part.cause == "rest") return "all the rest";
  std::string text;
  if (part.cause == "function") {
    text = fmt::format("{} in {}", brief_function(part.name), part.module);
  } else if (part.cause == "syscall" && !part.name.empty()) {
    // One that has no name here is called "system call 110" already.
    text = (part.name.starts_with("system call ") ? "" : "system call ") + part.name;
  } else {
    text = words_for_cause(part.cause);
    if (!part.name.empty()) text += fmt::format(" ({})", part.name);
  }
  return part.caller.empty() ? text : text + ", from " + brief_function(part.caller);
}

std::string part_text(const DifferenceSum&, const DifferencePart& part) {
  return with_interval(part.difference_ns, part.low_ns, part.high_ns) + ": " + name_of(part);
}

std::string name_of(const AmountPart& part) {
  if (part.cause == "rest") return "all the rest";
  if (part.cause == "memory") {
    if (part.module.empty()) return part.name;
    const std::string text = fmt::format("{} in {}", brief_function(part.name), part.module);
    return part.caller.empty() ? text : text + ", from " + brief_function(part.caller);
  }
  if (part.cause == "allocated") {
    return part.caller.empty() ? part.name : part.name + ", from " + brief_function(part.caller);
  }
  if (part.module == "call") return part.name + ", calls that were refused";
  return part.module.empty() ? part.name : part.name + ", reported by the " + part.module;
}

std::string what_of(const AmountSum& sum) {
  if (is_memory(sum)) return "memory";
  if (sum.measure == "allocated") return "allocated and not freed";
  return "events lost of a million";
}

std::string part_text(const AmountSum& sum, const AmountPart& part) {
  return with_interval(sum, part.difference, part.low, part.high) + ": " + name_of(part);
}

template <class Sum>
bool has_distinct(const Sum& sum) {
  return std::any_of(sum.parts.begin(), sum.parts.end(),
                     [](const auto& part) { return part.distinct; });
}

bool differs(const DifferenceSum& sum) {
  return has_distinct(sum) || excludes_0(sum.low_ns, sum.high_ns);
}

// One round has no intervals, and is shown as it is. A few pages of memory
// can be distinct, and mean nothing.
bool differs(const AmountSum& sum) {
  if (is_memory(sum) && std::abs(sum.difference) < kLeastShareOfMemory * sum.a) return false;
  return sum.rounds == 1 || has_distinct(sum) || excludes_0(sum.low, sum.high);
}

// Lost events do, and memory, with its allocations, where it differs by more than the default
// policy tolerates.
bool comes_before_times(const AmountSum& sum, const std::vector<AmountSum>& all) {
  constexpr double kTolerated = 0.05;
  if (!is_bytes(sum)) return true;
  const auto memory = std::find_if(all.begin(), all.end(), is_memory);
  return memory != all.end() && std::abs(memory->difference) >= kTolerated * memory->a;
}

double weight(const DifferenceSum& sum) {
  return std::abs(sum.difference_ns) * (sum.measure == "slow_call" ? kSlowShare : 1);
}

bool has_interval_without_0(const DifferencePart& part) {
  return excludes_0(part.low_ns, part.high_ns);
}

bool has_interval_without_0(const AmountPart& part) {
  return excludes_0(part.low, part.high);
}

// The parts whose intervals are without 0, or the largest one where there is none. Returns how
// many.
template <class Sum>
std::size_t add_first_parts(const Sum& sum, std::vector<DifferenceLine>& lines) {
  std::size_t shown = 0;
  for (; shown + 1 < sum.parts.size() && shown < kMaxParts; ++shown) {
    const auto& part = sum.parts[shown];
    if (!has_interval_without_0(part) && shown > 0) break;
    lines.push_back({1, part_text(sum, part) + (part.distinct ? "" : " (may be chance)")});
  }
  return shown;
}

std::string all_the_rest(const std::string& difference) {
  return difference + ": all the rest";
}

// The first parts; then all others together.
void add_parts(const DifferenceSum& sum, std::vector<DifferenceLine>& lines) {
  double left_ns = sum.difference_ns;
  const std::size_t shown = add_first_parts(sum, lines);
  for (std::size_t i = 0; i < shown; ++i) left_ns -= sum.parts[i].difference_ns;
  if (std::abs(left_ns) >= 1) lines.push_back({1, all_the_rest(signed_duration(left_ns))});
}

void add_parts(const AmountSum& sum, std::vector<DifferenceLine>& lines) {
  const double kNothing = is_bytes(sum) ? 1 : 1e-3;  // what adding up leaves of equal sums
  double left = sum.difference;
  const std::size_t shown = add_first_parts(sum, lines);
  for (std::size_t i = 0; i < shown; ++i) left -= sum.parts[i].difference;
  if (std::abs(left) >= kNothing) lines.push_back({1, all_the_rest(signed_amount(sum, left))});
}

void add_sum(const DifferenceSum& sum, std::vector<DifferenceLine>& lines) {
  std::string head =
      with_interval(sum.difference_ns, sum.low_ns, sum.high_ns) + " " + per_what(sum);
  if (sum.untraced_ns) {
    head += fmt::format("; without the trace {}, so {} is the trace's own",
                        with_interval(*sum.untraced_ns, sum.untraced_low_ns, sum.untraced_high_ns),
                        signed_duration(sum.difference_ns - *sum.untraced_ns));
  }
  lines.push_back({0, std::move(head)});
  add_parts(sum, lines);
}

void add_sum(const AmountSum& sum, std::vector<DifferenceLine>& lines) {
  std::string head = with_interval(sum, sum.difference, sum.low, sum.high) + " " + what_of(sum);
  if (sum.untraced) {
    head += "; without the trace " +
            with_interval(sum, *sum.untraced, sum.untraced_low, sum.untraced_high);
  }
  lines.push_back({0, std::move(head)});
  add_parts(sum, lines);
}

std::string function_part(std::string_view name) {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    if (name.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (name[i] == '(' && depth == 0) break;
    if (name[i] == '<') ++depth;
    if (depth == 0) text += name[i];
    if (name[i] == '>' && depth > 0) --depth;
  }
  return text;
}

}  // namespace

std::string brief_function(std::string_view name) {
  if (name.empty() || name.front() == '[') return std::string(name);
  // Names of templates begin with what they return; those of operators have a space of their own.
  std::string text = function_part(name);
  const std::size_t own = text.find("operator ");
  const std::size_t space = text.rfind(' ', own == std::string::npos ? own : own + 1);
  if (space != std::string::npos && space < text.size()) text.erase(0, space + 1);
  const std::size_t member = text.rfind("::");
  if (member != std::string::npos && member > 0) {
    const std::size_t scope = text.rfind("::", member - 1);
    if (scope != std::string::npos) text.erase(0, scope + 2);
  }
  return text.empty() ? std::string(name) : text + "()";
}

std::vector<DifferenceLine> difference_lines(const Difference& difference) {
  std::vector<DifferenceLine> lines;
  const std::vector<AmountSum> amounts = difference.amounts.value_or(std::vector<AmountSum>{});
  for (const AmountSum& sum : amounts) {
    if (differs(sum) && comes_before_times(sum, amounts)) add_sum(sum, lines);
  }
  std::vector<const DifferenceSum*> sums;
  for (const DifferenceSum& sum : difference.sums) {
    if (differs(sum) || difference.rounds == 1) sums.push_back(&sum);
  }
  std::stable_sort(sums.begin(), sums.end(), [](const DifferenceSum* x, const DifferenceSum* y) {
    return weight(*x) > weight(*y);
  });
  for (const DifferenceSum* sum : sums) add_sum(*sum, lines);
  for (const AmountSum& sum : amounts) {
    if (differs(sum) && !comes_before_times(sum, amounts)) add_sum(sum, lines);
  }
  if (lines.empty() && difference.rounds > 0) {
    lines.push_back(
        {0, fmt::format("in {} traced rounds no difference is larger than chance explains",
                        difference.rounds)});
  }
  if (!difference.limits.empty()) lines.push_back({0, "not seen: " + difference.limits});
  return lines;
}

std::string difference_text(const Difference& difference) {
  std::string text =
      paragraph(fmt::format("why, by {} traced rounds with {} samples:", difference.rounds,
                            human_count(difference.samples)));
  for (const DifferenceLine& line : difference_lines(difference)) {
    const std::size_t indent = 4 + 2 * std::size_t{line.level};
    const std::vector<std::string> rows = wrapped(line.text, kColumns - indent, 2);
    for (const std::string& row : rows) text += std::string(indent, ' ') + row + "\n";
  }
  return text;
}

}  // namespace tailgate
