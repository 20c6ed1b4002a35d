#include "harness/doctor/cross_check.h"

namespace tailgate {

std::vector<CrossCheck> run_cross_checks(const CrossCheckPlan&, const Clock&) {
  const std::string why = "it runs on Linux only";
  return {{.tool = "cyclictest", .package = "", .what = "", .installed = true, .failure = why},
          {.tool = "sockperf", .package = "", .what = "", .installed = true, .failure = why}};
}

}  // namespace tailgate
