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

}  // namespace tailgate
