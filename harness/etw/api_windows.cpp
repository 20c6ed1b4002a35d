#include "harness/etw/api_windows.h"

#include <cstdlib>

#include "harness/os/library_windows.h"

namespace tailgate::etw {
namespace {

std::string library_name() {
  const char* named = std::getenv(kLibraryVariable);
  return named == nullptr || *named == '\0' ? "advapi32.dll" : named;
}

Api load_api() {
  const HMODULE library = load_library(library_name(), std::string("unset ") + kLibraryVariable);
  Api api = {};
  load_function(library, "StartTraceW", api.start_trace);
  load_function(library, "ControlTraceW", api.control_trace);
  load_function(library, "QueryAllTracesW", api.query_all_traces);
  load_function(library, "TraceSetInformation", api.trace_set_information);
  // Wine's library lacks it.
  api.trace_query_information = reinterpret_cast<decltype(api.trace_query_information)>(
      reinterpret_cast<void*>(GetProcAddress(library, "TraceQueryInformation")));
  load_function(library, "EnableTraceEx2", api.enable_trace);
  load_function(library, "OpenTraceW", api.open_trace);
  load_function(library, "ProcessTrace", api.process_trace);
  load_function(library, "CloseTrace", api.close_trace);
  load_function(library, "EventRegister", api.event_register);
  load_function(library, "EventUnregister", api.event_unregister);
  load_function(library, "EventSetInformation", api.event_set_information);
  load_function(library, "EventWriteTransfer", api.event_write);
  return api;
}

}  // namespace

const Api& api() {
  static const Api loaded = load_api();
  return loaded;
}

bool stands_in() {
  return library_name() != "advapi32.dll";
}

}  // namespace tailgate::etw
