// The functions of the tracepoint library. Only the provider process opens the library, because
// LTTng-UST starts threads and connects to session daemons in every process that loads it.
#pragma once

#include <cstdint>

extern "C" {

// Writes the event if a session has it enabled, else does nothing.
void tailgate_lttng_emit(const std::uint8_t* bytes, std::uint32_t size_bytes);

// Whether a session has the event enabled in this process.
bool tailgate_lttng_enabled();
}
