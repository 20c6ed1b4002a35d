// What the tracepoint library exports. It is a library of its own, opened by the provider process
// alone: LTTng-UST starts threads and connects to session daemons in every process that loads it.
#pragma once

#include <cstdint>

extern "C" {

// Writes the event where a session has it enabled, else does nothing.
void tailgate_lttng_emit(const std::uint8_t* bytes, std::uint32_t size_bytes);

// Whether a session has the event enabled in this process.
bool tailgate_lttng_enabled();
}
