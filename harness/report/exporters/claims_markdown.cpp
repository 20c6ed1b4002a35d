// Claims as a table in Markdown.
#include <fmt/format.h>

#include "harness/base/quoting.h"
#include "harness/report/claim_text.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

std::string asked_cell(const ClaimVerdict& verdict) {
  std::string text;
  for (const std::string& bound : verdict.bounds) text += (text.empty() ? "" : ", ") + bound;
  if (!verdict.means.empty()) text += "; " + verdict.means;
  return markdown_text(text);
}

std::string render_claims_markdown(const ClaimVerdicts& verdicts, const ExportOptions&) {
  std::string text = fmt::format("# Claims about logging paths\n\n{}.\n",
                                 markdown_text(claim_counts_text(verdicts)));
  if (!verdicts.machine.empty()) {
    text += fmt::format("\nMachine: {}.\n", markdown_text(verdicts.machine));
  }
  text += "\n| claim | source | asked | what this machine shows | verdict |\n";
  text += "| --- | --- | --- | --- | --- |\n";
  for (const ClaimVerdict& verdict : verdicts.list) {
    text += fmt::format("| {} | {} | {} | {} | **{}** |\n", markdown_text(verdict.claim),
                        markdown_text(verdict.source), asked_cell(verdict),
                        markdown_text(claim_shown_text(verdict)), enum_text(verdict.outcome));
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::claims_markdown =
    exporter_of<render_claims_markdown, Form::markdown>("markdown", "a table", ".md");

}  // namespace tailgate
