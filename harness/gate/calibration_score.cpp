#include "harness/gate/calibration_score.h"

#include <algorithm>

namespace tailgate {
namespace {

constexpr double kScoreConfidence = 0.95;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void add(const CalibrationRow& row, bool must_find, CalibrationScore& score) {
  if (row.planted == kPlantedNothing) {
    score.equal += row.runs;
    score.false_alarms += row.fail;
  } else if (must_find) {
    score.changed += row.runs;
    score.found += row.fail;
  }
}

}  // namespace

double CalibrationScore::recall() const {
  return share(found, changed);
}

double CalibrationScore::precision() const {
  return share(found, found + false_alarms);
}

double CalibrationScore::f_score() const {
  return share(2 * found, found + false_alarms + changed);
}

std::vector<CalibrationScore> scores_of(const std::vector<CalibrationRow>& rows,
                                        const std::vector<std::string>& must_find) {
  if (rows.empty()) return {};
  std::vector<CalibrationScore> scores(1);
  for (const CalibrationRow& row : rows) {
    const bool counts =
        std::find(must_find.begin(), must_find.end(), row.planted) != must_find.end();
    auto found = std::find_if(scores.begin() + 1, scores.end(), [&](const CalibrationScore& score) {
      return score.sink == row.sink;
    });
    if (found == scores.end()) {
      scores.emplace_back().sink = row.sink;
      found = scores.end() - 1;
    }
    add(row, counts, *found);
    add(row, counts, scores.front());
  }
  for (CalibrationScore& score : scores) {
    const std::uint64_t needed = runs_to_bound(score.false_alarms, kWantedBound);
    score.more_equal = needed - std::min(needed, score.equal);
    if (score.equal > 0) {
      score.at_most = binomial_interval(score.false_alarms, score.equal, kScoreConfidence).high;
    }
  }
  return scores;
}

std::uint64_t runs_to_bound(std::uint64_t failed, double bound) {
  const auto is_bounded = [&](std::uint64_t runs) {
    return binomial_interval(failed, runs, kScoreConfidence).high <= bound;
  };
  std::uint64_t enough = failed + 1;
  while (!is_bounded(enough)) enough *= 2;
  std::uint64_t too_few = failed;
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (is_bounded(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace tailgate
