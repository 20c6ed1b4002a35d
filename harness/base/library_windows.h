// Functions that not every Windows has, or that its import libraries leave out.
#pragma once

#include "harness/base/api_windows.h"

namespace tailgate {

// The function of a library that every process has loaded (ntdll.dll, kernel32.dll), or nullptr.
// Function: the pointer type of its declaration.
template <class Function>
Function library_function(const wchar_t* library, const char* name) {
  const HMODULE module = GetModuleHandleW(library);
  if (module == nullptr) return nullptr;
  // By way of void*, which GCC takes for a conversion that is meant.
  return reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(module, name)));
}

// Never unloaded: a library's functions may run on threads of its own. Throws Error.
inline HMODULE load_library(const std::string& name, const std::string& remedy) {
  const HMODULE library = LoadLibraryW(wide(name).c_str());
  if (library == nullptr) throw windows_error("LoadLibraryW", name, GetLastError(), remedy);
  return library;
}

// Fills in a function of the library, where it must be. Throws Error.
template <class Function>
void load_function(HMODULE library, const char* name, Function& function) {
  // By way of void*, which GCC takes for a conversion that is meant.
  function = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
  if (function == nullptr) {
    throw windows_error("GetProcAddress", name, GetLastError(), "use Windows 10 or later");
  }
}

}  // namespace tailgate
