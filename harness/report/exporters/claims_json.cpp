// Claims as JSON; results/README.md describes the fields.
#include <nlohmann/json.hpp>

#include "harness/report/claim_text.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ClaimFigure& figure) {
  Json json = {{"value", figure.value}, {"trials", figure.trials}};
  if (figure.low) json["low"] = *figure.low;
  if (figure.high) json["high"] = *figure.high;
  return json;
}

Json json_of(const ClaimShown& shown) {
  Json json = {
      {"metric", shown.metric}, {"unit", enum_text(shown.unit)}, {"figure", json_of(shown.figure)}};
  if (shown.than) json["than"] = json_of(*shown.than);
  if (shown.ratio) json["ratio"] = json_of(*shown.ratio);
  return json;
}

Json json_of(const ClaimVerdict& verdict) {
  Json shown = Json::array();
  for (const ClaimShown& one : verdict.shown) shown.push_back(json_of(one));
  return {{"claim", verdict.claim},
          {"source", verdict.source},
          {"means", verdict.means},
          {"run", verdict.run},
          {"than", verdict.than},
          {"holds", verdict.bounds},
          {"verdict", enum_text(verdict.outcome)},
          {"reason", verdict.reason},
          {"shown", shown},
          {"shown_text", claim_shown_text(verdict)},
          {"files", verdict.files},
          {"measure", verdict.measure}};
}

std::string render_claims_json(const ClaimVerdicts& verdicts, const ExportOptions&) {
  Json claims = Json::array();
  for (const ClaimVerdict& verdict : verdicts.list) claims.push_back(json_of(verdict));
  const Json document = {{"format", "tailgate-claims"},
                         {"version", 1},
                         {"machine", verdicts.machine},
                         {"hold", verdicts.count(ClaimOutcome::holds)},
                         {"do_not_hold", verdicts.count(ClaimOutcome::does_not_hold)},
                         {"cannot_be_told", verdicts.count(ClaimOutcome::cannot_be_told)},
                         {"claims", claims}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::claims_json =
    exporter_of<render_claims_json, Form::json>("json", "all figures (results/README.md)", ".json");

}  // namespace tailgate
