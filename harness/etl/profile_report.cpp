#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/quoting.h"
#include "harness/etl/profile.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFlushBytes = 256 * 1024;

using ProcessRow = std::pair<std::uint32_t, const Profile::Process*>;
using ImageRow = std::pair<std::string, Profile::Share>;

std::vector<ProcessRow> by_samples(const Profile& profile) {
  std::vector<ProcessRow> rows;
  for (const auto& [id, process] : profile.processes()) rows.emplace_back(id, &process);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second->samples > b.second->samples;
  });
  return rows;
}

// The images of a process, most samples first.
std::vector<ImageRow> by_exclusive(const Profile::Process& process) {
  std::vector<ImageRow> rows(process.images.begin(), process.images.end());
  std::sort(rows.begin(), rows.end(), [](const ImageRow& a, const ImageRow& b) {
    if (a.second.exclusive != b.second.exclusive) return a.second.exclusive > b.second.exclusive;
    if (a.second.inclusive != b.second.inclusive) return a.second.inclusive > b.second.inclusive;
    return a.first < b.first;
  });
  return rows;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string text_of(const Profile& profile, std::size_t max_rows) {
  std::string out = fmt::format("CPU samples: {}, {} with a stack; stacks of other events: {}\n",
                                profile.samples(), profile.with_stack(), profile.other_stacks());
  out += fmt::format("\n{:>10} {:>7}  processor\n", "samples", "share");
  for (const auto& [processor, samples] : profile.processors()) {
    out += fmt::format("{:>10} {:>6.1f}%  {}\n", samples, percent(samples, profile.samples()),
                       processor);
  }
  const std::vector<ProcessRow> rows = by_samples(profile);
  out += fmt::format("\n{:>10} {:>7}  process\n", "samples", "share");
  for (std::size_t i = 0; i < std::min(max_rows, rows.size()); ++i) {
    out += fmt::format("{:>10} {:>6.1f}%  {}\n", rows[i].second->samples,
                       percent(rows[i].second->samples, profile.samples()),
                       printable(profile.process_name(rows[i].first)));
  }
  for (std::size_t i = 0; i < std::min(max_rows, rows.size()); ++i) {
    out += fmt::format("\n{}\n{:>10} {:>10}  image\n",
                       printable(profile.process_name(rows[i].first)), "in it", "with it");
    const std::vector<ImageRow> images = by_exclusive(*rows[i].second);
    for (std::size_t j = 0; j < std::min(max_rows, images.size()); ++j) {
      out += fmt::format("{:>10} {:>10}  {}\n", images[j].second.exclusive,
                         images[j].second.inclusive, printable(images[j].first));
    }
  }
  return out;
}

std::string dumped(const Json& json) {
  return json_text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

std::string json_of(const Profile& profile) {
  Json json;
  json["samples"] = profile.samples();
  json["samples_with_stack"] = profile.with_stack();
  json["other_stacks"] = profile.other_stacks();
  for (const auto& [processor, samples] : profile.processors()) {
    json["processors"][std::to_string(processor)] = samples;
  }
  json["processes"] = Json::array();
  for (const auto& [id, process] : by_samples(profile)) {
    Json images = Json::array();
    for (const auto& [name, share] : by_exclusive(*process)) {
      images.push_back(
          {{"name", name}, {"exclusive", share.exclusive}, {"inclusive", share.inclusive}});
    }
    json["processes"].push_back({{"pid", id},
                                 {"name", profile.process_name(id)},
                                 {"samples", process->samples},
                                 {"images", images}});
  }
  return dumped(json);
}

// A name within a folded stack: the separators of the format would divide it.
std::string folded_name(std::string_view name) {
  std::string text = printable(name);
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

void write_folded(const Profile& profile, const TextSink& sink) {
  std::string out;
  for (const auto& [id, process] : profile.processes()) {
    const std::string name = folded_name(profile.process_name(id));
    for (const auto& [frames, count] : process.stacks) {
      out += name;
      for (std::uint32_t frame : frames) out += ";" + folded_name(profile.frame(frame));
      out += fmt::format(" {}\n", count);
      if (out.size() < kFlushBytes) continue;
      if (!sink(out)) return;
      out.clear();
    }
  }
  sink(out);
}

std::string speedscope_of(const Profile& profile) {
  Json json;
  json["$schema"] = "https://www.speedscope.app/file-format-schema.json";
  json["exporter"] = "tailgate";
  json["shared"]["frames"] = Json::array();
  for (std::uint32_t i = 0; i < profile.frame_count(); ++i) {
    json["shared"]["frames"].push_back({{"name", profile.frame(i)}});
  }
  json["profiles"] = Json::array();
  for (const auto& [id, process] : by_samples(profile)) {
    Json one = {
        {"type", "sampled"},       {"name", profile.process_name(id)}, {"unit", "none"},
        {"startValue", 0},         {"endValue", process->samples},     {"samples", Json::array()},
        {"weights", Json::array()}};
    for (const auto& [frames, count] : process->stacks) {
      one["samples"].push_back(frames);
      one["weights"].push_back(count);
    }
    json["profiles"].push_back(std::move(one));
  }
  return dumped(json);
}

}  // namespace

void report_profile(const std::vector<const TraceFile*>& files, ProfileFormat format,
                    std::size_t max_rows, const TextSink& sink) {
  const Profile profile(files);
  switch (format) {
    case ProfileFormat::text:
      sink(text_of(profile, max_rows));
      return;
    case ProfileFormat::json:
      sink(json_of(profile));
      return;
    case ProfileFormat::folded:
      write_folded(profile, sink);
      return;
    case ProfileFormat::speedscope:
      sink(speedscope_of(profile));
      return;
  }
}

}  // namespace tailgate::etl
