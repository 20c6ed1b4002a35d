// Claims for a terminal of 80 columns: a row each with its verdict, the claim, what this machine
// shows and the number of its source; below the rows the sources, whole, to be copied.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/report/claim_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"

namespace tailgate {
namespace {

constexpr std::size_t kVerdictColumns = 16;

std::string_view verdict_word(ClaimOutcome outcome) {
  return outcome == ClaimOutcome::cannot_be_told ? "cannot be told" : enum_text(outcome);
}

std::string painted(const std::string& text, ClaimOutcome outcome, const Painter& painter) {
  if (outcome == ClaimOutcome::holds) return painter.green(text);
  return outcome == ClaimOutcome::cannot_be_told ? painter.yellow(text) : painter.red(text);
}

// The addresses in the order of their first claim.
std::vector<std::string> sources_of(const ClaimVerdicts& verdicts) {
  std::vector<std::string> sources;
  for (const ClaimVerdict& verdict : verdicts.list) {
    if (std::find(sources.begin(), sources.end(), verdict.source) == sources.end()) {
      sources.push_back(verdict.source);
    }
  }
  return sources;
}

std::size_t number_of(const std::vector<std::string>& sources, const std::string& source) {
  return static_cast<std::size_t>(std::find(sources.begin(), sources.end(), source) -
                                  sources.begin()) +
         1;
}

std::string row(const ClaimVerdict& verdict, std::size_t source, const Painter& painter) {
  std::vector<std::string> lines =
      wrapped(fmt::format("{} [{}]", verdict.claim, source), kColumns - kVerdictColumns, 0);
  const auto add = [&](const std::string& text) {
    for (std::string& line : wrapped(text, kColumns - kVerdictColumns, 2)) {
      lines.push_back(std::move(line));
    }
  };
  std::string bounds;
  for (const std::string& bound : verdict.bounds) bounds += (bounds.empty() ? "" : ", ") + bound;
  add("asked: " + bounds + (verdict.means.empty() ? "" : "; " + verdict.means));
  add("here: " + claim_shown_text(verdict));
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string word(i == 0 ? verdict_word(verdict.outcome) : "");
    text += painted(word, verdict.outcome, painter) +
            std::string(kVerdictColumns - columns_of(word), ' ') + lines[i] + "\n";
  }
  return text;
}

std::string render_claims_text(const ClaimVerdicts& verdicts, const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text = painter.bold("Claims: " + claim_counts_text(verdicts)) + "\n";
  if (!verdicts.machine.empty()) text += paragraph("Machine: " + verdicts.machine);
  const std::vector<std::string> sources = sources_of(verdicts);
  for (const ClaimVerdict& verdict : verdicts.list) {
    text += "\n" + row(verdict, number_of(sources, verdict.source), painter);
  }
  text += "\n" + painter.bold("Sources") + "\n";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text += fmt::format("[{}] {}\n", i + 1, sources[i]);
  }
  if (verdicts.measure.empty()) return text;
  return text + "\nTo measure what is missing:\n" + verdicts.measure;
}

}  // namespace

constinit const Exporter exporters::claims_text =
    exporter_of<render_claims_text, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
