// The calls of the Windows Event Log that the sink makes, by way of a table: filled from Windows'
// own libraries, or from one that stands in for them in tests (providers/eventlog/testing).
#pragma once

#include "harness/base/api_windows.h"

// After windows.h, whose types it needs.
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

// Environment variable that names one library for all of them; for tests. It reaches the provider
// and consumer processes, too.
inline constexpr const char* kLibraryVariable = "TAILGATE_EVENTLOG_LIBRARY";

// Loaded once. Throws Error when a library or one of its functions is not there.
const Api& api();

// Whether a library stands in for Windows' own.
bool stands_in();

}  // namespace tailgate::eventlog
