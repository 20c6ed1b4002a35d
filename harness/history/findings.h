// What the nights' charts found: which levels changed between which commits, and what became of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/history/history.h"
#include "harness/history/machine_events.h"
#include "harness/history/spread.h"

namespace tailgate::history {

enum class FindingState { open, acknowledged, fixed };

enum class Course {
  worse,
  better,
  shift,  // a sink's cost moved between provider and daemons, or causes: the sum did not rise
};

// A series whose level changed. Levels are logarithms of the ratio to the reference.
struct FindingMember {
  Series series;
  std::string found_night;
  std::string last_before;  // it changed after this night,
  std::string first_after;  // and in this one at the latest
  double level_before = 0;
  double level_after = 0;
  double statistic = 0;     // the change in its standard deviations
  std::string fixed_night;  // when the level was back; empty: it is not

  double change() const { return level_after - level_before; }
};

// What changed between the same nights, on the machines of one fingerprint.
struct Finding {
  std::int64_t id = 0;
  FindingState state = FindingState::open;
  Course course = Course::worse;
  bool is_creep = false;
  std::string fingerprint;
  std::string reference;  // the revision that every night is held against
  std::string found_night;
  std::string last_before;  // of all members together, as there
  std::string first_after;
  std::string revision_before;  // that of the night last_before
  std::string revision_after;
  std::string reason;                  // of who acknowledged it
  std::string fixed_night;             // empty: it is not fixed
  std::vector<FindingMember> members;  // the largest change first
  std::vector<MachineEvent> events;    // of these machines, between these nights
  std::vector<GroupShare> spread;      // of the first member: this machine or all?

  // Without a new commit it has another cause.
  bool has_commits() const { return revision_before != revision_after; }
};

// The newest first. Of the filter, since and until are of the night in which a finding was made,
// and machine is a fingerprint; the other fields have no meaning here.
std::vector<Finding> findings(History& history, const Filter& filter);

// Says that the finding is known, and why it may stay. Again, it has the new reason. Throws Error
// where there is no such finding, and where it is fixed.
void acknowledge(History& history, std::int64_t id, const std::string& reason);

// A finding's course, from its members.
Course course_of(const std::vector<FindingMember>& members);

}  // namespace tailgate::history

namespace tailgate {
template <>
inline constexpr auto kEnumTexts<history::FindingState> =
    enum_texts<history::FindingState>({{history::FindingState::open, "open"},
                                       {history::FindingState::acknowledged, "acknowledged"},
                                       {history::FindingState::fixed, "fixed"}});
template <>
inline constexpr auto kEnumTexts<history::Course> =
    enum_texts<history::Course>({{history::Course::worse, "worse"},
                                 {history::Course::better, "better"},
                                 {history::Course::shift, "shift"}});
}  // namespace tailgate
