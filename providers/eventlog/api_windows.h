// A table of the Event Log functions that the sink calls. It is filled from Windows' own libraries,
// or in tests from a stand-in library (providers/eventlog/testing).
#pragma once

#include "harness/os/api_windows.h"

// Include it after windows.h, whose types it needs.
#include <winevt.h>

namespace tailgate::eventlog {

struct Api {
  decltype(&::RegisterEventSourceW) register_source;
  decltype(&::DeregisterEventSource) deregister_source;
  decltype(&::ReportEventW) report_event;
  decltype(&::EvtSubscribe) subscribe;
  decltype(&::EvtQuery) query;
  decltype(&::EvtNext) next;
  decltype(&::EvtCreateRenderContext) create_render_context;
  decltype(&::EvtRender) render;
  decltype(&::EvtClearLog) clear_log;
  decltype(&::EvtClose) close;
};

// The environment variable with the path of one stand-in library for all functions; for tests. The
// provider and consumer processes inherit it.
inline constexpr const char* kLibraryVariable = "TAILGATE_EVENTLOG_LIBRARY";

// Loads the table on the first call. Throws Error when a library or a function is missing.
const Api& api();

// Whether a stand-in library is in use.
bool stands_in();

}  // namespace tailgate::eventlog
