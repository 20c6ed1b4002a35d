#include "harness/trial/early_end.h"

#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

using Level = std::optional<std::uint64_t>;

// The program's, and the daemons' where there are any and they tell.
Level together(const Level& program, const Level& daemons) {
  if (!program) return daemons;
  return *program + daemons.value_or(0);
}

double grown(const Level& now, const Level& first) {
  if (!now || !first || *now < *first) return 0;
  return static_cast<double>(*now - *first);
}

}  // namespace

void add_levels(const std::vector<RoleUse>& roles, EndSigns& signs) {
  const Counters& program = counters_of(roles, Role::provider);
  const Counters& daemons = counters_of(roles, Role::daemons);
  signs.memory_bytes = together(program.private_bytes, daemons.private_bytes);
  signs.descriptors = together(program.descriptors, daemons.descriptors);
}

std::optional<EarlyEnd> EarlyEndWatch::look(const EndSigns& signs) {
  if (!first_) first_ = signs;
  const auto ended = [&](const char* limit, double value, double allowed) {
    return EarlyEnd{.at_ns = signs.at_ns, .limit = limit, .value = value, .allowed = allowed};
  };
  const auto above = [](double value, double limit) { return limit > 0 && value >= limit; };
  if (const double bytes = grown(signs.memory_bytes, first_->memory_bytes);
      above(bytes, limits_.grown_bytes)) {
    return ended("end_at_grown_bytes", bytes, limits_.grown_bytes);
  }
  if (const double more = grown(signs.descriptors, first_->descriptors);
      above(more, limits_.grown_descriptors)) {
    return ended("end_at_grown_descriptors", more, limits_.grown_descriptors);
  }
  if (signs.free_bytes && static_cast<double>(*signs.free_bytes) < limits_.free_bytes) {
    return ended("end_at_free_bytes", static_cast<double>(*signs.free_bytes), limits_.free_bytes);
  }
  if (const auto refused = static_cast<double>(signs.refused_events);
      above(refused, limits_.refused_events)) {
    return ended("end_at_refused_events", refused, limits_.refused_events);
  }
  if (above(signs.late_s, limits_.late_s)) {
    return ended("end_at_late_s", signs.late_s, limits_.late_s);
  }
  return std::nullopt;
}

}  // namespace tailgate
