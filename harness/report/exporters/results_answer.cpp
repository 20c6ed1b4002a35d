// The answer alone, in paragraphs of sentences: for a page or a message.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>

#include "harness/report/answer_sentence.h"
#include "harness/report/answer_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/ranking.h"

namespace tailgate {
namespace {

void add(const std::string& sentences, std::string& text) {
  if (!sentences.empty()) text += (text.empty() ? "" : "\n") + paragraph(sentences);
}

std::string render_answer(const Results& results, const ExportOptions&) {
  std::string text = answers_text(results);
  const std::vector<RankedLoad> loads = rank(results, "p99");
  if (!loads.empty()) {
    const RankedLoad& first = loads.front();
    add(answer_sentence(first, trust_in(first.paths)), text);
    if (text.empty()) add(figures_sentence(first.paths.front(), first), text);
  }
  add(machine_sentence(results), text);
  const std::set<std::string> labels = labels_of(results);
  if (!labels.empty()) add(fmt::format("Restricted use: {}.", fmt::join(labels, "; ")), text);
  return text;
}

}  // namespace

constinit const Exporter exporters::results_answer = exporter_of<render_answer, Form::text>(
    "answer", "the answer alone, in sentences", ".answer.txt");

}  // namespace tailgate
