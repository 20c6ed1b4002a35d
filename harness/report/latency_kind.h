// The kinds of distribution that a trial has.
#pragma once

#include <string_view>

#include "harness/base/enum_text.h"
#include "harness/result/result.h"

namespace tailgate {

enum class LatencyKind { service, response, delivery, start_lag };
inline constexpr LatencyKind kLatencyKinds[] = {LatencyKind::service, LatencyKind::response,
                                                LatencyKind::delivery, LatencyKind::start_lag};

template <>
inline constexpr auto kEnumTexts<LatencyKind> =
    enum_texts<LatencyKind>({{LatencyKind::service, "service"},
                             {LatencyKind::response, "response"},
                             {LatencyKind::delivery, "delivery"},
                             {LatencyKind::start_lag, "start_lag"}});

// The kind with this name. Throws Error that lists the valid names.
LatencyKind parse_latency_kind(std::string_view name);

// The trial's distribution; nullptr when it was not measured or is empty.
const Latency* find_latency(const Trial& trial, LatencyKind kind);

}  // namespace tailgate
