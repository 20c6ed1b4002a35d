// The sink's tracepoint: tailgate:event, with the event's bytes as a sequence. LTTng-UST's headers
// read this file several times with different macros, so it has no #pragma once.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tailgate

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "providers/lttng/tracepoint_event.h"

#if !defined(TAILGATE_LTTNG_TRACEPOINT_EVENT) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TAILGATE_LTTNG_TRACEPOINT_EVENT

#include <lttng/tracepoint.h>

#include <cstdint>

// The two macros hold declarations, not code, so clang-format must not touch them.
// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(tailgate, event,
  LTTNG_UST_TP_ARGS(const std::uint8_t*, bytes, std::uint32_t, size_bytes),
  LTTNG_UST_TP_FIELDS(
    lttng_ust_field_sequence(std::uint8_t, payload, bytes, std::uint32_t, size_bytes)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
