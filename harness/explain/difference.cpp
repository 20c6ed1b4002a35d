#include "harness/explain/difference.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "harness/stats/mean_interval.h"

namespace tailgate::activity {
namespace {

constexpr double kConfidence = 0.95;

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double amount_in(const SideAmounts& side, const PartName& part) {
  const auto at = side.parts.find(part);
  return at == side.parts.end() ? 0 : at->second;
}

// What is not in any of these parts.
double unnamed(const SideAmounts& side, const std::map<PartName, double>& parts) {
  double named = 0;
  for (const auto& [part, amount] : parts) named += amount;
  return side.whole - named;
}

// Both sides' amounts of one part, round by round.
class Series {
 public:
  void add(double a, double b) {
    a_.push_back(a);
    b_.push_back(b);
    differences_.push_back(b - a);
  }

  void add(const Series& other) {
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      a_[i] += other.a_[i];
      b_[i] += other.b_[i];
      differences_[i] += other.differences_[i];
    }
  }

  // Fills the figures of a part or a sum.
  template <class Figures>
  void report(Figures& figures) const {
    figures.a = mean(a_);
    figures.b = mean(b_);
    figures.difference = figures.b - figures.a;
    if (differences_.size() < 2) return;
    const double half = mean_interval(differences_, kConfidence).half_width;
    figures.low = figures.difference - half;
    figures.high = figures.difference + half;
  }

  // Whether the mean difference is not 0, as one of so many that are asked.
  bool is_distinct(std::size_t among) const {
    if (differences_.size() < 2) return false;
    const double confidence = 1 - (1 - kConfidence) / static_cast<double>(among);
    const MeanInterval interval = mean_interval(differences_, confidence);
    return std::abs(interval.mean) > interval.half_width;
  }

 private:
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> differences_;
};

// The caller to which most of the part's difference belongs.
std::string caller_of(std::span<const RoundAmounts> rounds, const PartName& part, double sign) {
  std::map<std::string, double> differences;
  const auto add = [&](const SideAmounts& side, double factor) {
    const auto callers = side.callers.find(part);
    if (callers == side.callers.end()) return;
    for (const auto& [caller, share] : callers->second) {
      differences[caller] += factor * share * amount_in(side, part);
    }
  };
  for (const RoundAmounts& round : rounds) {
    add(round.a, -sign);
    add(round.b, sign);
  }
  const auto most =
      std::max_element(differences.begin(), differences.end(),
                       [](const auto& x, const auto& y) { return x.second < y.second; });
  return most == differences.end() ? "" : most->first;
}

struct Compared {
  AmountPart part;
  Series series;
};

// least: parts that differ by less are not worth a line, however surely they do.
std::vector<Compared> compare(std::span<const RoundAmounts> rounds, double least) {
  std::set<PartName> names;
  for (const RoundAmounts& round : rounds) {
    for (const SideAmounts* side : {&round.a, &round.b}) {
      for (const auto& [part, amount] : side->parts) names.insert(part);
    }
  }
  std::vector<Compared> all;
  for (const PartName& name : names) {
    Compared& one = all.emplace_back();
    for (const RoundAmounts& round : rounds) {
      one.series.add(amount_in(round.a, name), amount_in(round.b, name));
    }
    one.part.cause = name.cause;
    one.part.name = name.name;
    one.part.module = name.module;
    one.series.report(one.part);
    one.part.distinct =
        std::abs(one.part.difference) >= least && one.series.is_distinct(names.size());
    one.part.caller = caller_of(rounds, name, one.part.difference < 0 ? -1 : 1);
  }
  const auto rank = [](const AmountPart& part) {
    return std::tuple(excludes_0(part.low, part.high), std::abs(part.difference));
  };
  std::stable_sort(all.begin(), all.end(), [rank](const Compared& x, const Compared& y) {
    return rank(x.part) > rank(y.part);
  });
  return all;
}

bool names_a_wait(std::string_view cause) {
  return cause == "waiting" || cause.starts_with("blocked_");
}

// The name without numbers and what follows them, by which threads of one kind differ.
std::string kind_of_thread(std::string_view name) {
  std::string kind;
  for (const char c : name.substr(0, name.find_first_of("/:0123456789"))) {
    kind += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  while (kind.ends_with('_')) kind.pop_back();
  return kind;
}

// The cause under which nights know the part.
std::string cause_of(const PartName& part) {
  if (part.cause == "function") return part.module == "kernel" ? "kernel_code" : "own_code";
  if (part.cause == "running" || part.cause == "machine") return "own_code";
  std::string name;
  if (part.cause == "syscall") name = part.name;
  if (names_a_wait(part.cause)) name = kind_of_thread(part.name);
  return name.empty() ? part.cause : part.cause + "_" + name;
}

std::vector<CauseRounds> causes_of(std::span<const RoundAmounts> rounds) {
  std::map<std::string, CauseRounds> causes;
  const auto add = [&](const std::string& cause, std::vector<double> CauseRounds::*side,
                       std::size_t round, double ns) {
    CauseRounds& of = causes[cause];
    of.a_ns.resize(rounds.size());
    of.b_ns.resize(rounds.size());
    (of.*side)[round] += ns;
  };
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    for (const auto& [times, side] : {std::pair(&rounds[i].a, &CauseRounds::a_ns),
                                      std::pair(&rounds[i].b, &CauseRounds::b_ns)}) {
      const auto& parts = times->causes.empty() ? times->parts : times->causes;
      for (const auto& [part, ns] : parts) add(cause_of(part), side, i, ns);
      add("rest", side, i, unnamed(*times, parts));
    }
  }
  std::vector<CauseRounds> list;
  for (auto& [cause, of] : causes) {
    of.cause = cause;
    list.push_back(std::move(of));
  }
  return list;
}

// Copies the figures of a part or a sum of times.
template <class Times, class Amounts>
void copy_figures(const Amounts& amounts, Times& times) {
  times.a_ns = amounts.a;
  times.b_ns = amounts.b;
  times.difference_ns = amounts.difference;
  times.low_ns = amounts.low;
  times.high_ns = amounts.high;
}

}  // namespace

AmountSum amount_difference_of(std::span<const RoundAmounts> rounds, std::size_t max_parts) {
  AmountSum sum;
  sum.rounds = static_cast<unsigned>(rounds.size());
  Series whole;
  Series rest;
  for (const RoundAmounts& round : rounds) {
    whole.add(round.a.whole, round.b.whole);
    rest.add(unnamed(round.a, round.a.parts), unnamed(round.b, round.b.parts));
  }
  whole.report(sum);
  constexpr double kWorthSaying = 0.01;
  std::vector<Compared> compared = compare(rounds, kWorthSaying * std::abs(sum.difference));
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (i < max_parts) {
      sum.parts.push_back(std::move(compared[i].part));
    } else {
      rest.add(compared[i].series);
    }
  }
  AmountPart& last = sum.parts.emplace_back();
  last.cause = "rest";
  rest.report(last);
  return sum;
}

DifferenceSum difference_of(std::span<const RoundAmounts> rounds, std::size_t max_parts) {
  DifferenceSum sum;
  AmountSum amounts = amount_difference_of(rounds, max_parts);
  copy_figures(amounts, sum);
  for (AmountPart& amount : amounts.parts) {
    DifferencePart& part = sum.parts.emplace_back();
    part.cause = std::move(amount.cause);
    part.name = std::move(amount.name);
    part.module = std::move(amount.module);
    part.caller = std::move(amount.caller);
    part.distinct = amount.distinct;
    copy_figures(amount, part);
  }
  sum.causes = causes_of(rounds);
  return sum;
}

}  // namespace tailgate::activity
