// All exporters. Each is a file in exporters/ that defines the exporter of the file's name.
//
// A name that is missing here fails to compile in its file; one without a file fails to link.
#pragma once

#define TAILGATE_EXPORTERS(EXPORTER) \
  EXPORTER(bencher)                  \
  EXPORTER(budgets_json)             \
  EXPORTER(budgets_junit)            \
  EXPORTER(budgets_text)             \
  EXPORTER(calibration_json)         \
  EXPORTER(calibration_text)         \
  EXPORTER(claims_html)              \
  EXPORTER(claims_json)              \
  EXPORTER(claims_markdown)          \
  EXPORTER(claims_text)              \
  EXPORTER(comparison_json)          \
  EXPORTER(comparison_text)          \
  EXPORTER(csv)                      \
  EXPORTER(csv_intervals)            \
  EXPORTER(duet_text)                \
  EXPORTER(explain_text)             \
  EXPORTER(folded)                   \
  EXPORTER(gbench)                   \
  EXPORTER(hgrm)                     \
  EXPORTER(hlog)                     \
  EXPORTER(perfetto)                 \
  EXPORTER(recommendation_json)      \
  EXPORTER(recommendation_text)      \
  EXPORTER(results_answer)           \
  EXPORTER(results_details)          \
  EXPORTER(results_json)             \
  EXPORTER(results_text)             \
  EXPORTER(speedscope)               \
  EXPORTER(verdicts_annotations)     \
  EXPORTER(verdicts_json)            \
  EXPORTER(verdicts_junit)           \
  EXPORTER(verdicts_markdown)        \
  EXPORTER(verdicts_text)
