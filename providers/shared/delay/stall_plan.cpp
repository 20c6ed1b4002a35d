#include "providers/shared/delay/stall_plan.h"

namespace tailgate {

std::uint64_t StallPlan::release_ns(std::uint64_t origin_ns, std::uint64_t now_ns) const {
  const std::uint64_t first = origin_ns + first_ns;
  if (length_ns == 0 || now_ns < first) return now_ns;
  const std::uint64_t since = now_ns - first;
  const std::uint64_t into = period_ns == 0 ? since : since % period_ns;
  return into < length_ns ? now_ns + (length_ns - into) : now_ns;
}

}  // namespace tailgate
