#include "harness/report/latency_kind.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate {

LatencyKind parse_latency_kind(std::string_view name) {
  if (const auto kind = enum_value<LatencyKind>(name)) return *kind;
  throw Error(fmt::format("there is no metric '{}'", name),
              choice_remedy(name, enum_choices<LatencyKind>()));
}

const Latency* find_latency(const Trial& trial, LatencyKind kind) {
  const Latency* latency = nullptr;
  switch (kind) {
    case LatencyKind::service:
      latency = &trial.service;
      break;
    case LatencyKind::response:
      latency = &trial.response;
      break;
    case LatencyKind::delivery:
      latency = trial.consumer.delivery ? &*trial.consumer.delivery : nullptr;
      break;
    case LatencyKind::start_lag:
      latency = &trial.start_lag;
      break;
  }
  return latency == nullptr || latency->count == 0 ? nullptr : latency;
}

}  // namespace tailgate
