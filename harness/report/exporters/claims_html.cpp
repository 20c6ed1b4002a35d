// Claims as one page for a browser, with nothing to load.
#include <fmt/format.h>

#include "harness/base/quoting.h"
#include "harness/report/claim_text.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>Claims about logging paths</title>
<style>
:root { color-scheme: light dark; --line: #c8c8c8; --unknown: #8a4b00; --bad: #b00000;
  --good: #00603c; }
@media (prefers-color-scheme: dark) {
  :root { --line: #4a4a4a; --unknown: #ffb760; --bad: #ff8a80; --good: #7fd8b0; } }
body { margin: 0 auto; padding: 1rem; max-width: 75rem; font: 1rem/1.45 system-ui, sans-serif; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 8rem; }
.good { color: var(--good); font-weight: bold; }
.bad { color: var(--bad); font-weight: bold; }
.unknown { color: var(--unknown); }
small { display: block; opacity: 0.8; }
</style>
</head>
<body>
<h1>Claims about logging paths</h1>
)";

constexpr const char* kTable = R"(<div class="scroll">
<table>
<thead><tr><th scope="col">claim</th><th scope="col">source</th>
<th scope="col">what this machine shows</th><th scope="col">verdict</th></tr></thead>
<tbody>
)";

const char* class_of(ClaimOutcome outcome) {
  if (outcome == ClaimOutcome::holds) return "good";
  return outcome == ClaimOutcome::does_not_hold ? "bad" : "unknown";
}

std::string asked(const ClaimVerdict& verdict) {
  std::string text;
  for (const std::string& bound : verdict.bounds) text += (text.empty() ? "" : ", ") + bound;
  if (!verdict.means.empty()) text += "; " + verdict.means;
  return xml_attribute(text);
}

// A link only to a page of the web.
std::string source_cell(const std::string& source) {
  const std::string text = xml_attribute(source);
  const bool web = source.starts_with("https://") || source.starts_with("http://");
  return web ? fmt::format("<a href=\"{0}\">{0}</a>", text) : text;
}

std::string render_claims_html(const ClaimVerdicts& verdicts, const ExportOptions&) {
  std::string text = kHead;
  text += fmt::format("<p>{}.</p>\n", xml_attribute(claim_counts_text(verdicts)));
  if (!verdicts.machine.empty()) {
    text += fmt::format("<p>Machine: {}.</p>\n", xml_attribute(verdicts.machine));
  }
  text += kTable;
  for (const ClaimVerdict& verdict : verdicts.list) {
    text += fmt::format(
        "<tr><td>{}<small>{}</small></td><td>{}</td><td>{}</td>\n"
        "<td class=\"{}\">{}</td></tr>\n",
        xml_attribute(verdict.claim), asked(verdict), source_cell(verdict.source),
        xml_attribute(claim_shown_text(verdict)), class_of(verdict.outcome),
        enum_text(verdict.outcome));
  }
  return text + "</tbody>\n</table>\n</div>\n</body>\n</html>\n";
}

}  // namespace

constinit const Exporter exporters::claims_html =
    exporter_of<render_claims_html, Form::xml>("html", "a page for a browser", ".html");

}  // namespace tailgate
