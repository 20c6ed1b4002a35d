// The results of a calibration as tables, for terminals and as Markdown.
//
// First what the runs prove: the bound of false alarms, recall and precision, of all sinks and of
// each. Then for each sink and load a table of its planted changes (runs, verdicts, the share that
// failed with its 95 % interval, the mean time of a run), then a table of its relabelled gates.
// Then the number of runs, their days, the machines' fingerprints and the programs' revisions.
// Lines have at most 80 columns, except for a sink's name that is longer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "harness/base/quoting.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

std::string share_text(const ShareInterval& share) {
  return fmt::format("{:.3g} % ({:.1f} to {:.3g})", share.share * 100, share.low * 100,
                     share.high * 100);
}

std::string row_text(const CalibrationRow& row) {
  return fmt::format("| {:<10} | {:>4} | {:>4} | {:>4} | {:>4} | {:>4} | {:<21} | {:>4.0f} |\n",
                     markdown_text(row.planted), row.runs, row.pass, row.fail, row.inconclusive,
                     row.invalid, share_text(row.failed), row.mean_duration_s);
}

std::string lines_of(const std::string& text) {
  std::string lines;
  for (const std::string& line : wrapped(text, 80, 0)) lines += line + "\n";
  return lines;
}

// What is worse in B, and by how much: "stalls of 5 ms" by "1/10s".
std::string worse_text(const RelabelledRow& row) {
  if (row.stall) return fmt::format("stalls of {:g} ms", row.stall->length_ms);
  return row.worse.empty() ? "nothing" : markdown_text(row.worse);
}

std::string by_text(const RelabelledRow& row) {
  if (row.stall) return fmt::format("1/{:g}s", row.stall->every_s);
  return row.worse.empty() ? "" : fmt::format("{:.3g} %", row.worse_by * 100);
}

// "file, steady rate_hz=20000"
template <class Row>
std::string subject_text(const Row& row) {
  return markdown_text(row.load.empty() ? row.sink : row.sink + ", " + row.load);
}

// The table of the relabelled gates of one sink and load; empty without rows.
std::string relabelled_text(const std::vector<RelabelledRow>& rows, const std::string& subject) {
  std::string text;
  for (const RelabelledRow& row : rows) {
    if (subject_text(row) != subject) continue;
    if (text.empty()) {
      text = "\n" +
             lines_of(fmt::format(
                 "Relabelled: gates on rounds drawn from the {} with nothing planted, with one "
                 "metric of B made worse, or stalls in B.",
                 row.rounds)) +
             fmt::format("\n| {:<17} | {:>6} | {:>4} | {:>4} | {:>4} | {:<21} |\n", "worse in B",
                         "by", "pass", "fail", "open", "failed (95 %)") +
             "| ----------------- | -----: | ---: | ---: | ---: | --------------------- |\n";
    }
    text += fmt::format("| {:<17} | {:>6} | {:>4} | {:>4} | {:>4} | {:<21} |\n", worse_text(row),
                        by_text(row), row.pass, row.fail, row.gates - row.pass - row.fail,
                        share_text(row.failed));
  }
  return text;
}

// "revision x", or "revisions x, y".
std::string list_text(const char* one, const std::set<std::string>& values) {
  return fmt::format("{}{} {}", one, values.size() == 1 ? "" : "s", fmt::join(values, ", "));
}

std::string tables_text(const std::vector<CalibrationRow>& rows,
                        const std::vector<RelabelledRow>& relabelled) {
  std::string text;
  std::string subject;
  for (const CalibrationRow& row : rows) {
    if (subject_text(row) != subject || text.empty()) {
      text += relabelled_text(relabelled, subject);
      subject = subject_text(row);
      text += (text.empty() ? "### " : "\n### ") + subject + "\n\n";
      text += fmt::format("| {:<10} | {:>4} | {:>4} | {:>4} | {:>4} | {:>4} | {:<21} | {:>4} |\n",
                          "planted", "runs", "pass", "fail", "open", "inv.", "failed (95 %)", "s");
      text += "| ---------- | ---: | ---: | ---: | ---: | ---: | --------------------- | ---: |\n";
    }
    text += row_text(row);
  }
  return text + relabelled_text(relabelled, subject);
}

std::string bound_text(double share) {
  return fmt::format("{:.3g} %", share * 100);
}

// "99 %", or a dash where no run tells it.
std::string percent_text(double share, std::uint64_t runs) {
  return runs == 0 ? "-" : fmt::format("{:.0f} %", share * 100);
}

std::string part_text(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} of {}", part, whole);
}

std::string score_text(const CalibrationScore& score, std::string_view sink) {
  return fmt::format("| {:<23} | {:>9} | {:>7} | {:>10} | {:>5} | {:>5} |\n", sink,
                     part_text(score.false_alarms, score.equal), bound_text(score.at_most),
                     part_text(score.found, score.changed),
                     percent_text(score.precision(), score.found + score.false_alarms),
                     score.changed == 0 ? "-" : fmt::format("{:.3f}", score.f_score()));
}

std::string scores_text(const std::vector<CalibrationScore>& scores) {
  if (scores.empty()) return "";
  const CalibrationScore& all = scores.front();
  const std::string more = all.more_equal == 0
                               ? fmt::format("That is within {}.", bound_text(kWantedBound))
                               : fmt::format("{} more without a fail bound it by {}.",
                                             all.more_equal, bound_text(kWantedBound));
  std::string text = "### What the runs prove\n\n";
  text += lines_of(fmt::format(
      "False alarms: {} of {} runs with nothing planted, so a share of at most {} (exact 95 % "
      "interval). {} Changes that must be found: recall {} ({}), precision {}, F {:.3f}.",
      all.false_alarms, all.equal, bound_text(all.at_most), more,
      percent_text(all.recall(), all.changed), part_text(all.found, all.changed),
      percent_text(all.precision(), all.found + all.false_alarms), all.f_score()));
  text += fmt::format("\n| {:<23} | {:>9} | {:>7} | {:>10} | {:>5} | {:>5} |\n", "sink", "alarms",
                      "at most", "found", "prec.", "F");
  text += "| ----------------------- | --------: | ------: | ---------: | ----: | ----: |\n";
  for (const CalibrationScore& score : scores) {
    text += score_text(score, score.sink.empty() ? "all" : markdown_text(score.sink));
  }
  return text + "\n";
}

std::string origin_text(const Calibration& calibration) {
  std::set<std::string> days;
  std::set<std::string> machines;
  std::set<std::string> revisions;
  for (const CalibrationRun& run : calibration.runs) {
    days.insert(markdown_text(run.started_utc.substr(0, run.started_utc.find('T'))));
    machines.insert(markdown_text(run.fingerprint));
    revisions.insert(markdown_text(run.revision));
  }
  if (days.empty()) return "No runs yet.\n";
  const std::string days_text =
      days.size() == 1 ? *days.begin() : fmt::format("{} to {}", *days.begin(), *days.rbegin());
  return lines_of(fmt::format("{} {}, {}; {}; {}.", calibration.runs.size(),
                              calibration.runs.size() == 1 ? "run" : "runs", days_text,
                              list_text("machine", machines), list_text("revision", revisions)));
}

std::string render_calibration_text(const CalibrationReport& report, const ExportOptions&) {
  return scores_text(report.scores) + tables_text(report.rows, report.relabelled) + "\n" +
         origin_text(report.record);
}

}  // namespace

constinit const Exporter exporters::calibration_text =
    exporter_of<render_calibration_text, Form::markdown>("text", "what the terminal shows", ".md");

}  // namespace tailgate
