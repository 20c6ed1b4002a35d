// From a change in one chart to a finding: a new one, or one that is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/history/database.h"
#include "harness/stats/night_chart.h"

namespace tailgate::history {

struct ChartKey {
  std::int64_t series = 0;
  std::string fingerprint;
  std::string reference;
};

// What the change becomes that a chart showed with this night, and whose nights are all in the
// history:
// - nothing, where it is known already, or where it brings a level back: then that finding is fixed
//   for this series, and as a whole once every series of it is back;
// - a part of a finding of the same machines and reference whose nights overlap, because what
//   changed together has one cause. A creep joins creeps only: it takes weeks, in which other
//   things change;
// - else a new finding, whose number is returned.
// Call it within a transaction.
std::optional<std::int64_t> raise_finding(Database& database, const ChartKey& key,
                                          const std::string& night, const LevelChange& change);

}  // namespace tailgate::history
