// Verdicts on budgets as JSON; results/README.md describes the fields.
#include <nlohmann/json.hpp>

#include "harness/report/budget_text.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

std::string_view unit_of(const BudgetBound& bound) {
  switch (bound.quantity->kind) {
    case BoundKind::quantile:
    case BoundKind::cpu:
      return "ns";
    case BoundKind::lost:
      return bound.is_share ? "share" : "events";
    case BoundKind::rate:
      return "per_s";
    case BoundKind::rss:
      break;
  }
  return "bytes";
}

Json json_of(const BudgetVerdict& budget, const BoundVerdict& verdict) {
  const Remark reason = bound_reason(budget, verdict);
  Json json = {{"bound", verdict.bound.text},
               {"quantity", verdict.bound.quantity->name},
               {"relation", enum_text(verdict.bound.relation)},
               {"limit", verdict.bound.limit},
               {"unit", unit_of(verdict.bound)},
               {"outcome", enum_text(verdict.outcome)},
               {"method", enum_text(verdict.method)}};
  if (verdict.value) json["value"] = *verdict.value;
  if (verdict.low) json["low"] = *verdict.low;
  if (verdict.high) json["high"] = *verdict.high;
  if (verdict.trials_needed) json["trials_needed"] = *verdict.trials_needed;
  json["reason"] = {{"what", reason.what}, {"remedy", reason.remedy}};
  return json;
}

Json json_of(const std::vector<Remark>& remarks) {
  Json json = Json::array();
  for (const Remark& remark : remarks) {
    json.push_back({{"what", remark.what}, {"remedy", remark.remedy}});
  }
  return json;
}

std::string render_budgets_json(const BudgetVerdicts& verdicts, const ExportOptions&) {
  Json budgets = Json::array();
  for (const BudgetVerdict& verdict : verdicts.list) {
    Json bounds = Json::array();
    for (const BoundVerdict& bound : verdict.bounds) bounds.push_back(json_of(verdict, bound));
    budgets.push_back({{"budget", verdict.budget},
                       {"outcome", enum_text(verdict.outcome)},
                       {"file", verdict.file},
                       {"sink", verdict.sink},
                       {"scenario", verdict.scenario},
                       {"rate_hz", verdict.rate_hz},
                       {"trials", verdict.trials},
                       {"invalid", json_of(verdict.invalid)},
                       {"remarks", json_of(verdict.remarks)},
                       {"bounds", bounds}});
  }
  const Json document = {{"format", "tailgate-budgets"},
                         {"version", 1},
                         {"outcome", enum_text(verdicts.outcome())},
                         {"budgets", budgets}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::budgets_json = exporter_of<render_budgets_json, Form::json>(
    "json", "all figures (results/README.md)", ".json");

}  // namespace tailgate
