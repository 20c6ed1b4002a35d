#include "harness/report/calibration_text.h"

#include <fmt/format.h>

#include "harness/report/human.h"

namespace tailgate {
namespace {

std::string share_text(const ShareInterval& share) {
  return fmt::format("{:.3g} % ({:.1f} to {:.3g})", share.share * 100, share.low * 100,
                     share.high * 100);
}

std::string row_text(const CalibrationRow& row) {
  return fmt::format("| {:<10} | {:>4} | {:>4} | {:>4} | {:>4} | {:>4} | {:<21} | {:>4.0f} |\n",
                     printable(row.planted), row.runs, row.pass, row.fail, row.inconclusive,
                     row.invalid, share_text(row.failed), row.mean_duration_s);
}

std::string relabelled_text(const RelabelledRow& row) {
  const double passed = static_cast<double>(row.pass) / static_cast<double>(row.gates);
  std::string text = fmt::format(
      "Relabelled, {} rounds with nothing planted: of {} gates {} failed, {}; {:.3g} % passed.",
      row.rounds, row.gates, row.fail, share_text(row.failed), passed * 100);
  std::string lines;
  for (const std::string& line : wrapped(text, 80, 0)) lines += line + "\n";
  return lines;
}

}  // namespace

std::string render_calibration(const std::vector<CalibrationRow>& rows,
                               const std::vector<RelabelledRow>& relabelled) {
  std::string text;
  std::string sink;
  const auto close_sink = [&] {
    for (const RelabelledRow& row : relabelled) {
      if (row.sink == sink) text += "\n" + relabelled_text(row);
    }
  };
  for (const CalibrationRow& row : rows) {
    if (row.sink != sink || text.empty()) {
      close_sink();
      sink = row.sink;
      text += (text.empty() ? "### " : "\n### ") + printable(sink) + "\n\n";
      text += fmt::format("| {:<10} | {:>4} | {:>4} | {:>4} | {:>4} | {:>4} | {:<21} | {:>4} |\n",
                          "planted", "runs", "pass", "fail", "open", "inv.", "failed (95 %)", "s");
      text += "| ---------- | ---: | ---: | ---: | ---: | ---: | --------------------- | ---: |\n";
    }
    text += row_text(row);
  }
  close_sink();
  return text;
}

}  // namespace tailgate
