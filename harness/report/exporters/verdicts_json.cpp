// Verdicts as a JSON list; results/VERDICT.md describes its objects.
#include "harness/report/exporter.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

std::string render_verdicts_json(const Verdicts& verdicts, const ExportOptions&) {
  std::string text = "[";
  for (const Verdict& verdict : verdicts.list) {
    text += (text.size() == 1 ? "\n" : ",\n") + write_verdict(verdict);
  }
  return text + "]\n";
}

}  // namespace

constinit const Exporter exporters::verdicts_json =
    exporter_of<render_verdicts_json, Form::json>("json", "a list (results/VERDICT.md)", ".json");

}  // namespace tailgate
