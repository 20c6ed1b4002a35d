// The stand-in's providers: who is registered, and what their callbacks are told. Each process that
// has some takes the commands of all controllers in order, on a thread of its own.
#pragma once

#include "harness/etw/testing/stand_in_memory_windows.h"

namespace tailgate::etw::stand_in {

bool registered_here(const GUID& provider);

// The session ends, and with it what it has enabled. The caller holds the lock.
void tell_of_end(std::uint32_t session);

}  // namespace tailgate::etw::stand_in
