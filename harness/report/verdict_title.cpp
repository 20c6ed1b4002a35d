#include "harness/report/verdict_title.h"

#include <fmt/format.h>

#include "harness/report/human.h"

namespace tailgate {
namespace {

std::string short_revision(const std::string& revision) {
  constexpr std::size_t kChars = 10;
  return std::string(first_columns(revision, kChars));
}

}  // namespace

std::string verdict_title(const Verdict& verdict) {
  std::string sides = verdict.a == verdict.b ? verdict.b : verdict.a + " to " + verdict.b;
  // The user gave the side a label other than its sink.
  if (verdict.b != verdict.sink) sides = verdict.sink + ", " + sides;
  const bool named_by_revision = !verdict.a.empty() && !verdict.b.empty() &&
                                 verdict.a_revision.starts_with(verdict.a) &&
                                 verdict.b_revision.starts_with(verdict.b);
  if (verdict.a_revision != verdict.b_revision && !named_by_revision) {
    sides += fmt::format(", {} to {}", short_revision(verdict.a_revision),
                         short_revision(verdict.b_revision));
  }
  if (verdict.scenario.empty()) return sides;
  const std::string rate =
      verdict.load.rate_hz > 0 ? fmt::format(" at {}/s", human_rate(verdict.load.rate_hz)) : "";
  return fmt::format("{}; {}{}", sides, verdict.scenario, rate);
}

std::string painted_outcome(const std::string& text, VerdictOutcome outcome,
                            const Painter& painter) {
  if (outcome == VerdictOutcome::pass) return painter.green(text);
  return outcome == VerdictOutcome::inconclusive ? painter.yellow(text) : painter.red(text);
}

std::string verdict_extent(const Verdict& verdict) {
  if (verdict.looks.empty()) {
    return fmt::format("up to {} repetitions of each side", verdict.rounds_used);
  }
  return fmt::format("{} of {} rounds", verdict.rounds_used, verdict.rounds_recorded);
}

std::string layouts_text(const Verdict& verdict) {
  return verdict.layouts ? fmt::format(", {} layouts of each side", *verdict.layouts) : "";
}

}  // namespace tailgate
