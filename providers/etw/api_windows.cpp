#include "providers/etw/api_windows.h"

#include <cstdlib>

namespace tailgate::etw {
namespace {

std::string library_name() {
  const char* named = std::getenv(kLibraryVariable);
  return named == nullptr || *named == '\0' ? "advapi32.dll" : named;
}

template <class Function>
void load(HMODULE library, const char* name, Function& function) {
  // By way of void*, which GCC takes for a conversion that is meant.
  function = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
  if (function == nullptr) {
    throw windows_error("GetProcAddress", name, GetLastError(), "use Windows 10 or later");
  }
}

Api load_api() {
  const std::string name = library_name();
  // Never unloaded: its functions may run on threads of its own.
  const HMODULE library = LoadLibraryW(wide(name).c_str());
  if (library == nullptr) {
    throw windows_error("LoadLibraryW", name, GetLastError(),
                        std::string("unset ") + kLibraryVariable);
  }
  Api api = {};
  load(library, "StartTraceW", api.start_trace);
  load(library, "ControlTraceW", api.control_trace);
  load(library, "QueryAllTracesW", api.query_all_traces);
  load(library, "EnableTraceEx2", api.enable_trace);
  load(library, "EventRegister", api.event_register);
  load(library, "EventUnregister", api.event_unregister);
  load(library, "EventSetInformation", api.event_set_information);
  load(library, "EventWriteTransfer", api.event_write);
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
