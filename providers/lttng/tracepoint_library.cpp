#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "providers/lttng/tracepoint_library.h"

// The two macros above make this include define the tracepoint.
#include "providers/lttng/tracepoint_event.h"

void tailgate_lttng_emit(const std::uint8_t* bytes, std::uint32_t size_bytes) {
  lttng_ust_tracepoint(tailgate, event, bytes, size_bytes);
}

bool tailgate_lttng_enabled() {
  return lttng_ust_tracepoint_enabled(tailgate, event);
}
