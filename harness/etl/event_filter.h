// Which events a dump shows, and what to say when it shows none.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/etl/decoder.h"
#include "harness/etl/event_path.h"
#include "harness/etl/log_header.h"
#include "harness/etl/report.h"

namespace tailgate::etl {

// Whether a user means the event by this text: its name, its task's or opcode's, or its id. Case
// does not matter.
bool is_named(const DecodedEvent& event, std::string_view wanted);

class FilterMatcher {
 public:
  // Keeps a reference to the filter.
  explicit FilterMatcher(const EventFilter& filter);

  bool time_matches(const SessionClock& clock, std::int64_t raw) const;
  bool matches(const EventView& view) const;

  // Notes an event that the filter does not match; only what was noted can be near.
  void note_time(const SessionClock& clock, std::int64_t raw);
  void note(const EventView& view);
  // Notes the events that another matcher of the same filter noted, without those of other times.
  void note(const FilterMatcher& other);

  // What to say when nothing matched: each criterion that no event meets, with the nearest name or
  // what there is. Empty when the filter has no criterion.
  std::string why_nothing() const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Names = std::unordered_set<std::string, TextHash, std::equal_to<>>;

  bool ids_and_names_match(const DecodedEvent& event) const;
  bool process_matches(const DecodedEvent& event) const;
  bool provider_matches(const DecodedEvent& event) const;
  bool event_matches(const DecodedEvent& event) const;
  bool has_time() const;
  std::string why_no_time() const;
  std::string why_no_process() const;
  std::string why_no_field() const;
  static std::string why_no_name(std::string_view what, const std::vector<std::string>& wanted,
                                 const Names& names);

  const EventFilter& filter_;
  std::vector<Guid> guids_;
  bool any_process_ = false;  // noted that meets the criterion
  bool any_provider_ = false;
  bool any_event_ = false;
  bool any_in_time_ = false;
  bool any_but_for_where_ = false;
  Names providers_;
  Names events_;
  Names fields_;  // of events that only the condition excludes
  std::set<std::uint32_t> processes_;
  double first_ms_ = 0;  // of the events outside of the filter's times
  double last_ms_ = 0;
  std::int64_t first_time_ = 0;  // the same as FILETIME
  std::int64_t last_time_ = 0;
  bool noted_time_ = false;
};

}  // namespace tailgate::etl
