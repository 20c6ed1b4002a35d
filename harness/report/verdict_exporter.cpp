#include "harness/report/verdict_exporter.h"

#include <fmt/format.h>

#include "harness/report/human.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

class VerdictJson : public VerdictExporter {
 public:
  std::string name() const override { return "json"; }
  std::string description() const override { return "a list (results/VERDICT.md)"; }

  void write(const std::vector<Verdict>& verdicts, std::ostream& out) const override {
    out << "[";
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      out << (i == 0 ? "\n" : ",\n") << write_verdict(verdicts[i]);
    }
    out << "]\n";
  }
};

std::string short_revision(const std::string& revision) {
  constexpr std::size_t kChars = 10;
  return revision.substr(0, kChars);
}

}  // namespace

const VerdictExporter& verdict_json_exporter() {
  static const VerdictJson exporter;
  return exporter;
}

std::vector<const VerdictExporter*> verdict_exporters() {
  return {&verdict_json_exporter(), &verdict_junit_exporter(), &verdict_markdown_exporter(),
          &verdict_text_exporter()};
}

std::string comparison_text(const Verdict& verdict) {
  std::string sides = verdict.a == verdict.b ? verdict.b : verdict.a + " to " + verdict.b;
  // Where the user named the sides otherwise.
  if (verdict.b != verdict.sink) sides = verdict.sink + ", " + sides;
  const bool named_by_revision = !verdict.a.empty() && !verdict.b.empty() &&
                                 verdict.a_revision.starts_with(verdict.a) &&
                                 verdict.b_revision.starts_with(verdict.b);
  if (verdict.a_revision != verdict.b_revision && !named_by_revision) {
    sides += fmt::format(", {} to {}", short_revision(verdict.a_revision),
                         short_revision(verdict.b_revision));
  }
  const std::string rate =
      verdict.load.rate_hz > 0 ? fmt::format(" at {}/s", human_rate(verdict.load.rate_hz)) : "";
  return fmt::format("{}; {}{}", sides, verdict.scenario, rate);
}

}  // namespace tailgate
