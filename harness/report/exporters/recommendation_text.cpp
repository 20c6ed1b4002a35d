// The recommendation for a terminal of 80 columns: the answer in a sentence, a table of the sinks
// that were measured at that load, whether the numbers may be trusted, and why the others may not
// be used.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"

namespace tailgate {
namespace {

std::string load_text(const Recommendation& recommendation) {
  const LoggingNeeds& needs = recommendation.needs;
  std::string text = human_rate(needs.rate_hz) + " events/s";
  if (!recommendation.payload.empty()) text += fmt::format(" of {} bytes", recommendation.payload);
  if (needs.threads > 1) text += fmt::format(" by {} threads", needs.threads);
  return text;
}

std::string survival_text(const Candidate& candidate) {
  if (!candidate.survives) return "";
  switch (*candidate.survives) {
    case Survives::nothing:
      return " Its events survive nothing.";
    case Survives::kill:
      return " Its events survive the program's death.";
    case Survives::crash:
      break;
  }
  return " Its events survive a crash of the system.";
}

std::string answer(const Recommendation& recommendation) {
  const std::string load = load_text(recommendation);
  const Candidate* const best = recommendation.best();
  if (best != nullptr) {
    const std::string lost =
        best->lost == 0 ? fmt::format("it lost none of {} events", best->emitted)
                        : fmt::format("it lost {} of {} events", best->lost, best->emitted);
    const std::string half = human_duration(best->response.p50_ns);
    const std::string times =
        recommendation.needs.sort == "p50"
            ? fmt::format("half of its calls returned within {} of the time they were due", half)
            : fmt::format(
                  "99 % of its calls returned within {} of the time they were due, half "
                  "within {}",
                  human_duration(best->response.p99_ns), half);
    return paragraph(
        fmt::format("Use {}{}: at {} {}; {}.{}", best->sink,
                    recommendation.doubts.empty() ? "" : " if better numbers confirm it", load,
                    times, lost, survival_text(*best)));
  }
  const auto measured =
      std::count_if(recommendation.candidates.begin(), recommendation.candidates.end(),
                    [](const Candidate& candidate) { return candidate.measured; });
  if (measured == 0) {
    return paragraph(fmt::format("No sink can be named: none was measured at {}.", load));
  }
  return paragraph(fmt::format("None qualifies of the {} {} measured at {}: the reasons are below.",
                               measured, measured == 1 ? "sink" : "sinks", load));
}

std::string lost_cell(const Candidate& candidate) {
  if (candidate.lost == 0) return "0";
  const double percent = 100 * static_cast<double>(candidate.lost) /
                         static_cast<double>(std::max<std::uint64_t>(1, candidate.emitted));
  return percent < 0.01 ? "<0.01%" : fmt::format("{:.2g}%", std::min(percent, 100.0));
}

std::string row(const Candidate& candidate, const Painter& painter) {
  const std::string sign = candidate.qualifies() ? " " : painter.red("x");
  const Latency& response = candidate.response;
  const auto time = [&](std::uint64_t ns) {
    return response.count == 0 ? "-" : human_duration(ns);
  };
  const std::string survives(candidate.survives ? enum_text(*candidate.survives) : "?");
  return sign + fmt::format(" {:<19}{:>8}{:>8}{:>8}{:>9}{:>8}{:>9} {}\n",
                            first_columns(candidate.sink, 19), time(response.p50_ns),
                            time(response.p99_ns), time(response.p99_9_ns),
                            (response.overflow > 0 ? ">" : "") + time(response.max_ns),
                            lost_cell(candidate),
                            candidate.cpu_ns ? human_duration(*candidate.cpu_ns) : "-", survives);
}

std::string table(const Recommendation& recommendation, const Painter& painter) {
  std::string rows;
  bool crossed = false;
  for (const Candidate& candidate : recommendation.candidates) {
    if (!candidate.measured) continue;
    rows += row(candidate, painter);
    crossed = crossed || !candidate.qualifies();
  }
  if (rows.empty()) return "";
  const std::string title = fmt::format("  {:<19}{:>8}{:>8}{:>8}{:>9}{:>8}{:>9} {}", "sink", "p50",
                                        "p99", "p99.9", "max", "lost", "CPU/ev", "survives");
  return "\n" + painter.bold(title) + "\n" + rows + (crossed ? "x does not qualify\n" : "");
}

// Of figures that nobody is told to use, doubts alone are worth a line.
std::string trust(const Recommendation& recommendation, const Painter& painter) {
  if (recommendation.best() == nullptr && recommendation.doubts.empty()) return "";
  std::string text = "\n";
  if (recommendation.doubts.empty()) {
    text += painter.green("  May the numbers be trusted? Yes.") + "\n";
  } else {
    text += painter.yellow("  May the numbers be trusted? No:") + "\n";
    for (const std::string& doubt : recommendation.doubts) text += note(doubt, "", painter);
  }
  if (recommendation.close.empty()) return text;
  const Candidate& best = *recommendation.best();
  return text + note(fmt::format("the trials do not tell {} from {}", best.sink,
                                 fmt::join(recommendation.close, ", ")),
                     fmt::format("compare them in turns: tailgate duet {} {}", best.sink,
                                 recommendation.close.front()),
                     painter);
}

std::string reasons(const Recommendation& recommendation, const Painter& painter) {
  std::string text;
  for (const Candidate& candidate : recommendation.candidates) {
    if (candidate.qualifies()) continue;
    text += note(fmt::format("not {}: {}", candidate.sink, fmt::join(candidate.why_not, "; ")), "",
                 painter);
  }
  return text.empty() ? "" : "\n" + text;
}

std::string render_recommendation_text(const Recommendation& recommendation,
                                       const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text = answer(recommendation) + table(recommendation, painter) +
                     trust(recommendation, painter) + reasons(recommendation, painter);
  if (!recommendation.measure.empty()) {
    text += "\n" + paragraph("To measure what is missing: " + recommendation.measure);
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::recommendation_text =
    exporter_of<render_recommendation_text, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
