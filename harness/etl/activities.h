// Activities: events that belong together by their ActivityId, nested by RelatedActivityId.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_file.h"

namespace tailgate::etl {

// The activities of a session, as trees. Takes 48 MB at most: 262,144 activities and 4 MB of names
// are kept, the rest is counted.
//
// An event that names a related activity nests one in the other. win:Send hands over to the related
// activity, so that this is nested in the event's; in any other event, win:Start among them, the
// related activity is where the event's own came from, so that this is nested in it. Sources:
// Microsoft's documentation of EventWriteTransfer ("activity identifier from the previous
// component") and of the event schema's RelatedActivityID ("to which control was transferred");
// winmeta.xml for the opcodes. The first event that says so decides; one that would make a circle
// is counted.
class Activities {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::size_t kMaxActivities = 1u << 18;

  struct Activity {
    Guid id;
    std::uint32_t parent = kNone;
    std::uint32_t process_id = RecordHeader::kNoId;  // of the first event
    std::uint32_t name = 0;  // of the first event; 0: the trace has none of its events
    std::uint64_t events = 0;
    std::int64_t first_ns = 0;  // since the session's start
    std::int64_t last_ns = 0;
  };

  Activities();

  void add(const DecodedEvent& event, std::int64_t time_ns);

  std::size_t size() const { return activities_.size(); }
  const Activity& operator[](std::uint32_t number) const { return activities_[number]; }
  // "provider/event" of its first event.
  const std::string& name_of(const Activity& activity) const { return names_[activity.name]; }
  std::uint64_t events_without() const { return events_without_; }
  std::uint64_t events_over_limit() const { return events_over_limit_; }
  std::uint64_t circles() const { return circles_; }

 private:
  std::uint32_t number_of(const Guid& id);
  std::uint32_t name_number(const DecodedEvent& event);
  void nest(std::uint32_t child, std::uint32_t parent);
  std::uint32_t root_of(std::uint32_t activity);

  std::vector<Activity> activities_;
  std::vector<std::uint32_t> above_;  // an ancestor, kNone for a root: makes root_of() fast
  std::unordered_map<Guid, std::uint32_t, GuidHash> numbers_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::size_t name_bytes_ = 0;
  std::uint64_t events_without_ = 0;
  std::uint64_t events_over_limit_ = 0;
  std::uint64_t circles_ = 0;
};

// Activities in the order in which they are shown: each before what is nested in it, the longest
// first.
class ActivityTrees {
 public:
  explicit ActivityTrees(const Activities& activities);

  // An activity together with what is nested in it.
  struct Whole {
    std::uint64_t events = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
  };
  struct Row {
    std::uint32_t activity = 0;
    std::uint32_t depth = 0;
  };

  const std::vector<Row>& rows() const { return rows_; }
  const Whole& whole(std::uint32_t activity) const { return wholes_[activity]; }
  std::size_t roots() const { return roots_; }

 private:
  std::vector<Whole> wholes_;
  std::vector<Row> rows_;
  std::size_t roots_ = 0;
};

// Reports the activities of the files' events that pass the filter, session by session. max_rows
// limits the text. When there are none, returns a text that says so, and what the filter excluded;
// else nothing.
std::string report_activities(const std::vector<const TraceFile*>& files, Decoder& decoder,
                              const EventFilter& filter, TextFormat format, std::size_t max_rows,
                              const TextSink& sink);

}  // namespace tailgate::etl
