// Results side by side as a JSON list with one object for each result but the first:
//
//   {"a": FILE, "b": FILE, "scenario": …, "preset": …, "sink": …, "comparable": true,
//    "reasons": [{"step": 1, "what": …, "remedy": …}],
//    "steps": [{"step": 0, "rate_hz": 10000, "comparable": true,
//               "response": {"p50_ns": {"a": 900, "b": 990, "change": 0.1, "a_trials": [890, 910],
//                                       "b_trials": [980, 1000]}, …},
//               "service": {…}, "logging": {"cpu_ns_per_event": {"a": …, "b": …, "change": …,
//               "a_half_width": …, "b_half_width": …}, …}, "machine": {…}}]}
//
// "step" of a reason is absent where it forbids to compare every step. "comparable" of the whole
// says that there is no reason at all. A figure that one of the results lacks is absent, and so is
// the change from or to a figure that is not above 0.
#include <nlohmann/json.hpp>

#include "harness/report/comparison_figures.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json figure_json(const ComparedFigure& figure) {
  Json json = {{"a", figure.a}, {"b", figure.b}};
  if (figure.change) json["change"] = *figure.change;
  if (!figure.a_trials.empty()) json["a_trials"] = figure.a_trials;
  if (!figure.b_trials.empty()) json["b_trials"] = figure.b_trials;
  if (figure.a_half_width) json["a_half_width"] = *figure.a_half_width;
  if (figure.b_half_width) json["b_half_width"] = *figure.b_half_width;
  return json;
}

Json step_json(const ComparedStep& step, const std::vector<Incomparable>& reasons) {
  Json json = {{"step", step.b->step},
               {"rate_hz", step.b->rate_hz},
               {"comparable", is_comparable(reasons, step.b->step)}};
  for (const ComparedFigure& figure : step.figures) {
    json[std::string(figure.group)][std::string(figure.field)] = figure_json(figure);
  }
  return json;
}

Json pair_json(const NamedResult& a, const NamedResult& b) {
  const std::vector<Incomparable> incomparable = why_incomparable(a.result, b.result);
  Json reasons = Json::array();
  for (const auto& [step, reason] : incomparable) {
    Json& json = reasons.emplace_back(Json::object());
    if (step) json["step"] = *step;
    json["what"] = reason.what;
    json["remedy"] = reason.remedy;
  }
  Json steps = Json::array();
  for (const ComparedStep& step : compared_steps(a.result, b.result)) {
    steps.push_back(step_json(step, incomparable));
  }
  return {{"a", a.name},
          {"b", b.name},
          {"scenario", b.result.scenario.name},
          {"preset", b.result.scenario.preset},
          {"sink", b.result.sink.label},
          {"comparable", incomparable.empty()},
          {"reasons", std::move(reasons)},
          {"steps", std::move(steps)}};
}

std::string render_comparison_json(const Comparison& comparison, const ExportOptions&) {
  Json list = Json::array();
  for (const ResultPair& pair : comparison.pairs) list.push_back(pair_json(pair.a, pair.b));
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::comparison_json =
    exporter_of<render_comparison_json, Form::json>(
        "json", "figures, changes, and reasons not to compare", ".json");

}  // namespace tailgate
