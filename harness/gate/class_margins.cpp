#include "harness/gate/class_margins.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/toml_reader.h"
#include "harness/base/toml_texts.h"
#include "harness/gate/metrics.h"

namespace tailgate {
namespace {

// Options of a scenario that change a metric's noise, and the value that goes without saying.
constexpr std::pair<std::string_view, std::string_view> kLoadOptions[] = {
    {"rate_hz", ""}, {"arrivals", "even"}, {"threads", "1"}, {"payload", "128"}};

ClassMargin read_margin(const TomlNode& in, const std::string& origin) {
  in.check_keys({"sink", "load", "metric", "margin", "finds"});
  ClassMargin margin;
  margin.origin = origin;
  margin.sink = required_text(in, "sink", "the sink with its options");
  margin.load = required_text(in, "load", "the load, \"steady rate_hz=20000\"");
  margin.metric = required_text(in, "metric", "a metric that is a ratio");
  const MetricKind* kind = find_metric(margin.metric);
  if (kind == nullptr || kind->effect != EffectKind::ratio) {
    in.find("metric")->fail(fmt::format("'{}' is not a metric that is a ratio", margin.metric),
                            "'tailgate policy' lists the metrics");
  }
  constexpr double kLargest = 1e15;
  const TomlNode& node = in.required("margin", "a share of A's value");
  margin.margin = node.number("margin", 0, kLargest);
  if (!(margin.margin > 0)) node.fail("the margin is 0", "give one above 0");
  if (const TomlNode* finds = in.find("finds")) margin.finds = finds->number("finds", 0, kLargest);
  return margin;
}

}  // namespace

std::string load_text(const DuetSubject& subject) {
  const ScenarioUsed& scenario = subject.scenario;
  std::string text = scenario.preset.empty() ? scenario.name : scenario.preset;
  for (const auto& [name, usual] : kLoadOptions) {
    for (const Setting& setting : scenario.options) {
      if (setting.name != name || setting.value == usual) continue;
      text += fmt::format(" {}={}", name, setting.value);
    }
  }
  return text;
}

MachineClass parse_machine_class(std::string_view text, const std::string& origin) {
  const TomlNode root = parse_toml(text, origin);
  root.check_keys({"machines", "margin"});
  MachineClass read;
  const TomlNode& machines = root.required("machines", "a list of fingerprints");
  if (!machines.is_list() || machines.entries().empty()) {
    machines.fail("machines is not a list of fingerprints",
                  "'tailgate policy --sink SINK' shows this machine's");
  }
  for (const TomlNode& machine : machines.entries()) {
    read.machines.push_back(machine.text("a fingerprint"));
  }
  for (const TomlNode* margin : root.tables_at("margin")) {
    read.margins.push_back(read_margin(*margin, origin));
  }
  return read;
}

std::vector<MachineClass> load_machine_classes(const std::filesystem::path& folder) {
  const char* remedy = "'tailgate selftest gate --margins FILE' writes a file for it";
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() == ".toml") files.push_back(at->path());
  }
  if (failed) {
    throw Error(fmt::format("the folder of class margins '{}' cannot be read: {}", folder.string(),
                            failed.message()),
                remedy);
  }
  std::sort(files.begin(), files.end());
  std::vector<MachineClass> classes;
  for (const std::filesystem::path& file : files) {
    classes.push_back(
        parse_machine_class(read_toml_file(file, "file of class margins", remedy), file.string()));
  }
  return classes;
}

}  // namespace tailgate
