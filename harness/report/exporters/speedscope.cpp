// Sampled stacks for speedscope.app: its own file format, as its schema
// (www.speedscope.app/file-format-schema.json) defines it. One profile for each role; a stack
// weighs as much as it has samples.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/report/exporter.h"
#include "harness/report/merged_profile.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

Json profile_of(const NamedRole& named) {
  Json samples = Json::array();
  Json weights = Json::array();
  std::uint64_t total = 0;
  for (const ProfiledStack& stack : named.role.stacks) {
    samples.push_back(stack.functions);
    weights.push_back(stack.samples);
    total += stack.samples;
  }
  return {{"type", "sampled"},
          {"name", named.name},
          {"unit", "none"},
          {"startValue", 0},
          {"endValue", total},
          {"samples", std::move(samples)},
          {"weights", std::move(weights)}};
}

std::string render_speedscope(const Result& result, const ExportOptions&) {
  std::vector<ProfiledFunction> functions;
  Json profiles = Json::array();
  for (const NamedRole& named : profiled_roles(result, functions)) {
    profiles.push_back(profile_of(named));
  }
  Json frames = Json::array();
  for (const ProfiledFunction& function : functions) {
    frames.push_back({{"name", function.name}, {"file", function.module}});
  }
  const Json document = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                         {"name", result.scenario.name + "@" + result.sink.label},
                         {"exporter", "tailgate " + result.build.version},
                         {"activeProfileIndex", 0},
                         {"shared", {{"frames", std::move(frames)}}},
                         {"profiles", std::move(profiles)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

constinit const Exporter exporters::speedscope = exporter_of<render_speedscope, Form::json>(
    "speedscope", "sampled stacks for speedscope.app", ".speedscope.json");

}  // namespace tailgate
