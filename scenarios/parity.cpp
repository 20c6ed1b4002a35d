// Log lines with what programs log and paths change: do they come back byte by byte, from every
// sink that got them at once?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "harness/base/event.h"
#include "harness/base/log_lines.h"
#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

struct Counts {
  std::uint64_t lines = 0;
  std::uint64_t same = 0;
  std::uint64_t cut = 0;
  std::uint64_t changed = 0;
  std::uint64_t missing = 0;

  std::uint64_t differing() const { return cut + changed + missing; }
  void add(const LineKindRead& read) {
    lines += read.lines;
    same += read.same;
    cut += read.cut;
    changed += read.changed;
    missing += read.missing;
  }
};

// What all trials showed of one copy.
struct Copy {
  std::string sink;
  Counts all;
  std::map<LineKind, Counts> kinds;
  std::uint64_t twice = 0;
  std::optional<LineDifference> first;

  bool is_whole() const { return all.lines > 0 && all.differing() == 0 && twice == 0; }

  void add(const CopyRead& read) {
    std::optional<LineDifference> first_here;
    for (const LineKindRead& kind : read.kinds) {
      all.add(kind);
      kinds[kind.kind].add(kind);
      if (kind.first && (!first_here || kind.first->sequence < first_here->sequence)) {
        first_here = kind.first;
      }
    }
    twice += read.twice;
    if (!first) first = first_here;
  }
};

std::vector<Copy> copies_of(const Result& result) {
  std::vector<Copy> copies;
  for (const Trial& trial : result.trials) {
    for (const CopyRead& read : trial.copies.value_or(std::vector<CopyRead>{})) {
      auto copy = std::find_if(copies.begin(), copies.end(),
                               [&](const Copy& one) { return one.sink == read.sink; });
      if (copy == copies.end()) {
        copies.push_back({.sink = read.sink, .all = {}, .kinds = {}, .twice = 0, .first = {}});
        copy = copies.end() - 1;
      }
      copy->add(read);
    }
  }
  return copies;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string line_words(std::uint64_t lines) {
  return fmt::format("{} {}", grouped(lines), lines == 1 ? "line" : "lines");
}

const char* kind_words(LineKind kind) {
  switch (kind) {
    case LineKind::plain:
      return "plain";
    case LineKind::utf8:
      return "UTF-8";
    case LineKind::surrogate:
      return "lone surrogates";
    case LineKind::invalid_utf8:
      return "invalid UTF-8";
    case LineKind::nul:
      return "NUL";
    case LineKind::line_feed:
      return "line feeds";
    case LineKind::quotes:
      return "quotes";
    case LineKind::control:
      return "control characters";
    case LineKind::empty:
      return "empty";
    case LineKind::longest:
      return "the longest";
  }
  return "";
}

// "changes 12 lines (6 with NUL …)": the kinds of lines with that fate.
std::string fate_words(const Copy& copy, const char* does, std::uint64_t Counts::*fate) {
  std::vector<std::string> kinds;
  for (const auto& [kind, counts] : copy.kinds) {
    if (counts.*fate == 0) continue;
    kinds.push_back(fmt::format("{}: {} of {}", kind_words(kind), grouped(counts.*fate),
                                grouped(counts.lines)));
  }
  const bool all = copy.all.*fate == copy.all.lines;
  return fmt::format("{} {} ({})", does,
                     all ? "all " + line_words(copy.all.*fate) : line_words(copy.all.*fate),
                     all ? "of every kind" : fmt::format("{}", fmt::join(kinds, ", ")));
}

std::string difference_words(const LineDifference& first) {
  const std::string found =
      first.found.empty() ? "the line ends" : fmt::format("\"{}\" came back", first.found);
  return fmt::format(
      "; its first difference is in line {} of thread {} at byte {}{}, where {} and {}",
      first.sequence, first.thread, first.offset_bytes,
      first.field ? fmt::format(", in the field \"{}\"", *first.field) : "",
      first.expected.empty() ? "the line ended" : fmt::format("\"{}\" was sent", first.expected),
      found);
}

// What a copy that is not whole did to its lines.
std::string fault_words(const Copy& copy) {
  std::vector<std::string> faults;
  if (copy.all.changed > 0) faults.push_back(fate_words(copy, "changes", &Counts::changed));
  if (copy.all.cut > 0) faults.push_back(fate_words(copy, "cuts", &Counts::cut));
  if (copy.all.missing > 0) faults.push_back(fate_words(copy, "lacks", &Counts::missing));
  if (copy.twice > 0) faults.push_back(fmt::format("has {} twice", line_words(copy.twice)));
  std::string text = fmt::format("`{}` {}", copy.sink, joined_words(faults));
  if (copy.first) text += difference_words(*copy.first);
  return text;
}

std::string whole_words(const std::vector<std::string>& names, std::uint64_t lines) {
  if (names.size() == 1) {
    return fmt::format("{} holds {} exactly as {} sent", names.front(), line_words(lines),
                       lines == 1 ? "it was" : "they were");
  }
  return fmt::format("{} hold the same {}, exactly as sent", joined_words(names),
                     line_words(lines));
}

std::string answer_words(const std::vector<Copy>& copies) {
  std::vector<std::string> parts;
  std::vector<std::string> whole;
  std::uint64_t lines = 0;
  for (const Copy& copy : copies) {
    if (!copy.is_whole()) continue;
    whole.push_back(fmt::format("`{}`", copy.sink));
    lines = copy.all.lines;
  }
  if (!whole.empty()) parts.push_back(whole_words(whole, lines));
  for (const Copy& copy : copies) {
    if (!copy.is_whole()) parts.push_back(fault_words(copy));
  }
  return fmt::format("{}.", fmt::join(parts, ". "));
}

AnswerFigure count_figure(std::string name, std::uint64_t value, std::size_t trials,
                          std::string about) {
  const auto number = static_cast<double>(value);
  return {.name = std::move(name),
          .value = number,
          .low = number,
          .high = number,
          .trials = static_cast<unsigned>(trials),
          .about = std::move(about)};
}

std::vector<AnswerFigure> figures_of(const std::vector<Copy>& copies, std::size_t trials) {
  Counts all;
  std::uint64_t twice = 0;
  for (const Copy& copy : copies) {
    for (const auto& [kind, counts] : copy.kinds) {
      all.lines += counts.lines;
      all.cut += counts.cut;
      all.changed += counts.changed;
      all.missing += counts.missing;
    }
    twice += copy.twice;
  }
  const char* const about = "of all copies and trials together";
  return {count_figure("sent_lines", all.lines, trials, about),
          count_figure("differing_lines", all.differing(), trials, about),
          count_figure("changed_lines", all.changed, trials, about),
          count_figure("cut_lines", all.cut, trials, about),
          count_figure("missing_lines", all.missing, trials, about),
          count_figure("twice_lines", twice, trials, about)};
}

class Parity : public Scenario {
 public:
  std::string name() const override { return "parity"; }
  std::string description() const override {
    return "log lines with unusual characters: whether every copy has the same bytes";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(with_load_options({
                          {"rate_hz", OptionType::real, "1000",
                           "events per second, all threads together", 0.001, 1e9},
                          {"longest_bytes", OptionType::integer, "60Ki",
                           "size of the events with the longest lines, header included",
                           double{kLeastLongestBytes}, double{kMaxEventBytes}},
                      }),
                      {{"trials", "1"}, {"events", "1000"}, {"warmup_s", "0"}}),
        {"payload", "duration_s"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    plan.payload = {.law = PayloadLaw::lines,
                    .first = static_cast<double>(options.integer("longest_bytes"))};
    return plan;
  }

  std::optional<Answer> answer(const Result& result) const override {
    if (result.scenario.name != name()) return std::nullopt;
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    const std::vector<Copy> copies = copies_of(result);
    if (copies.empty()) {
      if (result.sink.read_back || result.sink.live_read || result.trials.empty()) {
        return std::nullopt;
      }
      answer.sentence = fmt::format("`{}`: what came of the lines is unknown.", result.sink.label);
      answer.cannot.push_back("be read back");
      return answer;
    }
    answer.holds = std::all_of(copies.begin(), copies.end(), std::mem_fn(&Copy::is_whole));
    answer.sentence = answer_words(copies);
    answer.figures = figures_of(copies, result.trials.size());
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_parity_scenario() {
  return std::make_unique<Parity>();
}

}  // namespace tailgate
