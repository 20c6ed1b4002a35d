// The recommendation as JSON; the help of 'tailgate recommend' names the fields.
#include <nlohmann/json.hpp>

#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Candidate& candidate) {
  Json json = {{"sink", candidate.sink},
               {"file", candidate.file},
               {"qualifies", candidate.qualifies()},
               {"why_not", candidate.why_not},
               {"measured", candidate.measured}};
  if (candidate.survives) json["survives"] = enum_text(*candidate.survives);
  if (!candidate.measured) return json;
  json["trials"] = candidate.trials;
  json["achieved_rate_hz"] = candidate.achieved_rate_hz;
  json["emitted"] = candidate.emitted;
  json["lost"] = candidate.lost;
  if (candidate.cpu_ns) json["cpu_ns"] = *candidate.cpu_ns;
  if (candidate.response.count == 0) return json;
  json["response_ns"] = {{"p50", candidate.response.p50_ns},
                         {"p90", candidate.response.p90_ns},
                         {"p99", candidate.response.p99_ns},
                         {"p99_9", candidate.response.p99_9_ns},
                         {"max", candidate.response.max_ns}};
  return json;
}

std::string render_recommendation_json(const Recommendation& recommendation, const ExportOptions&) {
  const LoggingNeeds& needs = recommendation.needs;
  Json sinks = Json::array();
  for (const Candidate& candidate : recommendation.candidates) sinks.push_back(json_of(candidate));
  Json document = {{"format", "tailgate-recommendation"}, {"version", 1}};
  document["use"] = recommendation.best() == nullptr ? Json() : Json(recommendation.best()->sink);
  document["needs"] = {{"rate_hz", needs.rate_hz},
                       {"payload", recommendation.payload},
                       {"threads", needs.threads},
                       {"most_lost_share", needs.most_lost_share},
                       {"survives", enum_text(needs.survives)},
                       {"sort", needs.sort}};
  document["trusted"] = recommendation.doubts.empty() && recommendation.best() != nullptr;
  document["doubts"] = recommendation.doubts;
  document["close"] = recommendation.close;
  document["sinks"] = sinks;
  document["measure"] = recommendation.measure;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::recommendation_json =
    exporter_of<render_recommendation_json, Form::json>(
        "json", "every sink with its figures and reasons", ".json");

}  // namespace tailgate
