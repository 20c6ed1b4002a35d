// What a calibration proves, for other programs: the figures of calibration_text.cpp's tables as
// JSON. Shares are from 0 to 1; an interval is [low, high], the exact one of 95 %.
//
// {"runs": N, "scores": [...], "rows": [...], "relabelled": [...]}; a score's sink "" stands for
// all.
#include <nlohmann/json.hpp>

#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json interval_of(const ShareInterval& share) {
  return Json::array({share.low, share.high});
}

Json score_json(const CalibrationScore& score) {
  return {{"sink", score.sink},
          {"equal", score.equal},
          {"false_alarms", score.false_alarms},
          {"at_most", score.at_most},
          {"more_equal", score.more_equal},
          {"changed", score.changed},
          {"found", score.found},
          {"recall", score.recall()},
          {"precision", score.precision()},
          {"f_score", score.f_score()}};
}

Json row_json(const CalibrationRow& row) {
  return {{"sink", row.sink},
          {"load", row.load},
          {"planted", row.planted},
          {"runs", row.runs},
          {"pass", row.pass},
          {"fail", row.fail},
          {"inconclusive", row.inconclusive},
          {"invalid", row.invalid},
          {"mean_rounds", row.mean_rounds},
          {"mean_duration_s", row.mean_duration_s},
          {"failed", interval_of(row.failed)},
          {"passed", interval_of(row.passed)}};
}

Json relabelled_json(const RelabelledRow& row) {
  Json json = {
      {"sink", row.sink},         {"load", row.load},     {"worse", row.worse},
      {"worse_by", row.worse_by}, {"rounds", row.rounds}, {"gates", row.gates},
      {"pass", row.pass},         {"fail", row.fail},     {"failed", interval_of(row.failed)}};
  if (row.stall) {
    json["stall"] = {{"length_ms", row.stall->length_ms}, {"every_s", row.stall->every_s}};
  }
  return json;
}

std::string render_calibration_json(const CalibrationReport& report, const ExportOptions&) {
  Json document = {{"runs", report.record.runs.size()},
                   {"wanted_bound", kWantedBound},
                   {"scores", Json::array()},
                   {"rows", Json::array()},
                   {"relabelled", Json::array()}};
  for (const CalibrationScore& score : report.scores) {
    document["scores"].push_back(score_json(score));
  }
  for (const CalibrationRow& row : report.rows) document["rows"].push_back(row_json(row));
  for (const RelabelledRow& row : report.relabelled) {
    document["relabelled"].push_back(relabelled_json(row));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

constinit const Exporter exporters::calibration_json =
    exporter_of<render_calibration_json, Form::json>("json", "scores, rows and relabelled gates",
                                                     ".json");

}  // namespace tailgate
