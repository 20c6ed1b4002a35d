#include "harness/overhead/counters.h"

namespace tailgate {

Counters difference(const Counters& after, const Counters& before) {
  Counters used;
  for (const CounterField field : kCounts) {
    const Counters::Count& last = after.*field;
    const Counters::Count& first = before.*field;
    if (last && first) used.*field = *last > *first ? *last - *first : 0;
  }
  for (const CounterField field : kLevels) used.*field = after.*field;
  return used;
}

Counters sum(const Counters& a, const Counters& b) {
  Counters both;
  const auto add = [&](CounterField field) {
    if (a.*field && b.*field) both.*field = *(a.*field) + *(b.*field);
  };
  for (const CounterField field : kCounts) add(field);
  for (const CounterField field : kLevels) add(field);
  return both;
}

}  // namespace tailgate
