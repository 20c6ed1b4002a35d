#include "providers/synthetic/delay_law.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace tailgate {
namespace {

DelayShape shape_named(const std::string& name) {
  if (name == "uniform") return DelayShape::uniform;
  if (name == "exponential") return DelayShape::exponential;
  if (name == "lognormal") return DelayShape::lognormal;
  return DelayShape::fixed;
}

double standard_normal(DelayRandom& random) {
  const double radius = std::sqrt(-2.0 * std::log(random.next_unit()));  // Box and Muller 1958
  return radius * std::cos(2.0 * std::numbers::pi * random.next_unit());
}

}  // namespace

std::uint64_t DelayLaw::draw_ns(DelayRandom& random) const {
  double delay_ns = service_ns;
  switch (shape) {
    case DelayShape::fixed:
      break;
    case DelayShape::uniform:
      delay_ns *= 2.0 * random.next_unit();
      break;
    case DelayShape::exponential:
      delay_ns *= -std::log(random.next_unit());
      break;
    case DelayShape::lognormal:
      delay_ns *= std::exp(sigma * standard_normal(random));
      break;
  }
  if (slow_share > 0 && random.next_unit() <= slow_share) return slow_ns;
  return static_cast<std::uint64_t>(std::llround(delay_ns));
}

DelayLaw delay_law(const Options& options) {
  return {.shape = shape_named(options.text("law")),
          .service_ns = static_cast<double>(options.integer("service_ns")),
          .sigma = options.real("sigma"),
          .slow_share = options.real("slow_share"),
          .slow_ns = static_cast<std::uint64_t>(options.integer("slow_ns"))};
}

StallPlan stall_plan(const Options& options) {
  const auto ns = [&](const char* name, double scale) {
    return static_cast<std::uint64_t>(std::llround(options.real(name) * scale));
  };
  const StallPlan plan = {.length_ns = ns("stall_ms", 1e6),
                          .period_ns = ns("stall_every_s", 1e9),
                          .first_ns = ns("stall_first_s", 1e9)};
  if (plan.period_ns != 0 && plan.length_ns >= plan.period_ns) {
    throw Error(fmt::format("stall_ms = {} is not shorter than the period stall_every_s = {}",
                            options.real("stall_ms"), options.real("stall_every_s")),
                "give a stall shorter than its period");
  }
  return plan;
}

}  // namespace tailgate
