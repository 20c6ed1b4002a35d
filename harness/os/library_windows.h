// Finds functions that not every version of Windows has, or that import libraries lack.
#pragma once

#include "harness/os/api_windows.h"

namespace tailgate {

// Returns a function of a library that every process has loaded (ntdll.dll, kernel32.dll), or
// nullptr. Function: its function pointer type.
template <class Function>
Function library_function(const wchar_t* library, const char* name) {
  const HMODULE module = GetModuleHandleW(library);
  if (module == nullptr) return nullptr;
  // The cast through void* avoids GCC's warning about function types.
  return reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(module, name)));
}

// Loads a library and never unloads it, since its functions may run on its own threads. Throws
// Error.
inline HMODULE load_library(const std::string& name, const std::string& remedy) {
  const HMODULE library = LoadLibraryW(wide(name).c_str());
  if (library == nullptr) throw windows_error("LoadLibraryW", name, GetLastError(), remedy);
  return library;
}

// Sets `function` to a function of the library. Throws Error if the library does not have it.
template <class Function>
void load_function(HMODULE library, const char* name, Function& function) {
  // The cast through void* avoids GCC's warning about function types.
  function = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
  if (function == nullptr) {
    throw windows_error("GetProcAddress", name, GetLastError(), "use Windows 10 or later");
  }
}

}  // namespace tailgate
