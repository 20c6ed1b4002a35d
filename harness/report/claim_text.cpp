#include "harness/report/claim_text.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/report/human.h"

namespace tailgate {
namespace {

// "61.20us", "4.2%", "3", "20k/s", "12.5kB", "0.5x".
std::string value_text(ClaimUnit unit, double value) {
  const std::string sign = value < 0 ? "-" : "";
  switch (unit) {
    case ClaimUnit::ns:
      return human_duration(value);
    case ClaimUnit::share:
      return fmt::format("{:.3g}%", 100 * value);
    case ClaimUnit::count:
      return fmt::format("{:.0f}", value);
    case ClaimUnit::per_s:
      return sign + human_rate(std::abs(value)) + "/s";
    case ClaimUnit::bytes:
      return sign + human_rate(std::abs(value)) + "B";
    case ClaimUnit::ratio:
      break;
  }
  return fmt::format("{:.3g}x", value);
}

std::string interval_text(ClaimUnit unit, const ClaimFigure& figure) {
  if (!figure.low && !figure.high) return "";
  if (figure.low && figure.high && *figure.low == *figure.high) return "";
  const std::string low = figure.low ? value_text(unit, *figure.low) + " " : "";
  const std::string high = figure.high ? " " + value_text(unit, *figure.high) : "";
  return fmt::format(" ({}..{})", low, high);
}

std::string figure_text(const ClaimShown& shown) {
  const std::string own = value_text(shown.unit, shown.figure.value);
  if (!shown.than) return shown.metric + " " + own + interval_text(shown.unit, shown.figure);
  const std::string both =
      fmt::format("{} {} against {}", shown.metric, own, value_text(shown.unit, shown.than->value));
  if (!shown.ratio) return both;
  return fmt::format("{}, {}{}", both, value_text(ClaimUnit::ratio, shown.ratio->value),
                     interval_text(ClaimUnit::ratio, *shown.ratio));
}

}  // namespace

std::string claim_shown_text(const ClaimVerdict& verdict) {
  std::string text = verdict.reason;
  for (const ClaimShown& shown : verdict.shown) {
    text += (text.empty() ? "" : "; ") + figure_text(shown);
  }
  if (verdict.shown.empty()) return text;
  const std::size_t trials = verdict.shown.front().figure.trials;
  text += fmt::format("; {} {} of {}", trials, trials == 1 ? "trial" : "trials", verdict.run);
  if (!verdict.than.empty()) text += " and " + verdict.than;
  return text;
}

std::string claim_counts_text(const ClaimVerdicts& verdicts) {
  const std::size_t fail = verdicts.count(ClaimOutcome::does_not_hold);
  const std::size_t hold = verdicts.count(ClaimOutcome::holds);
  return fmt::format("{} {}, {} {} not hold, {} cannot be told here", hold,
                     hold == 1 ? "holds" : "hold", fail, fail == 1 ? "does" : "do",
                     verdicts.count(ClaimOutcome::cannot_be_told));
}

}  // namespace tailgate
