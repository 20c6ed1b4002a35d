#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/quoting.h"
#include "harness/etl/activities.h"
#include "harness/etl/durations.h"
#include "harness/etl/event_stream.h"

namespace tailgate::etl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMaxIndent = 20;

double activity_ms(std::int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

double duration_ms(std::int64_t first_ns, std::int64_t last_ns) {
  return static_cast<double>(duration_between(first_ns, last_ns)) / 1e6;
}

std::string process_text(std::uint32_t process) {
  return process == RecordHeader::kNoId ? "-" : std::to_string(process);
}

std::string text_of(const Activities& activities, const ActivityTrees& trees,
                    std::string_view session, std::size_t max_rows) {
  std::string out = fmt::format(
      "session {}: {} activities in {} trees; events without an activity: {}\n", printable(session),
      activities.size(), trees.roots(), activities.events_without());
  if (activities.circles() > 0) {
    out += fmt::format("note: {} events would have nested an activity in itself\n",
                       activities.circles());
  }
  if (activities.events_over_limit() > 0) {
    out += fmt::format("note: {} events are of more activities than are kept ({})\n",
                       activities.events_over_limit(), Activities::kMaxActivities);
  }
  if (activities.size() == 0) return out;
  out += fmt::format("{:>8} {:>8} {:>12} {:>12} {:>12} {:>7}  {:36}  {}\n", "events", "in all",
                     "start_ms", "duration_ms", "own_ms", "pid", "activity", "first event");
  for (std::size_t i = 0; i < std::min(max_rows, trees.rows().size()); ++i) {
    const auto [number, depth] = trees.rows()[i];
    const Activities::Activity& activity = activities[number];
    const ActivityTrees::Whole& whole = trees.whole(number);
    out += fmt::format("{:>8} {:>8} {:>12.4f} {:>12.4f} {:>12.4f} {:>7}  {}  {:{}}{}\n",
                       activity.events, whole.events, activity_ms(whole.first_ns),
                       duration_ms(whole.first_ns, whole.last_ns),
                       duration_ms(activity.first_ns, activity.last_ns),
                       process_text(activity.process_id), to_text(activity.id), "",
                       2 * std::min(depth, kMaxIndent), printable(activities.name_of(activity)));
  }
  if (trees.rows().size() > max_rows) {
    out += fmt::format("... {} more\n", trees.rows().size() - max_rows);
  }
  return out;
}

std::string dumped(const Json& json) {
  return json_text(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json row_json(const Activities& activities, const ActivityTrees& trees, ActivityTrees::Row row) {
  const Activities::Activity& activity = activities[row.activity];
  const ActivityTrees::Whole& whole = trees.whole(row.activity);
  Json json;
  json["activity"] = to_text(activity.id);
  json["parent"] = nullptr;
  if (activity.parent != Activities::kNone)
    json["parent"] = to_text(activities[activity.parent].id);
  json["depth"] = row.depth;
  json["first_event"] = activities.name_of(activity);
  json["pid"] = nullptr;
  if (activity.process_id != RecordHeader::kNoId) json["pid"] = activity.process_id;
  json["events"] = activity.events;
  json["events_in_all"] = whole.events;
  json["start_ms"] = activity_ms(whole.first_ns);
  json["duration_ms"] = duration_ms(whole.first_ns, whole.last_ns);
  json["own_ms"] = duration_ms(activity.first_ns, activity.last_ns);
  return json;
}

// Row by row: a line of a session may have any length.
bool write_json(const Activities& activities, const ActivityTrees& trees, std::string_view session,
                const TextSink& sink) {
  std::string out = dumped({{"session_name", session},
                            {"trees", trees.roots()},
                            {"events_without_activity", activities.events_without()},
                            {"events_over_limit", activities.events_over_limit()},
                            {"circles", activities.circles()}});
  out.back() = ',';
  out += "\"activities\":[";
  std::string_view separator;
  for (const ActivityTrees::Row& row : trees.rows()) {
    out += separator;
    out += dumped(row_json(activities, trees, row));
    separator = ",";
    if (out.size() < kFlushBytes) continue;
    if (!sink(out)) return false;
    out.clear();
  }
  return sink(out + "]}\n");
}

}  // namespace

std::string report_activities(const std::vector<const TraceFile*>& files, Decoder& decoder,
                              const EventFilter& filter, TextFormat format, std::size_t max_rows,
                              const TextSink& sink) {
  EventStream events(files, decoder, filter);
  std::unique_ptr<Activities> activities;
  std::string session_name;
  std::size_t session = 0;
  std::size_t found = 0;
  const auto finish = [&] {
    if (!activities) return true;
    found += activities->size();
    const ActivityTrees trees(*activities);
    if (format == TextFormat::json) return write_json(*activities, trees, session_name, sink);
    return sink(text_of(*activities, trees, session_name, max_rows));
  };
  while (events.next()) {
    if (!activities || events.session_number() != session) {
      if (!finish()) return {};
      activities = std::make_unique<Activities>();
      session = events.session_number();
      session_name = events.session().session_name;
    }
    activities->add(events.event(), events.elapsed_ns());
  }
  finish();
  if (events.passed() == 0) return events.why_nothing();
  return found > 0 ? std::string() : "no event has an ActivityId";
}

}  // namespace tailgate::etl
