#include "harness/report/printable_document.h"

#include "harness/base/quoting.h"
#include "harness/result/texts.h"

namespace tailgate {
namespace {

template <Described T>
void clean(T& value) {
  visit_texts(value, [](const char*, std::string& text) { make_printable(text); });
}

}  // namespace

void make_printable(Results& results) {
  for (NamedResult& named : results) {
    make_printable(named.name);
    clean(named.result);
  }
}

void make_printable(Comparison& comparison) {
  for (ResultPair& pair : comparison.pairs) {
    for (NamedResult* named : {&pair.a, &pair.b}) {
      make_printable(named->name);
      clean(named->result);
    }
  }
  for (std::string& name : comparison.without_partner) make_printable(name);
}

void make_printable(Duet& duet) {
  clean(duet);
}

void make_printable(Verdicts& verdicts) {
  for (Verdict& verdict : verdicts.list) clean(verdict);
}

void make_printable(CalibrationReport& report) {
  for (CalibrationRun& run : report.record.runs) {
    clean(run);
    for (MetricSeries& series : run.metrics) clean(series);
    for (FactSeries& fact : run.facts) clean(fact);
  }
  for (CalibrationRow& row : report.rows) {
    for (std::string* text : {&row.sink, &row.load, &row.planted}) make_printable(*text);
  }
  for (RelabelledRow& row : report.relabelled) {
    for (std::string* text : {&row.sink, &row.load, &row.worse}) make_printable(*text);
  }
  for (CalibrationScore& score : report.scores) make_printable(score.sink);
}

void make_printable(BudgetVerdicts& verdicts) {
  for (BudgetVerdict& verdict : verdicts.list) {
    for (std::string* text : {&verdict.budget, &verdict.file, &verdict.sink, &verdict.scenario}) {
      make_printable(*text);
    }
    for (Remark& reason : verdict.invalid) clean(reason);
    for (BoundVerdict& bound : verdict.bounds) {
      make_printable(bound.bound.text);
      clean(bound.invalid);
    }
  }
}

void make_printable(Recommendation& recommendation) {
  make_printable(recommendation.payload);
  make_printable(recommendation.measure);
  for (std::string& doubt : recommendation.doubts) make_printable(doubt);
  for (std::string& close : recommendation.close) make_printable(close);
  for (Candidate& candidate : recommendation.candidates) {
    make_printable(candidate.sink);
    make_printable(candidate.file);
    for (std::string& reason : candidate.why_not) make_printable(reason);
  }
}

void make_printable(ClaimVerdicts& verdicts) {
  make_printable(verdicts.machine);
  // Commands, one a line.
  verdicts.measure = printable_lines(verdicts.measure);
  for (ClaimVerdict& verdict : verdicts.list) {
    for (std::string* text : {&verdict.claim, &verdict.source, &verdict.means, &verdict.run,
                              &verdict.than, &verdict.reason, &verdict.measure}) {
      make_printable(*text);
    }
    for (std::string& bound : verdict.bounds) make_printable(bound);
    for (std::string& file : verdict.files) make_printable(file);
    for (ClaimShown& shown : verdict.shown) make_printable(shown.metric);
  }
}

}  // namespace tailgate
