#include "providers/eventlog/api_windows.h"

#include <cstdlib>

#include "harness/os/library_windows.h"

namespace tailgate::eventlog {
namespace {

std::string stand_in() {
  const char* named = std::getenv(kLibraryVariable);
  return named == nullptr ? "" : named;
}

Api load_api() {
  const std::string remedy = std::string("use Windows 10 or later, and unset ") + kLibraryVariable;
  const std::string named = stand_in();
  const HMODULE classic = load_library(named.empty() ? "advapi32.dll" : named, remedy);
  const HMODULE modern = load_library(named.empty() ? "wevtapi.dll" : named, remedy);
  Api api = {};
  load_function(classic, "RegisterEventSourceW", api.register_source);
  load_function(classic, "DeregisterEventSource", api.deregister_source);
  load_function(classic, "ReportEventW", api.report_event);
  load_function(modern, "EvtSubscribe", api.subscribe);
  load_function(modern, "EvtQuery", api.query);
  load_function(modern, "EvtNext", api.next);
  load_function(modern, "EvtCreateRenderContext", api.create_render_context);
  load_function(modern, "EvtRender", api.render);
  load_function(modern, "EvtClearLog", api.clear_log);
  load_function(modern, "EvtClose", api.close);
  return api;
}

}  // namespace

const Api& api() {
  static const Api loaded = load_api();
  return loaded;
}

bool stands_in() {
  return !stand_in().empty();
}

}  // namespace tailgate::eventlog
