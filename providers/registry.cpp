#include "providers/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "providers/etw/etw.h"
#include "providers/eventlog/eventlog.h"
#include "providers/fallback/fallback.h"
#include "providers/file/file.h"
#include "providers/ftrace/ftrace.h"
#include "providers/journald/journald.h"
#include "providers/lttng/lttng.h"
#include "providers/null/null.h"
#include "providers/planted/planted.h"
#include "providers/spdlog/spdlog.h"
#include "providers/synthetic/synthetic.h"
#include "providers/syslog/syslog.h"
#include "providers/user_events/user_events.h"

namespace tailgate {
namespace {

// The colon of a drive separates no options: "dir=C:\\logs".
bool is_drive(std::string_view text, std::size_t colon) {
  return text[colon] == ':' && colon >= 2 && text[colon - 2] == '=' && colon + 1 < text.size() &&
         (text[colon + 1] == '\\' || text[colon + 1] == '/');
}

std::size_t next_separator(std::string_view text, char separator) {
  std::size_t at = text.find(separator);
  while (at != std::string_view::npos && is_drive(text, at)) at = text.find(separator, at + 1);
  return at;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = next_separator(text, separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

const std::vector<const SinkType*>& all_sinks() {
  static const std::vector<const SinkType*> sinks = {
      &null_sink(),        &synthetic_sink(), &file_sink(),     &spdlog_sink(),
      &journald_sink(),    &syslog_sink(),    &lttng_sink(),    &ftrace_sink(),
      &user_events_sink(), &etw_sink(),       &eventlog_sink(), &fallback_sink()};
  return sinks;
}

const SinkType& floor_sink() {
  return null_sink();
}

const SinkType& find_sink(std::string_view name) {
  std::vector<std::string> names;
  for (const SinkType* sink : all_sinks()) {
    if (sink->name() == name) return *sink;
    names.push_back(sink->name());
  }
  const std::string near = nearest_name(name, names);
  throw Error(
      fmt::format("there is no sink '{}'", name),
      fmt::format("{}known sinks: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                  fmt::join(names, ", ")));
}

void sweep_dead_sessions() {
  for (const SinkType* sink : all_sinks()) {
    try {
      sink->sweep();
    } catch (const Error&) {
    }
  }
}

SinkChoice parse_sink_choice(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const SinkType& bare = find_sink(parts.front());
  const bool planted = std::any_of(parts.begin() + 1, parts.end(), is_plant_option);
  const SinkType& type = planted ? planted_sink(bare) : bare;
  Options options(type.options(), fmt::format("sink '{}'", type.name()));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      throw Error(fmt::format("'{}' in sink '{}' is not an option", parts[i], text),
                  "write options as name=value, each after a colon: file:mode=mmap");
    }
    options.set(parts[i].substr(0, equals), parts[i].substr(equals + 1));
  }
  return {&type, std::move(options), std::string(text)};
}

std::vector<SinkChoice> parse_sink_list(std::string_view text) {
  std::vector<SinkChoice> choices;
  for (std::string_view part : split(text, ',')) {
    choices.push_back(parse_sink_choice(part));
    const auto same = [&](const SinkChoice& other) { return other.text == choices.back().text; };
    if (std::count_if(choices.begin(), choices.end(), same) > 1) {
      throw Error(fmt::format("sink '{}' is listed twice", part), "name it once; use --trials");
    }
  }
  return choices;
}

}  // namespace tailgate
