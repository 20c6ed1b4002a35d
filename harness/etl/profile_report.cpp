#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "harness/base/error.h"
#include "harness/base/quoting.h"
#include "harness/etl/profile.h"
#include "harness/etl/profile_shares.h"
#include "harness/etl/symbols.h"
#include "harness/etl/trace_reader.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;
using Share = ProfileShares::Share;

// Passes text on in large pieces.
class ProfileOutput {
 public:
  explicit ProfileOutput(const TextSink& sink) : sink_(sink) {}

  // False when the reader has closed it.
  bool add(std::string_view text) {
    text_ += text;
    if (text_.size() >= kFlushBytes) flush();
    return open_;
  }
  void flush() {
    open_ = open_ && sink_(text_);
    text_.clear();
  }

 private:
  const TextSink& sink_;
  std::string text_;
  bool open_ = true;
};

struct Report {
  const Profile& profile;
  ProfileShares& shares;
  const std::vector<ModuleSymbols>& symbols;  // empty: none were asked for
};

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string name_of(const Profile& profile, const Share& share) {
  return share.function == Profile::kNoFunction ? std::string(profile.module_name(share.module))
                                                : profile.function_name(share.function);
}

// Samples by module, with it in the stack.
std::unordered_map<std::uint32_t, std::uint64_t> inclusive_by_module(const Report& report) {
  std::unordered_map<std::uint32_t, std::uint64_t> samples;
  for (const Share& share : report.shares.images(report.shares.all_stacks())) {
    samples[share.module] = share.inclusive;
  }
  return samples;
}

// The symbols of each module, most samples first.
std::vector<std::pair<std::uint64_t, const ModuleSymbols*>> by_samples(const Report& report) {
  const auto samples = inclusive_by_module(report);
  std::vector<std::pair<std::uint64_t, const ModuleSymbols*>> rows;
  for (const ModuleSymbols& one : report.symbols) {
    auto at = samples.find(one.module);
    rows.emplace_back(at == samples.end() ? 0 : at->second, &one);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return rows;
}

// What has no room. Empty when everything had.
std::string limits_of(const Profile& profile) {
  std::string out;
  const auto add = [&out](std::uint64_t count, std::string_view what) {
    if (count > 0) out += fmt::format("without room: {} {}\n", count, what);
  };
  add(profile.samples_over_limit(), "samples");
  add(profile.images_over_limit(), "images and ids of symbols");
  add(profile.keys_over_limit(), "stacks that keys stand for");
  add(profile.samples_cut_short(), "samples for the rest of their stacks, which came late");
  return out;
}

void append_shares(const Profile& profile, const std::vector<Share>& shares, std::size_t max_rows,
                   std::string_view what, std::string& out) {
  out += fmt::format("{:>10} {:>10}  {}\n", "in it", "with it", what);
  for (std::size_t i = 0; i < std::min(max_rows, shares.size()); ++i) {
    out += fmt::format("{:>10} {:>10}  {}\n", shares[i].exclusive, shares[i].inclusive,
                       printable(name_of(profile, shares[i])));
  }
}

void append_symbols(const Report& report, std::size_t max_rows, std::string& out) {
  out += fmt::format("\n{:>10}  {:10}  symbols of\n", "with it", "");
  for (const auto& [samples, symbols] : by_samples(report)) {
    const Module& module = report.profile.modules()[symbols->module];
    const bool is_image = module.process == Module::kNoProcess;
    // Few processes have a perf map.
    if (!is_image && symbols->state == ModuleSymbols::State::missing) continue;
    if (max_rows-- == 0) break;
    const std::string name = is_image ? module.name : "process " + std::to_string(module.process);
    const std::string id =
        module.pdb.empty() ? std::string() : fmt::format(" ({} {})", module.pdb, module.pdb_id);
    out +=
        fmt::format("{:>10}  {:10}  {}\n", samples, name_of(symbols->state), printable(name + id));
  }
}

void write_text(const Report& report, std::size_t max_rows, ProfileOutput& output) {
  const Profile& profile = report.profile;
  std::string out = fmt::format("CPU samples: {}, {} with a stack; stacks of other events: {}\n",
                                profile.samples(), profile.with_stack(), profile.other_stacks());
  out += limits_of(profile);
  out += fmt::format("\n{:>10} {:>7}  processor\n", "samples", "share");
  for (const auto& [processor, samples] : profile.processors()) {
    out += fmt::format("{:>10} {:>6.1f}%  {}\n", samples, percent(samples, profile.samples()),
                       processor);
  }
  if (!report.symbols.empty()) append_symbols(report, max_rows, out);
  auto rows = report.shares.processes();
  rows.resize(std::min(max_rows, rows.size()));
  out += fmt::format("\n{:>10} {:>7}  process\n", "samples", "share");
  for (const auto& row : rows) {
    out +=
        fmt::format("{:>10} {:>6.1f}%  {}\n", row.samples, percent(row.samples, profile.samples()),
                    printable(profile.process_name(row.id)));
  }
  for (const auto& row : rows) {
    out += fmt::format("\n{}\n", printable(profile.process_name(row.id)));
    append_shares(profile, report.shares.images(row.stacks), max_rows, "image", out);
    if (report.symbols.empty()) continue;
    append_shares(profile, report.shares.functions(row.stacks), max_rows, "function", out);
  }
  output.add(out);
}

std::string one_line(const Json& json) {
  return json_text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void write_shares(const Profile& profile, const std::vector<Share>& shares, std::string_view key,
                  ProfileOutput& output) {
  output.add(fmt::format(",\"{}\":[", key));
  std::string_view separator;
  for (const Share& share : shares) {
    output.add(separator);
    if (!output.add(one_line({{"name", name_of(profile, share)},
                              {"exclusive", share.exclusive},
                              {"inclusive", share.inclusive}}))) {
      return;
    }
    separator = ",";
  }
  output.add("]");
}

Json symbols_json(const Report& report) {
  Json json = Json::array();
  for (const auto& [samples, symbols] : by_samples(report)) {
    const Module& module = report.profile.modules()[symbols->module];
    json.push_back({{"image", report.profile.module_name(symbols->module)},
                    {"pdb", module.pdb},
                    {"id", module.pdb_id},
                    {"samples", samples},
                    {"state", name_of(symbols->state)},
                    {"file", symbols->file},
                    {"why", symbols->why}});
  }
  return json;
}

// Row by row: a trace may have any number of frames.
void write_json(const Report& report, ProfileOutput& output) {
  const Profile& profile = report.profile;
  Json json;
  json["session_name"] = profile.session_name();
  json["samples"] = profile.samples();
  json["samples_with_stack"] = profile.with_stack();
  json["other_stacks"] = profile.other_stacks();
  json["samples_over_limit"] = profile.samples_over_limit();
  json["images_over_limit"] = profile.images_over_limit();
  json["keys_over_limit"] = profile.keys_over_limit();
  json["samples_cut_short"] = profile.samples_cut_short();
  for (const auto& [processor, samples] : profile.processors()) {
    json["processors"][std::to_string(processor)] = samples;
  }
  if (!report.symbols.empty()) json["symbols"] = symbols_json(report);
  std::string head = one_line(json);
  head.pop_back();
  output.add(head + ",\"processes\":[");
  std::string_view separator;
  for (const auto& row : report.shares.processes()) {
    std::string process = one_line(
        {{"pid", row.id}, {"name", profile.process_name(row.id)}, {"samples", row.samples}});
    process.pop_back();
    output.add(separator);
    output.add(process);
    write_shares(profile, report.shares.images(row.stacks), "images", output);
    if (!report.symbols.empty()) {
      write_shares(profile, report.shares.functions(row.stacks), "functions", output);
    }
    if (!output.add("}")) return;
    separator = ",";
  }
  output.add("]}\n");
}

// A name within a folded stack: the separators of the format would divide it.
std::string folded_name(std::string_view name) {
  std::string text = printable(name);
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

// session: empty when there is only one.
void write_folded(const Report& report, std::string_view session, ProfileOutput& output) {
  const Profile& profile = report.profile;
  const std::string before = session.empty() ? std::string() : folded_name(session) + ";";
  for (const auto& process : report.shares.processes()) {
    const std::string name = before + folded_name(profile.process_name(process.id));
    for (std::uint32_t stack : process.stacks) {
      output.add(name);
      const auto frames = profile.stacks().frames(stack);
      for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        output.add(";" + folded_name(profile.frame_name(*frame)));
      }
      if (!output.add(fmt::format(" {}\n", profile.stacks().samples(stack)))) return;
    }
  }
}

// The process's stacks and their samples, two lists of a profile.
void write_stacks(const StackTable& stacks, const ProfileShares::Process& process,
                  ProfileOutput& output) {
  std::string_view separator;
  for (std::uint32_t stack : process.stacks) {
    const auto frames = stacks.frames(stack);
    output.add(separator);
    if (!output.add(fmt::format("[{}]", fmt::join(frames.rbegin(), frames.rend(), ",")))) return;
    separator = ",";
  }
  output.add("],\"weights\":[");
  separator = "";
  for (std::uint32_t stack : process.stacks) {
    output.add(separator);
    if (!output.add(std::to_string(stacks.samples(stack)))) return;
    separator = ",";
  }
}

void write_speedscope(const Report& report, ProfileOutput& output) {
  const Profile& profile = report.profile;
  output.add(R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
             R"("exporter":"tailgate","shared":{"frames":[)");
  for (std::uint32_t frame = 0; frame < profile.frame_count(); ++frame) {
    if (frame > 0) output.add(",");
    if (!output.add(one_line({{"name", profile.frame_name(frame)}}))) return;
  }
  output.add("]},\"profiles\":[");
  std::string_view separator;
  for (const auto& process : report.shares.processes()) {
    std::string head = one_line({{"type", "sampled"},
                                 {"name", profile.process_name(process.id)},
                                 {"unit", "none"},
                                 {"startValue", 0},
                                 {"endValue", process.samples}});
    head.pop_back();
    output.add(separator);
    output.add(head + ",\"samples\":[");
    write_stacks(profile.stacks(), process, output);
    if (!output.add("]}")) return;
    separator = ",";
  }
  output.add("]}\n");
}

// The symbols that were there and were not used.
std::string unused_symbols(const Report& report) {
  std::string out;
  for (const auto& [samples, symbols] : by_samples(report)) {
    if (symbols->why.empty()) continue;
    out += fmt::format("{} {}: {} ({}, {} samples)\n", symbols->file, name_of(symbols->state),
                       symbols->why, report.profile.module_name(symbols->module), samples);
  }
  return out;
}

}  // namespace

namespace {

// A session's profile among several.
struct Heading {
  std::size_t number = 0;
  std::size_t of = 1;  // sessions

  // Empty for the only one.
  std::string text(const Profile& profile) const {
    return of == 1 ? std::string() : fmt::format("session {} {}", number, profile.session_name());
  }
};

std::string report_one(const Profile& profile, const std::vector<ModuleSymbols>& symbols,
                       const Heading& heading, const ProfileOptions& options,
                       ProfileOutput& output) {
  ProfileShares shares(profile);
  const Report report{profile, shares, symbols};
  const std::string session = heading.text(profile);
  switch (options.format) {
    case ProfileFormat::text:
      if (heading.number > 0) output.add("\n");
      if (!session.empty()) output.add(printable(session) + "\n\n");
      write_text(report, options.max_rows, output);
      break;
    case ProfileFormat::json:
      write_json(report, output);
      break;
    case ProfileFormat::folded:
      write_folded(report, session, output);
      break;
    case ProfileFormat::speedscope:
      write_speedscope(report, output);
      break;
  }
  return unused_symbols(report);
}

}  // namespace

std::string report_profile(const std::vector<const TraceFile*>& files,
                           const ProfileOptions& options, const TextSink& sink) {
  const std::size_t clocks = TraceReader(files, ReadOrder::file).clock_count();
  if (clocks > 1 && options.format == ProfileFormat::speedscope) {
    throw Error(fmt::format("the traces have {} clocks, and speedscope's format takes one", clocks),
                "name the traces of one computer and boot at a time, or use --format folded");
  }
  ProfileOutput output(sink);
  std::string unused;
  for (std::size_t clock = 0; clock < clocks; ++clock) {
    Profile profile(files, clock);
    std::vector<ModuleSymbols> symbols;
    if (options.symbols) symbols = symbolize(profile, *options.symbols);
    unused += report_one(profile, symbols, {clock, clocks}, options, output);
  }
  output.flush();
  return unused;
}

}  // namespace tailgate::etl
