// Reads any bytes as a file of class margins: the outcome is a class whose margins cap a policy's,
// or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/gate/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tailgate;
  Policy policy = default_policy();
  try {
    policy.classes = {
        parse_machine_class(std::string_view(reinterpret_cast<const char*>(data), size), "input")};
  } catch (const Error&) {
    return 0;  // refused: what the reader is there for
  }
  for (const ClassMargin& margin : policy.classes.front().margins) {
    DuetSubject subject;
    subject.sink.label = margin.sink;
    subject.scenario.name = margin.load;
    const MetricKind& kind = *find_metric(margin.metric);
    const Policy capped =
        with_class_margins(policy, policy.classes.front().machines.front(), subject);
    if (capped.caps.empty()) std::abort();
    const MetricRule before = policy.rule(kind, subject);
    const MetricRule after = capped.rule(kind, subject);
    if (before.gate && (!after.gate || after.margin > before.margin)) std::abort();
  }
  return 0;
}
