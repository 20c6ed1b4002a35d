// Any bytes as a file of a result, a duet or a calibration: what was read is exported in every
// format, compared with itself and judged. The outcome is a text that controls no terminal, or an
// Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/gate/calibration.h"
#include "harness/gate/gate.h"
#include "harness/report/exporter.h"
#include "harness/report/recommend.h"
#include "harness/result/calibration_file.h"
#include "harness/result/json.h"

namespace {

using namespace tailgate;

void export_all(const Document& document) {
  for (const Exporter* exporter : exporters_of(kind_of(document))) {
    try {
      const std::string text = exporter->render(document, {.trials = true, .roles = true});
      if (printable_lines(text) != text) std::abort();
    } catch (const Error&) {
      // The document holds nothing that the format can show.
    }
  }
}

template <class Read>
void try_to(Read read) {
  try {
    read();
  } catch (const Error&) {
    // The reader refused the input.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] {
    const NamedResult named = {"input", read_result(text, "input")};
    export_all(Results{named});
    export_all(Comparison{{{named, named}}});
    const std::vector<BudgetSubject> subjects = {{named.name, &named.result}};
    std::vector<Budget> budgets = {
        parse_budget("file: p99 < 50us, p99.9 <= 1ms, service max < 1s, lost = 0, rss < 1MB"),
        parse_budget("spdlog@1k: lost < 1%, cpu < 2us, rate >= 1k")};
    budgets.front().sink = named.result.sink.label;
    export_all(judge_budgets(budgets, subjects));
    LoggingNeeds needs;
    needs.rate_hz = named.result.summary.empty() ? 1000 : named.result.summary.front().rate_hz;
    needs.survives = Survives::kill;
    export_all(recommend({named}, needs));
  });
  try_to([&] {
    const Duet duet = read_duet(text, "input");
    export_all(duet);
    export_all(Verdicts{{judge(duet, default_policy(), "2026-06-01")}});
  });
  try_to([&] {
    const Calibration record = read_calibration(text, "input");
    const std::vector<CalibrationRow> rows = summarize(record, default_policy());
    export_all(CalibrationReport{record, rows, relabelled(record, default_policy(), 5, 1),
                                 scores_of(rows, {"slower-10"})});
  });
  return 0;
}
