// Any bytes, as a bound and as a file of claims, end in claims that can be judged or in an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/gate/claim.h"

namespace {

using namespace tailgate;

void check(const ClaimBound& bound, bool is_ratio) {
  if (!(bound.limit >= 0) || !std::isfinite(bound.limit)) std::abort();
  if (bound.metric.kind == ClaimKind::time && bound.metric.time_ns == nullptr) std::abort();
  // What is shown of a bound means the same.
  const ClaimBound again = parse_claim_bound(bound.text, is_ratio);
  if (again.limit != bound.limit || again.metric.name != bound.metric.name ||
      again.relation != bound.relation || again.unit != bound.unit) {
    std::abort();
  }
}

void check(const Claim& claim) {
  if (claim.text.empty() || claim.source.empty() || claim.bounds.empty()) std::abort();
  for (const ClaimBound& bound : claim.bounds) check(bound, claim.than.has_value());
  Result result;
  result.sink.label = claim.run.sink;
  result.scenario.preset = claim.run.scenario;
  result.scenario.options = claim.run.set;
  StepSummary step;
  step.rate_hz = claim.run.rate_hz.value_or(1);
  if (!claim.run.matches(result) || !claim.run.matches(step)) std::abort();
  if (claim.run.subject().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool is_ratio : {false, true}) {
    try {
      check(parse_claim_bound(text, is_ratio), is_ratio);
    } catch (const Error&) {
      // Refused: what the reader is there for.
    }
  }
  try {
    for (const Claim& claim : parse_claims(text, "input")) check(claim);
  } catch (const Error&) {
    // Likewise.
  }
  return 0;
}
