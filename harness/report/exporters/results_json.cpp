// The figures of the text for a terminal as a JSON list with one object a result, the encoded
// distributions left out.
#include <nlohmann/json.hpp>

#include "harness/report/exporter.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json without_distributions(Json summary) {
  for (auto& step : summary) {
    for (const char* latency : {"service", "response", "delivery"}) {
      if (step.contains(latency)) step[latency].erase("hdr");
    }
  }
  return summary;
}

std::string render_results_json(const Results& results, const ExportOptions&) {
  Json list = Json::array();
  for (const auto& [name, result] : results) {
    const Json full = Json::parse(write_result(result));
    Json trials = Json::array();
    for (const Json& trial : full["trials"]) {
      Json& shown = trials.emplace_back(Json::object());
      for (const char* field : {"index", "step", "outcome", "outcome_detail", "achieved_rate_hz",
                                "rate_missed", "ledger", "remarks"}) {
        shown[field] = trial[field];
      }
      shown["floor_ns_p50"] = trial["floor"]["service"]["p50_ns"];
    }
    list.push_back({{"file", name},
                    {"scenario", full["scenario"]["name"]},
                    {"preset", full["scenario"]["preset"]},
                    {"sink", full["sink"]["label"]},
                    {"complete", full["complete"]},
                    {"label", full["label"]},
                    {"summary", without_distributions(full["summary"])},
                    {"trials", trials},
                    {"remarks", full["remarks"]}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::results_json = exporter_of<render_results_json, Form::json>(
    "json", "the figures of the text, without distributions", ".summary.json");

}  // namespace tailgate
