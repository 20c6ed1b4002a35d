// The answer alone, in paragraphs of sentences: for a page or a message.
#include "harness/report/answer_sentence.h"
#include "harness/report/answer_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/ranking.h"

namespace tailgate {
namespace {

std::string render_answer(const Results& results, const ExportOptions&) {
  const std::vector<RankedLoad> loads = rank(results, "p99");
  const Trust trust = loads.empty() ? Trust::tails : trust_in(loads.front().paths);
  std::string text = answers_text(results);
  if (!loads.empty()) {
    const std::string best = answer_sentence(loads.front(), trust);
    if (!best.empty()) text += (text.empty() ? "" : "\n") + paragraph(best);
  }
  text += (text.empty() ? "" : "\n") + paragraph(machine_sentence(results, trust));
  const std::string restricted = restrictions(results, Painter(false));
  return restricted.empty() ? text : text + "\n" + restricted;
}

}  // namespace

constinit const Exporter exporters::results_answer = exporter_of<render_answer, Form::text>(
    "answer", "the answer alone, in sentences", ".answer.txt");

}  // namespace tailgate
