// Any bytes end in a policy or in an Error; a policy that was read has rules that can be applied.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/gate/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  try {
    const Policy policy =
        parse_policy(std::string_view(reinterpret_cast<const char*>(data), size), "input");
    if (policy.looks.rounds.empty() || !(policy.looks.fail_level() > 0)) std::abort();
    for (const MetricKind& kind : metric_kinds()) {
      const MetricRule rule = policy.rule(kind, DuetSubject{});
      if (rule.gate && !(rule.margin > 0)) std::abort();
      policy.waiver(kind.name, DuetSubject{});
    }
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  return 0;
}
