#include "harness/cli/result_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/result/files.h"
#include "harness/result/json.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

bool names(const std::vector<Setting>& settings, const std::string& name) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const Setting& setting) { return setting.name == name; });
}

// Two runs of one scenario have the same options, in the same order.
std::set<std::string> differing(const std::vector<Setting>& a, const std::vector<Setting>& b) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].value != b[i].value) names.insert(a[i].name);
  }
  return names;
}

}  // namespace

ResultFiles::Identity ResultFiles::of(const RunRequest& run) {
  return {.scenario = run.scenario->name(),
          .preset = run.preset,
          .options = describe_options(run.options),
          .sink = describe_sink(run.sink).label};
}

ResultFiles::Identity ResultFiles::of(const Result& run) {
  return {.scenario = run.scenario.name,
          .preset = run.scenario.preset,
          .options = run.scenario.options,
          .sink = run.sink.label};
}

ResultFiles::ResultFiles(std::filesystem::path folder, const std::vector<RunRequest>& all,
                         std::vector<Setting> given)
    : folder_(std::move(folder)), given_(std::move(given)) {
  std::map<std::string, std::vector<Identity>> same;
  for (const RunRequest& request : all) {
    const Identity run = of(request);
    const std::string key = run.scenario + "@" + run.sink;
    for (const Identity& other : same[key]) {
      const std::set<std::string> names = differing(run.options, other.options);
      if (names.empty()) {
        throw Error(fmt::format("'{}' is to be run twice with the same settings", key),
                    "remove one of them, or raise its 'trials'");
      }
      differing_[key].insert(names.begin(), names.end());
    }
    same[key].push_back(run);
  }
}

std::filesystem::path ResultFiles::place_of(const RunRequest& run) const {
  return folder_ / name_of(of(run));
}

void ResultFiles::open(const std::vector<RunRequest>& runs, bool force) {
  for (const RunRequest& run : runs) {
    const std::string name = name_of(of(run));
    files_.emplace(name, GrowingFile(folder_ / name, force || run.earlier));
  }
}

void ResultFiles::save(const Result& run) {
  files_.at(name_of(of(run))).save(write_result(run));
}

const std::filesystem::path& ResultFiles::written_to(const Result& run) const {
  return files_.at(name_of(of(run))).written_to();
}

bool ResultFiles::full(const Result& run) const {
  std::size_t together = 0;
  for (const auto& [name, file] : files_) together += file.bytes();
  return together > kMaxTogetherBytes || files_.at(name_of(of(run))).bytes() > kMaxWrittenBytes;
}

bool ResultFiles::all_in_place() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& file) { return file.second.in_place(); });
}

std::string ResultFiles::name_of(const Identity& run) const {
  std::vector<Setting> settings = given_;
  const auto differing = differing_.find(run.scenario + "@" + run.sink);
  for (const Setting& option : run.options) {
    if (differing == differing_.end() || !differing->second.contains(option.name)) continue;
    if (!names(settings, option.name)) settings.push_back(option);
  }
  return result_file_name(run.scenario, run.sink, run.preset, settings);
}

}  // namespace tailgate
