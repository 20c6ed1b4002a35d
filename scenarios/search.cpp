#include "scenarios/search.h"

#include <algorithm>
#include <map>

namespace tailgate {
namespace {

using Place = std::int64_t;

// The rough part, by single trials: the highest place that held below the lowest that did not.
struct Rough {
  std::optional<Place> holds;
  std::optional<Place> misses;
};

Rough rough_place(std::span<const Looked> looked) {
  Rough rough;
  for (const Looked& look : looked) {
    if (look.trials != 1 || look.held != 0) continue;
    rough.misses = std::min(rough.misses.value_or(look.place), look.place);
  }
  for (const Looked& look : looked) {
    if (look.trials != 1 || look.held == 0) continue;
    if (rough.misses && look.place > *rough.misses) continue;
    rough.holds = std::max(rough.holds.value_or(look.place), look.place);
  }
  return rough;
}

// The place after the last one in strides that double; nothing if that is the end of all places.
std::optional<Place> stride_on(const SearchPlan& plan, Place from, Place first_stride, Place sign) {
  const Place end = sign > 0 ? plan.most : plan.least;
  if (from == end) return std::nullopt;
  Place stride = first_stride;
  const Place walked = (from - plan.start) * sign;
  while (stride <= walked) stride *= 2;
  return sign > 0 ? std::min(end, from + stride) : std::max(end, from - stride);
}

std::optional<Place> next_rough(const SearchPlan& plan, std::span<const Looked> looked) {
  const Rough rough = rough_place(looked);
  if (!rough.holds && !rough.misses) return plan.start;
  if (!rough.misses) return stride_on(plan, *rough.holds, plan.stride, 1);
  if (!rough.holds) return stride_on(plan, *rough.misses, plan.stride, -1);
  if (*rough.misses - *rough.holds <= 1) return std::nullopt;
  return *rough.holds + (*rough.misses - *rough.holds) / 2;
}

enum class Outcome { holds, mixed, misses };

// The places that are confirmed, one way or the other.
std::map<Place, Outcome> confirmed(const SearchPlan& plan, std::span<const Looked> looked) {
  std::map<Place, Outcome> places;
  for (const Looked& look : looked) {
    if (look.trials < plan.confirm) continue;
    places[look.place] = look.held == look.trials ? Outcome::holds
                         : look.held == 0         ? Outcome::misses
                                                  : Outcome::mixed;
  }
  return places;
}

struct Ends {
  std::optional<Place> holds;
  std::optional<Place> misses;
};

Ends ends_of(const std::map<Place, Outcome>& places) {
  Ends ends;
  for (const auto& [place, outcome] : places) {
    if (outcome == Outcome::misses) {
      ends.misses = place;
      break;
    }
    if (outcome == Outcome::holds) ends.holds = place;
  }
  return ends;
}

// Half way between the ends, but for the places in between that hold in some trials.
std::optional<Place> next_between(const std::map<Place, Outcome>& places, Place holds,
                                  Place misses) {
  Place lowest_mixed = misses;
  Place highest_mixed = holds;
  for (const auto& [place, outcome] : places) {
    if (place <= holds || place >= misses) continue;
    lowest_mixed = std::min(lowest_mixed, place);
    highest_mixed = std::max(highest_mixed, place);
  }
  if (lowest_mixed - holds > 1) return holds + (lowest_mixed - holds) / 2;
  if (misses - highest_mixed > 1) return highest_mixed + (misses - highest_mixed) / 2;
  return std::nullopt;
}

// In strides that double away from where the confirmation began.
std::optional<Place> walk(const SearchPlan& plan, Place began, Place from, Place sign) {
  const SearchPlan from_there{
      .start = began, .least = plan.least, .most = plan.most, .stride = 1, .confirm = plan.confirm};
  return stride_on(from_there, from, 1, sign);
}

}  // namespace

std::optional<NextLook> next_look(const SearchPlan& plan, std::span<const Looked> looked) {
  const std::map<Place, Outcome> places = confirmed(plan, looked);
  if (places.empty()) {
    if (const auto place = next_rough(plan, looked)) return NextLook{*place, 1};
    return NextLook{rough_place(looked).holds.value_or(plan.least), plan.confirm};
  }
  const Place began = rough_place(looked).holds.value_or(plan.start);
  const Ends ends = ends_of(places);
  std::optional<Place> place;
  if (!ends.holds) {
    place = walk(plan, began, places.begin()->first, -1);
  } else if (!ends.misses) {
    place = walk(plan, began, places.rbegin()->first, 1);
  } else {
    place = next_between(places, *ends.holds, *ends.misses);
  }
  if (!place) return std::nullopt;
  return NextLook{*place, plan.confirm};
}

FoundPlace found_place(const SearchPlan& plan, std::span<const Looked> looked) {
  const Ends ends = ends_of(confirmed(plan, looked));
  FoundPlace found{.holds = ends.holds, .misses = ends.misses, .best = {}};
  for (const Looked& look : looked) {
    const bool below = !ends.misses || look.place < *ends.misses;
    if (look.trials < plan.confirm || !below || 2 * look.held <= look.trials) continue;
    found.best = std::max(found.best.value_or(look.place), look.place);
  }
  return found;
}

}  // namespace tailgate
